"""The base classes of metrics, their registry, cards, printed names and signatures.

A metric is a value: a frozen dataclass whose fields are its parameters. An additive metric gives each row a
vector of statistics; the corpus score is `score` of the sum of rows, a segment's score is `score` of its row,
and intervals and tests follow without the metric knowing of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import numpy as np

from nlgauge._core.ragged import Array as Array
from nlgauge._core.ragged import Ragged as Ragged
from nlgauge._core.versions import installed_version
from nlgauge.errors import ParameterError
from nlgauge.features import Feature, Features, RowFeature, RunOptions
from nlgauge.features.tokens.text import Tokens, token_libraries

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.explanations import Explanation

Arrays = dict[str, Array]
Takes = Literal["pair", "joint", "alone"]


@dataclass(frozen=True)
class Output:
    """A number that a metric returns, with its direction, its bounds and its display.

    Parameters
    ----------
    name : str
        Name of the output.
    higher_is_better : bool or None
        Direction; None if neither direction is better.
    low : float, optional
        Lower bound. Default: none.
    high : float, optional
        Upper bound. Default: none.
    nan : str
        Reason that is reported if the output is NaN.
    note : str, optional
        Text for a count that a reader must know, such as the number of truncated texts. It is printed below the table,
        after the count, if the count is not 0.
    decimals : int, optional
        Number of decimals in tables. Default: two on a scale to 100, none for counts, otherwise four.
    warn_above : float, optional
        A run warns if a share exceeds this number.
    warning : str, optional
        Text of the warning; the share in percent precedes it.
    warn_below : float, optional
        A run warns if a share is below this number.
    missing : {"", "empty", "unreadable", "error"}
        Reason for a missing score that this count represents: the prediction is empty, a reply is unreadable, or an error.
    """

    name: str
    higher_is_better: bool | None
    low: float = -math.inf
    high: float = math.inf
    nan: str = "undefined for this input"
    note: str = ""
    decimals: int | None = None
    warn_above: float = math.inf
    warning: str = ""
    warn_below: float = -math.inf
    missing: str = ""

    def with_decimals(self, decimals: int | None) -> Output:
        """Return the output with another number of decimals.

        Parameters
        ----------
        decimals : int or None
            Number of decimals in tables; None returns the output unchanged.

        Returns
        -------
        Output
            The output with this number of decimals.
        """
        return self if decimals is None else replace(self, decimals=decimals)


TRUNCATED = Output("truncated", None, 0, note="texts were longer than the model reads and were cut")
EMPTY = Output("empty", None, 0, note="predictions were empty and were scored as such", missing="empty")
UNIFORM_WEIGHTS = Output(
    "uniform_weights", None, 0, note="rows had only weights of 0 and were weighed equally"
)


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """The rows that a metric is asked to score: text ids, and the features of their texts.

    A row is a prediction with one reference (`takes` is "pair": `references` has one id per row), with all
    references of its segment (`takes` is "joint"), or without references (otherwise). `positions` has the
    indices of the rows among the rows of the system, for metrics that are fitted to these rows.
    """

    features: Features
    predictions: Array
    references: Ragged | None = None
    sources: Array | None = None
    positions: Array | None = None
    lang: str | None = None
    # The parts to explain; None: all of them.
    parts: tuple[str, ...] | None = None
    # Text ids of the fields in `record_fields` of the metric, by name: any number of texts per row.
    fields: Mapping[str, Ragged] = field(default_factory=dict)
    _found: dict[RowFeature, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.predictions)

    @property
    def reference(self) -> Array:
        """Every reference id, row by row: for "pair" one per row."""
        assert self.references is not None
        return self.references.values

    @property
    def reference_groups(self) -> Ragged:
        """The references of each row, of a metric that takes them jointly."""
        assert self.references is not None
        return self.references

    @property
    def source(self) -> Array:
        """The source id of each row."""
        assert self.sources is not None
        return self.sources

    def text(self, text_id: int) -> str:
        """Return the text with this id."""
        return self.features.texts[text_id]

    def texts_of(self, name: str, row: int) -> list[str]:
        """Return the texts of a field of a row: the items of a list, otherwise one text."""
        return [self.text(int(text_id)) for text_id in self.fields[name][row]]

    def get(self, feature: Any, *keys: Array | Ragged) -> tuple[Any, ...]:
        """Return the feature's column and the positions of the keys in it; see `Features.get`."""
        return self.features.get(feature, *keys)

    def take(self, rows: Array, parts: tuple[str, ...] | None = None) -> View:
        """Return the view of these rows, in this order."""
        return View(
            self.features,
            self.predictions[rows],
            None if self.references is None else self.references.take(rows),
            None if self.sources is None else self.sources[rows],
            None if self.positions is None else self.positions[rows],
            self.lang,
            parts,
            {name: texts.take(rows) for name, texts in self.fields.items()},
        )

    def only(self, row: int, parts: tuple[str, ...]) -> View:
        """Return the view of one row, for the explanation of these parts."""
        return self.take(np.array([row]), parts)

    def rows(self, feature: RowFeature) -> Any:
        """Return the feature values of every row; metrics that read the same rows share them."""
        self.features.note(feature)
        if feature not in self._found:
            with self.features.timed(feature):
                self._found[feature] = feature.compute(self)
        return self._found[feature]


class Stored(NamedTuple):
    """Requirements for an array of a fit: ascending whole-number keys, finite numbers, or any numbers.
    Lengths of the same name are equal.

    Lengths of the same name are equal.
    """

    kind: Literal["keys", "numbers", "any"]
    shape: tuple[int | str, ...]


class Fit:
    """A feature of the whole corpus, made of mergeable partials before any row is scored; a frozen
    dataclass.
    """

    over: ClassVar[Literal["references", "sources", "system"]]

    def partial(self, view: View) -> Arrays:
        """Return the contribution of one chunk."""
        raise NotImplementedError

    def merge(self, partials: Sequence[Arrays]) -> Arrays | None:
        """Combine several contributions into one, to save memory; return None if that saves nothing."""
        return None

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        """Return the fit, as plain arrays, from the contributions in segment order."""
        raise NotImplementedError

    def layout(self, rows: int) -> dict[str, Stored]:
        """Return what each array of the fit must be when a stranger's file is read; `rows` is how many
        predictions the system has.
        """
        return {}

    def taken(self, fitted: Arrays, predictions: Array) -> Arrays:
        """Return the fit for some predictions of the system, by number; a fit with a row per prediction
        selects their rows.
        """
        return fitted


# The names of nlgauge parameters in other programs, if a metric has the parameter; "not" precedes a switch
# with the opposite meaning.
SPELLINGS = {
    "tokenize": "tokenizer",
    "tok": "tokenizer",
    "lc": "lowercase",
    "ignore_case": "lowercase",
    "case_sensitive": "not lowercase",
    "use_stemmer": "stem",
    "stemming": "stem",
    "model_type": "model",
    "num_layers": "layer",
}


class AbstractMetric:
    """The common base of both kinds of metric: name, parameters, printing, signature."""

    name: ClassVar[str]
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    # Other names under which the metric's parameters may be given; only the fields' own are ever printed.
    spellings: ClassVar[Mapping[str, str]] = SPELLINGS
    takes: ClassVar[Takes] = "pair"
    source: ClassVar[bool] = False
    # Further fields of the records whose texts the metric reads (`View.fields`), such as "contexts".
    record_fields: ClassVar[tuple[str, ...]] = ()
    # The languages that the metric is made for, as ISO codes; None: any.
    languages: ClassVar[tuple[str, ...] | None] = None
    # True if the seed of the run changes the number.
    seeded: ClassVar[bool] = False
    # True if lists of metrics name it; False for scores that are not computed from texts.
    listed: ClassVar[bool] = True
    # Raised when the meaning of the statistics changes: statistics of a saved result with another revision
    # are not interpreted.
    revision: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Raise if a parameter is not in its domain."""

    @property
    def unwrapped(self) -> Any:
        """The metric itself, or the metric that NAME@source calls."""
        return self

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        """Return the parts of the metric, each with its outputs.

        Returns
        -------
        dict of str to tuple of Output
            Outputs by part. The first output of the first part is the score of the metric.
        """
        raise NotImplementedError

    def made_for(self) -> tuple[str, ...] | None:
        """Return the languages that the metric supports with these parameters.

        Returns
        -------
        tuple of str or None
            ISO language codes; None means any language.
        """
        return self.languages

    def for_language(self, lang: str | None) -> Any:
        """Return the metric with the parameters that depend on the language filled in.

        Parameters
        ----------
        lang : str, optional
            ISO language code, used for tokenizers, sentence splitters and default models.

        Returns
        -------
        metric
            The metric itself by default.
        """
        return self

    def words(self, lang: str | None) -> Tokens | None:
        """Return the tokenizer that splits a text into the words that the metric counts.

        Parameters
        ----------
        lang : str, optional
            ISO language code, used for tokenizers, sentence splitters and default models.

        Returns
        -------
        Tokens or None
            Tokenizer of the parameter `tokenizer`; None if the metric does not count words.
        """
        name = getattr(self, "tokenizer", None)
        return Tokens(name) if isinstance(name, str) else None

    def for_reduction(self, reduce_fn: Any) -> Any:
        """Return the metric with the rule for several references or predictions of a call.

        Parameters
        ----------
        reduce_fn : str or callable, optional
            Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
            function, or a callable that maps an array of scores to a number.

        Returns
        -------
        metric
            The metric itself by default. Only a metric that reduces scores itself overrides this method.
        """
        return self

    def fit(self) -> Fit | None:
        """Return the fit over the whole corpus that precedes scoring.

        Returns
        -------
        Fit or None
            None by default.
        """
        return None

    def may_leave(self) -> bool:
        """Return True if other processes may compute the metric.

        Returns
        -------
        bool
            True by default. A metric that counts its requests to a service returns False.
        """
        return True

    def facts(self, corpus: Corpus) -> dict[str, str]:
        """Return all facts that change the scores, except the version of nlgauge.

        Parameters
        ----------
        corpus : Corpus
            N segments with the predictions of S systems.

        Returns
        -------
        dict of str to str
            Name of the metric and its parameters by default.
        """
        return {"metric": self.name, **{f.name: _plain(getattr(self, f.name)) for f in fields(self)}}  # type: ignore[arg-type]

    def libraries(self) -> tuple[str, ...]:
        """Return the installed packages that affect the scores with these parameters.

        Returns
        -------
        tuple of str
            Packages whose versions the signature shows; the libraries of the tokenizer by default.
        """
        words = self.words(None)
        return () if words is None else token_libraries(words.tokenizer)

    def signature(self, corpus: Corpus, run: Mapping[str, str] | None = None) -> str:
        """Return one line that identifies the computation of the score.

        Parameters
        ----------
        corpus : Corpus
            N segments with the predictions of S systems.
        run : mapping of str to str, optional
            Options of the run that change the score.

        Returns
        -------
        str
            Facts and versions as `key:value`, separated by "|".
        """
        versions = {package: installed_version(package) for package in (*self.libraries(), "nlgauge")}
        facts = {**self.facts(corpus), **(run or {}), **versions}
        return "|".join(f"{key}:{value}" for key, value in facts.items())

    @classmethod
    def joined(cls, metrics: Sequence[Self]) -> list[tuple[AnyMetric, dict[int, str]]]:
        """Return metrics that score several metrics at once; by default equal metrics are joined.

        Parameters
        ----------
        metrics : sequence of metric
            Metrics of this class with different parameters.

        Returns
        -------
        list of tuple
            Metrics to score, each with the output that has the scores of a given metric, by its number; "" is the first
            output.
        """
        found: list[tuple[Any, dict[int, str]]] = []
        for number, metric in enumerate(metrics):
            outputs = next((numbers for known, numbers in found if known == metric), None)
            if outputs is None:
                found.append((metric, {number: ""}))
            else:
                outputs[number] = ""
        return found

    def __str__(self) -> str:
        """Return the metric without default parameters, as `registry.parse` reads it."""
        given = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)  # type: ignore[arg-type]
            if getattr(self, f.name) != f.default
        ]
        return f"{self.name}({', '.join(given)})" if given else self.name

    def require(self, valid: bool, parameter: str, domain: str) -> None:
        """Raise ParameterError if a parameter is outside its domain.

        Parameters
        ----------
        valid : bool
            True if the parameter is valid.
        parameter : str
            Name of the parameter.
        domain : str
            Description of the valid values.

        Raises
        ------
        ParameterError
            If `valid` is False.
        """
        if not valid:
            raise ParameterError(
                f"{self.name}: {parameter} must be {domain}, got {getattr(self, parameter)!r:.60}."
            )


class Metric(AbstractMetric):
    """A metric whose corpus score is a function of summed rows of statistics.

    Notes
    -----
    A subclass is a frozen dataclass whose fields are the parameters of the metric. It defines `name`, `outputs`,
    `statistics` and `score`. The corpus score is `score` of the sum of all rows and a segment score is `score` of its
    row, so intervals and tests need no further code.
    """

    reduce: ClassVar[str] = "best"
    # Reason for a row without a value, if no count has the reason: "absent" (an input that cannot be
    # scored), or # "empty" (the prediction).
    missing_reason: ClassVar[str] = "absent"

    @property
    def costly(self) -> bool:
        """True if the statistics of rows are cached between runs (`nlgauge.engine.cache`).

        By default these are the metrics with a parameter `model` or `vectors`. A class may set `costly: ClassVar[bool] = True`
        if its statistics depend only on texts, parameters and `facts`.
        """
        return is_dataclass(self) and any(f.name in ("model", "vectors") for f in fields(self))

    def reads(self, options: RunOptions) -> tuple[Feature, ...]:
        """Return the model features that the metric reads, so that metrics on one model share a pass.

        Parameters
        ----------
        options : RunOptions
            Seed, batch size and device of the run.

        Returns
        -------
        tuple of Feature
            Features of every text that need a pass of a model; () if none can be shared.
        """
        return ()

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        """Return the additive sufficient statistics of each row.

        Parameters
        ----------
        view : View
            The N rows to score: text ids and the features of the texts.
        fitted : dict of str to ndarray
            Arrays of the fit; empty if the metric has none.

        Returns
        -------
        dict of str to ndarray of shape (N, K)
            For each part of the metric, K statistics per row in float64.
        """
        raise NotImplementedError

    def score(self, part: str, statistics: Array) -> Arrays:
        """Return the outputs of a part from its statistics.

        Parameters
        ----------
        part : str
            Part of the metric.
        statistics : ndarray of shape (..., K)
            Statistics of single rows, of sums of rows, or of resamples.

        Returns
        -------
        dict of str to ndarray of shape (...)
            Each output, computed over the last axis.
        """
        raise NotImplementedError

    def for_segments(self) -> Metric:
        """Return the metric that scores single segments.

        Returns
        -------
        Metric
            The metric itself, unless the class defines segment scores differently.
        """
        return self

    def missing(self, part: str, statistics: Array) -> Array:
        """Return the rows without a value of the first output of a part.

        Parameters
        ----------
        part : str
            Part of the metric.
        statistics : ndarray of shape (N, K)
            Statistics of N rows.

        Returns
        -------
        ndarray of bool, shape (N,)
            True if the row has no value. Such a row must add nothing to the corpus score.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.isnan(self.for_segments().score(part, statistics)[first_output(self, part).name])

    def is_mean(self, output: Output) -> bool:
        """Return True if the corpus score of an output is the mean of the segment scores.

        Parameters
        ----------
        output : Output
            Output of the metric.

        Returns
        -------
        bool
            False by default.
        """
        return False

    def explain(self, view: View, fitted: Arrays) -> Iterable[Explanation]:
        """Explain the statistics of each row, from the same computation.

        Parameters
        ----------
        view : View
            The N rows to explain: text ids and the features of the texts.
        fitted : dict of str to ndarray
            Arrays of the fit; empty if the metric has none.

        Returns
        -------
        iterable of Explanation
            One explanation per row, or none at all; () by default.
        """
        return ()


class CorpusMetric(AbstractMetric):
    """A metric that needs all predictions of a system at once; it has no segment scores.

    Notes
    -----
    A subclass is a frozen dataclass whose fields are the parameters of the metric. It defines `name`, `outputs` and `whole`.
    """

    takes: ClassVar[Takes] = "alone"
    # Number of recomputations for intervals and tests; 0: both are NaN, because a recomputation costs too
    # much.
    resamples: ClassVar[int] = 500

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        """Return every output of the metric for one system.

        Parameters
        ----------
        corpus : Corpus
            N segments with the predictions of the system.
        system : str
            Name of the system.
        features : Features
            Features of the texts.

        Returns
        -------
        dict of str to float
            Every output.
        """
        raise NotImplementedError


AnyMetric = Metric | CorpusMetric
MetricClass = TypeVar("MetricClass", bound=type[AnyMetric])


class _Registered:
    def __init__(self) -> None:
        self.classes: dict[str, type[AnyMetric]] = {}
        self.aliases: dict[str, tuple[str, Mapping[str, Any]]] = {}


REGISTERED = _Registered()


def check_name(name: str, metric: type[AnyMetric] | None = None) -> None:
    """Raise an error if another metric has the name; the same class may be registered again when its module
    is reloaded.
    """
    if metric is None or not metric.__module__.startswith(("nlgauge.metrics.", "nlgauge.metric.")):
        from nlgauge.metric.registry import load_own

        load_own()  # so that a built-in name is refused here, not when the built-in metric is imported
    owner = REGISTERED.classes.get(REGISTERED.aliases[name][0] if name in REGISTERED.aliases else name)
    same = (
        owner is not None
        and metric is not None
        and (owner.__module__, owner.__qualname__) == (metric.__module__, metric.__qualname__)
    )
    if owner is not None and not same:
        raise ParameterError(f"the name {name!r} already belongs to another metric; choose another name.")


def register(metric: MetricClass) -> MetricClass:
    """Register the class of a metric under its name and aliases; a class decorator.

    Parameters
    ----------
    metric : type
        Subclass of `Metric` or `CorpusMetric`.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    MetricError
        If the class is incomplete.
    ParameterError
        If another metric has the name or an alias.
    """
    from nlgauge.metric.complete import check_class

    check_class(metric)
    for name in (metric.name, *metric.aliases):
        check_name(name, metric)
    REGISTERED.classes[metric.name] = metric
    REGISTERED.aliases.update(
        {alias: (metric.name, parameters) for alias, parameters in metric.aliases.items()}
    )
    return metric


def first_output(metric: AnyMetric, part: str | None = None) -> Output:
    """Return the leading output of a part, or of the whole metric."""
    parts = metric.outputs()
    return parts[next(iter(parts)) if part is None else part][0]


def _plain(value: Any) -> str:
    return (
        {True: "yes", False: "no", None: "default"}[value]
        if value is None or isinstance(value, bool)
        else str(value)
    )
