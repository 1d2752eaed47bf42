"""Reduction over references and predictions: what is chosen, what is averaged, and what the signature
says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import corpora, texts

import nlgauge
from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.metric import Output, View
from nlgauge.metric.mean import MeanMetric

PREDICTION, REFERENCES = "the cat sat", ["a dog ran", "the cat", "the cat sat"]


def wer(reduce_fn):
    return nlgauge.score([PREDICTION], [REFERENCES], metrics="wer", reduce_fn=reduce_fn)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (None, 0.0),
        ("best", 0.0),
        ("min", 0.0),
        ("max", 1.0),
        ("mean", 0.5),
        ("median", 0.5),
        ("sum", 1.5),
        (np.mean, 0.5),
        (max, 1.0),
        (lambda scores: sorted(scores)[len(scores) // 2], 0.5),
        (lambda scores: scores[0], 1.0),
    ],
)
def test_lower_is_better_and_each_rule_means_what_it_says(rule, expected):
    result = wer(rule)
    assert result["wer"]["score"] == expected
    assert rows_by_label(result)[0]["wer"] == expected


def test_the_chosen_rows_statistics_are_kept():
    result = nlgauge.score(["a b", "a b c d"], [["x", "a b"], ["a b c d e f g h"]], metrics="wer")
    assert result["wer"]["hits"] == 6
    assert result["wer"]["score"] == 4 / 10


@settings(max_examples=15)
@given(corpora(max_segments=3))
def test_best_is_each_segments_best_single_reference(corpus):
    predictions, references = corpus
    for name, pick in (("chrf", max), ("wer", min), ("exact_match", max)):
        together = [row[name] for row in rows_by_label(nlgauge.score(predictions, references, metrics=name))]
        for score, prediction, group in zip(together, predictions, references, strict=True):
            singles = [
                rows_by_label(nlgauge.score([prediction], [reference], metrics=name))[0][name]
                for reference in group
            ]
            assert score == pick(singles)


def test_parts_are_decided_apart():
    prediction, unigrams, order = "a b c d", "d c b a", "a b x y z q"
    result = nlgauge.score([prediction], [[unigrams, order]], metrics="rouge")["rouge"]
    first, second = (
        nlgauge.score([prediction], [reference], metrics="rouge")["rouge"] for reference in (unigrams, order)
    )
    assert first["rouge1"] > second["rouge1"]
    assert second["rouge2"] > first["rouge2"]
    assert (result["rouge1"], result["rouge2"]) == (first["rouge1"], second["rouge2"])
    assert result["rouge2_recall"] == second["rouge2_recall"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("mean", [0.75, 0.0]), ("max", [1.0, 0.0]), ("min", [0.0, 0.0]), (None, [1.0, 0.0])],
)
def test_first_over_references_then_over_predictions(rule, expected):
    predictions = [["a", "b", "c", "a"], ["x", "y", "x", "x"]]
    references = [["a", "a"], ["z"]]
    if rule == "mean":
        predictions[0] = ["a", "a", "a", "b"]
    result = nlgauge.score(predictions, references, metrics="exact_match", reduce_fn=rule)
    assert [row["exact_match"] for row in rows_by_label(result)] == expected


def test_nesting_of_averages_is_references_within_predictions():
    """(1 + 1)^2 and (0 + 0)^2 for the two predictions, then (4 + 0)^2; the other way round, and over all
    pairs at once, it were 4.
    """
    result = nlgauge.score(
        [["a", "b"]], [["a", "a"]], metrics="exact_match", reduce_fn=lambda scores: float(np.sum(scores)) ** 2
    )
    assert result["exact_match"]["score"] == 16


def test_several_predictions_are_reduced_for_joint_metrics_too():
    result = nlgauge.score([["x y z w", "a b c d"]], [["a b c d", "q"]], metrics="bleu")
    assert result["bleu"]["score"] == pytest.approx(100)
    assert (
        nlgauge.score([["x y z w", "a b c d"]], [["a b c d", "q"]], metrics="bleu", reduce_fn="min")["bleu"][
            "score"
        ]
        == 0
    )
    assert nlgauge.score([["x y z w", "a b c d"]], [["a b c d", "q"]], metrics="bleu", reduce_fn="mean")[
        "bleu"
    ]["score"] == pytest.approx(50)


def test_rows_are_compared_and_averaged_as_segments_are_scored():
    """With four orders a text of two words would have the BLEU 0, whatever it says."""
    averaged = nlgauge.score([["a b", "a b", "x y"]], [["a b"]], metrics="bleu", reduce_fn="mean")
    assert averaged["bleu"]["score"] == pytest.approx(200 / 3)
    best = nlgauge.score([["x y z w", "a b"]], [["a b"]], metrics="bleu")
    assert best["bleu"]["translation_length"] == 2


def test_without_a_direction_the_best_is_the_highest():
    @dataclass(frozen=True)
    class Neither(Quotient):
        def outputs(self) -> dict[str, tuple[Output, ...]]:
            return {"quotient": (Output("quotient", None), Output("difference", None))}

    for references in (["1", "2"], ["2", "1"]):
        assert nlgauge.score(["4"], [references], metrics=Neither())["quotient"]["score"] == 4


def test_a_joint_metric_with_one_prediction_has_nothing_to_reduce():
    texts = ["a b c d e", "x y z"], [["a b c d", "e"], ["x y", "z x y w"]]
    plain = nlgauge.score(*texts, metrics="bleu")
    for rule in ("mean", "max", "min"):
        reduced = nlgauge.score(*texts, metrics="bleu", reduce_fn=rule)
        assert reduced["bleu"] == plain["bleu"]
        assert reduced.signatures == plain.signatures


def test_one_reference_and_one_prediction_are_not_averaged():
    plain = nlgauge.score(["a b", "c d e f"], ["a", "c d"], metrics="wer")
    assert (
        nlgauge.score(["a b", "c d e f"], ["a", "c d"], metrics="wer", reduce_fn="mean")["wer"]
        == plain["wer"]
    )


def test_averages_make_the_corpus_score_their_mean_and_the_signature_says_so():
    predictions, references = ["a b", "c d e f"], [["a", "a b"], ["c d"]]
    result = nlgauge.score(predictions, references, metrics=["wer", "chrf"], reduce_fn="mean")
    segments = rows_by_label(result)
    for name in ("wer", "chrf"):
        assert result[name]["score"] == pytest.approx(np.mean([row[name] for row in segments]))
        assert "reduce:mean" in result.signatures[name]
        assert "reduce:" not in nlgauge.score(predictions, references, metrics=name).signatures[name]
    assert segments[0]["wer"] == 0.5


def test_a_literal_choice_is_in_the_signature_too():
    best, worst = wer(None), wer("max")
    assert best["wer"]["score"] != worst["wer"]["score"]
    assert best.signatures["wer"] != worst.signatures["wer"]


@pytest.mark.parametrize("rule", ["maximum_of_all", "", "float64", "pi", "mean()", "os.system", 3])
def test_names_that_are_no_rule(rule):
    with pytest.raises(
        ParameterError,
        match=(r"reduce_fn.*'best', 'max', 'min'.*NumPy.*'mean'"),
    ):
        wer(rule)


@pytest.mark.parametrize(
    "rule",
    ["sort", "array", lambda scores: scores, lambda scores: None],
    ids=["sort", "array", "identity", "None"],
)
def test_functions_that_give_no_number(rule):
    with pytest.raises(ParameterError, match=r"reduce_fn.*number"):
        wer(rule)


@settings(max_examples=20)
@given(st.lists(texts(), min_size=1, max_size=3), st.lists(texts(), min_size=1, max_size=3))
def test_many_predictions_and_references_against_a_plain_loop(predictions, references):
    for name, pick in (("wer", min), ("chrf", max)):
        scores = [
            [rows_by_label(nlgauge.score([p], [r], metrics=name))[0][name] for r in references]
            for p in predictions
        ]
        assert rows_by_label(nlgauge.score([predictions], [references], metrics=name))[0][name] == pick(
            map(pick, scores)
        )
        averaged = rows_by_label(nlgauge.score([predictions], [references], metrics=name, reduce_fn="mean"))[
            0
        ][name]
        assert averaged == pytest.approx(np.mean([np.mean(row) for row in scores]))


@dataclass(frozen=True)
class Quotient(MeanMetric):
    """The prediction's number over the reference's, and their difference; undefined where a text is empty."""

    lower: bool = False

    name: ClassVar[str] = "quotient"

    def measures(self) -> tuple[Output, ...]:
        return (Output("quotient", not self.lower), Output("difference", None))

    def values(self, view: View) -> Array:
        pairs = [(view.text(p), view.text(r)) for p, r in zip(view.predictions, view.reference, strict=True)]
        return np.array(
            [
                [float(p) / float(r), float(p) - float(r)] if p and r else [math.nan, math.nan]
                for p, r in pairs
            ]
        )


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("mean", (1.5, [2, 1])), ("median", (1.5, [2, 1])), (np.max, (2, [3, 1])), ("sum", (3, [4, 2]))],
)
def test_an_average_leaves_out_undefined_references_and_segments(rule, expected):
    predictions, references = ["6", "", "4"], [["2", "6", ""], ["1"], ["4", "4"]]
    result = nlgauge.score(predictions, references, metrics=Quotient(), reduce_fn=rule)
    segments = [row["quotient"] for row in rows_by_label(result)]
    assert [value for value in segments if not math.isnan(value)] == expected[1]
    assert math.isnan(segments[1])
    assert result["quotient"]["score"] == expected[0]
    assert result.undefined() == {
        ("system", "quotient", "quotient"): 1,
        ("system", "quotient", "difference"): 1,
    }


def test_an_average_leaves_out_undefined_predictions():
    result = nlgauge.score(
        [["8", ""], ["", ""]], [["2", "4"], ["1", "1"]], metrics=Quotient(), reduce_fn="mean"
    )
    assert result["quotient"] == {"score": 3, "quotient": 3, "difference": 5}


@pytest.mark.parametrize("rule", [None, "best", "max", "min"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("references", [["", "2", "1"], ["2", "", "1"], ["1", "2", ""]])
def test_an_undefined_row_never_wins_against_a_defined_one(rule, lower, references):
    expected = {"max": 4, "min": 2}.get(rule, 2 if lower else 4)
    for predictions in (["4"], [["4", ""]], [["", "4"]]):
        result = nlgauge.score(predictions, [references], metrics=Quotient(lower), reduce_fn=rule)
        assert [value for key, value in rows_by_label(result)[0].items() if "quotient" in key] == [
            expected,
            4 - 4 / expected,
        ]


def test_an_infinite_row_may_win():
    @dataclass(frozen=True)
    class Infinite(Quotient):
        def values(self, view: View) -> Array:
            return np.array(
                [
                    [-math.inf if view.text(r) == "0" else math.nan if view.text(r) == "" else 1.0, 0.0]
                    for r in view.reference
                ]
            )

    for references in (["0", ""], ["", "0"]):
        # Minus infinity costs as much as an undefined score does, but is a score.
        assert nlgauge.score(["1"], [references], metrics=Infinite())["quotient"]["score"] == -math.inf


def test_explanations_of_several_references_are_of_the_one_that_decided_each_part():
    unigrams, order = "d c b a", "a b x y z q"
    result = nlgauge.score(["a b c d"], [[unigrams, order]], metrics="rouge")
    (table,) = result._tables.values()
    explained = result.explain("rouge", 0)
    assert sorted(part for explanation in explained for part in explanation.statistics) == sorted(
        table.statistics
    )
    assert len(explained) > 1
    for explanation in explained:
        for part, statistics in explanation.statistics.items():
            assert statistics.tolist() == table.statistics[part][0].tolist()
