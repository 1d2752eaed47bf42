"""unbabel-comet and lens-metric on Transformers 5, for comparisons; two of their calls are mended, none
of their arithmetic is touched.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

CLASSES = {
    "regression": "RegressionMetric",
    "referenceless": "ReferencelessRegression",
    "unified": "UnifiedMetric",
    "xcomet": "XCOMETMetric",
}
TEXTS = {
    "src": [
        "il a dit",
        "le chat %",
        "un chien met la",
        "xyz on tuesday 34",
        "a",
        "le president " * 30,
        "mat",
    ],
    "mt": [
        "he said it will",
        "the cat! sat on a mat.",
        "a dog met on tuesday",
        "shares fell (35%) in early trading",
        "a",
        "the cat sat " * 25,
        "on the mat",
    ],
    "ref": [
        "it will happen, he said",
        "The cat sat on the mat.",
        "on tuesday a dog met it",
        "shares fell again",
        "a",
        "the president met " * 30,
        "the mat",
    ],
}


def _forward(self: Any, input_ids: Any, attention_mask: Any, **_: Any) -> dict[str, Any]:
    """The encoder's answer by name: without a pooler it no longer has three parts."""
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


def _with_marks(self: Any, first: list[int], second: list[int]) -> list[int]:
    """What Transformers 5 has no method for."""
    return [self.cls_token_id, *first, self.sep_token_id, self.sep_token_id, *second, self.sep_token_id]


def official(
    form: str, base: Path, state: dict[str, Any], hyper: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """A model of unbabel-comet with these weights."""
    pytest.importorskip("comet")
    import transformers
    from comet import models
    from comet.encoders.xlmr import XLMREncoder

    monkeypatch.setattr(XLMREncoder, "forward", _forward)
    monkeypatch.setattr(
        transformers.XLMRobertaTokenizer, "build_inputs_with_special_tokens", _with_marks, raising=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = getattr(models, CLASSES[form])(
            **{**hyper, "pretrained_model": str(base)}, load_pretrained_weights=False
        )
    left = model.load_state_dict(state, strict=False)
    assert not left.unexpected_keys
    parts = ("encoder.model.", "layerwise_attention.s", "layerwise_attention.g", "estimator.", "hidden2tag.")
    assert not [name for name in left.missing_keys if name.startswith(parts)]
    return model.eval()


def predicted(model: Any, texts: dict[str, list[str]], batch_size: int = 3) -> dict[str, Any]:
    """What the authors' program gives for the texts: scores, and what it adds to them, row by row."""
    import torch

    rows = [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]
    found: dict[str, Any] = {"scores": []}
    for start in range(0, len(rows), batch_size):
        with torch.no_grad():
            answer = model.predict_step(
                model.prepare_sample(rows[start : start + batch_size], stage="predict")
            )
        found["scores"] += answer["scores"].tolist()
        for name, values in dict(answer).get("metadata", {}).items():
            found.setdefault(name, []).extend(values.tolist() if torch.is_tensor(values) else values)
    return found


def from_checkpoint(form: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The authors' model of a checkpoint that tests/tiny/comet_networks.py wrote; the test is skipped
    from here on where their program is absent.
    """
    import torch

    content = torch.load(file, weights_only=True)
    return official(
        form, file.parent.parent / "base", content["state_dict"], content["hyper_parameters"], monkeypatch
    )


def official_lens(file: Path, monkeypatch: pytest.MonkeyPatch, rescale: bool) -> Any:
    """lens-metric's LENS of a checkpoint that tests/tiny/comet_networks.py wrote."""
    pytest.importorskip("lens")
    import torch
    import transformers
    from lens.encoders.roberta import RoBERTaEncoder
    from lens.lens_score import LENS
    from lens.models import RegressionMetricMultiReference

    monkeypatch.setattr(RoBERTaEncoder, "forward", _forward)
    content, base = torch.load(file, weights_only=True), file.parent.parent / "base"
    with torch.random.fork_rng(devices=[]):
        transformers.AutoModel.from_config(transformers.AutoConfig.from_pretrained(base)).save_pretrained(
            base
        )
    names = (
        "encoder_model",
        "layer",
        "pool",
        "hidden_sizes",
        "activations",
        "final_activation",
        "train_data",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hyper = {name: value for name, value in content["hyper_parameters"].items() if name in names}
        model = RegressionMetricMultiReference(**hyper, pretrained_model=str(base))
    assert not model.load_state_dict(content["state_dict"], strict=False).unexpected_keys
    found = LENS.__new__(LENS)
    found.rescale, found.model = rescale, _Predicting(model.eval())
    return found


class _Predicting:
    """A model whose `predict` is its own step, without a trainer."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def predict(self, rows: list[dict[str, str]], **_: Any) -> Any:
        from types import SimpleNamespace

        import torch

        with torch.no_grad():
            found = [self._model(**self._model.prepare_sample([row], stage="predict")).scores for row in rows]
        return SimpleNamespace(scores=torch.cat(found).tolist())
