from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from nlgauge.errors import InputError
from nlgauge.stats.permutation.published import pair_swap_test, sign_test


@pytest.mark.parametrize(("more", "less", "p"), [(90, 69, 0.0562), (106, 93, 0.1975), (70, 88, 0.9348)])
def test_the_vectors(more, less, p):
    assert sign_test(more, less) == pytest.approx(p, abs=5e-5)
    assert sign_test(more, less) == pytest.approx(float(binom.sf(more - 1, more + less, 0.5)))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=7))
def test_all_swaps_one_by_one(pairs):
    first, second = np.array(pairs).T
    delta = first.mean() - second.mean()
    null = [
        np.where(swap, second, first).mean() - np.where(swap, first, second).mean()
        for swap in product([False, True], repeat=len(pairs))
    ]
    found = pair_swap_test(first, second)
    assert found.delta == pytest.approx(delta)
    assert found.p == pytest.approx(np.mean(np.array(null) >= delta - 1e-12))


def test_pairs_that_do_not_match():
    with pytest.raises(InputError, match=r"got the shapes \(2,\) and \(3,\)"):
        pair_swap_test([True, False], [True, False, True])
