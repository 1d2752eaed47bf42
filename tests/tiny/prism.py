"""A small model in PRISM's layout: a fairseq checkpoint whose weights are a closed form, converted, with
sentencepiece's pieces and a dictionary.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from strategies import SENTENCES

from nlgauge.models.networks.prism_layout import converted
from tiny.closed_form import sines

WIDTH, LAYERS = 32, 2
ARGS = {
    "activation_fn": "relu",
    "max_target_positions": 128,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
}


def pieces(directory: Path) -> int:
    """Writes spm.model and dict.src.txt; the number of tokens."""
    import sentencepiece

    texts = [text for prediction, references in SENTENCES for text in (prediction, *references) if text]
    model = io.BytesIO()
    options = {"vocab_size": 120, "hard_vocab_limit": False, "num_threads": 1, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_writer=model, **options)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "spm.model").write_bytes(model.getvalue())
    trained = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    known = [trained.id_to_piece(i) for i in range(3, trained.get_piece_size())]
    # The last piece is left out, so that the dictionary does not know all of them.
    lines = [f"{token} {1000 - i}" for i, token in enumerate([*known[:-1], "<en>", "<de>"])]
    (directory / "dict.src.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return len(lines) + 4


def state_of(size: int, seed: int, first: bool) -> dict[str, Any]:
    """The weights under fairseq's names; `first`: whether blocks begin with their normalization."""
    import torch

    shapes: dict[str, tuple[int, ...]] = {"encoder.embed_tokens.weight": (size, WIDTH)}
    for side in ("encoder", "decoder"):
        for layer in range(LAYERS):
            block = f"{side}.layers.{layer}"
            for attention in ("self_attn", *(["encoder_attn"] if side == "decoder" else [])):
                shapes |= {
                    f"{block}.{attention}.{part}_proj.weight": (WIDTH, WIDTH)
                    for part in ("k", "v", "q", "out")
                }
                shapes |= {
                    f"{block}.{attention}.{part}_proj.bias": (WIDTH,) for part in ("k", "v", "q", "out")
                }
                shapes |= {f"{block}.{attention}_layer_norm.{part}": (WIDTH,) for part in ("weight", "bias")}
            shapes |= {
                f"{block}.fc1.weight": (64, WIDTH),
                f"{block}.fc1.bias": (64,),
                f"{block}.fc2.weight": (WIDTH, 64),
                f"{block}.fc2.bias": (WIDTH,),
            }
            shapes |= {f"{block}.final_layer_norm.{part}": (WIDTH,) for part in ("weight", "bias")}
        if first:
            shapes |= {f"{side}.layer_norm.{part}": (WIDTH,) for part in ("weight", "bias")}
    found = {}
    for number, (name, shape) in enumerate(sorted(shapes.items())):
        values = torch.from_numpy(sines(shape, number + 100 * seed)).float()
        is_scale = "layer_norm" in name and name.endswith("weight")
        found[name] = (0.35 * values) if len(shape) > 1 else 0.1 * values + float(is_scale)
    found["decoder.embed_tokens.weight"] = found["decoder.output_projection.weight"] = found[
        "encoder.embed_tokens.weight"
    ]
    versions = {f"{side}.version": torch.tensor([3.0]) for side in ("encoder", "decoder")}
    return {**found, **versions, "encoder.embed_positions._float_tensor": torch.zeros(1)}


def write(directory: Path, seed: int, first: bool = True) -> None:
    """The converted model with its pieces and its dictionary."""
    from safetensors.torch import save_file

    state = state_of(pieces(directory), seed, first)
    weights, config = converted(
        state, {"args": {**ARGS, "encoder_normalize_before": first, "decoder_normalize_before": first}}
    )
    save_file(
        {name: values.clone().contiguous() for name, values in weights.items()},
        directory / "model.safetensors",
        {"format": "pt"},
    )
    (directory / "config.json").write_text(json.dumps(config))
