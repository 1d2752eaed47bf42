"""mbr, rerank, utilities and self_similarity: numbers of other programs, rules, and errors."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from twins import needs_native

import nlgauge
from nlgauge._core.backend import using
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric import REGISTERED, Metric, Output
from nlgauge.metric.function import metric_from

# sacreBLEU 2.6.0 (sentence_bleu, sentence_chrf), jiwer 4.0.0, rouge-score 0.1.2 and fastchrf 0.2.1 on six small sets of
# candidates: repeated words, one letter, umlauts and emoji, numbers, a single candidate.
SETS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "mbr.json").read_text("utf-8"))
METRICS = {
    "bleu": ("bleu", None, 1),
    "chrf": ("chrf", None, 1),
    "chrf(word_order=2)": ("chrf(word_order=2)", None, 1),
    "wer": ("wer", None, -1),
    "rouge:rougeL": ("rouge(tokenizer='google')", "rougeL", 1),
}
CANDIDATES = ["the cat sat on the mat", "a cat sat on the mat", "the cat is on a mat", "dogs bark"]
KERNELS = [pytest.param("native", marks=needs_native), "python"]


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("peer", METRICS)
def test_utilities_are_those_of_other_programs(name, peer, kernels):
    metric, output, sign = METRICS[peer]
    candidates = SETS[name]["candidates"]
    expected = sign * np.array(SETS[name]["utilities"][peer])
    with using(kernels):
        square = nlgauge.utilities(candidates, metric, output=output)
        chosen = nlgauge.mbr(candidates, metric, output=output)
    assert square == pytest.approx(expected, abs=1e-12)
    assert chosen.expected == pytest.approx(expected.mean(axis=1), abs=1e-12)
    assert chosen.best == int(np.argmax(chosen.expected))


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("name", SETS)
def test_aggregated_chrf_is_that_of_fastchrf(name, kernels):
    with using(kernels):
        chosen = nlgauge.mbr(SETS[name]["candidates"], "chrf", method="aggregate")
    assert chosen.expected == pytest.approx(SETS[name]["aggregate"]["chrf"], abs=1e-12)


def test_the_candidate_most_like_the_others_is_chosen():
    chosen = nlgauge.mbr(CANDIDATES)
    assert (chosen.best, chosen.text) == (0, CANDIDATES[0])
    assert chosen.order == (0, 1, 2, 3)
    square = nlgauge.utilities(CANDIDATES, "chrf")
    assert chosen.expected == pytest.approx(square.mean(axis=1))
    assert square.diagonal().tolist() == [100.0] * 4


def test_several_inputs_may_have_different_numbers_of_candidates():
    inputs = [CANDIDATES, ["x"], ["yes", "no", "no"]]
    chosen = nlgauge.mbr(inputs)
    assert chosen == [nlgauge.mbr(candidates) for candidates in inputs]
    assert [each.best for each in chosen] == [0, 0, 1]


def test_references_of_their_own():
    references = ["dogs bark loudly", "the dogs bark"]
    chosen = nlgauge.mbr(CANDIDATES, "chrf", references=references)
    assert chosen.text == "dogs bark"
    assert nlgauge.mbr([CANDIDATES, ["x"]], references=[references, ["x", "y"]])[0] == chosen
    assert nlgauge.utilities(CANDIDATES, "chrf", references).shape == (4, 2)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", ["chrf", "wer", "ter"])
def test_weights_are_divided_by_their_sum(metric, kernels):
    with using(kernels):
        square = nlgauge.utilities(CANDIDATES, metric)
        chosen = nlgauge.mbr(CANDIDATES, metric, weights=[1, 0, 2, 5])
    assert chosen.expected == pytest.approx(square @ [1 / 8, 0, 2 / 8, 5 / 8])
    assert nlgauge.mbr(CANDIDATES, metric, weights=[0, 0, 0, 1]).text == "dogs bark"
    assert nlgauge.mbr([CANDIDATES, ["x"]], metric, weights=[[1, 0, 2, 5], None])[0] == chosen


@pytest.mark.parametrize("method", ["exact", "aggregate"])
def test_of_equal_candidates_the_first_is_chosen(method):
    assert nlgauge.mbr(["b a", "a b", "x", "a b"], "bleu", method=method).order == (1, 3, 0, 2)
    assert nlgauge.mbr(["same"] * 3, "bleu", method=method).order == (0, 1, 2)


def ratio(prediction: str, reference: str) -> float:
    """Undefined if a text is empty."""
    return len(prediction) / len(reference) if prediction and reference else math.nan


def test_undefined_utilities_have_weight_0_and_come_last():
    metric = metric_from(ratio, higher_is_better=True)
    chosen = nlgauge.mbr(["", "aa", "", "a"], metric)
    assert [math.isnan(value) for value in chosen.expected] == [True, False, True, False]
    assert chosen.expected[1] == 0.25 * 1.0 + 0.25 * 2.0
    assert chosen.expected[3] == 0.25 * 0.5 + 0.25 * 1.0
    assert chosen.order == (1, 3, 0, 2)
    assert nlgauge.mbr(["", ""], metric).order == (0, 1)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge", "wer", "levenshtein", "ter"])
def test_empty_candidates(metric, kernels):
    with using(kernels):
        chosen = nlgauge.mbr(["", "a b", " ", "a c"], metric)
    # An empty candidate has fewer errors with the other empty candidate than they have with it.
    assert chosen.best == (0 if metric in ("wer", "ter") else 1)
    assert nlgauge.mbr([""], metric).text == ""


def test_a_reward_may_be_the_metric():
    scaled = nlgauge.reward("wer", scale=(1, 0))
    assert nlgauge.utilities(["a b", "a"], scaled).tolist() == [[1.0, 0.0], [0.5, 1.0]]
    assert nlgauge.utilities(["a b"], nlgauge.reward("wer", scale=(1, 0)), ["", "a b"])[0, 1] == 1
    with pytest.raises(ParameterError, match=r"output, lang and fitted_on.*nlgauge\.reward"):
        nlgauge.mbr(["a"], scaled, lang="de")


def test_metrics_with_a_fit_need_what_they_are_fitted_on():
    training = ["a cat sat", "a dog sat", "the cat", "dogs bark"]
    chosen = nlgauge.mbr(CANDIDATES, "cider", fitted_on=training)
    reward = nlgauge.reward("cider", fitted_on=training)
    assert chosen == nlgauge.mbr(CANDIDATES, reward)
    assert nlgauge.utilities(CANDIDATES, "cider", fitted_on=training)[1].tolist() == reward(
        [CANDIDATES[1]] * 4, CANDIDATES
    )


def test_reranking_takes_the_scores_of_the_metric():
    chosen = nlgauge.rerank(CANDIDATES, "wer", references="a cat sat on the mat")
    assert chosen.best == 1
    assert list(chosen.expected) == nlgauge.reward("wer")(CANDIDATES, ["a cat sat on the mat"] * 4)
    several = nlgauge.rerank([CANDIDATES, ["x", "y"]], "chrf", references=[["dogs bark", "a dog barks"], "y"])
    assert [each.best for each in several] == [3, 1]
    sources = ["it is cold . it is dark .", "two ferries stop"]
    by_source = nlgauge.rerank(
        [["it is cold", "a dog"], ["a boat", "ferries stop"]], "js_divergence", sources
    )
    assert [each.best for each in by_source] == [0, 1]
    assert nlgauge.rerank(["it is cold", "a dog"], "js_divergence", sources[0]) == by_source[0]
    assert nlgauge.rerank(["the the the", "the dog barks"], "repetitiveness").best == 1


def test_self_similarity_leaves_a_text_and_itself_out():
    square = nlgauge.utilities(CANDIDATES, "chrf")
    expected = (square.sum() - square.trace()) / 12
    assert nlgauge.self_similarity(CANDIDATES) == pytest.approx(expected)
    assert nlgauge.self_similarity(["a b", "a b"], "wer") == 0.0
    assert math.isnan(nlgauge.self_similarity(["a b"]))
    assert nlgauge.self_similarity(["a b", "a c"], "bleu", output="precision1") == 50.0


def test_texts_of_unspaced_scripts_are_warned_about():
    with pytest.warns(UserWarning, match=r"lang.*'zh'"):
        nlgauge.mbr(["我们现在一起走到那个老码头去看船。", "我们一起去那个老码头看船。"], "bleu")
    assert nlgauge.mbr(["我们走吧", "我们走", "猫"], "bleu", lang="zh").best in (0, 1)


def test_a_metric_that_is_registered_again_is_made_again(monkeypatch):
    for sign in (1, -1):

        @dataclass(frozen=True)
        class Sized(Metric):
            name: ClassVar[str] = "newly_made"
            direction: ClassVar[int] = sign

            def outputs(self):
                return {"newly_made": (Output("newly_made", True),)}

            def statistics(self, view, fitted):
                sizes = [len(view.text(text)) for text in view.predictions]
                return {"newly_made": self.direction * np.array(sizes, dtype=float)[:, None]}

            def score(self, part, statistics):
                return {"newly_made": statistics[..., 0]}

        monkeypatch.setitem(REGISTERED.classes, "newly_made", Sized)
        assert nlgauge.mbr(["aa", "b"], "newly_made").text == ("aa" if sign == 1 else "b")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (["text"], {}, "candidates is 'text'; pass a list of texts"),
        ([3], {}, "candidates is 3; pass a list of texts"),
        ([[]], {}, "candidates is empty; pass at least one text"),
        ([[["a"], ["b"], []]], {}, "input 3 has no candidates."),
        ([["a", None]], {}, r"candidates\[1\] is None"),
        ([[["a"], ["b", 7]]], {}, r"candidates\[1\]\[1\] is 7"),
        ([["a", ["b"]]], {}, r"candidates\[1\] is \['b'\].*texts"),
        (
            [["a"]],
            {"references": [["b"]]},
            "candidates.*one input.*references.*a list of 1 input;",
        ),
        (
            [[["a"], ["b"]]],
            {"references": [["b"]]},
            "candidates.*a list of 2 inputs.*references.*a list of 1 input",
        ),
        ([[["a"], ["b"]]], {"references": [["b"], []]}, "input 2 has no references"),
        (
            [["a", "b"]],
            {"weights": [1]},
            "input 1 has 2 references and 1 weight;",
        ),
        ([["a", "b"]], {"weights": [[1, 1]]}, r"input 1 has 2 references and weights of shape \(1, 2\)"),
        ([["a", "b"]], {"weights": [1, -1]}, "weight 2 of input 1 is -1"),
        ([["a", "b"]], {"weights": [1, math.nan]}, "weight 2 of input 1 is nan"),
        ([["a", "b"]], {"weights": [0, 0]}, "the weights of input 1 sum to 0"),
        ([["a", "b"]], {"weights": [1e308, 1e308]}, "the weights of input 1 sum to inf"),
        ([["a", "b"]], {"weights": "ab"}, "the weights of input 1 are 'ab'; pass numbers"),
        ([[["a"], ["b"]]], {"weights": [[1]]}, "weights has 1 value for 2 inputs"),
        ([[["a"], ["b"]], "comet"], {"sources": "x"}, "sources has 1 value for 2 inputs"),
        ([["a"], "comet"], {"sources": [3]}, r"sources\[0\] is 3"),
        ([["a"], "comet"], {}, "comet needs sources; pass sources=..."),
    ],
)
def test_texts_that_do_not_fit_together(arguments, options, message):
    with pytest.raises(InputError, match=message):
        nlgauge.mbr(*arguments, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: nlgauge.mbr(["a"], "mauve"),
            "^mauve.*corpus.*segment",
        ),
        (
            lambda: nlgauge.mbr(["a"], "ter", method="aggregate"),
            "^ter counts no n-grams, so its references cannot be averaged; leave out method='aggregate'.$",
        ),
        (lambda: nlgauge.mbr(["a"], "wer", method="aggregate"), "wer counts no n-grams"),
        (lambda: nlgauge.mbr(["a"], method="fast"), "unknown method 'fast'; choose one of exact, aggregate"),
        (lambda: nlgauge.mbr(["a"], ["bleu", "chrf"]), "got bleu, chrf"),
        (lambda: nlgauge.mbr(["a"], "blue"), "(?i)blue"),
        (lambda: nlgauge.mbr(["a"], "bleu", output="x"), "bleu has no output 'x'"),
        (
            lambda: nlgauge.mbr(["a"], "bleu", output="length_ratio"),
            r"length_ratio of bleu.*nlgauge\.reward\(\.\.\., scale=",
        ),
        (
            lambda: nlgauge.mbr(["a"], "cider"),
            "cider.*fitted_on=references",
        ),
        (
            lambda: nlgauge.mbr(["a"], "ari"),
            "scores of ari are better",
        ),
        (
            lambda: nlgauge.mbr(["a"], "mattr"),
            "^mattr reads no references, so it cannot compare candidates; use nlgauge.rerank to choose by its score.$",
        ),
    ],
)
def test_metrics_that_cannot_choose(call, message):
    with pytest.raises((ParameterError, LookupError), match=message):
        call()


def test_other_calls_that_are_refused():
    with pytest.raises(InputError, match="utilities takes the candidates of one input"):
        nlgauge.utilities([["a"], ["b"]], "chrf")  # type: ignore[list-item]
    with pytest.raises(
        InputError, match=r"chrf needs references; pass references=\.\.\., or use nlgauge\.mbr"
    ):
        nlgauge.rerank(["a", "b"], "chrf")
    with pytest.raises(InputError, match="references has 1 value for 2 inputs"):
        nlgauge.rerank([["a"], ["b"]], "chrf", references=["a"])
    with pytest.raises(InputError, match="references is 5"):
        nlgauge.rerank(["a", "b"], "chrf", references=5)
    for references, message in (
        ([None, "a"], r"\[0\] is None"),
        (["a", [2]], r"\[1\]\[0\] is 2"),
        (["a", []], r"\[1\]"),
    ):
        with pytest.raises(InputError, match=f"references{message}"):
            nlgauge.rerank([["a"], ["b"]], "chrf", references=references)
    with pytest.raises(InputError, match="js_divergence needs sources"):
        nlgauge.rerank(["a", "b"], "js_divergence")
    with pytest.raises(InputError, match=r"candidates\[0\] has a lone surrogate"):
        nlgauge.mbr(["a\ud800", "b"], "chrf")
