"""Programs: the arithmetic of a metric as plain data.

A program lists instructions. The compiled module runs it on columns of numbers, and `Program.run` runs it with NumPy.
`Program.plain` returns it in a form that every language can read from JSON and run:

    {"inputs": 2, "steps": [["input", 0], ["input", 1], ["divide", 0, 1]], "outputs": [2]}

Step number k computes the value k from earlier values. Its first element is the operation, the others are the numbers of
the values that it reads, except ["input", column] and ["constant", value]. The value of a constant is a
number, "NaN", "Infinity" or "-Infinity". `outputs` are the numbers of the values that the program returns.
All values are doubles, and rows do not depend on each other. The operations are:

    add, subtract, multiply, divide      as IEEE 754 defines them: 1 / 0 is infinity, and 0 / 0 is NaN
    negative, absolute, sqrt, isnan
    maximum a b                          a if a >= b or a is NaN, else b
    minimum a b                          a if a <= b or a is NaN, else b
    greater, greater_equal, less,        1 if it is true, else 0; every comparison with NaN is 0, except not_equal
    less_equal, equal, not_equal
    `where` a b c                        c if a is 0, else b
    logical_and, logical_or,             1 or 0; every number except 0 is true, NaN too
    logical_not
    exp, log, power                      as in C: power(1, x) and power(x, 0) are 1 for every x, NaN too

With the functions `exp`, `log` and `power` of NumPy all results have the bits of NumPy. With the functions of another
language the last bits may differ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array

# Instructions in the order of `Code` in native/program.hpp, with the NumPy functions that they stand for.
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "input": (),
    "constant": (),
    "add": (np.add,),
    "subtract": (np.subtract,),
    "multiply": (np.multiply,),
    "divide": (np.divide,),
    "negative": (np.negative,),
    "absolute": (np.absolute,),
    "maximum": (np.maximum,),
    "minimum": (np.minimum,),
    "greater": (np.greater,),
    "greater_equal": (np.greater_equal,),
    "less": (np.less,),
    "less_equal": (np.less_equal,),
    "equal": (np.equal,),
    "not_equal": (np.not_equal,),
    "where": (),
    "logical_and": (np.logical_and, np.bitwise_and),
    "logical_or": (np.logical_or, np.bitwise_or),
    "logical_not": (np.logical_not, np.invert),
    "exp": (np.exp,),
    "log": (np.log,),
    "power": (np.power,),
    "sqrt": (np.sqrt,),
    "isnan": (np.isnan,),
}
CODES = tuple(FUNCTIONS)


class Program(NamedTuple):
    """Instructions (code, a, b, c, value), each of which writes the register of its number, and the registers of the
    outputs.

    a, b and c are registers; for "input", a is the column. Truth values are 0 and 1.
    """

    inputs: int
    code: list[tuple[int, int, int, int, float]]
    outputs: list[int]

    def run(self, columns: Array) -> Array:
        """Return the (rows, outputs) results of (rows, inputs) numbers, as `Program` of the compiled module does."""
        registers: list[Array] = []
        with np.errstate(all="ignore"):
            for number, a, b, c, value in self.code:
                name = CODES[number]
                if name == "input":
                    result = np.ascontiguousarray(columns[:, a], dtype=np.float64)
                elif name == "constant":
                    result = np.full(len(columns), value)
                elif name == "where":
                    result = np.where(registers[a] != 0, registers[b], registers[c])
                else:
                    function = FUNCTIONS[name][0]
                    operands = [registers[operand] for operand in (a, b)[: function.nin]]
                    result = function(*operands).astype(np.float64)
                registers.append(result)
        return np.stack([registers[output] for output in self.outputs], axis=1)

    def plain(self) -> dict[str, Any]:
        """Return the program as plain data for JSON; the docstring of this module explains the form."""
        steps = []
        for number, a, b, c, value in self.code:
            name = CODES[number]
            operands = [operand for operand in (a, b, c) if operand >= 0]
            steps.append([name, *([_plain_number(value)] if name == "constant" else operands)])
        return {"inputs": self.inputs, "steps": steps, "outputs": self.outputs}


def _plain_number(value: float) -> float | str:
    """Return a number, or the name of one that JSON does not have."""
    if np.isfinite(value):
        return value
    return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
