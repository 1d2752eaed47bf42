"""Programs traced from NumPy functions give NumPy's bits; what cannot be traced is refused with its reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from programs import interpreted
from twins import needs_native

from nlgauge._core.backend import NATIVE
from nlgauge.metric.program import CODES, Program
from nlgauge.metric.symbols import Graph, Symbols, Untraceable

pytestmark = needs_native


def traced(function: Callable[[Any], Any], inputs: int) -> Program:
    graph = Graph()
    return graph.program(graph.ids(function(graph.new_inputs(inputs))).ravel().tolist())


def rows(inputs: int, count: int = 500) -> np.ndarray:
    """Numbers of all sizes, with zeros, negative ones, infinities and NaN among them."""
    rng = np.random.default_rng(inputs)
    values = rng.standard_normal((count, inputs)) * 10.0 ** rng.integers(-3, 4, (count, inputs))
    odd = rng.random((count, inputs))
    for limit, value in ((0.02, 0.0), (0.03, np.nan), (0.04, np.inf), (0.05, -np.inf), (0.06, 1e308)):
        values[(odd < limit) & (odd >= limit - 0.01)] = value
    return values


def assert_same_bits(function: Callable[[Any], Any], inputs: int) -> None:
    values = rows(inputs)
    program = NATIVE.Program(*traced(function, inputs))
    with np.errstate(all="ignore"):
        expected = np.asarray(function(values), dtype=np.float64).reshape(len(values), -1)
    found = program.run(values)
    # NaN has many bit patterns.
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert (
        np.where(np.isnan(found), 0, found).tobytes() == np.where(np.isnan(expected), 0, expected).tobytes()
    )


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 100, 127, 128])
def test_sums_are_in_the_order_of_numpy(size: int) -> None:
    assert_same_bits(lambda x: x.sum(axis=-1), size)
    assert_same_bits(lambda x: x.mean(axis=-1), size)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: (x[..., 0] + x[..., 1]) * x[..., 2] - x[..., 3] / x[..., 0],
    "signs": lambda x: np.stack([-x[..., 0], abs(x[..., 1])], axis=-1),
    "limits": lambda x: np.stack([np.maximum(x[..., 0], x[..., 1]), np.minimum(x[..., 2], 1.0)], axis=-1),
    "clip": lambda x: np.clip(x[..., 0], -1.0, 1.0),
    "comparisons": lambda x: np.stack(
        [x[..., 0] > 0, x[..., 1] >= 0, x[..., 2] < 1, x[..., 3] <= 1, x[..., 0] == 0, x[..., 1] != 0],
        axis=-1,
    ),
    "logic": lambda x: np.stack(
        [(x[..., 0] > 0) & (x[..., 1] > 0), (x[..., 0] > 0) | (x[..., 1] > 0), ~(x[..., 2] > 0)], axis=-1
    ),
    "any and all": lambda x: np.stack([(x > 0).any(axis=-1), (x > 0).all(axis=-1)], axis=-1),
    "where": lambda x: np.where(x[..., 0] > 0, x[..., 1], x[..., 2]),
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "isnan": np.isnan,
    "powers": lambda x: np.stack(
        [x[..., 0] ** 2, x[..., 1] ** 0.5, x[..., 2] ** 0.25, x[..., 3] ** 1], axis=-1
    ),
    "square": np.square,
    "base": lambda x: 2.0**x,
    "product": lambda x: x.prod(axis=-1),
    "cumsum": lambda x: np.cumsum(x, axis=-1),
    "accumulate": lambda x: np.logical_and.accumulate(x > 0, axis=-1),
    "reshape": lambda x: x.reshape(*x.shape[:-1], 2, 2).sum(axis=-1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_traced_function_gives_the_bits_of_numpy(name: str) -> None:
    assert_same_bits(FUNCTIONS[name], 4)


def test_equal_nodes_are_one_and_unneeded_ones_are_left_out() -> None:
    def function(x: Any) -> Any:
        np.exp(x[..., 1])
        return np.stack([x[..., 0] + 1.0, x[..., 0] + 1.0], axis=-1)

    program = traced(function, 2)
    assert [CODES[code] for code, *_ in program.code] == ["input", "constant", "add"]
    assert program.outputs == [2, 2]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_interpreter_of_the_plain_data_gives_the_bits_of_numpy(name: str) -> None:
    values = rows(4)
    with np.errstate(all="ignore"):
        expected = np.asarray(FUNCTIONS[name](values), dtype=np.float64).reshape(len(values), -1)
    data = json.dumps(traced(FUNCTIONS[name], 4).plain(), allow_nan=False)
    computed = np.array([interpreted(json.loads(data), row) for row in values.tolist()])
    np.testing.assert_array_equal(computed, expected)
    numbers = ~np.isnan(expected)
    assert computed[numbers].tobytes() == expected[numbers].tobytes()


def test_plain_data_has_names_and_only_numbers_of_json() -> None:
    program = traced(lambda x: np.where(x[..., 0] > 0.5, np.nan, -np.inf) + np.inf, 2)
    assert json.loads(json.dumps(program.plain(), allow_nan=False)) == {
        "inputs": 2,
        "steps": [
            *(["input", 0], ["constant", 0.5], ["greater", 0, 1], ["constant", "NaN"]),
            *(["constant", "-Infinity"], ["where", 2, 3, 4], ["constant", "Infinity"], ["add", 5, 6]),
        ],
        "outputs": [7],
    }
    assert str(traced(lambda x: x * -0.0, 1).plain()["steps"][1][1]) == "-0.0"


def _assigned(x: Any) -> Any:
    x[..., 0] = 1.0
    return x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x if x[..., 0] > 0 else -x, "branches"),
        (lambda x: x[x > 0], "indexes"),
        (_assigned, "assigns"),
        (np.asarray, "numbers"),
        (np.sort, "sort"),
        (np.sin, "sin"),
        (lambda x: x.astype(np.int64), "int64"),
        (lambda x: np.power(x, 3.0), "exponent"),
        (lambda x: x**-1, "power"),
        (lambda x: np.add(x, 1.0, out=np.zeros(2)), "out"),
        (lambda x: np.add.reduceat(x, [0]), "reduceat"),
        (lambda x: np.tile(x, 100).sum(axis=-1), "tile"),
    ],
)
def test_what_cannot_be_traced_is_refused_with_a_reason(function: Callable[[Any], Any], reason: str) -> None:
    with pytest.raises(Untraceable, match=reason):
        traced(function, 2)


def test_a_long_sum_is_refused() -> None:
    with pytest.raises(Untraceable, match="128"):
        traced(lambda x: x.sum(axis=-1), 129)
    with pytest.raises(Untraceable):
        traced(lambda x: np.sum(x, axis=(0, 1)), 2)


@pytest.mark.parametrize(
    ("inputs", "code", "outputs"),
    [
        (1, [(len(CODES), 0, 0, 0, 0.0)], [0]),
        (1, [(-1, 0, 0, 0, 0.0)], [0]),
        (1, [(CODES.index("input"), 1, -1, -1, 0.0)], [0]),
        (1, [(CODES.index("input"), 0, -1, -1, 0.0), (CODES.index("exp"), 1, -1, -1, 0.0)], [1]),
        (1, [(CODES.index("input"), 0, -1, -1, 0.0), (CODES.index("add"), 0, -1, -1, 0.0)], [1]),
        (1, [(CODES.index("input"), 0, -1, -1, 0.0)], [1]),
        (1, [(CODES.index("input"), 0, -1, -1, 0.0)], [-1]),
    ],
)
def test_a_program_that_reads_what_it_has_not_written_is_refused(
    inputs: int, code: Any, outputs: Any
) -> None:
    with pytest.raises(ValueError, match=r"program|instruction"):
        NATIVE.Program(inputs, code, outputs)


def test_symbols_look_like_an_array() -> None:
    symbols = Graph().new_inputs(2, 3)
    assert (symbols.shape, symbols.ndim, len(symbols)) == ((2, 3), 2, 2)
    assert symbols.T.shape == (3, 2)
    assert [row.shape for row in symbols] == [(3,), (3,)]
    assert isinstance(np.concatenate([symbols, np.ones((1, 3))]), Symbols)
