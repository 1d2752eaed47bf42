"""Agreement of the annotators of SummEval: the figures of the paper and of our specification, where the
data are.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from human_judgments import rows_of
from scipy import stats

from nlgauge.stats.agreement import krippendorff, noise_ceiling, reliability

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


@cache
def summeval(kind):
    """(dimensions, the 16 systems of the paper, documents, annotators)."""
    rows = rows_of("summeval")
    rated = {
        (row["system"], row["segment"]): row["human_raw"][kind]
        for row in rows
        if row["system"] != "M23_dynamicmix"
    }
    systems, segments = (sorted({key[i] for key in rated}) for i in (0, 1))
    return np.array(
        [
            [[rated[system, segment][dimension] for segment in segments] for system in systems]
            for dimension in DIMENSIONS
        ],
        dtype=float,
    )


def test_alpha_of_crowd_and_experts():
    assert krippendorff(summeval("turker")) == pytest.approx(0.4920, abs=5e-5)
    assert krippendorff(summeval("expert")) == pytest.approx(0.7187, abs=5e-5)


def system_tau(x, z):
    return stats.kendalltau(x.mean(axis=1).round(9), z.mean(axis=1).round(9)).statistic


def input_tau(x, z):
    return np.nanmean([stats.kendalltau(x[:, n], z[:, n]).statistic for n in range(x.shape[1])])


def global_pearson(x, z):
    return stats.pearsonr(x.ravel(), z.ravel()).statistic


@pytest.mark.parametrize(
    ("dimension", "system", "at_input", "reliable"),
    [(0, 0.784, 0.590, 0.849), (1, 0.878, 0.792, 0.969), (2, 0.688, 0.626, 0.896), (3, 0.769, 0.413, 0.761)],
)
@pytest.mark.filterwarnings("ignore:.*constant")
def test_ceilings(dimension, system, at_input, reliable):
    rated = summeval("expert")[dimension]
    assert noise_ceiling(rated, system_tau) == pytest.approx(system, abs=6e-4)
    assert noise_ceiling(rated, input_tau) == pytest.approx(at_input, abs=6e-4)
    assert reliability(rated, global_pearson) == pytest.approx(reliable, abs=6e-4)
