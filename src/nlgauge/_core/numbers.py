"""Number formats: decimals depend on the scale of the output, and NaN becomes "n/a".

Commands word numbers before anything computes, so NumPy is imported only by the functions of arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge._core.ragged import Array
    from nlgauge.metric import Output


def number(value: float, output: Output, sign: bool = False) -> str:
    """Format a score with the decimals of its output; a whole count has none, and NaN is "n/a"."""
    if math.isnan(value):
        return "n/a"
    whole = output.decimals is None and is_count(output) and float(value).is_integer()
    return f"{value:{'+' if sign else ''}.{0 if whole else decimals_of(output)}f}"


def decimals_of(output: Output) -> int:
    """Return the number of decimals shown for an output: its own number, or 2 up to 100, or else 4."""
    if output.decimals is not None:
        return output.decimals
    return 2 if output.high == 100 else 4


def ties(first: Array, second: Array, output: Output) -> Array:
    """Return True for each pair of scores that look the same when printed; NaN is never a tie.

    >>> import numpy as np
    >>> from nlgauge.metric import Output
    >>> ties(np.array([12.341, 12.344, np.nan]), np.array([12.339, 12.346, np.nan]), Output("bleu", True, 0, 100)).tolist()
    [True, False, False]
    """
    import numpy as np

    decimals = decimals_of(output)
    same: Array = first == second
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) < 10.0**-decimals
    for at in np.flatnonzero(near & ~same):
        same[at] = f"{first[at]:z.{decimals}f}" == f"{second[at]:z.{decimals}f}"
    return same


def is_count(output: Output) -> bool:
    """Return True if an output may be a count: from 0 to infinity, neither better high nor better low."""
    return output.higher_is_better is None and output.low == 0 and output.high == math.inf


def bounds(low: float, high: float, output: Output, sign: bool = False) -> str:
    """Format an interval; "n/a" if a bound is NaN."""
    return (
        "n/a"
        if math.isnan(low) or math.isnan(high)
        else f"[{number(low, output, sign)}, {number(high, output, sign)}]"
    )


def p_value(value: float, decimals: int = 4) -> str:
    """Format a p-value; "<.0001" or similar if it is too small for the number of decimals.

    >>> p_value(0.0123), p_value(0.00002), p_value(0.00002, 3)
    ('0.0123', '<.0001', '<.001')
    """
    if math.isnan(value):
        return "n/a"
    least = f"{10**-decimals:.{decimals}f}"
    return f"<{least[1:]}" if value < float(least) else f"{value:.{decimals}f}"


def stars(p: float) -> str:
    """Return the stars of a p-value: one below 0.05, two below 0.01, three below 0.001."""
    return "*" * sum(p < level for level in (0.05, 0.01, 0.001))


# Verbs whose singular is irregular.
_SINGULAR = {"are": "is", "have": "has"}


def counted(count: float, name: str, plural: str = "", spec: str = "") -> str:
    """Return a number with its noun, in the singular if the number is 1.

    >>> counted(1, "test"), counted(0, "test"), counted(2000, "entry", "entries", ",")
    ('1 test', '0 tests', '2,000 entries')
    """
    return f"{count:{spec}} {name if count == 1 else plural or name + 's'}"


def part_of(part: float, whole: float, name: str, verb: str, plural: str = "") -> str:
    """Return what is true of a part of some things; the verb is in the plural.

    >>> part_of(0, 3, "token", "match"), part_of(1, 3, "token", "match"), part_of(3, 3, "token", "match")
    ('none of 3 tokens match', '1 of 3 tokens matches', '3 of 3 tokens match')
    >>> part_of(0, 1, "token", "match"), part_of(1, 1, "text", "are empty"), part_of(0, 0, "token", "match")
    ('the only token does not match', 'the only text is empty', 'there are no tokens')
    """
    several = plural or name + "s"
    if not whole:
        return f"there are no {several}"
    first, *rest = verb.split(" ", 1)
    single = " ".join(
        [_SINGULAR.get(first, first + ("es" if first.endswith(("ch", "s", "x")) else "s")), *rest]
    )
    if whole == 1 and part == 1:
        return f"the only {name} {single}"
    if whole == 1 and not part:
        return f"the only {name} " + (" ".join(["is not", *rest]) if first == "are" else f"does not {verb}")
    share = _plain(part) if part else "none"
    return f"{share} of {_plain(whole)} {name if whole == 1 else several} {single if part == 1 else verb}"


def _plain(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:.4g}"


def listed(names: Sequence[str]) -> str:
    """Return names as a phrase: "A", "A and B", "A, B and C".

    >>> listed(["A", "B", "C"])
    'A, B and C'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


# Exponents of the powers of ten that are exact in float64.
_EXACT = 22


def rounded(values: Array, digits: int) -> Array:
    """Return the floats that `float(f"{value:.{digits}g}")` returns for each value, all at once.

    >>> import numpy as np
    >>> rounded(np.array([0.123456, 98765.4, -2.0, np.nan]), 4).tolist()
    [0.1235, 98770.0, -2.0, nan]
    """
    import numpy as np

    values = np.asarray(values, dtype=np.float64)
    results = values.copy()
    size = np.abs(values)
    # Whole numbers with no more digits, NaN and infinity are results already.
    fractions = np.isfinite(values) & ~((values == np.rint(values)) & (size < 10.0**digits))
    if not fractions.any():
        return results
    numbers = values[fractions]
    power = digits - 1 - np.floor(np.log10(np.abs(numbers))).astype(np.int64)
    exact = np.abs(power) <= _EXACT
    factor = 10.0 ** np.where(exact, np.abs(power), 0)
    scaled = np.where(power >= 0, numbers * factor, numbers / factor)
    nearest = np.rint(scaled)
    nearest_results = np.where(power >= 0, nearest / factor, nearest * factor)
    # Products and logarithms are rounded too: values near the middle of two results or near a power of ten are
    # rounded by their text.
    unsure = ~exact | (np.abs(np.abs(scaled - nearest) - 0.5) < 1e-6)
    unsure |= (np.abs(scaled) < 10.0 ** (digits - 1) + 1) | (np.abs(scaled) > 10.0**digits - 1)
    for place in np.flatnonzero(unsure).tolist():
        nearest_results[place] = float(f"{numbers[place]:.{digits}g}")
    results[fractions] = nearest_results
    return results
