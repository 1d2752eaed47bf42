"""Perplexity against Transformers' own loss, windows read one by one, and the spec's vector."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import NlgaugeError
from nlgauge.features.language_models.causal_lm import NextTokenStates
from nlgauge.metrics.perplexity import Perplexity

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CHANGED_PARAMETERS = {"stride": 3, "start": "cat"}
TEXTS = ["The cat sat on the mat.", "Shares fell by 3.5 % in early trading! Nobody knows why.", "a", ""]
LONG = " ".join(["The cat sat on the mat, he said."] * 26)


def loaded(place: Path) -> tuple[Any, Any]:
    return transformers.AutoModelForCausalLM.from_pretrained(
        place
    ).eval(), transformers.AutoTokenizer.from_pretrained(place)


def test_spec_vector() -> None:
    def model(input_ids: Any) -> Any:
        chances = torch.tensor([0.5, 0.25, 0.125])
        logits = torch.full((*input_ids.shape, 3), -1e9)
        for place in range(input_ids.shape[1]):
            logits[:, place, 1] = chances[place].log()
            logits[:, place, 2] = (1 - chances[place]).log()
        return SimpleNamespace(logits=logits)

    def tokenizer(text: str, **_: Any) -> Any:
        return SimpleNamespace(input_ids=[1] * len(text.split()))

    tokenizer.bos_token_id = 0
    found = nlgauge.score(["x x x"], metrics=Perplexity(nlgauge.Model(model, tokenizer, "three")))[
        "perplexity"
    ]
    assert found["score"] == pytest.approx(4, abs=1e-5)
    assert found["bits_per_token"] == pytest.approx(2, abs=1e-5)


def test_equals_the_models_own_loss(tiny_models: dict[str, Path]) -> None:
    model, tokenizer = loaded(tiny_models["causal"])
    result = nlgauge.score(TEXTS, metrics=Perplexity(str(tiny_models["causal"])))
    total = count = 0.0
    for text, row in zip(TEXTS, rows_by_label(result), strict=True):
        ids = tokenizer(text).input_ids
        value = row[result.labels[0]]
        if not ids:
            assert math.isnan(value)
            continue
        inputs = torch.tensor([[tokenizer.bos_token_id, *ids]])
        loss = float(model(input_ids=inputs, labels=inputs).loss.detach())
        assert value == pytest.approx(math.exp(loss), rel=1e-5)
        total, count = total + loss * len(ids), count + len(ids)
    assert result["perplexity"]["score"] == pytest.approx(math.exp(total / count), rel=1e-5)
    assert result["perplexity"]["tokens"] == count


@pytest.mark.parametrize("stride", [None, 50, 10_000])
def test_a_long_text_is_read_in_windows_and_nothing_is_cut(
    stride: int | None, tiny_models: dict[str, Path]
) -> None:
    model, tokenizer = loaded(tiny_models["causal"])
    window = model.config.n_positions
    ids = tokenizer(LONG).input_ids
    assert len(ids) > 2 * window
    step = min(window // 2 if stride is None else stride, window - 1)
    line = [tokenizer.bos_token_id, *ids]
    total = 0.0
    with torch.inference_mode():
        for place in range(1, len(line)):
            # The window in which the token is new starts where the window's step puts it.
            start = 0 if place < window else place - (place - window) % step - (window - step)
            logits = model(input_ids=torch.tensor([line[start:place]])).logits[0, -1].double()
            total -= float(logits.log_softmax(0)[line[place]])
    found = nlgauge.score([LONG], metrics=Perplexity(str(tiny_models["causal"]), stride=stride))
    outputs = found[found.labels[0]]
    assert outputs["tokens"] == len(ids)
    assert outputs["score"] == pytest.approx(math.exp(total / len(ids)), rel=1e-4)


def test_the_explanation_adds_up(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(TEXTS, metrics=Perplexity(str(tiny_models["causal"])))
    (found,) = result.explain("perplexity", segment=0)
    (values,) = found.values.values()
    assert "".join(found.tokens) == TEXTS[0]
    assert math.exp(np.mean(values)) == pytest.approx(float(rows_by_label(result)[0][result.labels[0]]))


def test_infolm_and_perplexity_share_one_reading(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    compute = NextTokenStates.compute

    def counted(self: Any, keys: list[str], *rest: Any) -> Any:
        read.extend(keys)
        return compute(self, keys, *rest)

    monkeypatch.setattr(NextTokenStates, "compute", counted)
    model = str(tiny_models["causal"])
    nlgauge.score(
        TEXTS[:2],
        [[text] for text in TEXTS[:2]],
        metrics=[f"perplexity(model={model!r})", f"infolm(model={model!r})"],
    )
    assert sorted(read) == sorted(TEXTS[:2])


def test_a_start_that_is_no_token_is_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(NlgaugeError, match=r"start.*'many words here'"):
        nlgauge.score(["a"], metrics=Perplexity(str(tiny_models["causal"]), start="many words here"))
