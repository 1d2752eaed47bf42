"""The base of metrics on the probability of one text given another: the mean log-probability of its tokens by
a language model.

A score is the mean over one or two directions, such as the prediction given the reference and the reference
given the prediction. An empty prediction is shown to the model if the authors' program does that
(`shows_empty`), and otherwise has no score: the marks around an empty text are often very probable. A row
with another empty text, or one without a token that the model knows, has no score.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.language_models.causal_lm import TokenInformation
from nlgauge.features.language_models.model_halves import token_strings
from nlgauge.metric import Arrays, Output, View
from nlgauge.metric.mean import Measured
from nlgauge.metrics._shared.model_means import (
    NO_TEXT,
    ModelMeans,
    UsesModel,
    measured,
    read_sides,
    with_mean,
)
from nlgauge.models.loader import Loaded, load
from nlgauge.models.weights.catalog import Kind


class Direction(NamedTuple):
    """An output, which of "prediction", "reference" and "source" the model is given, and which it must
    write.
    """

    name: str
    given: str
    written: str


class _Found(NamedTuple):
    """The probabilities of each text, the place of the texts of each direction, the rows with a score, the
    rows in which only the prediction is empty, and the unknown and all tokens.
    """

    information: TokenInformation
    places: list[Array]
    defined: Array
    empty: Array
    counts: Array


class LikelihoodMetric(UsesModel, ModelMeans):
    """A mean of log-probabilities per token; subclasses select the model and the texts, and run the model."""

    kind: ClassVar[Kind]

    def directions(self) -> tuple[Direction, ...]:
        """Return the directions whose mean is the score."""
        raise NotImplementedError

    def sides(self) -> list[str]:
        """Return the texts that are read: predictions, references or sources."""
        return list(dict.fromkeys(side for direction in self.directions() for side in direction[1:]))

    def loaded(self, device: str | None) -> Loaded:
        """Return the model."""
        return load(self.model, self.kind, device)

    def ask(
        self, view: View, given: list[Array], written: list[Array]
    ) -> tuple[TokenInformation, list[Array]]:
        """Return the probabilities of every pair of text ids, and the place of the pairs of each
        direction.
        """
        raise NotImplementedError

    def averaged(self, tokens: Array, loaded: Loaded) -> slice:
        """Return True for the tokens of a text that are averaged."""
        return slice(None)

    def mean_name(self) -> str:
        """Return the name of the mean of several directions."""
        return self.name

    def measures(self) -> tuple[Output, ...]:
        names = [direction.name for direction in self.directions()]
        return tuple(
            Output(name, True, high=0, nan=NO_TEXT)
            for name in ([self.mean_name(), *names] if len(names) > 1 else names)
        )

    def measured(self, view: View) -> Measured:
        found = self._found(view)
        loaded = self.loaded(view.features.options.device)
        values = np.column_stack([self._means(found.information, places, loaded) for places in found.places])
        values[~found.defined] = np.nan
        cut = np.max([found.information.truncated.values[places] for places in found.places], axis=0)
        return measured(with_mean(values), cut, found.empty, found.counts)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        found = self._found(view)
        loaded = self.loaded(view.features.options.device)
        for i, row in enumerate(self.statistics(view, fitted)[self.name]):
            for direction, places in zip(self.directions(), found.places, strict=True):
                tokens, informations = (column[int(places[i])] for column in found.information[:2])
                averaged = self.averaged(tokens, loaded)
                values = {
                    f"log p of the {direction.written} given the {direction.given}": informations[
                        averaged
                    ].tolist()
                }
                yield TokenScores(
                    self.title(row),
                    {self.name: row},
                    token_strings(loaded, tokens[averaged].tolist()),
                    values,
                )

    def _found(self, view: View) -> _Found:
        read = read_sides(view, self.model, self.kind, self.sides())
        information, places = self.ask(
            view, *([read[getattr(d, side)].ids for d in self.directions()] for side in ("given", "written"))
        )
        counts = np.sum([reading.counts for reading in read.values()], axis=0)
        return _Found(information, places, *self.scored(view, read), counts)

    def _means(self, information: TokenInformation, places: Array, loaded: Loaded) -> Array:
        """Return the mean log-probability of the tokens of each text; NaN if no token counts."""
        ids, values = information.ids.take(places), information.log_probabilities.take(places)
        counted = [row[self.averaged(tokens, loaded)] for tokens, row in zip(ids, values, strict=True)]
        return np.array([row.mean() if len(row) else np.nan for row in counted], dtype=np.float64)


def pairs(given: Array, written: Array) -> Ragged:
    """Return the keys of a feature of pairs of texts."""
    return Ragged(np.column_stack([given, written]).ravel(), 2 * np.arange(len(given) + 1))
