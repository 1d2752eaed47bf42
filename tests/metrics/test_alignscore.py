"""AlignScore against numbers of the authors' program on a small RoBERTa, and what it cannot score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment
from nlgauge.metrics.alignscore import AlignScore
from nlgauge.models import Model
from nlgauge.models.loader import load, release

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

CHANGED_PARAMETERS = {"mode": "bin_sp", "splitter": "punkt", "max_length": 20}
DOCUMENT = (
    "The cat sat on the mat. On Tuesday, the minister met with the president. It costs $1,234.56, some 20%"
    " more. He said it won't happen again."
)
OTHER = (
    "Shares fell by 3.5 % in early trading, traders said. Nothing was said here. Never again, he said. Well!"
)
LONG = " ".join([DOCUMENT] * 10 + [OTHER] * 12)
CLAIMS = [
    "The cat is on the mat. It costs 20% more.",
    "The president met the cat on Tuesday.",
    "Never again, he said. Well! Shares fell by 3.5 % in early trading. The minister sat.",
]
# Inferencer.nlg_eval of AlignScore's repository at a0936d5 on the model below, with sentencex for its
# sent_tokenize: the document, then the long one.
GOLDEN: dict[str, Any] = {
    "nli_sp": [[0.62140346, 0.49643907, 0.70196718], [0.64667189, 0.712623, 0.7401548]],
    "bin_sp": [[0.96945894, 0.927733, 0.96777087], [0.96036172, 0.93798298, 0.97619063]],
    "reg_sp": [[2.1586349, 1.8396039, 1.9812696], [2.38691521, 2.05028749, 2.40750766]],
    "nli": [[0.66431957, 0.49643919, 0.66858536], [0.66431957, 0.49643919, 0.66858536]],
    "bin": [[0.95612049, 0.927733, 0.97765827], [0.95612049, 0.927733, 0.97765827]],
    "reg": [[1.93991208, 1.83960378, 2.62800598], [1.93991208, 1.83960378, 2.62800598]],
}


@pytest.fixture(scope="module")
def model() -> Model:
    from tiny.families import filled, model_of, tokenizer_of

    parts = torch.nn.Module()
    parts.base_model = model_of("roberta", "Model")
    for head, size in (("tri", 3), ("bin", 2), ("reg", 1)):
        setattr(parts, f"{head}_layer", torch.nn.Linear(32, size))
    parts.config = parts.base_model.config
    return Model(filled(parts), tokenizer_of("roberta"), "small")


@pytest.mark.parametrize("mode", GOLDEN)
def test_equals_the_authors_program(mode: str, model: Model) -> None:
    result = nlgauge.score(CLAIMS * 2, sources=[DOCUMENT] * 3 + [LONG] * 3, metrics=AlignScore(model, mode))
    found = rows_by_label(result)
    assert [row[result.labels[0]] for row in found] == pytest.approx(
        [value for row in GOLDEN[mode] for value in row], abs=2e-6
    )
    assert next(iter(result.values()))["truncated"] == (5 if mode.endswith("_sp") else 6)


def test_a_converted_checkpoint_gives_the_same(model: Model, tmp_path: Path) -> None:
    """As Lightning writes it, with the head over the vocabulary, and RoBERTa's configuration and
    tokenizer elsewhere.
    """
    from nlgauge.models.weights.convert import convert

    parts = model.model
    parts.config.save_pretrained(tmp_path / "base")
    model.tokenizer.save_pretrained(tmp_path / "base")
    state = {
        **parts.state_dict(),
        "mlm_head.bias": torch.zeros(3),
        "base_model.embeddings.position_ids": torch.arange(66)[None],
    }
    torch.save(
        {"state_dict": state, "hyper_parameters": {"model": "roberta-base"}, "epoch": 1},
        tmp_path / "AlignScore.ckpt",
    )
    convert(tmp_path / "AlignScore.ckpt", "align", tmp_path / "made", str(tmp_path / "base"))
    one, other = (
        nlgauge.score(CLAIMS, sources=[DOCUMENT] * 3, metrics=AlignScore(spec))
        for spec in (model, str(tmp_path / "made"))
    )
    assert next(iter(other.values()))["score"] == pytest.approx(next(iter(one.values()))["score"], abs=1e-6)
    (tmp_path / "made" / "config.json").write_text(
        (tmp_path / "made" / "config.json")
        .read_text()
        .replace('"num_hidden_layers": 2', '"num_hidden_layers": 3')
    )
    release()
    with pytest.raises(ModelError, match=r"configuration.*base_model\.encoder\.layer\.2"):
        load(str(tmp_path / "made"), "align", "cpu")


def test_nothing_to_check_is_not_a_score(tiny_models: dict[str, Path]) -> None:
    texts = ["", "The cat sat.", "The cat sat."]
    result = nlgauge.score(
        texts,
        sources=["The cat sat on the mat.", " ", "The cat sat on the mat."],
        metrics=AlignScore(str(tiny_models["align"])),
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert rows[0] == 0 and math.isnan(rows[1])
    (scores,) = result.values()
    assert (scores["score"], scores["empty"]) == (rows[2] / 2, 1)


def test_explanation_has_the_matrix_and_the_chunk_that_decides(model: Model) -> None:
    result = nlgauge.score([CLAIMS[2]], sources=[LONG], metrics=AlignScore(model))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Entailment)
    assert shown.entail is not None and shown.neutral is not None and shown.contradict is not None
    assert shown.entail.shape == (2, 4) and len(shown.premises) == 2
    assert shown.hypotheses == [
        "Never again, he said.",
        "Well!",
        "Shares fell by 3.5 % in early trading.",
        "The minister sat.",
    ]
    assert shown.best == shown.entail.argmax(axis=0).tolist()
    assert np.allclose(shown.entail + shown.neutral + shown.contradict, 1)
    (found,) = result.values()
    assert found["score"] == pytest.approx(shown.entail.max(axis=0).mean())
