"""The two sides of the benchmark of COMET: four systems on the same sources and references, random
weights of COMET's form.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.sides import Numbers
from benchmarks.workloads import Workload

# An XLM-R of twelve layers; that of wmt22-comet-da has 24 layers of 1,024.
_SIZES = {
    "hidden_size": 384,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "max_position_embeddings": 514,
}
_HYPER = {
    "encoder_model": "XLM-RoBERTa",
    "layer": "mix",
    "layer_transformation": "sparsemax",
    "layer_norm": False,
    "pool": "avg",
    "hidden_sizes": [1152, 384],
    "activations": "Tanh",
    "final_activation": None,
}


def ours_comet(workload: Workload) -> Callable[[], Numbers]:
    """Our COMET of every system, in one call."""
    import nlgauge
    from nlgauge.models.weights.convert import convert

    place = checkpoint(workload)
    spec = f"comet(model={str(convert(place / 'checkpoints' / 'model.ckpt', 'comet', place / 'model', str(place / 'base')).place)!r})"
    scorer = nlgauge.Scorer([spec])

    def call(texts: Workload) -> Numbers:
        found = scorer(texts.systems, texts.references, texts.sources)
        return {system: float(found[system][spec]["score"]) for system in texts.systems}

    call(workload.first(2))
    return lambda: call(workload)


def unbabel_comet(workload: Workload) -> Callable[[], Numbers]:
    """unbabel-comet on the same weights, system after system, in batches of its own choice."""
    import logging

    import torch
    from comet.encoders.xlmr import XLMREncoder
    from comet.models import RegressionMetric

    def forward(self: Any, input_ids: Any, attention_mask: Any, **_: Any) -> dict[str, Any]:
        found = self.model(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True, return_dict=True
        )
        last = found.last_hidden_state
        return {
            "sentemb": last[:, 0],
            "wordemb": last,
            "all_layers": found.hidden_states,
            "attention_mask": attention_mask,
        }

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    # Without a pooler the encoder's answer has no longer the three parts that it unpacks.
    XLMREncoder.forward = forward
    place = checkpoint(workload)
    model = RegressionMetric(**_HYPER, pretrained_model=str(place / "base"), load_pretrained_weights=False)
    model.load_state_dict(
        torch.load(place / "checkpoints" / "model.ckpt", weights_only=True)["state_dict"], strict=False
    )
    model.eval()

    def call(texts: Workload) -> Numbers:
        assert texts.sources is not None
        found = {}
        for system, predictions in texts.systems.items():
            rows = zip(texts.sources, predictions, texts.references, strict=True)
            samples = [
                {"src": source, "mt": prediction, "ref": references[0]}
                for source, prediction, references in rows
            ]
            found[system] = float(model.predict(samples, gpus=0, progress_bar=False).system_score)
        return found

    call(workload.first(2))
    return lambda: call(workload)


def checkpoint(workload: Workload) -> Path:
    """A directory with base/ and checkpoints/model.ckpt, random from the same seed every time, and a
    tokenizer that knows the texts' words.
    """
    import torch
    from comet.models import RegressionMetric
    from transformers import XLMRobertaConfig, XLMRobertaTokenizer

    texts = (
        [text for texts in workload.systems.values() for text in texts]
        + [row[0] for row in workload.references]
        + (workload.sources or [])
    )
    words = sorted({word for text in texts for word in text.split()})
    letters = sorted({letter for word in words for letter in word})
    place = Path(tempfile.mkdtemp(prefix="nlgauge-bench-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    # Every second word is known, so that texts have about as many pieces as in a vocabulary of all languages.
    pieces = [
        ("<s>", 0.0),
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        *((f"▁{word}", -5.0) for word in words[::2]),
        ("▁", -6.0),
    ]
    tokenizer = XLMRobertaTokenizer(vocab=[*pieces, *((letter, -7.0) for letter in letters)])
    tokenizer.save_pretrained(place / "base")
    XLMRobertaConfig(
        vocab_size=len(tokenizer), bos_token_id=0, pad_token_id=1, eos_token_id=2, **_SIZES
    ).save_pretrained(place / "base")
    torch.manual_seed(1)
    state = RegressionMetric(
        **_HYPER, pretrained_model=str(place / "base"), load_pretrained_weights=False
    ).state_dict()
    (place / "checkpoints").mkdir()
    torch.save(
        {"state_dict": state, "hyper_parameters": {**_HYPER, "class_identifier": "regression_metric"}},
        place / "checkpoints" / "model.ckpt",
    )
    return place
