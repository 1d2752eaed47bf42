"""BARTScore against the authors' program, the definition token by token, and what the shared feature
promises.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError, NlgaugeError, ParameterError
from nlgauge.features import RunOptions, Work
from nlgauge.features.language_models.seq2seq import Seq2SeqLogProbs
from nlgauge.metrics.bartscore import BartScore
from nlgauge.models.loader import load

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CHANGED_PARAMETERS = {"direction": "recall", "max_length": 9}
JUDGED = True
PREDICTIONS = [
    "The cat is sitting on the mat.",
    "The minister met the president on Tuesday.",
    "Shares fell 3.5% in early trading , traders said .",
]
REFERENCES = ["The cat sat on the mat.", "On Tuesday, the minister met with the president.", "a"]
SOURCES = [
    "A cat was seen on a mat. It sat there for an hour, he said.",
    "“It will never happen again,” he said.",
    "Shares fell by 3.5 % in early trading! Nobody knows why.",
]
# Made by BARTScorer of github.com/neulab/BARTScore at 248f511 (its BartTokenizer: AutoTokenizer) on
# tests/tiny/seq2seq.py with seed 1, by max_length.
OFFICIAL = {
    (1024, "recall"): [-7.088284969329834, -6.7727227210998535, -6.938470363616943],
    (1024, "precision"): [-6.4029059410095215, -6.333357334136963, -7.072532653808594],
    (1024, "faithfulness"): [-6.743352890014648, -6.295987129211426, -6.777336120605469],
    (12, "recall"): [-6.734137535095215, -6.7484660148620605, -6.15672492980957],
    (12, "precision"): [-6.311646938323975, -5.845835208892822, -7.003465175628662],
    (12, "faithfulness"): [-6.799007892608643, -6.0034027099609375, -6.805166721343994],
}


def segments(metric: BartScore, *texts: Any, output: str = "") -> list[float]:
    result = nlgauge.score(*texts, metrics=metric)
    return [row[result.labels[0] + output] for row in rows_by_label(result)]


@pytest.mark.parametrize(("length", "direction"), OFFICIAL)
def test_equals_the_authors_program(length: int, direction: str, tiny_models: dict[str, Path]) -> None:
    metric = BartScore(str(tiny_models["seq2seq"]), direction, max_length=length)
    assert segments(metric, PREDICTIONS, REFERENCES, SOURCES) == pytest.approx(
        OFFICIAL[length, direction], abs=1e-5
    )
    cut = segments(metric, PREDICTIONS, REFERENCES, SOURCES, output=".truncated")
    assert cut == ([0, 0, 0] if length == 1024 else [1, 1, 1])


def test_f_is_the_mean_of_precision_and_recall(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=BartScore(str(tiny_models["seq2seq"])))
    found = result[result.labels[0]]
    assert found["precision"] == pytest.approx(np.mean(OFFICIAL[1024, "precision"]), abs=1e-5)
    assert found["score"] == found["f"] == pytest.approx((found["precision"] + found["recall"]) / 2)


def test_the_mean_of_the_specs_vector(monkeypatch: pytest.MonkeyPatch, tiny_models: dict[str, Path]) -> None:
    metric = BartScore(str(tiny_models["seq2seq"]), "recall")
    plain = Seq2SeqLogProbs.compute

    def fixed(self: Any, keys: Any, work: Any) -> Any:
        found = plain(self, keys, work)
        found.log_probabilities.values[:] = [-1, -2, -3]
        return found

    monkeypatch.setattr(Seq2SeqLogProbs, "compute", fixed)
    assert segments(metric, ["cat"], ["."]) == [-2]
    assert segments(BartScore(metric.model, "recall", specials=False), ["cat"], ["."]) == [-2]


def test_specials_are_left_out_when_asked(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["seq2seq"])
    (found,) = (
        Seq2SeqLogProbs(place, 1024)
        .compute([(REFERENCES[0], PREDICTIONS[0])], Work(RunOptions()))
        .log_probabilities
    )
    (score,) = segments(BartScore(place, "precision", specials=False), PREDICTIONS[:1], REFERENCES[:1])
    assert score == pytest.approx(found[1:-1].mean())
    assert score != pytest.approx(found.mean(), abs=1e-3)


@pytest.mark.parametrize("kind", ["seq2seq", "t5", "metricx"])
def test_a_text_after_another_is_read_token_by_token(kind: str, tiny_models: dict[str, Path]) -> None:
    """The definition in float64, a whole pass for every token: of BART, of a T5 whose head is its input
    vectors, and of an mT5 whose head is not.
    """
    place = tiny_models[kind]
    model, tokenizer = (
        transformers.AutoModelForSeq2SeqLM.from_pretrained(place).double().eval(),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    keys = [
        (SOURCES[0], PREDICTIONS[0]),
        (SOURCES[0], REFERENCES[1]),
        ("a", PREDICTIONS[0]),
        (SOURCES[0] * 2, "a"),
    ]
    for batch_size in (None, 1):
        found = Seq2SeqLogProbs(str(place)).compute(keys, Work(RunOptions(batch_size=batch_size)))
        for (source, target), ids, values, likeliest in zip(
            keys, found.ids, found.log_probabilities, found.likeliest, strict=True
        ):
            assert ids.tolist() == tokenizer(target).input_ids
            given = torch.tensor([tokenizer(source).input_ids])
            for step in range(len(ids)):
                line = torch.tensor([[model.config.decoder_start_token_id, *ids[:step]]])
                logits = (
                    model(input_ids=given, decoder_input_ids=line, use_cache=False).logits[0, -1].detach()
                )
                assert values[step] == pytest.approx(float(logits.log_softmax(0)[ids[step]]), abs=1e-5)
                assert likeliest[step] == (int(logits.argmax()) == ids[step])


def test_a_source_is_encoded_once_for_all_targets(tiny_models: dict[str, Path]) -> None:
    loaded = load(str(tiny_models["seq2seq"]), "seq2seq", "cpu")
    read: list[int] = []
    handle = loaded.model.get_encoder().register_forward_pre_hook(
        lambda module, given, named: read.append(len(named["input_ids"])), with_kwargs=True
    )
    heads: list[int] = []
    other = loaded.model.get_output_embeddings().register_forward_pre_hook(
        lambda module, given: heads.append(given[0].shape[0])
    )
    systems = {name: [f"{text} {name}" for text in PREDICTIONS] for name in "ABC"}
    try:
        nlgauge.score(
            systems, sources=SOURCES, metrics=BartScore(loaded.name, "faithfulness"), device="cpu"
        )  # the decoder's halves are found
        read.clear()
        heads.clear()
        nlgauge.score(systems, sources=SOURCES, metrics=BartScore(loaded.name, "faithfulness"), device="cpu")
    finally:
        handle.remove()
        other.remove()
    assert sum(read) == len(SOURCES)
    scored = sum(len(loaded.tokenizer(text).input_ids) for texts in systems.values() for text in texts)
    assert sum(heads) == scored  # only the tokens that are scored go through the vocabulary


@pytest.mark.parametrize("direction", ["recall", "precision", "f", "faithfulness"])
def test_an_empty_prediction_is_shown_to_the_model_and_other_empty_texts_have_no_score(
    direction: str, tiny_models: dict[str, Path]
) -> None:
    metric = BartScore(str(tiny_models["seq2seq"]), direction)
    usual = segments(metric, PREDICTIONS[:1], REFERENCES[:1], SOURCES[:1])
    result = nlgauge.score(
        ["", PREDICTIONS[0], PREDICTIONS[0]],
        [REFERENCES[0], "", REFERENCES[0]],
        [SOURCES[0], "", SOURCES[0]],
        metrics=metric,
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert rows[0] < 0 and math.isnan(rows[1])
    assert rows[2] == pytest.approx(usual[0])
    assert result[result.labels[0]]["score"] == pytest.approx((rows[0] + rows[2]) / 2)
    assert result[result.labels[0]]["empty"] == 1
    left_out = segments(
        replace(metric, empty="missing"), ["", PREDICTIONS[0]], [REFERENCES[0]] * 2, [SOURCES[0]] * 2
    )
    assert math.isnan(left_out[0]) and left_out[1] == pytest.approx(usual[0])


def test_the_explanations_add_up(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=BartScore(str(tiny_models["seq2seq"])))
    precision, recall = result.explain(result.labels[0], segment=1)
    assert "".join(precision.tokens) == f"<s>{PREDICTIONS[1]}</s>"
    assert "".join(recall.tokens) == f"<s>{REFERENCES[1]}</s>"
    for found, direction in ((precision, "precision"), (recall, "recall")):
        (values,) = found.values.values()
        assert np.mean(values) == pytest.approx(OFFICIAL[1024, direction][1], abs=1e-5)


def test_wrong_models_are_refused(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(
        ModelError,
        match=(r"'bart-large-cnn'.*1\.6 GB.*MIT.*--hub"),
    ):
        nlgauge.score(["a"], ["a"], metrics="bartscore")
    with pytest.raises(ModelError, match=r"cannot be loaded|no encoder and decoder"):
        nlgauge.score(["a"], ["a"], metrics=BartScore(str(tiny_models["causal"])))
    with pytest.raises(ParameterError, match=r"direction.*'recall'.*'up'"):
        BartScore(direction="up")
    with pytest.raises(NlgaugeError, match="sources"):
        nlgauge.score(["a"], ["a"], metrics=BartScore(str(tiny_models["seq2seq"]), "faithfulness"))
