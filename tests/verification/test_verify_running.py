"""Verdicts; small models and real weights on the same path."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest
from tiny import comet_networks

from nlgauge.models.weights import convert, store
from nlgauge.verification.cases import Case, Span, Values, cases, chosen
from nlgauge.verification.running import judged, same_spans, verify


def case(values: list[float], decimals: int = 3, **more: object) -> Case:
    fields = {"predictions": ["a"] * len(values), "source": "", "program": "", "checkpoint": "", "models": {}}
    return Case(
        id="x", metric="exact_match", decimals=decimals, values=[Values("", values)], **{**fields, **more}
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("printed", "ours", "word"),
    [
        (0.123, 0.12349, "equal"),
        (0.123, 0.1236, "near"),
        (0.123, 0.1245, "different"),
        (123.0, 123.1, "near"),
        (123.0, 123.2, "different"),
        (0.5, math.nan, "different"),
    ],
)
def test_verdicts_of_numbers(printed: float, ours: float, word: str):
    assert judged(case([printed]), [ours])[0] == word


def test_the_worst_number_decides_and_the_largest_difference_is_told():
    assert judged(case([0.1, 0.2, 0.3]), [0.1, 0.2, 0.3005])[0] == "equal"
    word, difference = judged(case([0.1, 0.2, 0.3]), [0.1, 0.2, 0.4])
    assert (word, round(difference, 6)) == ("different", 0.1)


def test_error_spans_must_be_the_printed_ones():
    span = Span("minor", "b", 1, 2, 0.5)
    printed = case([1.0], spans=[[span]])
    assert same_spans(printed, [[Span("minor", "b", 1, 2, 0.5001)]])
    for other in (None, [[]], [[Span("major", "b", 1, 2, 0.5)]], [[Span("minor", "b", 1, 3, 0.5)]]):
        assert not same_spans(printed, other)
        assert judged(printed, [1.0], other)[0] == "different"


def test_cases_without_weights_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    outcomes = {outcome.case.id: outcome for outcome in verify(chosen(["bleurt"]))}
    assert outcomes["bleurt-20-evaluate"].word == "no weights"
    assert outcomes["bleurt-20-evaluate"].missing == ("bleurt-20",)
    assert outcomes["bleurt-test-checkpoint"].word == "not comparable"


@pytest.mark.slow
def test_a_small_xcomet_runs_on_the_path_of_the_real_one(tmp_path: Path):
    file = comet_networks.write_checkpoint(tmp_path, "xcomet", 1, "xlm-roberta", encoder_model="XLM-RoBERTa")
    convert.convert(file, "comet", tmp_path / "model", str(tmp_path / "base"))
    instead = {"xcomet-xl": str(tmp_path / "model")}
    outcomes = verify(chosen(["xcomet"]), instead)
    assert {outcome.word for outcome in outcomes} == {"different"}
    first = outcomes[0]
    assert list(first.weights) == ["xcomet-xl"]
    assert first.difference == pytest.approx(
        max(abs(a - b) for a, b in zip(first.numbers, first.case.numbers, strict=True))
    )
    with_spans = next(outcome for outcome in outcomes if outcome.case.spans is not None)
    assert with_spans.spans is not None
    # Printed numbers that are these numbers are equal, and their spans, too.
    own = msgspec.structs.replace(
        with_spans.case, values=[Values("xcomet", list(with_spans.numbers))], spans=with_spans.spans
    )
    assert [outcome.word for outcome in verify([own], instead)] == ["equal"]


@pytest.mark.slow
def test_the_nearest_mode_is_told(tmp_path: Path):
    modes = [{"layer": 3}, {"layer": 6}]
    bert = cases()["bertscore-minilm-6"]
    if store.location("minilm") is None:
        pytest.skip("MiniLM is not installed: nlgauge models get minilm")
    (outcome,) = verify([msgspec.structs.replace(bert, parameters={}, modes=modes)])
    assert (outcome.word, outcome.mode) == ("equal", 1)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["minilm", "smollm2", "glove"])
def test_real_weights_give_the_numbers_of_other_programs(model: str):
    if store.location(model) is None:
        pytest.skip(f"{model} is not installed: nlgauge models get {model}")
    known = [case for case in cases().values() if case.command and model in case.models.values()]
    assert len(known) >= 5
    with pytest.warns(UserWarning, match="few|only") if model == "smollm2" else _nothing():
        outcomes = verify(known)
    assert {outcome.case.id: outcome.word for outcome in outcomes} == {case.id: "equal" for case in known}


def _nothing():
    from contextlib import nullcontext

    return nullcontext()
