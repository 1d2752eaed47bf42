"""UniEval against the authors' program, task by task."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError, NlgaugeError, ParameterError
from nlgauge.metrics.unieval import UniEval

pytest.importorskip("torch")

MODEL_KIND = "t5"
CHANGED_PARAMETERS = {"task": "d2t", "dimensions": ("fluency",), "max_length": 30, "splitter": "punkt"}
JUDGED = True
PREDICTIONS = ["The cat is sitting on the mat. It slept.", "The minister met the president on Tuesday.", "a"]
REFERENCES = ["The cat sat on the mat.", "On Tuesday, the minister met with the president.", "cat"]
SOURCES = [
    "A cat was seen on a mat. It sat there for an hour, he said.",
    "nothing was said here (again).",
    "Mouse",
]
# Made by get_evaluator(task, max_length) of github.com/maszhongming/UniEval at d33e7b6 on tests/tiny/t5.py
# with seed 1, its sentences split after ".", its context: the references.
OFFICIAL = {
    ("sum", 1024): [
        {
            "coherence": 0.6483611987,
            "consistency": 0.5941419179,
            "fluency": 0.5970471417,
            "relevance": 0.6631471214,
            "overall": 0.6256743449,
        },
        {
            "coherence": 0.6148592539,
            "consistency": 0.5868986523,
            "fluency": 0.6159031289,
            "relevance": 0.6119886172,
            "overall": 0.6074124131,
        },
        {
            "coherence": 0.6342276647,
            "consistency": 0.5293454107,
            "fluency": 0.6249452804,
            "relevance": 0.6582817331,
            "overall": 0.6117000222,
        },
    ],
    ("sum", 60): [
        {
            "coherence": 0.6124973503,
            "consistency": 0.5541402015,
            "fluency": 0.5970471615,
            "relevance": 0.6496178347,
            "overall": 0.6033256370,
        },
        {
            "coherence": 0.6803112521,
            "consistency": 0.5972063934,
            "fluency": 0.5386157759,
            "relevance": 0.5976879923,
            "overall": 0.6034553534,
        },
        {
            "coherence": 0.6342277390,
            "consistency": 0.5293453811,
            "fluency": 0.6249452987,
            "relevance": 0.6582817331,
            "overall": 0.6117000380,
        },
    ],
    ("dialog", 1024): [
        {
            "naturalness": 0.5889554496,
            "coherence": 0.6282030736,
            "engagingness": 1.2099214232,
            "groundedness": 0.5166443910,
            "overall": 0.7137467207,
        },
        {
            "naturalness": 0.6506863037,
            "coherence": 0.6908673601,
            "engagingness": 0.7002547230,
            "groundedness": 0.6023830710,
            "overall": 0.6539494974,
        },
        {
            "naturalness": 0.6068305557,
            "coherence": 0.5895209200,
            "engagingness": 0.6149427331,
            "understandability": 0.6371917501,
            "overall": 0.5752702464,
        },
    ],
    ("d2t", 1024): [
        {"naturalness": 0.6502601963, "informativeness": 0.6352075809, "overall": 0.6427338886},
        {"naturalness": 0.5675082489, "informativeness": 0.6771861690, "overall": 0.6223472090},
        {"naturalness": 0.6330967719, "informativeness": 0.5946120056, "overall": 0.6138543888},
    ],
    ("fact", 1024): [
        {"consistency": 0.5941419179},
        {"consistency": 0.5868986523},
        {"consistency": 0.5293454107},
    ],
}


def outputs(metric: UniEval, *texts: Any) -> list[dict[str, float]]:
    result = nlgauge.score(*texts, metrics=metric)
    first = metric.measures()[0].name
    return [
        {
            key.removeprefix(result.labels[0]).removeprefix(".") or first: value
            for key, value in row.items()
            if key.startswith("unieval")
        }
        for row in rows_by_label(result)
    ]


@pytest.mark.parametrize(("task", "length"), OFFICIAL)
def test_equals_the_authors_program(task: str, length: int, tiny_models: dict[str, Path]) -> None:
    found = outputs(
        UniEval(str(tiny_models["t5"]), task, max_length=length), PREDICTIONS, REFERENCES, SOURCES
    )
    for row, wanted in zip(found, OFFICIAL[task, length], strict=True):
        assert {name: row[name] for name in wanted} == pytest.approx(wanted, abs=1e-6)
    assert [row["truncated"] for row in found] == ([1, 1, 0] if length == 60 else [0, 0, 0])


def test_dimensions_need_no_more_texts_than_they_speak_of(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["t5"])
    wanted = OFFICIAL["sum", 1024][0]
    (fluent,) = outputs(UniEval(place, dimensions=("fluency",)), PREDICTIONS[:1])
    assert fluent["fluency"] == pytest.approx(wanted["fluency"], abs=1e-6)
    (both,) = outputs(UniEval(place, dimensions=("fluency", "coherence")), PREDICTIONS[:1], None, SOURCES[:1])
    assert both["overall"] == pytest.approx((wanted["fluency"] + wanted["coherence"]) / 2, abs=1e-6)
    (cut,) = outputs(
        UniEval(place, dimensions=("coherence", "fluency"), max_length=60), PREDICTIONS[:1], None, SOURCES[:1]
    )
    assert cut["truncated"] == 1  # of the two prompts the first is too long
    with pytest.raises(NlgaugeError, match="reference"):
        nlgauge.score(PREDICTIONS, sources=SOURCES, metrics=UniEval(place))
    with pytest.raises(NlgaugeError, match="source"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=UniEval(place))


def test_an_empty_prediction_is_scored_and_another_empty_text_is_not(tiny_models: dict[str, Path]) -> None:
    predictions, references, sources = (
        ["", *PREDICTIONS[:2]],
        [REFERENCES[0], "", REFERENCES[1]],
        [SOURCES[0], SOURCES[0], SOURCES[1]],
    )
    metric = UniEval(str(tiny_models["t5"]))
    nothing, unrelated, whole = outputs(metric, predictions, references, sources)
    assert nothing["consistency"] == nothing["fluency"] == 0
    assert 0 < nothing["coherence"] < 1 and 0 < nothing["relevance"] < 1
    assert math.isnan(unrelated["relevance"]) and math.isnan(unrelated["overall"])
    assert unrelated["fluency"] == pytest.approx(OFFICIAL["sum", 1024][0]["fluency"], abs=1e-6)
    result = nlgauge.score(predictions, references, sources, metrics=metric)
    assert result[result.labels[0]]["score"] == pytest.approx((nothing["overall"] + whole["overall"]) / 2)
    assert result[result.labels[0]]["empty"] == 1


def test_explanations_show_the_sentences(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(PREDICTIONS, REFERENCES, SOURCES, metrics=UniEval(str(tiny_models["t5"])))
    whole, sentences = result.explain(result.labels[0], segment=0)
    assert whole.tokens == PREDICTIONS[:1] and set(whole.values) == {"coherence", "relevance"}
    assert sentences.tokens == ["The cat is sitting on the mat.", "It slept."]
    assert sum(sentences.values["fluency"]) / 2 == pytest.approx(
        OFFICIAL["sum", 1024][0]["fluency"], abs=1e-6
    )


def test_the_splitter_of_the_authors_program_decides_the_sentences(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # NLTK's data are not part of the tests; a splitter of our own in its place shows that it is asked, and
    # that the signature names it.
    monkeypatch.setattr("nltk.tokenize.sent_tokenize", lambda text, language: text.split(" is "))
    metric = UniEval(str(tiny_models["t5"]), dimensions=("fluency", "consistency"), splitter="punkt")
    result = nlgauge.score(PREDICTIONS[:1], sources=SOURCES[:1], metrics=metric)
    (sentences,) = result.explain(result.labels[0], segment=0)
    assert sentences.tokens == ["The cat", "sitting on the mat. It slept."]
    assert result[result.labels[0]]["fluency"] != pytest.approx(OFFICIAL["sum", 1024][0]["fluency"], abs=1e-4)
    assert "sentences:punkt-en" in result.signatures[result.labels[0]]


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"splitter.*'sentencex' or 'punkt'"):
        UniEval(splitter="nltk")
    with pytest.raises(ParameterError, match=r"dimensions.*None"):
        UniEval(task="d2t", dimensions=("fluency",))
    with pytest.raises(ModelError, match=r"models.*--hub"):
        nlgauge.score(["a"], ["a"], ["a"], metrics=UniEval(task="dialog"))
