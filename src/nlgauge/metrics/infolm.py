"""InfoLM: how far apart the words are that a language model expects in place of those of prediction and
reference.

    pi_k = softmax(logits at token k / T)          the model has not seen token k: it is masked (masked model), or comes next (causal model)
    P_x  = sum_k g_k pi_k,  sum_k g_k = 1          one distribution over the vocabulary per text; g uniform, or by `idf` of the token at k
    InfoLM(r, h) = I[P_r, P_h]                     I: a measure of `nlgauge.estimators.divergences`, at least 0, and 0 for equal distributions

Paper, released code and torchmetrics disagree with each other and with this; `compat` follows one of them:

- alpha: all three have the sign reversed, so that values are at most 0; kl: both programs do. AB: the paper's
  table lacks 1/alpha in two terms.
- Fisher-Rao: the paper divides by pi. The paper's JS is Jeffreys' mean of both directions of KL, not
  Jensen-Shannon.
- Order: the released code has I[P_h, P_r]. IDF: both programs take a text's weights from a table of its own
  side, so equal texts may differ.
- Temperature: 1 here, as the paper found 1 to 2 best; 0.25 in both programs.

A text without any token that the model knows is read as an empty text; the score is undefined if neither text
has a known token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError
from nlgauge.estimators import idf
from nlgauge.estimators.divergences import MEASURES, ab_as_printed
from nlgauge.explanations import Distributions, Explanation
from nlgauge.features import RunOptions
from nlgauge.features.language_models.model_halves import TokenStates, token_strings
from nlgauge.features.language_models.token_distributions import bag, kind_of, likeliest, states_feature
from nlgauge.features.vocabulary import TokenIds
from nlgauge.metric import TRUNCATED, UNIFORM_WEIGHTS, Arrays, Fit, Metric, Output, Stored, View, register
from nlgauge.metric.domains import require_choice, require_number
from nlgauge.metric.fits import inverse_layout
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, PairReading, read_pairs, unknown_share
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load
from nlgauge.models.weights.catalog import Kind

# Names of the released code and of torchmetrics.
_ALIASES = {
    "beta": "gamma",
    "linf": "l_infinity",
    "beta_divergence": "gamma",
    **{f"{name}_divergence": name for name in ("kl", "alpha", "ab", "renyi")},
    **{f"{name}_distance": name for name in ("l1", "l2", "l_infinity", "fisher_rao")},
}


class _Convention(NamedTuple):
    """The differences of a program or the paper: its defaults, the measures with reversed sign, order of
    arguments, IDF table.
    """

    measure: str = "fisher_rao"
    temperature: float = 1.0
    idf: bool = False
    negated: tuple[str, ...] = ()
    prediction_first: bool = False
    table_per_side: bool = False


_CONVENTIONS = {
    None: _Convention(),
    "official": _Convention("fisher_rao", 0.25, True, ("kl", "alpha"), True, True),
    "torchmetrics": _Convention("kl", 0.25, True, ("kl", "alpha"), False, True),
    "paper": _Convention("fisher_rao", 1.0, True, ("alpha",)),
}
# At most this many distributions are stored while pairs are compared: 30 MB of BERT's.
_KEPT_BAGS = 128
_SHOWN = 20
_UNDEFINED = (
    "one of the texts has no tokens and the measure no largest value, or neither text has a token that the"
    " model knows"
)
_GUESSES = 5


@dataclass(frozen=True)
class ReferenceFrequencies(Fit):
    """The weights of tokens by their frequency in the references, each occurrence of a reference being
    one document.
    """

    model: ModelSpec
    language_model: str | None

    over: ClassVar = "references"

    def partial(self, view: View) -> Arrays:
        tokens, rows = view.get(
            TokenIds(self.model, kind_of(self.model, self.language_model)), view.reference
        )
        return idf.document_frequencies(tokens.take(rows))

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        return idf.inverse(partials)

    def layout(self, rows: int) -> dict[str, Stored]:
        return inverse_layout()


@dataclass(frozen=True)
class FrequenciesOfBothSides(Fit):
    """Two tables of weights: by frequency in a system's predictions (`prediction_...`), and in the
    references.
    """

    model: ModelSpec
    language_model: str | None

    over: ClassVar = "system"

    def partial(self, view: View) -> Arrays:
        tokens, *rows = view.get(
            TokenIds(self.model, kind_of(self.model, self.language_model)), view.reference, view.predictions
        )
        references, predictions = (idf.document_frequencies(tokens.take(side)) for side in rows)
        return {**references, **{f"prediction_{name}": values for name, values in predictions.items()}}

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        predictions = idf.inverse([_prediction_side(part) for part in partials])
        return {
            **idf.inverse(partials),
            **{f"prediction_{name}": values for name, values in predictions.items()},
        }

    def layout(self, rows: int) -> dict[str, Stored]:
        return {**inverse_layout(), **inverse_layout("prediction_")}


@register
@dataclass(frozen=True)
class InfoLM(UsesModel, Metric):
    """InfoLM by one or more measures of information, from a masked or a causal language model."""

    model: ModelSpec = "bert-base-uncased"
    measure: str | tuple[str, ...] | None = None
    alpha: float | None = None
    beta: float | None = None
    temperature: float | None = None
    idf: bool | None = None
    symmetrize: bool = False
    normalize: bool = False
    language_model: str | None = None
    compat: str | None = None

    name: ClassVar[str] = "infolm"
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "compat", _CONVENTIONS)
        known = self.measure is None or (
            isinstance(self.measure, str | tuple) and all(name in MEASURES for name in self._measures)
        )
        self.require(known and self.measure != (), "measure", f"one or more of {', '.join(MEASURES)}")
        self.require(len(set(self._measures)) == len(self._measures), "measure", "without repetition")
        require_number(self, "temperature", above=True, optional=True)
        self.require(
            self.language_model in (None, "masked", "causal"),
            "language_model",
            "'masked', 'causal' or None (detected from the model)",
        )
        for name in self._measures:
            try:
                self._arguments(name)
            except ParameterError as error:
                raise ParameterError(f"infolm: {error}") from None

    @property
    def _kind(self) -> Kind:
        return kind_of(self.model, self.language_model)

    @property
    def _convention(self) -> _Convention:
        return _CONVENTIONS[self.compat]

    @property
    def _measures(self) -> tuple[str, ...]:
        """The measures by their names in nlgauge; the paper's JS is Jeffreys' divergence."""
        given = self._convention.measure if self.measure is None else self.measure
        aliases = {**_ALIASES, "js": "jeffreys"} if self.compat == "paper" else _ALIASES
        return tuple(aliases.get(name, name) for name in ((given,) if isinstance(given, str) else given))

    @property
    def _temperature(self) -> float:
        return self._convention.temperature if self.temperature is None else float(self.temperature)

    @property
    def _weighted(self) -> bool:
        return self._convention.idf if self.idf is None else self.idf

    def _arguments(self, name: str) -> tuple[float, ...]:
        return MEASURES[name].arguments(name, self.alpha, self.beta)

    def _scale(self, name: str) -> float:
        """Return the factor of a measure."""
        if name == "fisher_rao" and (self.normalize or self.compat == "paper"):
            return 1 / math.pi
        return -1.0 if name in self._convention.negated else 1.0

    def _as_printed(self, name: str) -> bool:
        return name == "ab" and self.compat == "paper"

    def _farthest(self, name: str) -> float:
        """Return the value for distributions that have nothing in common, as for an empty text; NaN if a
        measure has no largest value.
        """
        high = MEASURES[name].high(*self._arguments(name))
        return math.nan if math.isinf(high) else self._scale(name) * high

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        found: dict[str, tuple[Output, ...]] = {}
        for name in self._measures:
            farthest, scale = self._farthest(name), self._scale(name)
            end = math.copysign(math.inf, scale) if math.isnan(farthest) else farthest
            low = -math.inf if self._as_printed(name) else min(0.0, end)
            found[name] = (Output(name, scale < 0, low, max(0.0, end), nan=_UNDEFINED),)
        counts = (
            TRUNCATED,
            UNIFORM_WEIGHTS,
            Output("empty", None, 0, note="rows have an empty text"),
            UNKNOWN_TOKENS,
        )
        return {**found, self._measures[0]: (*found[self._measures[0]], *counts)}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        table = "each side's own" if self._convention.table_per_side else "references"
        resolved = {
            "measure": "+".join(self._measures),
            "temperature": str(self._temperature),
            "idf": table if self._weighted else "no",
            "language_model": self._kind,
        }
        return {**super().facts(corpus), **resolved}

    def fit(self) -> Fit | None:
        if not self._weighted:
            return None
        return (FrequenciesOfBothSides if self._convention.table_per_side else ReferenceFrequencies)(
            self.model, self.language_model
        )

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found, predictions, references, read = self._states(view)
        bags = self._bags(view, found, fitted)
        # Value, whether defined, whether infinite, for each measure; then cut, without weight, empty on one
        # side.
        rows = np.zeros((len(view), 3 * len(self._measures) + 3))
        # All pairs of a reference one after the other, so that its distribution is made once.
        for row in np.lexsort((predictions, references)).tolist():
            places = int(predictions[row]), int(references[row])
            filled = [len(found.ids[place]) > 0 for place in places]
            if all(filled):
                (q, q_uniform), (p, p_uniform) = bags(places[0], True), bags(places[1], False)
                values = [self._compare(name, p, q) for name in self._measures]
                uniform = q_uniform or p_uniform
            else:
                values = [
                    math.nan if read.undefined[row] else self._farthest(name) if any(filled) else 0.0
                    for name in self._measures
                ]
                uniform = False
            cut = max(int(found.truncated[place][0]) for place in places)
            marks = [
                [value if math.isfinite(value) else 0.0, not math.isnan(value), math.isinf(value)]
                for value in values
            ]
            rows[row] = [
                *(mark for of_measure in marks for mark in of_measure),
                cut,
                uniform,
                read.undefined[row] or any(filled) != all(filled),
            ]
        parts = {name: rows[:, 3 * i : 3 * i + 3] for i, name in enumerate(self._measures)}
        return {
            **parts,
            self._measures[0]: np.column_stack([parts[self._measures[0]], rows[:, -3:], read.counts]),
        }

    def _states(self, view: View) -> tuple[TokenStates, Array, Array, PairReading]:
        """Return the states of the texts' tokens, the place of each prediction and reference among them, and
        the readable texts.
        """
        read = read_pairs(
            view.features,
            self.model,
            self._kind,
            view.predictions,
            view.reference,
        )
        found, predictions, references = view.get(
            states_feature(self.model, self._kind), read.first.ids, read.second.ids
        )
        return found, predictions, references, read

    def score(self, part: str, statistics: Array) -> Arrays:
        total, defined, infinite = (statistics[..., i] for i in range(3))
        mean = np.where(defined > 0, total / np.where(defined > 0, defined, 1.0), np.nan)
        found = {part: np.where(infinite > 0, math.copysign(math.inf, self._scale(part)), mean)}
        if part == self._measures[0]:
            found |= {
                name: statistics[..., 3 + i]
                for i, name in enumerate(("truncated", "uniform_weights", "empty"))
            }
            found |= unknown_share(statistics)
        return found

    def _compare(self, name: str, p: Array, q: Array) -> float:
        compute = ab_as_printed if self._as_printed(name) else MEASURES[name].compute
        arguments = self._arguments(name)
        first, second = (q, p) if self._convention.prediction_first else (p, q)
        value = float(compute(first, second, *arguments))
        if self.symmetrize and not MEASURES[name].symmetric:
            value = (value + float(compute(second, first, *arguments))) / 2
        return self._scale(name) * value + 0.0

    def _bags(
        self, view: View, found: TokenStates, fitted: Arrays
    ) -> Callable[[int, bool], tuple[Array, bool]]:
        """Return a function that computes the log-distribution of a text, of the prediction's or the
        reference's side, and True if its weights were all 0.
        """
        loaded = load(self.model, self._kind, view.features.options.device)

        @lru_cache(maxsize=_KEPT_BAGS)
        def made(place: int, of_prediction: bool) -> tuple[Array, bool]:
            weights = self._weights(found.ids[place], of_prediction, fitted)
            uniform = not weights.any()
            return (
                bag(
                    loaded,
                    found.states[place],
                    np.ones(len(weights)) if uniform else weights,
                    self._temperature,
                ),
                uniform,
            )

        sides = self._weighted and self._convention.table_per_side
        return lambda place, of_prediction: made(place, of_prediction and sides)

    def _weights(self, ids: Array, of_prediction: bool, fitted: Arrays) -> Array:
        if not self._weighted:
            return np.ones(len(ids))
        return idf.weights(_prediction_side(fitted) if of_prediction else fitted, ids)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        found, predictions, references, _ = self._states(view)
        loaded = load(self.model, self._kind, view.features.options.device)
        bags = self._bags(view, found, fitted)
        statistics = self.statistics(view, fitted)
        for i, places in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
            row = {part: values[i] for part, values in statistics.items()}
            title = "infolm " + ", ".join(
                f"{part} {float(self.score(part, row[part])[part]):.4f}" for part in view.parts or row
            )
            guesses = [
                likeliest(loaded, found.states[place], found.ids[place], self._temperature, _GUESSES)
                for place in places
            ]
            differences: list[tuple[str, float, float]] = []
            covered = 0.0
            if all(guesses):
                q, p = (
                    np.exp(bags(place, of_prediction)[0])
                    for place, of_prediction in zip(places, (True, False), strict=True)
                )
                gaps = np.abs(q - p)
                order = np.argsort(-gaps, kind="stable")[:_SHOWN]
                differences = list(
                    zip(
                        token_strings(loaded, order.tolist()),
                        q[order].tolist(),
                        p[order].tolist(),
                        strict=True,
                    )
                )
                covered = float(gaps[order].sum() / (gaps.sum() or 1.0))
            yield Distributions(title, row, differences, covered, *guesses)


def _prediction_side(arrays: Arrays) -> Arrays:
    return {
        name.removeprefix("prediction_"): values
        for name, values in arrays.items()
        if name.startswith("prediction_")
    }
