"""Symbols: arrays whose elements are nodes of a graph, so that a function of NumPy arrays becomes a program.

A `Symbols` contains an integer array of node numbers. NumPy slices, stacks, transposes and broadcasts these numbers;
every element-wise operation adds nodes. A program lists the nodes that some outputs need, in order. The compiled module
runs it on columns of numbers with the bits of NumPy.

A function can be traced if it works over the last axis of C-contiguous float64 arrays, and does not branch on values,
assign to elements, or index by values. `Untraceable` gives the reason otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nlgauge._core.ragged import Array
from nlgauge.metric.program import CODES, FUNCTIONS, Program

_NUMBERS = {name: number for number, name in enumerate(CODES)}
_CODE_OF = {function: name for name, functions in FUNCTIONS.items() for function in functions}
# NumPy adds more numbers than this in halves.
_MOST_ADDED = 128


class Untraceable(Exception):
    """The reason why a function cannot become a program."""


class Graph:
    """The nodes of a traced function; equal nodes are one node."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, int, int, float]] = []
        self.inputs = 0
        self._numbers: dict[tuple[int, int, int, int, str], int] = {}

    def node(self, code: str, a: int = -1, b: int = -1, c: int = -1, value: float = 0.0) -> int:
        """Return the number of a node, which is new or known."""
        key = (_NUMBERS[code], a, b, c, repr(value))
        if key not in self._numbers:
            self._numbers[key] = len(self.nodes)
            self.nodes.append((_NUMBERS[code], a, b, c, value))
        return self._numbers[key]

    def new_inputs(self, *shape: int) -> Symbols:
        """Return symbols of new inputs."""
        first, self.inputs = self.inputs, self.inputs + int(np.prod(shape))
        return Symbols(
            self, np.array([self.node("input", k) for k in range(first, self.inputs)]).reshape(shape)
        )

    def ids(self, values: Any) -> Array:
        """Return the node numbers of symbols, or of constants."""
        if isinstance(values, Symbols):
            return values.nodes
        constants = np.asarray(values, dtype=np.float64)
        numbers = [self.node("constant", value=value) for value in constants.ravel().tolist()]
        return np.array(numbers, dtype=np.int64).reshape(constants.shape)

    def apply(self, code: str, *arguments: Any) -> Symbols:
        """Return the symbols of an element-wise operation."""
        operands = np.broadcast_arrays(*map(self.ids, arguments))
        rows = zip(*(operand.ravel().tolist() for operand in operands), strict=True)
        nodes = np.array([self.node(code, *row) for row in rows], dtype=np.int64)
        return Symbols(self, nodes.reshape(operands[0].shape))

    def program(self, outputs: Sequence[int]) -> Program:
        """Return the nodes that the outputs need, renumbered in order."""
        operands = [node[1:4] if node[0] > _NUMBERS["constant"] else () for node in self.nodes]
        needed = set(outputs)
        for number in range(len(self.nodes) - 1, -1, -1):
            if number in needed:
                needed.update(operand for operand in operands[number] if operand >= 0)
        places = {number: place for place, number in enumerate(sorted(needed))}
        code = []
        for number in sorted(needed):
            name, a, b, c, value = self.nodes[number]
            if operands[number]:
                a, b, c = (places[operand] if operand >= 0 else -1 for operand in (a, b, c))
            code.append((name, a, b, c, value))
        return Program(self.inputs, code, [places[output] for output in outputs])


class Symbols(NDArrayOperatorsMixin):
    """An array of nodes, which NumPy functions accept in place of numbers."""

    __array_priority__ = 1000

    def __init__(self, graph: Graph, nodes: Any) -> None:
        self.graph, self.nodes = graph, np.asarray(nodes, dtype=np.int64)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.nodes.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.nodes.ndim

    @property
    def T(self) -> Symbols:  # noqa: N802
        """The transposed array."""
        return Symbols(self.graph, self.nodes.T)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Symbols]:
        return (Symbols(self.graph, nodes) for nodes in self.nodes)

    def __getitem__(self, key: Any) -> Symbols:
        if isinstance(key, Symbols):
            raise Untraceable("indexes by values")
        return Symbols(self.graph, self.nodes[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise Untraceable("assigns to elements")

    def __bool__(self) -> bool:
        raise Untraceable("branches on values")

    def __array__(self, *arguments: Any, **options: Any) -> Array:
        raise Untraceable("needs the numbers themselves")

    def astype(self, dtype: Any, **options: Any) -> Symbols:
        """Return the array; a cast to anything but floats is not traced."""
        if np.dtype(dtype) != np.float64:
            raise Untraceable(f"casts to {np.dtype(dtype)}")
        return self

    def transpose(self, *axes: int) -> Symbols:
        """Return the array with permuted axes."""
        return Symbols(self.graph, self.nodes.transpose(*axes))

    def reshape(self, *shape: Any) -> Symbols:
        """Return the array with another shape."""
        return Symbols(self.graph, self.nodes.reshape(*shape))

    def sum(self, axis: int | None = None) -> Symbols:
        """Return the sum over an axis."""
        return _sum(self, axis)

    def mean(self, axis: int | None = None) -> Symbols:
        """Return the mean over an axis."""
        return self.graph.apply(
            "divide", _sum(self, axis), self.nodes.size if axis is None else self.shape[axis]
        )

    def prod(self, axis: int | None = None) -> Symbols:
        """Return the product over an axis."""
        return _folded("multiply", *_along(self, axis))

    def any(self, axis: int | None = None) -> Symbols:
        """Return 1 if some value over an axis is true."""
        return _folded("logical_or", *_along(self, axis))

    def all(self, axis: int | None = None) -> Symbols:
        """Return 1 if every value over an axis is true."""
        return _folded("logical_and", *_along(self, axis))

    def __pow__(self, exponent: Any) -> Symbols:
        """Return the power; NumPy computes those with the exponents 0.5, 1 and 2 in other ways."""
        if isinstance(exponent, Symbols) or np.ndim(exponent) or exponent in (-1, 0):
            raise Untraceable("raises to a power that is not a plain number other than -1 and 0")
        if exponent == 1:
            return self
        if exponent == 2:
            return self.graph.apply("multiply", self, self)
        if exponent == 0.5:
            return self.graph.apply("sqrt", self)
        return self.graph.apply("power", self, exponent)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Symbols:
        if options.keys() - {"axis"} or (ufunc not in _CODE_OF and ufunc is not np.square):
            raise Untraceable(f"calls {ufunc.__name__} with {', '.join(options) or 'values'}")
        if method == "reduce" and ufunc is np.add:
            return _sum(inputs[0], options.get("axis", 0))
        if method == "reduce":
            return _folded(_CODE_OF[ufunc], *_along(inputs[0], options.get("axis", 0)))
        if method == "reduceat" and ufunc in (np.maximum, np.minimum):
            return _grouped(_CODE_OF[ufunc], *inputs)
        if method == "accumulate":
            return _accumulated(_CODE_OF[ufunc], inputs[0], options.get("axis", 0))
        if method != "__call__" or options:
            raise Untraceable(f"calls {ufunc.__name__}.{method}")
        if ufunc is np.square:
            return self.graph.apply("multiply", inputs[0], inputs[0])
        if ufunc is np.power and not isinstance(inputs[1], Symbols):
            raise Untraceable("calls power with a plain exponent, which NumPy computes in several ways")
        return self.graph.apply(_CODE_OF[ufunc], *inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function not in _HANDLED:
            raise Untraceable(f"calls {function.__name__}")
        return _HANDLED[function](*arguments, **options)


def _along(values: Symbols, axis: Any) -> tuple[Graph, Array]:
    """Return the nodes with the axis of a reduction last."""
    if isinstance(axis, tuple):
        raise Untraceable("reduces several axes at once")
    nodes = values.nodes.ravel() if axis is None else np.moveaxis(values.nodes, axis, -1)
    return values.graph, nodes


def _folded(code: str, graph: Graph, nodes: Array) -> Symbols:
    if not nodes.shape[-1]:
        raise Untraceable("reduces nothing")
    found = Symbols(graph, nodes[..., 0])
    for k in range(1, nodes.shape[-1]):
        found = graph.apply(code, found, Symbols(graph, nodes[..., k]))
    return found


def _sum(values: Symbols, axis: int | None) -> Symbols:
    """Add in the order of NumPy on contiguous rows: eight running sums if there are as many numbers."""
    graph, nodes = _along(values, axis)
    size = nodes.shape[-1]
    if not size:
        return Symbols(graph, graph.ids(np.zeros(nodes.shape[:-1])))
    if size > _MOST_ADDED:
        raise Untraceable(f"adds more than {_MOST_ADDED} numbers")
    if size < 8:
        return _folded("add", graph, nodes)
    sums = [_folded("add", graph, nodes[..., k : size - size % 8 : 8]) for k in range(8)]
    while len(sums) > 1:
        sums = [graph.apply("add", *pair) for pair in zip(sums[::2], sums[1::2], strict=True)]
    (found,) = sums
    for k in range(size - size % 8, size):
        found = graph.apply("add", found, Symbols(graph, nodes[..., k]))
    return found


def _grouped(code: str, values: Symbols, starts: Any) -> Symbols:
    """Reduce the numbers from each start to the next one."""
    if isinstance(starts, Symbols) or values.ndim != 1 or (np.diff(starts, append=len(values)) < 1).any():
        raise Untraceable("reduces groups that are empty, or not of one axis")
    groups = np.split(values.nodes, starts[1:])
    return Symbols(values.graph, np.array([_folded(code, values.graph, group).nodes for group in groups]))


def _graph(values: Any) -> Graph:
    if isinstance(values, Symbols):
        return values.graph
    for value in values:
        if isinstance(value, Symbols | list | tuple):
            try:
                return _graph(value)
            except Untraceable:
                continue
    raise Untraceable("no symbols")


def _stacked(function: Callable[..., Any]) -> Callable[..., Symbols]:
    def stack(parts: Sequence[Any], *arguments: Any, **options: Any) -> Symbols:
        graph = _graph(list(parts))
        return Symbols(graph, function([graph.ids(part) for part in parts], *arguments, **options))

    return stack


def _where(condition: Any, first: Any, second: Any) -> Symbols:
    return _graph([condition, first, second]).apply("where", condition, first, second)


def _accumulated(code: str, values: Symbols, axis: int | None) -> Symbols:
    graph, nodes = _along(values, axis)
    found = [_folded(code, graph, nodes[..., : k + 1]).nodes for k in range(nodes.shape[-1])]
    return Symbols(graph, np.moveaxis(np.stack(found, -1), -1, 0 if axis is None else axis))


_HANDLED: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.sum: lambda values, axis=None: values.sum(axis),
    np.mean: lambda values, axis=None: values.mean(axis),
    np.prod: lambda values, axis=None: values.prod(axis),
    np.any: lambda values, axis=None: values.any(axis),
    np.all: lambda values, axis=None: values.all(axis),
    np.cumsum: lambda values, axis=None: _accumulated("add", values, axis),
    np.clip: lambda values, low, high: np.minimum(np.maximum(values, low), high),
    np.zeros_like: lambda values: np.zeros(values.shape),
    np.ones_like: lambda values: np.ones(values.shape),
    np.shape: lambda values: values.shape,
    **{function: _stacked(function) for function in (np.hstack, np.vstack, np.column_stack)},
    **{function: _stacked(function) for function in (np.stack, np.concatenate)},
}
