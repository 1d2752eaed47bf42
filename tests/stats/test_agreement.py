"""Agreement of annotators against published examples, NLTK's coefficients and definitions written as
loops.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance, interval_distance
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.stats.agreement import (
    disattenuated,
    fleiss,
    intraclass,
    krippendorff,
    noise_ceiling,
    reliability,
    spearman_brown,
)
from nlgauge.stats.two_raters import cohen

NAN = math.nan
# Krippendorff (2011), "Computing Krippendorff's alpha-reliability": four observers, twelve units.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
# Shrout and Fleiss (1979), Table 2: ICC(2,1) = .29, ICC(2,4) = .62.
SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# Fleiss (1971), as in the textbooks: ten subjects, fourteen raters, counts of five categories; kappa = .210.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]

rating = st.sampled_from([1.0, 2.0, 3.0, 5.0, NAN])
ratings = st.integers(1, 5).flatmap(
    lambda annotators: st.lists(
        st.lists(rating, min_size=annotators, max_size=annotators), min_size=1, max_size=8
    )
)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("nominal", 0.743421052631579),
        ("ordinal", 0.8153875037548814),
        ("interval", 0.8491071428571428),
        ("ratio", 0.7974027747116121),
    ],
)
def test_krippendorffs_own_example(scale, expected):
    assert krippendorff(KRIPPENDORFF, scale) == pytest.approx(expected, abs=1e-12)


def alpha_by_coincidences(rows, scale):
    """Krippendorff's definition word for word: coincidences of the values of each unit, and delta by
    loops.
    """
    rows = [[value for value in row if not math.isnan(value)] for row in rows]
    rows = [row for row in rows if len(row) > 1]
    values = sorted({value for row in rows for value in row})
    o = {(c, k): 0.0 for c in values for k in values}
    for row in rows:
        for i, j in itertools.permutations(range(len(row)), 2):
            o[row[i], row[j]] += 1 / (len(row) - 1)
    n = {c: sum(o[c, k] for k in values) for c in values}
    total = sum(n.values())

    def delta(c, k):
        if scale == "nominal":
            return float(c != k)
        if scale == "ordinal":
            low, high = min(c, k), max(c, k)
            return (sum(n[g] for g in values if low <= g <= high) - (n[c] + n[k]) / 2) ** 2
        return (c - k) ** 2 if scale == "interval" else ((c - k) / (c + k)) ** 2 if c + k else 0.0

    expected = sum(n[c] * n[k] * delta(c, k) for c in values for k in values)
    return 1 - (total - 1) * sum(o[key] * delta(*key) for key in o) / expected if expected else NAN


@given(ratings, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_krippendorff_is_its_definition(rows, scale):
    assert krippendorff(rows, scale) == pytest.approx(
        alpha_by_coincidences(rows, scale), abs=1e-9, nan_ok=True
    )


@pytest.mark.parametrize(
    ("scale", "distance"), [("nominal", binary_distance), ("interval", interval_distance)]
)
def test_krippendorff_as_nltk(scale, distance):
    data = [
        (f"c{j}", str(i), value)
        for i, row in enumerate(KRIPPENDORFF)
        for j, value in enumerate(row)
        if not math.isnan(value)
    ]
    assert krippendorff(KRIPPENDORFF, scale) == pytest.approx(AnnotationTask(data, distance=distance).alpha())


def test_labels_are_nominal_alone():
    labels = [["good", "good"], ["bad", None], ["bad", "good"], ["bad", "bad"]]
    numbers = [[1, 1], [0, NAN], [0, 1], [0, 0]]
    assert krippendorff(labels, "nominal") == krippendorff(numbers, "nominal")
    assert fleiss(labels) == fleiss(numbers)
    with pytest.raises(InputError, match="numbers"):
        krippendorff(labels)
    with pytest.raises(InputError, match="numbers"):
        intraclass(labels)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [(None, 0.7402597402597402), ("linear", 0.855072463768116), ("quadratic", 0.9358974358974359)],
)
def test_cohen(weights, expected):
    a, b = [1, 2, 3, 3, 2, 1, 4, 1, 2, 5], [1, 2, 3, 3, 2, 2, 4, 1, 3, 5]
    assert cohen(a, b, weights) == pytest.approx(expected, abs=1e-12)
    assert cohen([*a, None, 3], [*b, 2, NAN], weights) == pytest.approx(expected, abs=1e-12)


def test_cohen_as_nltk():
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 4, (2, 60)).tolist()
    data = [(name, str(i), value) for name, column in (("a", a), ("b", b)) for i, value in enumerate(column)]
    assert cohen(a, b) == pytest.approx(AnnotationTask(data).kappa())


def test_cohen_with_a_category_that_nobody_used():
    a, b = [1, 1, 3, 5, 5, 3], [1, 3, 3, 5, 3, 5]
    assert cohen(a, b, "linear", [1, 2, 3, 4, 5]) == pytest.approx(cohen(a, b, "linear"))  # every step is two
    assert cohen(a, b, "linear", [1, 2, 3, 5]) != pytest.approx(cohen(a, b, "linear"))
    with pytest.raises(InputError, match="has no 5"):
        cohen(a, b, "linear", [1, 3])


def test_cohen_bad_input():
    with pytest.raises(InputError, match="2 and 1"):
        cohen([1, 2], [1])
    with pytest.raises(ParameterError, match="'cubic'"):
        cohen([1, 2], [1, 2], "cubic")
    with pytest.raises(InputError, match="put in order"):
        cohen([1, "b"], [1, "b"])
    assert math.isnan(cohen([1, 1], [1, 1]))
    assert math.isnan(cohen([], []))


def test_fleiss_own_example():
    rows = [[category for category, count in enumerate(counts) for _ in range(count)] for counts in FLEISS]
    assert fleiss(rows) == pytest.approx(0.2099307, abs=1e-7)


@given(ratings)
def test_fleiss_is_its_definition(rows):
    rated = [[value for value in row if not math.isnan(value)] for row in rows]
    rated = [row for row in rated if len(row) > 1]
    flat = [value for row in rated for value in row]
    chance = sum((flat.count(value) / len(flat)) ** 2 for value in set(flat)) if flat else 1
    shares = [np.mean([a == b for a, b in itertools.permutations(row, 2)]) for row in rated]
    expected = (np.mean(shares) - chance) / (1 - chance) if len(set(flat)) > 1 else NAN
    assert fleiss(rows) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_intraclass_of_shrout_and_fleiss():
    single, mean, units = intraclass([*SHROUT, [1, 2, 3, NAN]])
    assert (round(single, 2), round(mean, 2), units) == (0.29, 0.62, 6)
    assert mean == pytest.approx(spearman_brown(single, 4))


@pytest.mark.parametrize("rows", [[[1.0], [2.0]], [[1.0, NAN], [NAN, 2.0]], [[3.0, 3.0], [3.0, 3.0]]])
def test_undefined_is_nan(rows):
    assert all(math.isnan(krippendorff(rows, scale)) for scale in ("nominal", "ordinal", "interval", "ratio"))
    assert math.isnan(fleiss(rows))
    assert math.isnan(intraclass(rows).single)
    assert math.isnan(intraclass(rows).mean)


def test_bad_ratings():
    with pytest.raises(InputError, match="annotators as last"):
        krippendorff([1, 2, 3])
    with pytest.raises(InputError, match="annotators as last"):
        noise_ceiling(np.arange(3.0), lambda x, z: 1.0)
    with pytest.raises(InputError, match="below 0"):
        krippendorff([[-1, 2], [1, 2]], "ratio")
    with pytest.raises(ParameterError, match="'metric'"):
        krippendorff([[1, 2]], "metric")


def system_pearson(x, z):
    known = ~(np.isnan(x) | np.isnan(z))
    means = [[side[i][known[i]].mean() for i in range(len(x))] for side in (x, z)]
    return stats.pearsonr(*means).statistic


def test_ceiling_and_reliability_by_hand():
    rated = np.random.default_rng(3).normal(size=(5, 1, 1)) + np.random.default_rng(4).normal(size=(5, 7, 3))
    rated[0, 2, 1] = NAN
    rated[3, 4, 0] = NAN
    a, b, c = np.moveaxis(rated, -1, 0)
    others = [np.nanmean(pair, axis=0) for pair in ([b, c], [a, c], [a, b])]
    expected = np.mean([system_pearson(one, other) for one, other in zip((a, b, c), others, strict=True)])
    assert noise_ceiling(rated, system_pearson) == pytest.approx(expected)
    r = np.mean([system_pearson(a, b), system_pearson(a, c), system_pearson(b, c)])
    assert reliability(rated, system_pearson) == pytest.approx(3 * r / (1 + 2 * r))


def test_ceiling_of_one_annotator_is_not_known():
    assert math.isnan(noise_ceiling(np.ones((3, 4, 1)), system_pearson))
    assert math.isnan(reliability(np.ones((3, 4, 1)), system_pearson))
    assert math.isnan(spearman_brown(-1.0, 2))


def test_a_cell_that_one_annotator_rated_alone_does_not_count():
    rated = np.array([[[1.0, 2.0, NAN], [5.0, NAN, NAN]]])
    seen = []
    noise_ceiling(rated, lambda x, z: seen.append((x.tolist(), z.tolist())) or 0.0)
    np.testing.assert_equal(seen[0], ([[1.0, 5.0]], [[2.0, NAN]]))


def test_disattenuated():
    assert disattenuated(0.6, 0.64, 0.25) == (1.0, True, pytest.approx(1.5))
    assert disattenuated(-0.9, 0.25) == (-1.0, True, -1.8)
    assert math.isnan(disattenuated(0.5, 0.0).value)
    assert math.isnan(disattenuated(NAN, 0.5).value)
    assert not disattenuated(NAN, 0.5).capped
