"""Logits of a classifier for pairs of texts, each distinct pair read once.

A pair that is longer than the model reads is cut by a named rule, which is a metric's own (n tokens fit next
to the special tokens):

    bert           a token is taken from the end of the longer text, of the second if both are as long, until n are left
    longest_first  the same, but an odd token goes to the text that was longer, to the second if both were as long, as in the tokenizers package
    only_first     only the first text is cut; if nothing of it would be left, longest_first
    end            the whole row is cut at its end, and its last special token is lost
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import ModelError
from nlgauge.features import Feature, Work
from nlgauge.features.encoders.embeddings import encoder_batches
from nlgauge.features.vocabulary import TokenIds
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, load, with_activation
from nlgauge.models.weights.catalog import Kind

Sizes = tuple[int, int]


class PairAnswers(NamedTuple):
    """(pairs, K) logits, head after head, and whether each pair was cut."""

    logits: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class PairLogits(Feature):
    """The logits of a classifier for each (first text, second text); with `heads` those of AlignScore's
    model, one head after the other.

    `max_length` is how many tokens a pair may have, special ones included; None, or more than the model
    reads: as many as that.
    """

    model: ModelSpec
    truncation: str
    max_length: int | None = None
    heads: tuple[str, ...] = ()
    activation: str = ""

    @property
    def kind(self) -> Kind:
        """The kind of model that is read."""
        return "align" if self.heads else "pair"

    def compute(self, keys: list[tuple[str, str]], work: Work) -> PairAnswers:
        if not keys:
            return PairAnswers(Ragged.single(np.empty((0, 1))), Ragged.single(np.empty(0, dtype=np.int64)))
        loaded = load(self.model, self.kind, work.options.device)
        texts = list(dict.fromkeys(text for key in keys for text in key))
        tokens = dict(zip(texts, work.get(TokenIds(self.model, self.kind), texts).lists(), strict=True))
        marks = loaded.made("marks of a pair", lambda: marks_of(loaded))
        window = min(self.max_length or loaded.max_length, loaded.max_length)
        rows = [_row(tokens[first], tokens[second], marks, window, self.truncation) for first, second in keys]
        ids, types = Ragged.of([row for row, _, _ in rows]), Ragged.of([kinds for _, kinds, _ in rows])
        logits = self._logits(loaded, ids, types if _has_types(loaded.model) else None, work)
        return PairAnswers(
            Ragged.single(logits), Ragged.single(np.array([cut for _, _, cut in rows], dtype=np.int64))
        )

    def _logits(self, loaded: Loaded, ids: Ragged, types: Ragged | None, work: Work) -> Array:
        model = loaded.model
        if self.activation:
            model = loaded.made(
                ("activation", self.activation), lambda: with_activation(loaded.model, self.activation)
            )
        read = (
            (lambda **inputs: _pooled(model, self.heads, inputs))
            if self.heads
            else (lambda **inputs: model(**inputs).logits)
        )
        found: Array | None = None
        for rows, _, logits in encoder_batches(
            loaded, read, ids, work.options, f"reading pairs ({loaded.name})", types
        ):
            part = logits.double().cpu().numpy()
            found = np.empty((len(ids), part.shape[1])) if found is None else found
            found[rows] = part
        assert found is not None
        return found


class PairMarks(NamedTuple):
    """The special tokens before, between and after the texts of a pair."""

    before: list[int]
    between: list[int]
    after: list[int]


def marks_of(loaded: Loaded) -> PairMarks:
    """Return the special tokens that the tokenizer of the model puts around a pair; if it adds none, [CLS]
    first [SEP] second [SEP].
    """
    tokenizer = loaded.tokenizer
    first, second = (list(tokenizer(text, add_special_tokens=False).input_ids) for text in ("a", "b"))
    whole = list(tokenizer("a", "b").input_ids)
    start = next((i for i in range(len(whole)) if whole[i : i + len(first)] == first), None)
    end = next((i for i in range(len(whole), 0, -1) if whole[i - len(second) : i] == second), None)
    if start is not None and end is not None and len(whole) > len(first) + len(second):
        return PairMarks(whole[:start], whole[start + len(first) : end - len(second)], whole[end:])
    cls, sep = getattr(tokenizer, "cls_token_id", None), getattr(tokenizer, "sep_token_id", None)
    if cls is None or sep is None:
        raise ModelError(
            f"the tokenizer of {loaded.name} puts no special tokens around a pair of texts and has no [CLS] and"
            " [SEP]; use another model."
        )
    return PairMarks([cls], [sep], [sep])


def _row(
    first: list[int], second: list[int], marks: PairMarks, window: int, truncation: str
) -> tuple[list[int], list[int], bool]:
    """Return the tokens of a pair with special tokens, their types, and True if something was cut."""
    places = window - sum(map(len, marks))
    keep, other = (
        (len(first), len(second))
        if truncation == "end"
        else TRUNCATIONS[truncation]((len(first), len(second)), max(places, 0))
    )
    one, two = marks.before + first[:keep] + marks.between, second[:other] + marks.after
    kinds = [0] * len(one) + [1] * len(two)
    return (one + two)[:window], kinds[:window], len(first) + len(second) > places


def bert(lengths: Sizes, places: int) -> Sizes:
    """Return the number of tokens that remain of each text: the first text gets an odd token.

    >>> bert((100, 100), 61), bert((10, 100), 61), bert((100, 31), 61)
    ((31, 30), (10, 51), (31, 30))
    """
    return _kept(lengths, places, places - places // 2)


def longest_first(lengths: Sizes, places: int) -> Sizes:
    """Return the number of tokens that remain of each text: the longer text gets an odd token, the second of
    two equal texts.

    >>> longest_first((100, 100), 61), longest_first((101, 100), 61), longest_first((100, 10), 61)
    ((30, 31), (31, 30), (51, 10))
    """
    return _kept(lengths, places, places - places // 2 if lengths[0] > lengths[1] else places // 2)


def only_first(lengths: Sizes, places: int) -> Sizes:
    """Return the number of tokens that remain of each text: all of the second, if that leaves some of the
    first.

    >>> only_first((100, 20), 61), only_first((100, 70), 61)
    ((41, 20), (31, 30))
    """
    if sum(lengths) <= places or places - lengths[1] >= 1:
        return min(lengths[0], places - lengths[1]), lengths[1]
    return longest_first(lengths, places)


TRUNCATIONS: dict[str, Callable[[Sizes, int], Sizes]] = {
    "bert": bert,
    "longest_first": longest_first,
    "only_first": only_first,
}


def _kept(lengths: Sizes, places: int, half: int) -> Sizes:
    """Return all that fits: the shorter text whole, or about half of the places for each; the first gets
    `half` if both are cut.
    """
    if sum(lengths) <= places:
        return lengths
    first = min(lengths[0], max(places - lengths[1], half))
    return first, places - first


def _has_types(model: Any) -> bool:
    """Return True if token types distinguish the texts of a pair."""
    config = getattr(model, "config", None) or getattr(model.base_model, "config", None)
    return (getattr(config, "type_vocab_size", 0) or 0) > 1


def _pooled(model: Any, heads: tuple[str, ...], inputs: dict[str, Any]) -> Any:
    """Return the logits of several heads on the pooled state of the encoder."""
    from torch import cat

    pooled = model.base_model(**inputs).pooler_output
    return cat([getattr(model, f"{head}_layer")(pooled) for head in heads], dim=1)
