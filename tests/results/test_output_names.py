"""Names of outputs: label.output, a metric's name, and aliases that are outputs as well."""

import pytest

import nlgauge
from nlgauge.errors import UnknownNameError
from nlgauge.results.labels import output_named

RESULT = nlgauge.score(
    ["the cat sat on a mat", "two dogs"],
    ["the cat is on the mat", "the dogs"],
    metrics=["rouge(rouge_types=['rouge2', 'rougeL', 'rouge1'])", "chrf(beta=0.5)"],
)


@pytest.mark.parametrize("output", ["rouge1", "rouge2", "rougeL"])
def test_an_output_comes_before_an_alias_of_its_name(output: str) -> None:
    for name in (f"rouge.{output}", f"{RESULT.labels[0]}.{output}", output):
        label, found = output_named(RESULT, name)
        assert (label, found.name) == (RESULT.labels[0], output)


def test_a_metric_stands_for_its_first_output() -> None:
    first = RESULT._tables[RESULT.systems[0], RESULT.labels[0]].outputs()[0]
    assert (
        output_named(RESULT, "rouge") == output_named(RESULT, RESULT.labels[0]) == (RESULT.labels[0], first)
    )
    for name in ("chrf", "chrf(beta=0.5)", "chrf.chrf", RESULT.labels[1]):
        assert output_named(RESULT, name)[1].name == "chrf"


def test_an_unknown_output_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"output.*'x'"):
        output_named(RESULT, "chrf.x")
    with pytest.raises(UnknownNameError, match="bleu"):
        output_named(RESULT, "bleu")


def test_worst_segments_are_those_of_the_output() -> None:
    worst = RESULT.worst("rouge.rouge2", 1)[0]
    scores = RESULT._tables[RESULT.systems[0], RESULT.labels[0]].segments()["rouge2"]
    assert worst["rouge.rouge2"] == scores.min()
