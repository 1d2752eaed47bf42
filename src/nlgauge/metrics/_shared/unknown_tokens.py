"""The treatment of texts that the vocabulary of a model does not know.

Two unrelated sentences in a script that a vocabulary lacks are the same row of unknown tokens to the model,
and would be equal. So a text without any known token is read as the empty text, and each metric treats it as
an empty text. If that leaves both texts of a pair without tokens although they have some, they cannot be
compared: a similarity is 0, a distance is undefined. The share of unknown tokens is an output.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features import Features
from nlgauge.features.tokens.text import can_be_seen
from nlgauge.features.vocabulary import UnknownTokens
from nlgauge.metric import Output, View
from nlgauge.models import ModelSpec
from nlgauge.models.weights.catalog import Kind

UNKNOWN_TOKENS = Output(
    "unknown_tokens",
    None,
    0,
    1,
    warn_above=0.1,
    warning=(
        "of the tokens are unknown to the model, which cannot distinguish these words; choose a"
        " model whose vocabulary covers this script, for example model='xlm-roberta-base', or"
        " 'smollm2' for metrics with a causal language model"
    ),
)
NO_KNOWN_TEXT = "no text of one side has a token that the model knows"


class ReadableTexts(NamedTuple):
    """Texts as a model can read them: their ids, those without a known token replaced by the empty text;
    (texts, 2) unknown and all tokens.
    """

    ids: Array
    counts: Array

    @property
    def known(self) -> Array:
        """The number of known tokens of each text."""
        found: Array = self.counts[:, 1] - self.counts[:, 0]
        return found

    @property
    def knows_nothing(self) -> bool:
        """True if there are tokens, and all of them are unknown."""
        return bool(self.counts.any()) and not self.known.any()


class PairReading(NamedTuple):
    """Pairs of texts as a model can read them; in which neither has a known token, though one has tokens;
    unknown and all tokens of both.
    """

    first: ReadableTexts
    second: ReadableTexts
    undefined: Array
    counts: Array


def read_texts(features: Features, model: ModelSpec, kind: Kind, ids: Array) -> ReadableTexts:
    """Return the texts as a model can read them."""
    column, rows = features.get(UnknownTokens(model, kind), ids)
    counts = column.values[rows].reshape(-1, 2)
    lost = (counts[:, 0] > 0) & (counts[:, 0] == counts[:, 1])
    return ReadableTexts(np.where(lost, features.texts.intern(""), ids) if lost.any() else ids, counts)


def read_pairs(features: Features, model: ModelSpec, kind: Kind, first: Array, second: Array) -> PairReading:
    """Return the pairs of texts as a model can read them."""
    sides = [read_texts(features, model, kind, ids) for ids in (first, second)]
    counts = sides[0].counts + sides[1].counts
    undefined = (counts[:, 0] == counts[:, 1]) & (counts[:, 1] > 0)
    return PairReading(sides[0], sides[1], undefined, counts)


def seen(view: View, *sides: Array) -> Array:
    """Return the rows in which every text can be seen: white space, and marks without width, are tokens to
    some models.
    """
    found: Array = np.all([[can_be_seen(view.text(text)) for text in ids.tolist()] for ids in sides], axis=0)
    return found


def visible(view: View, ids: Array) -> Array:
    """Return the ids with the empty text for each text that cannot be seen, so that a model reads all of
    these alike.
    """
    unseen = ~seen(view, ids)
    return np.where(unseen, view.features.texts.intern(""), ids) if unseen.any() else ids


def readable(view: View, *readings: ReadableTexts) -> Array:
    """Return the rows in which every text can be seen, and has a token that the model knows."""
    found: Array = seen(view, *(reading.ids for reading in readings)) & np.all(
        [reading.known > 0 for reading in readings], axis=0
    )
    return found


def unknown_share(statistics: Array) -> dict[str, Array]:
    """Return the output, from statistics whose last two columns are unknown and all tokens; 0 if there are
    none.
    """
    return {UNKNOWN_TOKENS.name: statistics[..., -2] / np.maximum(statistics[..., -1], 1e-300)}


def total_share(*readings: ReadableTexts) -> dict[str, float]:
    """Return the output, for all texts together."""
    return {
        name: float(value)
        for name, value in unknown_share(sum(reading.counts.sum(axis=0) for reading in readings)).items()
    }
