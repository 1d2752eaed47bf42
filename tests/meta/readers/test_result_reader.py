"""Judgments of results: pooled records are put together again, and the same numbers come from every shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import InputError
from nlgauge.meta import Judgments, seconds_per_thousand
from nlgauge.meta.benchmarks import Benchmark, load
from nlgauge.metrics.ter import Ter
from nlgauge.results.result import Result

TEXTS = {"A": ["the cat sat", "a dog ran", "birds sing"], "B": ["the cat", "dog", "birds"]}
REFERENCES = ["the cat sat down", "a dog ran off", "birds sing"]


def records() -> list[dict[str, Any]]:
    return [
        {
            "id": f"s{i}",
            "system": system,
            "prediction": text,
            "reference": REFERENCES[i],
            "adequacy": [len(text), i],
            "domain": "news" if i else "ted",
        }
        for system, texts in TEXTS.items()
        for i, text in enumerate(texts)
    ]


def scored(**options: Any) -> Result:
    return nlgauge.score(records(), metrics=["bleu", "ter", "vendi"], show_progress=False, **options)


@pytest.mark.parametrize(
    "given",
    ["adequacy", [{k: row[k] for k in ("system", "adequacy")} | {"segment": row["id"]} for row in records()]],
)
def test_pooled_records_are_put_together_again(given: Any) -> None:
    grid, pooled = (
        Judgments.from_result(scored(pooled=each), given, group="domain", corpus_scores=True)
        for each in (False, True)
    )
    assert (grid.systems, grid.segments, grid.groups) == (pooled.systems, pooled.segments, pooled.groups)
    assert grid.higher_is_better == pooled.higher_is_better
    for name in ("humans", "ratings", "metrics", "system_scores"):
        ours, theirs = getattr(grid, name), getattr(pooled, name)
        assert list(ours) == list(theirs)
        for key, values in ours.items():
            np.testing.assert_array_equal(values, theirs[key])
    assert list(grid.system_scores) == ["bleu", "ter", "vendi"]
    assert grid.ratings["adequacy"].shape == (2, 3, 2)


def test_pooled_records_need_one_value_of_a_group_for_each_segment() -> None:
    result = scored(pooled=True)
    fields = {**result.corpus.fields, "domain": ("ted", "news", "news", "news", "news", "news")}
    result = replace(result, corpus=replace(result.corpus, fields=fields))
    with pytest.raises(InputError, match=r"'domain'.*'ted' and 'news'"):
        Judgments.from_result(result, "adequacy", group="domain")


def test_rows_may_name_segments_by_their_numbers() -> None:
    rows = [{"system": system, "segment": i, "adequacy": i} for system in TEXTS for i in range(3)]
    assert Judgments.from_result(scored(), rows).human().tolist() == [[0, 1, 2]] * 2
    some = Judgments.from_result(scored(), rows[1:2]).human()
    assert some[0, 1] == 1
    assert np.isnan(some).sum() == 5


@pytest.mark.parametrize("gap", [False, True])
def test_the_result_of_a_benchmark_has_its_judgments(gap: bool) -> None:
    whole = load("sample")
    benchmark = Benchmark(whole.card, whole.rows[: -1 if gap else None])
    (result,) = benchmark.score("chrf", "vendi", show_progress=False).values()
    judged = Judgments.from_result(result, ["relevance", "fluency"], outputs="all", corpus_scores=True)
    expected = benchmark.judgments({"": result}, outputs="all", corpus_scores=True)
    assert (judged.systems, judged.segments) == (expected.systems, expected.segments)
    for name in ("humans", "ratings", "metrics", "system_scores"):
        assert list(getattr(judged, name)) == list(getattr(expected, name))
        for key, values in getattr(judged, name).items():
            np.testing.assert_array_equal(values, getattr(expected, name)[key])


def test_seconds_of_cached_rows_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    result = scored()
    result.costs.used["rows cached"] = 3.0
    assert {"bleu", "ter"} <= set(seconds_per_thousand(result)), "these are never cached"
    monkeypatch.setattr(Ter, "costly", True)
    assert "ter" not in seconds_per_thousand(result)
