"""Modules of the page by themselves: scales with round numbers, smooth areas, differences of texts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from nlgauge.show.report.page import WEB


def run(opened: Any, module: str, code: str, argument: Any = None) -> Any:
    """Return the value of an expression that uses the names of a module."""
    text = re.sub(r"^export ", "", (WEB / module).read_text("utf-8"), flags=re.MULTILINE)
    return opened(None).page.evaluate(f"given => {{ {text}\nreturn {code}; }}", argument)


# Made with scaleLinear of d3-scale 4.0.3: the domain, ticks(6), and the domain after nice().
_LINEAR = [
    ([0, 1], [0, 0.2, 0.4, 0.6, 0.8, 1], [0, 1]),
    ([-3.2, 17.9], [0, 5, 10, 15], [-4, 18]),
    ([12, 96], [20, 30, 40, 50, 60, 70, 80, 90], [10, 100]),
    ([0.0123, 0.0187], [0.013, 0.014, 0.015, 0.016, 0.017, 0.018], [0.012, 0.019]),
    ([-84.2, 61.7], [-80, -60, -40, -20, 0, 20, 40, 60], [-100, 80]),
    ([1000, 250000], [50000, 100000, 150000, 200000, 250000], [0, 260000]),
]


def test_scales_have_round_numbers(opened: Any) -> None:
    code = """given.map(domain => { const x = scaleLinear(domain, [0, 200]); const n = x.nice();
        return [x.ticks(6), [n.invert(0), n.invert(200)], x(domain[0]), x(domain[1]), x.invert(50)]; })"""
    found = run(opened, "scales.js", code, [domain for domain, *_ in _LINEAR])
    for (domain, ticks, nice), (got, ends, first, last, middle) in zip(_LINEAR, found, strict=True):
        assert got == pytest.approx(ticks, abs=1e-12)
        assert ends == pytest.approx(nice)
        assert (first, last) == (0, 200)
        assert middle == pytest.approx(domain[0] + (domain[1] - domain[0]) / 4)
    assert run(
        opened, "scales.js", "[scaleLinear([3, 3], [0, 10])(3), scaleLinear([3, 3], [0, 10]).ticks(5)]"
    ) == [5, [3]]
    clamped = "[0, 1e-3, 0.1, 50].map(scaleLog([1e-3, 10], [0, 1]).clamp(true))"
    assert run(opened, "scales.js", clamped) == pytest.approx([0, 0, 0.5, 1])


def test_a_smooth_area_is_nowhere_higher_than_its_points(opened: Any) -> None:
    # Made with area and curveMonotoneX of d3-shape 3.2.1.
    path = run(opened, "scales.js", "smoothArea([[0, 56], [10, 20], [20, 30], [30, 4]], 56)")
    assert path == (
        "M0,56C3.333,38 6.667,20 10,20C13.333,20 16.667,30 20,30C23.333,30 26.667,17 30,4L30,56L0,56Z"
    )
    assert run(opened, "scales.js", "smoothArea([], 5)") == ""


_DIFFERENCES = [
    ("a b c", "a b c", [["equal", "a b c"]]),
    ("", "a", [["insert", "a"]]),
    ("a", "", [["delete", "a"]]),
    (
        "the cat sat",
        "the dog sat",
        [["equal", "the "], ["delete", "cat "], ["insert", "dog "], ["equal", "sat"]],
    ),
    ("a b", "a  b", [["equal", "a  b"]]),
    ("x y z", "y z x", [["delete", "x "], ["equal", "y z "], ["insert", "x"]]),
]


def test_texts_differ_word_by_word(opened: Any) -> None:
    code = "given.map(([old, fresh]) => difference(old, fresh))"
    found = run(opened, "words.js", code, [[old, new] for old, new, _ in _DIFFERENCES])
    for (old, new, pieces), got in zip(_DIFFERENCES, found, strict=True):
        assert got == pieces, (old, new)


def test_scripts_without_spaces_and_long_texts(opened: Any) -> None:
    code = "difference(given[0], given[1])"
    chinese = run(opened, "words.js", code, ["周二的大雨关闭了道路", "周三的大雨关闭了道路"])
    assert "".join(text for kind, text in chinese if kind != "delete") == "周三的大雨关闭了道路"
    assert "".join(text for kind, text in chinese if kind != "insert") == "周二的大雨关闭了道路"
    long = " ".join(map(str, range(2001)))
    assert run(opened, "words.js", code, [long, "a"]) is None


@pytest.mark.parametrize(("count", "seed"), [(5, 0), (37, 2**40 + 3)])
def test_resampled_sums_are_sums_of_units_drawn_at_random(count: int, seed: int, opened: Any) -> None:
    values = [round(0.37 * unit**2 - 4 * unit, 2) for unit in range(count)]
    # A column with a single 1 shows how often its unit was drawn.
    columns = [*np.eye(count).tolist(), values]
    code = """resampledSums(given.columns.map(column => Float64Array.from(column)), given.count, 2000, given.seed)
        .then(({ bootstrap, swaps }) => [bootstrap, swaps].map(sums => sums.map(one => Array.from(one))))"""
    given = {"columns": columns, "count": count, "seed": seed}
    bootstrap, swaps = map(np.array, run(opened, "drawn.js", code, given))
    for sums in (bootstrap, swaps):
        assert np.array(values) @ sums[:count] == pytest.approx(sums[count], abs=1e-9)
    times = bootstrap[:count]
    assert (times.sum(axis=0) == count).all()
    assert times.max() > 3, "a unit that is drawn more often than its two bits can tell"
    assert times.mean(axis=1) == pytest.approx(np.ones(count), abs=0.1)
    assert times.var(axis=1).mean() == pytest.approx(1 - 1 / count, abs=0.05)
    assert set(np.unique(swaps[:count])) == {0, 1}
    assert swaps[:count].mean(axis=1) == pytest.approx(np.full(count, 0.5), abs=0.06)
    for drawn in (times, swaps[:count]):
        # Only the sum of bootstrap counts is fixed; swaps of units are independent of one another.
        expected = -1 / (count - 1) if drawn is times else 0.0
        correlations = np.corrcoef(drawn)[np.triu_indices(count, 1)]
        assert correlations == pytest.approx(np.full(len(correlations), expected), abs=0.12)
