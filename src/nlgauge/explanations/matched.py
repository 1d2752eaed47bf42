"""The cause of a score that counts matched n-grams."""

from __future__ import annotations

import re

import numpy as np

from nlgauge._core.numbers import counted, part_of
from nlgauge.explanations import NgramMatches, Order

# A brevity penalty from which on it is not worth a word.
_NO_PENALTY = 0.995


def matched_cause(explanation: NgramMatches) -> str:
    """Return the smallest factor of the score: the brevity penalty, the precision of an order, or precision
    and recall.
    """
    orders = [order for order in explanation.orders if order.predicted or order.expected]
    # Orders with the name of a part are separate scores; the explanation begins with the first.
    if orders and orders[0].name in explanation.statistics:
        orders = orders[:1]
    if not orders:
        return "A text has no tokens, so nothing can match."
    if orders[0].name.startswith(("similarity of ", "bits in ")):
        return _weighed(explanation, orders)
    if any(order.expected is not None for order in orders):
        return _both_sides(orders)
    return _one_side(explanation, orders)


def _one_side(explanation: NgramMatches, orders: list[Order]) -> str:
    least = min(orders, key=lambda order: order.matched / order.predicted)
    first, share = orders[0], least.matched / least.predicted
    verb = "match"
    if known := re.search(r" of (the \w+)$", first.name):
        verb = f"are in {known[1]}"
    elif first.name == "copied tokens":
        verb = "are copied from the source"
    counts = part_of(first.matched, first.predicted, _unit(first.name), verb)
    brevity = explanation.brevity
    if brevity is None or brevity.penalty > _NO_PENALTY:
        brevity = None
    elif brevity.penalty <= np.mean([order.matched / order.predicted for order in orders]):
        short = counted(brevity.length, "token", spec="g")
        only = f"{short} where the reference has {brevity.expected:g}"
        return f"The prediction has only {only} (brevity penalty {brevity.penalty:.2f}); {counts}."
    if least is not first and share < first.matched / first.predicted:
        unit = _unit(least.name)
        of_all = f"of {counted(least.predicted, unit, spec='g')}"
        none = f"not the only {unit}" if least.predicted == 1 else f"none {of_all}"
        counts += f", but {f'only {least.matched:.4g} {of_all}' if least.matched else none}"
    return f"{counts}; brevity penalty {brevity.penalty:.2f}." if brevity is not None else f"{counts}."


def _both_sides(orders: list[Order]) -> str:
    """Return the lower of mean precision and mean recall, with the counts of the order that lowers it most."""
    sides = {
        "precision": [(order, order.matched, order.predicted) for order in orders if order.predicted],
        "recall": [(order, order.matched, order.expected) for order in orders if order.expected],
    }
    means = {
        name: float(np.mean([part / whole for _, part, whole in side])) if side else 0.0
        for name, side in sides.items()
    }
    if min(means.values()) > _NO_PENALTY:
        return f"All {_unit(orders[0].name)}s match on both sides."
    lower = "recall" if means["recall"] <= means["precision"] else "precision"
    text, other = ("reference", "precision") if lower == "recall" else ("prediction", "recall")
    if not sides[lower]:
        return f"The {text} has no {_unit(orders[0].name)}s to match."
    order, part, whole = min(sides[lower], key=lambda side: side[1] / side[2])
    unit = _unit(order.name)
    counts = part_of(part, whole, f"{unit} of the {text}", "match", f"{unit}s of the {text}")
    if means[lower] == means[other]:
        return f"{counts}; precision and recall are {means[lower]:.2f}."
    return f"{lower.capitalize()} is lower ({means[lower]:.2f}): {counts}; {other} is {means[other]:.2f}."


def _weighed(explanation: NgramMatches, orders: list[Order]) -> str:
    """Return the largest and the smallest contribution of an order, for weighted n-grams."""
    values = {order.name.rpartition(" ")[2]: order.matched / order.predicted for order in orders}
    best, least = max(values, key=lambda name: values[name]), min(values, key=lambda name: values[name])
    if not values[best]:
        return "No n-gram is in a reference."
    if orders[0].name.startswith("similarity"):
        return f"The {least} are the least similar to the references ({values[least]:.2f}), the {best} the most ({values[best]:.2f})."
    total = sum(values.values())
    sentence = f"{values[best]:.2f} of {total:.2f} bits per n-gram come from {best}"
    brevity = explanation.brevity
    if brevity is not None and brevity.penalty <= _NO_PENALTY:
        sentence += (
            f"; brevity penalty {brevity.penalty:.2f}: {counted(brevity.length, 'token', spec='g')} for"
            f" {brevity.expected:g}"
        )
    return f"{sentence}."


def _unit(name: str) -> str:
    """Return what an order counts, in the singular.

    >>> [_unit(name) for name in ("1-grams", "6-characters", "1-characters", "2-words", "rougeL", "rouge2")]
    ['token', 'character 6-gram', 'character', 'word 2-gram', 'token', '2-gram']
    """
    name = re.sub(r" of the \w+$", "", name).removeprefix("copied ")
    if rouge := re.fullmatch(r"rouge(\d|Lsum|L|.+)", name):
        kind = rouge[1]
        return _unit(f"{kind}-grams") if kind.isdigit() else "token" if kind in ("L", "Lsum") else "unit"
    size, _, kind = name.removesuffix("s").partition("-")
    if not size.isdigit():
        return name.removesuffix("s")
    if size == "1":
        return "token" if kind == "gram" else kind
    return f"{size}-gram" if kind == "gram" else f"{kind} {size}-gram"
