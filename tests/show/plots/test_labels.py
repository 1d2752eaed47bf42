"""Names beside points and lines: apart from each other, and inside the axes."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.show.plots import labels
from nlgauge.show.plots.canvas import one_axes
from tests.show.plots.drawn import check_readable


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 100), max_size=12), st.floats(0.1, 8))
def test_heights_are_moved_apart_in_order(heights, gap):
    found = labels.apart(np.array(heights), gap, 0.0, 100.0)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(found[order]) >= gap - 1e-9).all()
    assert ((found >= -1e-9) & (found <= 100 + 1e-9)).all()
    if len(heights) > 1 and np.diff(np.sort(heights)).min() >= gap:
        assert found == pytest.approx(heights, abs=1e-9)


def test_points_in_a_heap_keep_their_names_apart():
    rng = np.random.default_rng(1)
    ax = one_axes(None, 4, 4)
    x, y = rng.normal(0, 0.1, (2, 25))
    ax.plot(x, y, "o")
    ax.set(xlim=(-1, 1), ylim=(-1, 1))
    made = labels.name_points(ax, x, y, [f"system {i}" for i in range(25)])
    assert len(made) == 25
    check_readable(ax)


def test_a_name_without_room_is_told_of():
    ax = one_axes(None, 2, 2)
    ax.set(xlim=(-1, 1), ylim=(-1, 1))
    with pytest.warns(UserWarning, match="no room"):
        made = labels.name_points(ax, [0, np.nan], [0, 1], ["a very " + "long " * 20 + "name", "unknown"])
    assert made == []
