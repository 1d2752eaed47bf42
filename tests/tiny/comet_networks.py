"""Small networks of the COMET family, as checkpoints and as directories; every weight is a sine of its
number, so that no generator decides them.

The encoders are XLM-R, XLM-R-XL and RoBERTa of two layers. What reads |m - r| and |m - s| is negative and
what follows is positive, so that likeness is good, as it is for trained networks.
"""

from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from nlgauge.models.weights import convert

WIDTH, LAYERS, POSITIONS = 24, 2, 68
IDENTIFIERS = {
    "regression": "regression_metric",
    "referenceless": "referenceless_regression_metric",
    "unified": "unified_metric",
    "xcomet": "xcomet_metric",
    "lens": "regression_metric_multi_ref",
}
BLOCKS = {"regression": 6, "referenceless": 4, "unified": 1, "xcomet": 1, "lens": 7}
DIFFERENCES = {"regression": (3, 5), "referenceless": (3,), "lens": (4, 6), "unified": (), "xcomet": ()}
SENTENCE = (
    "the cat sat on mat a dog minister met president tuesday he said it will never happen again shares fell"
    " in early trading"
)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?'-%$:;()"


def closed(shape: tuple[int, ...], phase: int, scale: float) -> Any:
    """Numbers between -scale and scale, from their places alone."""
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64)
    return torch.from_numpy(
        (scale * np.sin(numbers * numbers % 100_003 * 0.618 + 1.7 * phase)).reshape(shape).astype(np.float32)
    )


def write_base(directory: Path, encoder: str = "xlm-roberta") -> dict[str, Any]:
    """Writes configuration and tokenizer of an encoder, and gives its weights' shapes by name."""
    directory.mkdir(parents=True, exist_ok=True)
    if encoder == "roberta":
        symbols = list(
            dict.fromkeys(
                [
                    "<s>",
                    "<pad>",
                    "</s>",
                    "<unk>",
                    "<mask>",
                    *_bytes(),
                    "Ġt",
                    "Ġth",
                    "Ġthe",
                    "Ġc",
                    "Ġca",
                    "Ġcat",
                ]
            )
        )
        merges = [("Ġ", "t"), ("Ġt", "h"), ("Ġth", "e"), ("Ġ", "c"), ("Ġc", "a"), ("Ġca", "t")]
        tokenizer: Any = transformers.RobertaTokenizer(
            vocab={symbol: i for i, symbol in enumerate(symbols)}, merges=merges
        )
    else:
        pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", *(f"▁{word}" for word in SENTENCE.split()), *LETTERS]
        tokenizer = transformers.XLMRobertaTokenizer(
            vocab=[
                (piece, 0.0 if i < 4 else -1.0 - (len(piece) < 3) * i / 10) for i, piece in enumerate(pieces)
            ]
        )
    tokenizer.save_pretrained(directory)
    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": POSITIONS,
    }
    config = transformers.AutoConfig.for_model(
        encoder, vocab_size=len(tokenizer), bos_token_id=0, pad_token_id=1, eos_token_id=2, **sizes
    )
    config.save_pretrained(directory)
    with torch.random.fork_rng(devices=[]):
        return transformers.AutoModel.from_config(config, add_pooling_layer=False).state_dict()


def _bytes() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def state_dict(form: str, seed: int, shapes: dict[str, Any], labels: int = 0) -> dict[str, Any]:
    """The weights of a checkpoint, by the names that they have there."""
    found = {}
    for i, (name, tensor) in enumerate(shapes.items()):
        value = closed(tuple(tensor.shape), 10 * seed + i, 0.1 if name.endswith("bias") else 0.45)
        is_norm = "norm" in name.lower() and name.endswith("weight")
        found[f"encoder.model.{name}"] = 1 + 0.2 * value if is_norm else value
    for layer in range(LAYERS + 1):
        found[f"layerwise_attention.scalar_parameters.{layer}"] = torch.tensor([0.4 * layer - 0.1 * seed])
    found["layerwise_attention.gamma"] = torch.tensor([1.25])
    sizes = [BLOCKS[form] * WIDTH, 20, 12, 1]
    for number, (before, after) in enumerate(pairwise(sizes)):
        weight = closed((after, before), 7 + seed + number, 0.03 if not number else 0.3)
        if number:
            weight = weight.abs()
        for block in DIFFERENCES[form] if not number else ():
            part = slice(block * WIDTH, (block + 1) * WIDTH)
            weight[:, part] = -weight[:, part].abs()
        found[f"estimator.ff.{3 * number}.weight"] = weight
        found[f"estimator.ff.{3 * number}.bias"] = closed((after,), 3 + seed + number, 0.2)
    if labels:
        found["hidden2tag.weight"] = closed((labels, WIDTH), 5 + seed, 0.8)
        found["hidden2tag.bias"] = closed((labels,), 11 + seed, 0.3) + torch.tensor(
            [1.2, *[0.0] * (labels - 1)]
        )
    return found


def hyper_parameters(form: str, **changed: Any) -> dict[str, Any]:
    """What a checkpoint says of itself."""
    joint = form in ("unified", "xcomet")
    found: dict[str, Any] = {
        "encoder_model": "RoBERTa" if form == "lens" else "XLM-RoBERTa",
        "pretrained_model": "base",
        "sent_layer" if joint else "layer": "mix",
        "layer_transformation": "softmax",
        "layer_norm": False,
        "hidden_sizes": [20, 12],
        "activations": "Tanh",
        "final_activation": None,
    }
    found |= {"word_layer": LAYERS, "word_level_training": form == "xcomet"} if joint else {"pool": "avg"}
    found |= {"error_labels": ["minor", "major", "critical"]} if form == "xcomet" else {}
    return {**found, **changed}


def labels_of(hyper: dict[str, Any]) -> int:
    return len(hyper["error_labels"]) + 1 if hyper.get("word_level_training") else 0


def write_checkpoint(place: Path, form: str, seed: int, encoder: str = "xlm-roberta", **changed: Any) -> Path:
    """Writes base/ and checkpoints/model.ckpt with hparams.yaml above it, as the hub has them; the
    checkpoint's path.
    """
    hyper = hyper_parameters(form, **changed)
    state = state_dict(form, seed, write_base(place / "base", encoder), labels_of(hyper))
    if "mix" not in (hyper.get("layer"), hyper.get("sent_layer")):
        state = {name: tensor for name, tensor in state.items() if not name.startswith("layerwise")}
    (place / "checkpoints").mkdir()
    (place / "hparams.yaml").write_text(
        json.dumps(
            {
                "class_identifier": IDENTIFIERS[form],
                **({"train_data": hyper.get("train_data")} if form == "lens" else {}),
            }
        )
    )
    torch.save(
        {"state_dict": state, "hyper_parameters": hyper, "epoch": 3}, place / "checkpoints" / "model.ckpt"
    )
    return place / "checkpoints" / "model.ckpt"


def write(directory: Path, seed: int, form: str, encoder: str = "xlm-roberta", **changed: Any) -> None:
    """Writes a directory that nlgauge loads."""
    with tempfile.TemporaryDirectory() as scratch:
        file = write_checkpoint(Path(scratch), form, seed, encoder, **changed)
        convert.convert(file, "lens" if form == "lens" else "comet", directory, str(Path(scratch) / "base"))
