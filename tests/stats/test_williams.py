import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats import t as student

from nlgauge.stats.williams import williams


def test_the_worked_example():
    found = williams(0.65, 0.55, 0.3, 50)
    assert (float(found.t), float(found.df)) == pytest.approx((0.8160781865467162, 47), abs=1e-12)
    assert float(found.p_greater) == pytest.approx(0.20928617286753579, abs=1e-12)
    assert float(found.p) == pytest.approx(0.41857234573507157, abs=1e-12)
    # The README of nlp-williams printed the p-value of one degree of freedom more.
    assert float(student.sf(found.t, 48)) == pytest.approx(0.20924348296400863, abs=1e-12)


def test_raw_scores():
    gold, one, other = [1, 2, 3, 4, 5], [1.1, 2, 3.1, 4, 5.1], [1.5, 2, 3.1, 4, 5.5]
    r = np.corrcoef([gold, one, other])
    assert (r[0, 1], r[0, 2], r[1, 2]) == pytest.approx(
        (0.9994005394605665, 0.9868634624770863, 0.990611473031326)
    )
    assert float(williams(r[0, 1], r[0, 2], r[1, 2], 5).p_greater) == pytest.approx(
        0.019073687983160403, abs=1e-10
    )


def test_the_sign_of_a_correlation_is_kept():
    assert float(williams(-0.60, 0.55, -0.30, 50).p_greater) == pytest.approx(0.999999995661861, abs=1e-12)
    assert float(williams(0.55, -0.60, -0.30, 50).p_greater) == pytest.approx(
        1 - 0.999999995661861, abs=1e-12
    )
    # nlpstats takes absolute values.
    assert float(williams(0.60, 0.55, 0.30, 50).p_greater) == pytest.approx(0.34882746932424186, abs=1e-12)


def test_the_numbers_of_nlpstats():
    rng = np.random.RandomState(12)
    x, y, z, x2, y2, z2 = (rng.rand(9, 5) for _ in range(6))
    r = [np.corrcoef(one.ravel(), other.ravel())[0, 1] for one, other in ((x, z), (y, z), (x, y))]
    assert float(williams(*np.abs(r), 45).p_greater) == pytest.approx(0.2716978, abs=1e-7)
    ranks = [
        spearmanr(one.mean(axis=1), other.mean(axis=1))[0] for one, other in ((y2, z2), (x2, z2), (x2, y2))
    ]
    assert float(williams(*ranks, 9).p_greater) == pytest.approx(0.4658712, abs=1e-7)


def test_sides_add_to_one_and_the_order_of_metrics_is_irrelevant():
    one, other = williams(0.7, 0.5, 0.6, 20), williams(0.5, 0.7, 0.6, 20)
    assert float(one.p_greater + other.p_greater) == pytest.approx(1)
    assert float(one.p) == pytest.approx(float(other.p)) == pytest.approx(2 * float(one.p_greater))


def test_a_metric_against_itself():
    for r in (0.3, 1.0, -1.0, 0.0):
        assert float(williams(r, r, 1.0, 16).p) == 1
    rounded = williams(0.3, 0.3 + 1e-16, 1 - 1e-16, 16)
    assert float(rounded.p) == 1


def test_perfect_and_worse():
    found = williams(1.0, 0.5, 0.5, 16)
    assert np.isfinite(found.t)
    assert float(found.p) < 0.001


@pytest.mark.parametrize(
    "bad", [(0.5, 0.4, 0.3, 3), (np.nan, 0.4, 0.3, 30), (0.5, 0.4, np.nan, 30), (0.9, -0.9, 0.9, 30)]
)
def test_what_is_not_known(bad):
    assert all(np.isnan(value) for value in (williams(*bad).t, williams(*bad).p, williams(*bad).p_greater))


def test_all_pairs_are_one_call():
    rng = np.random.default_rng(3)
    r = np.corrcoef(rng.normal(size=(6, 12)) + rng.normal(size=12))
    found = williams(r[0, 1:, None], r[0, None, 1:], r[1:, 1:], 12)
    for i in range(5):
        for j in range(5):
            assert float(found.p[i, j]) == pytest.approx(
                float(williams(r[0, 1 + i], r[0, 1 + j], r[1 + i, 1 + j], 12).p)
            )
    assert np.diag(found.p).tolist() == [1] * 5


def test_type_one_error_of_normal_scores():
    rng = np.random.default_rng(5)
    quality = rng.normal(size=(4000, 16))
    human, one, other = (quality + rng.normal(size=quality.shape) for _ in range(3))

    def r(a, b):
        a, b = (v - v.mean(axis=1, keepdims=True) for v in (a, b))
        return (a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))

    p = williams(r(human, one), r(human, other), r(one, other), 16).p
    assert 0.035 < (p <= 0.05).mean() < 0.065
