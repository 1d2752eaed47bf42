"""Looks at two systems of a result: one look is the comparison, and missing scores are left out for both."""

from __future__ import annotations

import numpy as np
import pytest
from number_cases import NUMBER

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.results.sequential import look_at
from nlgauge.stats.sequential.planned import PlannedLooks
from nlgauge.stats.units import Clusters

WORDS = "the a cat dog sat on mat in garden house he she reads runs book".split()


def texts(noise: float, seed: int, count: int = 60) -> list[str]:
    fixed, changed = np.random.default_rng(1), np.random.default_rng(seed)
    rows = [[WORDS[word] for word in fixed.integers(len(WORDS), size=8)] for _ in range(count)]
    return [
        " ".join(str(changed.choice(WORDS)) if changed.random() < noise else w for w in row) for row in rows
    ]


@pytest.fixture(scope="module")
def result() -> nlgauge.Result:
    systems = {"A": texts(0.3, 2), "B": texts(0.18, 3)}
    return nlgauge.score(systems, texts(0, 0), metrics=["bleu", "wer"], seed=7, show_progress=False)


@pytest.mark.parametrize("metric", ["bleu", "wer"])
@pytest.mark.parametrize("documents", [None, [f"d{number // 3}" for number in range(60)]])
def test_one_look_is_the_comparison(metric, documents):
    systems = {"A": texts(0.3, 2), "B": texts(0.25, 3)}
    scored = nlgauge.score(
        systems, texts(0, 0), metrics=[metric], documents=documents, seed=7, show_progress=False
    )
    test = PlannedLooks(Clusters(documents, 60), looks=1, resamples=500, seed=7)
    found, row = look_at(scored, test, "A", "B"), scored.compare("A", "B", resamples=500)[metric]
    assert (found.look.p, found.gain) == (row.p, row.gain)
    # The width of swaps is a little larger than the width of a bootstrap.
    width = (found.gain_high - found.gain_low) / (row.gain_high - row.gain_low)
    assert 0.9 < width < 1.6
    assert found.gain_high - found.gain == pytest.approx(found.gain - found.gain_low)
    assert found.better == (row.better if row.p <= 0.05 else None)


def test_looks_end_with_the_better_system_in_the_direction_of_the_metric(result):
    for metric in ("bleu", "wer"):
        test = PlannedLooks(Clusters(None, 60), seed=7)
        while test.is_open:
            found = look_at(result, test, "A", "B", metric)
        assert found.better == "B"
        assert found.gain > 0 and found.gain_low > 0
        assert found.look.units < 60


def test_segments_without_a_score_are_left_out_for_both(result):
    scores = {"A": list(range(60)), "B": [value + 1.5 - (value % 2) for value in range(60)]}
    holes = {"A": {3, 50}, "B": {4, 9}}

    def written(system):
        return [("" if i in holes[system] else str(value)) for i, value in enumerate(scores[system])]

    scored = nlgauge.score(
        {name: written(name) for name in scores}, metrics=NUMBER, seed=2, show_progress=False
    )
    test = PlannedLooks(Clusters(None, 60), looks=1, resamples=400, seed=2)
    found = look_at(scored, test, "A", "B")
    row = scored.compare("A", "B", resamples=400)["number"]
    assert row.gaps.used == 56
    assert (found.look.p, found.gain) == (row.p, row.gain)


def test_a_metric_without_segment_statistics_is_refused():
    scored = nlgauge.score(
        {"A": texts(0.3, 2), "B": texts(0.2, 3)}, metrics=["distinct"], show_progress=False
    )
    with pytest.raises(ParameterError, match="look by look"):
        look_at(scored, PlannedLooks(Clusters(None, 60)), "A", "B")
