"""The texts of a call as inputs: candidates, references, weights and sources that fit together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.candidates.utility import Input
from nlgauge.corpus.validation import encodable
from nlgauge.errors import InputError


def read_inputs(candidates: Any, references: Any, weights: Any, sources: Any) -> tuple[list[Input], bool]:
    """Return the inputs, and whether there is one whose candidates were passed without a list of inputs."""
    all_candidates, is_one = _lists(candidates, "candidates")
    count = len(all_candidates)
    for number, texts in enumerate(all_candidates, 1):
        if not texts:
            raise InputError(f"input {number} has no candidates; every input needs at least one.")
    if references is None:
        all_references = all_candidates
    else:
        all_references, is_one_list = _lists(references, "references")
        if is_one_list != is_one or len(all_references) != count:
            raise InputError(
                f"candidates are for {_inputs_in_words(count, is_one)}, but references are for"
                f" {_inputs_in_words(len(all_references), is_one_list)}; pass one list of references per input."
            )
        for number, texts in enumerate(all_references, 1):
            if not texts:
                raise InputError(f"input {number} has no references; every input needs at least one.")
    all_weights = _per_input(weights, count, is_one, "weights")
    all_sources = _per_input(
        [sources] if is_one and isinstance(sources, str) else sources, count, False, "sources"
    )
    if sources is not None:
        _plain(all_sources, "sources")
    return [
        Input(texts, others, _normalized(own, len(others), number), source)
        for number, (texts, others, own, source) in enumerate(
            zip(all_candidates, all_references, all_weights, all_sources, strict=True), 1
        )
    ], is_one


def _inputs_in_words(count: int, is_one: bool) -> str:
    return "one input" if is_one else f"a list of {counted(count, 'input')}"


def _lists(texts: Any, name: str) -> tuple[list[list[str]], bool]:
    """Return one list of texts per input, and whether one list was passed."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise InputError(f"{name} is {texts!r:.40}; pass a list of texts.")
    items = list(texts)
    if not items:
        raise InputError(f"{name} is empty; pass at least one text.")
    if all(isinstance(item, str) for item in items):
        return [_plain(items, name)], True
    some_are_texts = any(isinstance(item, str) for item in items)
    for number, item in enumerate(items):
        if not isinstance(item, Iterable) or (some_are_texts and not isinstance(item, str)):
            raise InputError(
                f"{name}[{number}] is {item!r:.40}; pass only texts, or only lists of texts, one list per input."
            )
    return [_plain(list(item), f"{name}[{number}]") for number, item in enumerate(items)], False


def _plain(texts: list[Any], name: str) -> list[str]:
    """Return texts as strings of exactly the type str."""
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"{name}[{number}] is {text!r:.40}, but must be a text.")
        if not text.isascii():
            encodable(text, f"{name}[{number}]")
    return [text if type(text) is str else str(text) for text in texts]


def _per_input(values: Any, count: int, is_one: bool, name: str) -> list[Any]:
    """Return one value per input."""
    if values is None:
        return [None] * count
    if is_one:
        return [values]
    items = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if len(items) != count:
        raise InputError(
            f"{name} has {counted(len(items), 'value')} for {counted(count, 'input')}; pass one value per input."
        )
    return items


def _normalized(weights: Any, count: int, number: int) -> Array:
    """Return the weights of the references of an input, divided by their sum."""
    if weights is None:
        return np.full(count, 1 / count)
    try:
        values = np.array(weights if isinstance(weights, np.ndarray) else list(weights), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the weights of input {number} are {weights!r:.40}; pass numbers.") from None
    if values.shape != (count,):
        received = counted(values.size, "weight") if values.ndim == 1 else f"weights of shape {values.shape}"
        raise InputError(
            f"input {number} has {counted(count, 'reference')} and {received}; pass one weight per reference."
        )
    invalid = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(invalid):
        raise InputError(
            f"weight {invalid[0] + 1} of input {number} is {values[invalid[0]]:g}; weights must be finite and not"
            " negative."
        )
    with np.errstate(over="ignore"):
        total = values.sum()
    if not 0 < total < math.inf:
        raise InputError(
            f"the weights of input {number} sum to {total:g}; their sum must be positive and finite."
        )
    normalized: Array = values / total
    return normalized


def references_of(references: Any, count: int, is_one: bool) -> list[Any]:
    """Return the references of each input for `rerank`: a text, or a list of texts."""
    values = _per_input(references, count, is_one, "references")
    if all(isinstance(each, str) for each in values):
        return values
    return [_texts_of(each, "references" if is_one else f"references[{i}]") for i, each in enumerate(values)]


def _texts_of(references: Any, name: str) -> list[str]:
    """Return the references of an input, one text or several, as a list."""
    if not isinstance(references, Iterable):
        raise InputError(f"{name} is {references!r:.40}; pass one text or a list of texts per input.")
    texts = [references] if isinstance(references, str) else list(references)
    if not texts:
        raise InputError(f"{name} is empty; every input needs at least one reference.")
    return _plain(texts, name)


def repeated(values: Sequence[Any], inputs: Sequence[Input]) -> list[Any]:
    """Return the value of its input for each candidate."""
    return [value for value, each in zip(values, inputs, strict=True) for _ in each.candidates]
