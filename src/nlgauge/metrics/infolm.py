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
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, NamedTuple, Self

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError
from nlgauge.estimators import idf
from nlgauge.estimators.divergences import MEASURES, ab_as_printed
from nlgauge.explanations import Distributions, Explanation
from nlgauge.features import RunOptions
from nlgauge.features.language_models.model_halves import TokenStates, token_strings
from nlgauge.features.language_models.token_distributions import bags as token_bags
from nlgauge.features.language_models.token_distributions import kind_of, likeliest, states_feature
from nlgauge.features.vocabulary import TokenIds
from nlgauge.metric import (
    TRUNCATED,
    UNIFORM_WEIGHTS,
    AnyMetric,
    Arrays,
    Fit,
    Metric,
    Output,
    Stored,
    View,
    register,
)
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
    temperature: float | tuple[float, ...] | None = None
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
            isinstance(self.measure, str | tuple)
            and all(isinstance(name, str) and _base(name) in MEASURES for name in self._measures)
        )
        self.require(
            known and self.measure != (),
            "measure",
            f"one or more of {', '.join(MEASURES)}, with arguments such as 'ab(0.5,1.25)'",
        )
        self.require(len(set(self._measures)) == len(self._measures), "measure", "without repetition")
        if not isinstance(self.temperature, tuple):
            require_number(self, "temperature", above=True, optional=True)
        self.require(
            all(0 < value < math.inf for value in self._temperatures)
            and 0 < len(set(self._temperatures)) == len(self._temperatures),
            "temperature",
            "a number above 0, or several without repetition",
        )
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
        names = (given,) if isinstance(given, str) else given
        return tuple(
            f"{aliases.get(_base(name), _base(name))}{name[len(_base(name)) :]}"
            if isinstance(name, str)
            else name
            for name in names
        )

    @property
    def _temperatures(self) -> tuple[float, ...]:
        if self.temperature is None:
            return (self._convention.temperature,)
        return tuple(
            float(value)
            for value in (self.temperature if isinstance(self.temperature, tuple) else (self.temperature,))
        )

    @property
    def _temperature(self) -> float:
        return self._temperatures[0]

    @property
    def _parts(self) -> dict[str, tuple[str, int]]:
        """Name of each part -> its measure and the place of its temperature: MEASURE, or MEASURE@TEMPERATURE if
        there are several temperatures.
        """
        several = len(self._temperatures) > 1
        return {
            f"{name}@{temperature:g}" if several else name: (name, place)
            for place, temperature in enumerate(self._temperatures)
            for name in self._measures
        }

    @classmethod
    def joined(cls, metrics: Sequence[Self]) -> list[tuple[AnyMetric, dict[int, str]]]:
        """Return one metric for all measures and temperatures that are read with the same model and weights."""
        families: dict[Self, dict[float, dict[str, list[int]]]] = {}
        found: list[tuple[AnyMetric, dict[int, str]]] = []
        for number, metric in enumerate(metrics):
            if len(metric._parts) > 1:
                found.append((metric, {number: ""}))
                continue
            plain = replace(metric, measure=None, alpha=None, beta=None, temperature=None)
            by_measure = families.setdefault(plain, {}).setdefault(metric._temperature, {})
            by_measure.setdefault(metric._with_numbers, []).append(number)
        for plain, by_temperature in families.items():
            # The temperatures that have the same measures.
            alike: dict[tuple[str, ...], list[float]] = {}
            for temperature, measured in by_temperature.items():
                alike.setdefault(tuple(measured), []).append(temperature)
            for measures, temperatures in alike.items():
                one = replace(plain, measure=measures, temperature=tuple(temperatures))
                outputs = {
                    number: part
                    for part, (name, place) in one._parts.items()
                    for number in by_temperature[temperatures[place]][name]
                }
                found.append((one, outputs))
        return found

    @property
    def _with_numbers(self) -> str:
        """The measure with its parameters in brackets."""
        (name,) = self._measures
        arguments = ",".join(map(repr, self._arguments(name)))
        return f"{_base(name)}({arguments})" if arguments else _base(name)

    @property
    def _first(self) -> str:
        return next(iter(self._parts))

    @property
    def _weighted(self) -> bool:
        return self._convention.idf if self.idf is None else self.idf

    def _arguments(self, name: str) -> tuple[float, ...]:
        """Return the parameters of a measure: the numbers in its brackets, by default alpha and beta."""
        base = _base(name)
        numbers: dict[str, float | None] = {"alpha": self.alpha, "beta": self.beta}
        if name != base:
            values = _numbers(name)
            if len(values) != len(MEASURES[base].parameters):
                parameters = ", ".join(MEASURES[base].parameters) or "no arguments"
                raise ParameterError(f"the measure {name!r} must have {parameters} in its brackets.")
            numbers = {**numbers, **dict(zip(MEASURES[base].parameters, values, strict=True))}
        return MEASURES[base].arguments(base, numbers["alpha"], numbers["beta"])

    def _scale(self, name: str) -> float:
        """Return the factor of a measure."""
        if _base(name) == "fisher_rao" and (self.normalize or self.compat == "paper"):
            return 1 / math.pi
        return -1.0 if _base(name) in self._convention.negated else 1.0

    def _as_printed(self, name: str) -> bool:
        return _base(name) == "ab" and self.compat == "paper"

    def _farthest(self, name: str) -> float:
        """Return the value for distributions that have nothing in common, as for an empty text; NaN if a
        measure has no largest value.
        """
        high = MEASURES[_base(name)].high(*self._arguments(name))
        return math.nan if math.isinf(high) else self._scale(name) * high

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        found: dict[str, tuple[Output, ...]] = {}
        for part, (name, _) in self._parts.items():
            farthest, scale = self._farthest(name), self._scale(name)
            end = math.copysign(math.inf, scale) if math.isnan(farthest) else farthest
            low = -math.inf if self._as_printed(name) else min(0.0, end)
            found[part] = (Output(part, scale < 0, low, max(0.0, end), nan=_UNDEFINED),)
        counts = (
            TRUNCATED,
            UNIFORM_WEIGHTS,
            Output("empty", None, 0, note="rows have an empty text"),
            UNKNOWN_TOKENS,
        )
        return {**found, self._first: (*found[self._first], *counts)}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        table = "each side's own" if self._convention.table_per_side else "references"
        resolved = {
            "measure": "+".join(self._measures),
            "temperature": "+".join(map(str, self._temperatures)),
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
        chosen = self._parts
        rows = np.zeros((len(view), 3 * len(chosen) + 3))
        # All pairs of a reference one after the other, so that its distribution is made once.
        for row in np.lexsort((predictions, references)).tolist():
            places = int(predictions[row]), int(references[row])
            filled = [len(found.ids[place]) > 0 for place in places]
            if all(filled):
                (qs, q_uniform), (ps, p_uniform) = bags(places[0], True), bags(places[1], False)
                values = [self._compare(name, ps[place], qs[place]) for name, place in chosen.values()]
                uniform = q_uniform or p_uniform
            else:
                values = [
                    math.nan if read.undefined[row] else self._farthest(name) if any(filled) else 0.0
                    for name, _ in chosen.values()
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
        parts = {name: rows[:, 3 * i : 3 * i + 3] for i, name in enumerate(chosen)}
        return {
            **parts,
            self._first: np.column_stack([parts[self._first], rows[:, -3:], read.counts]),
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
        if part == self._first:
            found |= {
                name: statistics[..., 3 + i]
                for i, name in enumerate(("truncated", "uniform_weights", "empty"))
            }
            found |= unknown_share(statistics)
        return found

    def _compare(self, name: str, p: Array, q: Array) -> float:
        measure = MEASURES[_base(name)]
        compute = ab_as_printed if self._as_printed(name) else measure.compute
        arguments = self._arguments(name)
        first, second = (q, p) if self._convention.prediction_first else (p, q)
        value = float(compute(first, second, *arguments))
        if self.symmetrize and not measure.symmetric:
            value = (value + float(compute(second, first, *arguments))) / 2
        return self._scale(name) * value + 0.0

    def _bags(
        self, view: View, found: TokenStates, fitted: Arrays
    ) -> Callable[[int, bool], tuple[list[Array], bool]]:
        """Return a function that computes the log-distribution of a text at each temperature, of the
        prediction's or the reference's side, and True if its weights were all 0.
        """
        loaded = load(self.model, self._kind, view.features.options.device)

        @lru_cache(maxsize=max(1, _KEPT_BAGS // len(self._temperatures)))
        def made(place: int, of_prediction: bool) -> tuple[list[Array], bool]:
            weights = self._weights(found.ids[place], of_prediction, fitted)
            uniform = not weights.any()
            counted = np.ones(len(weights)) if uniform else weights
            return token_bags(loaded, found.states[place], counted, self._temperatures), uniform

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
                    np.exp(bags(place, of_prediction)[0][0])
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


def _base(name: str) -> str:
    """Return the name of a measure without its arguments and temperature.

    >>> _base("ab(0.5,1.25)@2")
    'ab'
    """
    return re.split(r"[(@]", name, maxsplit=1)[0]


def _numbers(name: str) -> list[float]:
    """Return the numbers in the brackets of a measure; raise ParameterError if there are none."""
    found = re.fullmatch(r"\w+\(([^()]*)\)", name)
    try:
        return [float(text) for text in found[1].split(",")] if found else [float(name)]
    except ValueError:
        raise ParameterError(
            f"the measure {name!r} must be a name with numbers in brackets, such as 'ab(0.5,1.25)'."
        ) from None


def _prediction_side(arrays: Arrays) -> Arrays:
    return {
        name.removeprefix("prediction_"): values
        for name, values in arrays.items()
        if name.startswith("prediction_")
    }
