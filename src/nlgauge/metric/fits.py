"""Fits that come from a file: whether they are what their metric needs."""

from __future__ import annotations

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.metric import AnyMetric, Arrays, Stored


def check_fit(label: str, metric: AnyMetric, system: str, fitted: Arrays, corpus: Corpus) -> None:
    """Raise InputError unless the arrays are a fit of the metric; `system` is "" for a fit that all
    systems share.
    """
    fit = metric.fit()
    if fit is None:
        return
    if system and system not in corpus.predictions:
        raise InputError(f"{label!r} was fitted to the system {system!r}, which is not in the corpus.")
    rows = len(corpus.predictions[system].values) if system else 0
    lengths: dict[str, int] = {}
    for name, stored in fit.layout(rows).items():
        if name not in fitted:
            raise InputError(
                f"the array {name!r} that {label!r} was fitted to is missing; the file has"
                f" {', '.join(map(repr, sorted(fitted))) or 'none'}."
            )
        _check_array(f"the array {name!r} that {label!r} was fitted to", fitted[name], stored, lengths)


def _check_array(what: str, array: Array, stored: Stored, lengths: dict[str, int]) -> None:
    kinds = {"keys": "iu", "numbers": "f", "any": "biuf"}[stored.kind]
    if array.dtype.kind not in kinds or array.ndim != len(stored.shape):
        raise InputError(
            f"{what} must have {counted(len(stored.shape), 'dimension')} of {_KINDS[stored.kind]}, got"
            f" {array.ndim} of {array.dtype}."
        )
    for size, length in zip(stored.shape, array.shape, strict=True):
        needed = lengths.setdefault(size, length) if isinstance(size, str) else size
        if length != needed:
            raise InputError(
                f"{what} is of the shape {array.shape}, but one of its lengths must be {needed}."
            )
    if stored.kind == "keys" and not (array[1:] > array[:-1]).all():
        raise InputError(f"{what} must be in ascending order, without repetition.")
    if stored.kind == "numbers" and not np.isfinite(array).all():
        raise InputError(f"{what} has values that are not finite.")


_KINDS = {"keys": "whole numbers", "numbers": "floating-point numbers", "any": "numbers"}


def weights_by_order(name: str, orders: int) -> dict[str, Stored]:
    """Return the layout of keys and weights of n-grams of each order."""
    found: dict[str, Stored] = {}
    for n in range(1, orders + 1):
        found |= {
            f"keys{n}": Stored("keys", (f"{n}-grams",)),
            f"{name}{n}": Stored("numbers", (f"{n}-grams",)),
        }
    return found


def inverse_layout(prefix: str = "") -> dict[str, Stored]:
    """Return the layout of inverse document frequencies."""
    return {
        f"{prefix}ids": Stored("keys", (f"{prefix}tokens",)),
        f"{prefix}weights": Stored("numbers", (f"{prefix}tokens",)),
        f"{prefix}unseen": Stored("numbers", (1,)),
    }
