"""An interpreter of programs of scores that reads only the form that `nlgauge.metric.program` documents."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _numpy(function: Callable[..., Any]) -> Callable[..., float]:
    """Return a function of NumPy without warnings; its bits are not those of the C library."""

    def of_numbers(*numbers: float) -> float:
        with np.errstate(all="ignore"):
            return float(function(*(np.array([number]) for number in numbers))[0])

    return of_numbers


OPERATIONS: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": _divide,
    "negative": lambda a: -a,
    "absolute": abs,
    "maximum": lambda a, b: a if a >= b or a != a else b,
    "minimum": lambda a, b: a if a <= b or a != a else b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "where": lambda a, b, c: b if a != 0 else c,
    "logical_and": lambda a, b: a != 0 and b != 0,
    "logical_or": lambda a, b: a != 0 or b != 0,
    "logical_not": lambda a: a == 0,
    "exp": _numpy(np.exp),
    "log": _numpy(np.log),
    "power": _numpy(np.power),
    "sqrt": lambda a: math.nan if a < 0 else math.sqrt(a),
    "isnan": math.isnan,
}


def interpreted(program: dict[str, Any], row: list[float]) -> list[float]:
    """Return the outputs of a program for one row of numbers."""
    values: list[float] = []
    for operation, *operands in program["steps"]:
        if operation == "input":
            values.append(row[operands[0]])
        elif operation == "constant":
            values.append(float(operands[0]))
        else:
            values.append(float(OPERATIONS[operation](*(values[operand] for operand in operands))))
    outputs = program["outputs"]
    return [values[number] for number in (outputs.values() if isinstance(outputs, dict) else outputs)]
