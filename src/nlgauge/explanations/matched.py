"""The cause of a score that counts matched n-grams."""

from __future__ import annotations

import re

import numpy as np

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
    where = ""
    if " of the source" in first.name:
        where = " are in the source"
    elif first.name == "copied tokens":
        where = " are copied from the source"
    verb = where or " match"
    counts = f"{_of(first.matched, first.predicted)} {_unit(first.name)}{verb}"
    brevity = explanation.brevity
    if brevity is None or brevity.penalty > _NO_PENALTY:
        brevity = None
    elif brevity.penalty <= np.mean([order.matched / order.predicted for order in orders]):
        short = f"{brevity.length:g} tokens where the reference has {brevity.expected:g}"
        return f"The prediction has only {short} (brevity penalty {brevity.penalty:.2f}); {counts}."
    if least is not first and share < first.matched / first.predicted:
        only = "only " if least.matched else ""
        counts += f", but {only}{_of(least.matched, least.predicted)} {_unit(least.name)}"
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
        return f"All {_unit(orders[0].name)} match on both sides."
    lower = "recall" if means["recall"] <= means["precision"] else "precision"
    text, other = ("reference", "precision") if lower == "recall" else ("prediction", "recall")
    if not sides[lower]:
        return f"The {text} has no {_unit(orders[0].name)} to match."
    order, part, whole = min(sides[lower], key=lambda side: side[1] / side[2])
    counts = f"{_of(part, whole)} {_unit(order.name)} of the {text} match"
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
            f"; brevity penalty {brevity.penalty:.2f}: {brevity.length:g} tokens for {brevity.expected:g}"
        )
    return f"{sentence}."


def _of(part: float, whole: float) -> str:
    return f"{'none' if not part else f'{part:.4g}'} of {whole:.4g}"


def _unit(name: str) -> str:
    """Return the plural of what an order counts.

    >>> [_unit(name) for name in ("1-grams", "6-characters", "1-characters", "2-words", "rougeL", "rouge2")]
    ['tokens', 'character 6-grams', 'characters', 'word 2-grams', 'tokens', '2-grams']
    """
    name = name.removesuffix(" of the source").removeprefix("copied ")
    if rouge := re.fullmatch(r"rouge(\d|Lsum|L|.+)", name):
        kind = rouge[1]
        return _unit(f"{kind}-grams") if kind.isdigit() else "tokens" if kind in ("L", "Lsum") else "units"
    size, _, kind = name.partition("-")
    if not size.isdigit():
        return name
    if size == "1":
        return "tokens" if kind == "grams" else kind
    return name if kind == "grams" else f"{kind.removesuffix('s')} {size}-grams"
