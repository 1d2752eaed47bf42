"""What metrics share of a row is computed once: by several metrics, and by statistics and explanations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nlgauge._core.ragged import Ragged
from nlgauge.corpus.texts import Texts
from nlgauge.features import Features, RunOptions
from nlgauge.metric import Metric, View
from nlgauge.metric.registry import parse

PAIRS = [
    ("the cat sat on the mat", "on the mat sat a cat"),
    ("a dog ran home .", "home ran the dog , and then the cat"),
]


def view_of(metric: Metric) -> View:
    texts = Texts()
    left, right = (np.array([texts.intern(pair[side]) for pair in PAIRS]) for side in (0, 1))
    references = None if metric.takes == "alone" else Ragged.single(right)
    return View(Features(texts, RunOptions()), left, references, right if metric.source else None)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], list[Any]]:
    """Counts the calls of a function, wherever it was imported to; the list has the arguments of each."""

    def counted(module: str, name: str) -> list[Any]:
        original, found = getattr(sys.modules[module], name), list[Any]()

        def counting(*arguments: Any, **options: Any) -> Any:
            found.append(arguments)
            return original(*arguments, **options)

        for other in list(sys.modules.values()):
            if (
                getattr(other, "__name__", "").startswith("nlgauge")
                and getattr(other, name, None) is original
            ):
                monkeypatch.setattr(other, name, counting)
        return found

    return counted


@pytest.mark.parametrize(
    ("kernel", "metrics"),
    [
        ("edits.distances.edit_counts", ["wer", "mer", "wil", "wip"]),
        ("fragments.fragment_column", ["coverage", "density"]),
        ("ngram_sets.repeated_ngrams", ["aun", "repetitiveness"]),
        ("ngrams.ngram_matches", ["bleu", "sentence_bleu", "bleu(smooth_method=floor)"]),
        (
            "ngrams.ngram_matches",
            ["precision", "recall", "f1", "gleu(max_order=1)", "rouge(rouge_types=['rouge1'])"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_metrics_on_the_same_rows_share_one_computation(calls, kernel, metrics):
    module, _, name = kernel.rpartition(".")
    parsed = [parse(metric) for metric in metrics]
    found = calls(f"nlgauge.kernels.{module}", name)
    view = view_of(parsed[0])
    alone = [metric.statistics(view_of(metric), {}) for metric in parsed]
    assert len(found) == len(parsed)
    found.clear()
    together = [metric.statistics(view, {}) for metric in parsed]
    assert len(found) == 1
    for ours, theirs in zip(together, alone, strict=True):
        for part, statistics in ours.items():
            np.testing.assert_array_equal(statistics, theirs[part])


@pytest.mark.parametrize(
    ("metric", "kernel", "count"),
    [
        ("ter", "edits.tercom.shift_edits", 1),
        ("character", "edits.character.character_edits", 1),
        ("eed", "edits.jumps.jump_distances", 1),
        ("cder", "edits.jumps.jump_distances", 1),
        ("rouge", "lcs.lcs_lengths", 1),
        ("rouge", "ngrams.ngram_matches", 1),
        ("rouge155", "lcs.union_lcs_hits", 1),
        ("rouge155", "weighted_lcs.weighted_lcs_hits", 1),
        ("gleu", "ngrams.ngram_matches", 1),
        ("f1", "ngrams.ngram_matches", 1),
        ("squad", "ngrams.ngram_matches", 1),
        ("meteor", "alignment.word_alignments", 1),
        ("ribes", "word_order.word_places", 1),
        ("novelty", "ngram_sets.novel_ngrams", 1),
        ("coverage", "fragments.fragment_column", 1),
        ("wer", "edits.distances.edit_counts", 1),
    ],
)
def test_statistics_and_explanations_share_one_computation(calls, metric, kernel, count):
    parsed = parse(metric)
    assert isinstance(parsed, Metric)
    module, _, name = kernel.rpartition(".")
    found = calls(f"nlgauge.kernels.{module}", name)
    view = view_of(parsed)
    rows = parsed.statistics(view, {})
    explanations = list(parsed.explain(view, {}))
    assert len(explanations) == len(PAIRS)
    assert len(found) == count
    for i, explanation in enumerate(explanations):
        for part, statistics in explanation.statistics.items():
            np.testing.assert_array_equal(statistics, rows[part][i])


def test_cider_explains_with_one_look_at_the_similarities(calls):
    metric = parse("cider")
    assert isinstance(metric, Metric)
    view = view_of(metric)
    fitted = metric.fit()
    assert fitted is not None
    frequencies = fitted.combine([fitted.partial(view)], RunOptions())
    found = calls("nlgauge.kernels.tfidf", "tfidf_similarity")
    list(metric.explain(view, frequencies))
    assert len(found) == metric.max_order
