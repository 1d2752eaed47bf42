"""Checks of a judge: consistency, use of the scale, and preference for long texts, first positions or its own
family.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.page import Cell, Line, Page, Sheet, column
from nlgauge._core.ragged import Array
from nlgauge._core.shown import Shown
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.judges.calls import Calls
from nlgauge.metric import AnyMetric
from nlgauge.metrics._shared.judged import SCORINGS, Judged
from nlgauge.metrics.pairwise import Pairwise
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer

# Said of nothing, and true of everything.
FILLER = "In conclusion, this is what there is to say about the matter at hand."
# Limits of values that are fine: a share of the scale, a probability, shares of rows.
_STEADY, _FAIR, _CONSISTENT, _CROWDED = 0.01, 0.05, 0.8, 0.8


@dataclass(frozen=True)
class Finding:
    """One number of a probe, with its 95% interval if it has one; `fine` is None if it cannot be decided."""

    probe: str
    what: str
    value: float
    low: float = math.nan
    high: float = math.nan
    fine: bool | None = None


@dataclass(frozen=True, repr=False)
class JudgeCheck(Shown):
    """The findings of the probes of a judge, the number of texts, and the usage."""

    metric: str
    rows: int
    findings: tuple[Finding, ...]
    used: Mapping[str, float] = field(default_factory=dict)

    def records(self) -> dict[str, Any]:
        """Return all fields as plain data."""
        return {
            "metric": self.metric,
            "rows": self.rows,
            "findings": [vars(finding) for finding in self.findings],
            "used": dict(self.used),
        }

    def _short_page(self) -> Page:
        sheet = Sheet(
            [
                column("probe"),
                column("what"),
                column("value", "number"),
                column("95% interval", "number"),
                column(""),
            ],
            [_cells(finding) for finding in self.findings],
        )
        used = ", ".join(f"{name.removeprefix('judge ')} {amount:,.6g}" for name, amount in self.used.items())
        return Page(
            [Line(f"{self.metric} on {counted(self.rows, 'text')}", "best"), sheet],
            notes=["fine: within the range of a fair judge; look: read more of its replies."],
            small_print=[used] if used else [],
        )


def check(
    metric: AnyMetric,
    corpus: Corpus,
    rows: int = 20,
    own: Sequence[str] = (),
    against: AnyMetric | None = None,
) -> JudgeCheck:
    """Probe a judge with some texts of a corpus, without the cache if it is asked the same question twice.

    own: the systems of the judge's own family; against: a metric outside this family, to compare the scores of
    these systems.
    """
    if not isinstance(metric, Judged):
        raise ParameterError(
            f"{metric} is not a judge; choose g_eval, gemba, rubric, yes_no, judge or pairwise."
        )
    if isinstance(metric, Pairwise) and corpus.references is None:
        raise InputError(
            "pairwise compares predictions with references, got none",
            python="pass a corpus with references",
            cli="add -r FILE",
        )
    if own:
        _check_own(corpus, own, against)
    texts = _Texts.of(corpus, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        probes = _Probes(metric, texts)
        findings = [*probes.repeatability(), *probes.scale_use(), *probes.verbosity(), *probes.position()]
        if own and against is not None:
            findings += probes.self_preference(corpus, tuple(own), against)
    return JudgeCheck(str(metric), len(texts.predictions), tuple(findings), probes.used)


@dataclass(frozen=True)
class _Texts:
    """Some rows: different predictions that are not empty, evenly from the whole corpus, with their
    references and sources.
    """

    predictions: list[str]
    references: list[str] | None
    sources: list[str] | None
    lang: str | None

    @classmethod
    def of(cls, corpus: Corpus, rows: int) -> _Texts:
        found: dict[str, int] = {}
        for i in range(len(corpus)):
            for column_of in corpus.predictions.values():
                text = corpus.texts.strings[int(column_of[i][0])] if len(column_of[i]) else ""
                if text.strip():
                    found.setdefault(text, i)
        if not found:
            raise InputError("all predictions are empty; the judge needs at least one prediction with text.")
        chosen = list(found.items())
        chosen = [
            chosen[i]
            for i in np.unique(np.linspace(0, len(chosen) - 1, min(rows, len(chosen))).round().astype(int))
        ]
        strings = corpus.texts.strings
        references, sources = corpus.references, corpus.sources
        return cls(
            [text for text, _ in chosen],
            None if references is None else [strings[int(references[i][0])] for _, i in chosen],
            None if sources is None else [strings[int(sources[i])] for _, i in chosen],
            corpus.lang,
        )


@dataclass
class _Probes:
    metric: Judged
    texts: _Texts
    used: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._first = self._scores(self.metric, self.texts.predictions)

    def repeatability(self) -> list[Finding]:
        """Ask the same questions twice without the cache, and return the findings."""
        fresh = replace(self.metric, calls=replace(Calls.of(self.metric.calls), cache="off"))
        once, again = (self._scores(fresh, self.texts.predictions) for _ in range(2))
        apart = np.abs(once - again)[~np.isnan(once + again)]
        steady = float(np.mean(apart)) <= _STEADY * self._width if len(apart) else None
        return [
            Finding(
                "repeatability",
                "share of scores that are equal in two answers",
                _mean(apart == 0),
                fine=steady,
            ),
            Finding("repeatability", "mean difference between the two answers", _mean(apart), fine=steady),
            Finding(
                "repeatability",
                "share of rows with a score",
                _mean(~np.isnan(self._first)),
                fine=bool(np.all(~np.isnan(self._first))),
            ),
        ]

    def scale_use(self) -> list[Finding]:
        """Return the share of rows at the ends of the scale, and the number of different scores."""
        output = self.metric.measures()[0]
        known = self._first[~np.isnan(self._first)]
        # Expected scores are never quite at an end, so values within a twentieth of the scale count.
        near = self._width / 20
        top, bottom = _mean(known >= output.high - near), _mean(known <= output.low + near)
        return [
            Finding("scale use", "share of scores at the top", top, fine=bool(top < _CROWDED)),
            Finding("scale use", "share of scores at the bottom", bottom, fine=bool(bottom < _CROWDED)),
            Finding(
                "scale use",
                "different scores",
                float(len(np.unique(np.round(known, 6)))),
                fine=len(np.unique(np.round(known, 6))) > 2,
            ),
        ]

    def verbosity(self) -> list[Finding]:
        """Return the reward for length: over the unchanged texts, and after a sentence without content is added
        to each.
        """
        from scipy.stats import spearmanr

        lengths = np.log([len(text) for text in self.texts.predictions])
        known = ~np.isnan(self._first)
        varied = known.sum() > 2 and np.ptp(lengths[known]) > 0 and np.ptp(self._first[known]) > 0
        rank = float(spearmanr(lengths[known], self._first[known]).statistic) if varied else math.nan
        longer = self._scores(self.metric, [f"{text.rstrip()} {FILLER}" for text in self.texts.predictions])
        gain = (longer - self._first)[~np.isnan(longer - self._first)]
        value, low, high = _interval(gain)
        return [
            Finding("verbosity", "rank correlation of score and length", rank),
            Finding(
                "verbosity",
                "gain from an added sentence without content",
                value,
                low,
                high,
                None if math.isnan(low) else low <= 0,
            ),
        ]

    def position(self) -> list[Finding]:
        """Return the preference for the first text, of two equal texts and of two texts in both orders."""
        metric = self.metric
        if isinstance(metric, Pairwise):
            pairwise = metric
        else:
            scoring = metric.scoring if metric.scoring in SCORINGS else "single"
            pairwise = Pairwise(
                metric.model,
                metric.base_url,
                scoring,
                metric.n,
                metric.temperature,
                metric.seed,
                metric.calls,
                with_source=self.texts.sources is not None,
            )
        predictions = self.texts.predictions
        others = self.texts.references or [*predictions[1:], predictions[0]]
        same = self._result(pairwise, predictions, predictions)
        both = self._result(pairwise, predictions, others)
        label = str(pairwise)
        equal, first, consistent = (
            result.intervals()[label][name]
            for result, name in ((same, "first_preferred"), (both, "first_preferred"), (both, "consistent"))
        )
        return [
            _of_interval(
                "identity",
                "preference for the first of two equal texts (0 is fair, 0.5 is always)",
                equal,
                abs(equal.score) <= _FAIR,
            ),
            _of_interval(
                "position", "preference for the first of two texts", first, abs(first.score) <= _FAIR
            ),
            _of_interval(
                "position",
                "share of pairs with the same winner in both orders",
                consistent,
                consistent.score >= _CONSISTENT,
            ),
        ]

    def self_preference(self, corpus: Corpus, own: tuple[str, ...], against: AnyMetric) -> list[Finding]:
        """Return the advantage of the judge's own family with the judge compared with another metric, in
        standard deviations of the scores of each.
        """
        result = Scorer([self.metric, against]).score_corpus(corpus, None, RunOptions())
        self._use(result)
        gaps = [_gaps(result, label, own) for label in result.labels]
        value, low, high = _interval((gaps[0] - gaps[1])[~np.isnan(gaps[0] - gaps[1])])
        what = (
            f"lead of {', '.join(own)} with this judge, minus the lead with {result.labels[1]}, in standard"
            " deviations"
        )
        return [Finding("self-preference", what, value, low, high, None if math.isnan(low) else low <= 0)]

    @property
    def _width(self) -> float:
        output = self.metric.measures()[0]
        return output.high - output.low

    def _scores(self, metric: Judged, predictions: list[str]) -> Array:
        result = self._result(metric, predictions, self.texts.references)
        return np.asarray(
            next(iter(result._tables.values())).segments()[metric.measures()[0].name], dtype=np.float64
        )

    def _result(self, metric: Judged, predictions: list[str], references: list[str] | None) -> Result:
        result = Scorer([metric])(
            predictions, references, self.texts.sources, lang=self.texts.lang, show_progress=False
        )
        self._use(result)
        return result

    def _use(self, result: Result) -> None:
        for name, amount in result.costs.used.items():
            self.used[name] = self.used.get(name, 0.0) + amount


def _check_own(corpus: Corpus, own: Sequence[str], against: AnyMetric | None) -> None:
    """Raise if the own family is not a part of the systems, or has no metric to be compared with."""
    if not set(own) < set(corpus.systems):
        raise ParameterError(
            f"own must name some of the systems {', '.join(corpus.systems)}, but not all; got {', '.join(own)}."
        )
    if against is None:
        raise ParameterError(
            f"the scores of own systems ({', '.join(own)}) need another metric to compare the judge with",
            python="pass against=METRIC",
            cli="name it with --against METRIC",
        )


def _gaps(result: Result, label: str, own: tuple[str, ...]) -> Array:
    """Return for each segment the mean score of the own systems less that of the others, in standard
    deviations.
    """
    scores = {}
    for system in result.systems:
        table = result._tables[system, label]
        output = table.outputs()[0]
        sign = -1.0 if output.higher_is_better is False else 1.0
        scores[system] = sign * np.asarray(table.segments()[output.name], dtype=np.float64)
    spread = float(np.nanstd(np.concatenate(list(scores.values())), ddof=1)) or math.nan
    ours = np.mean([values for system, values in scores.items() if system in own], axis=0)
    theirs = np.mean([values for system, values in scores.items() if system not in own], axis=0)
    found: Array = (ours - theirs) / spread
    return found


def _interval(values: Array) -> tuple[float, float, float]:
    """Return the mean with Student's interval; NaN if there are too few values."""
    from scipy.stats import t

    if not len(values):
        return math.nan, math.nan, math.nan
    half = (
        float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
        if len(values) > 1
        else math.nan
    )
    return float(values.mean()), float(values.mean()) - half, float(values.mean()) + half


def _of_interval(probe: str, what: str, interval: Any, fine: bool) -> Finding:
    return Finding(
        probe,
        what,
        interval.score,
        interval.low,
        interval.high,
        None if math.isnan(interval.score) else bool(fine),
    )


def _mean(values: Array) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _cells(finding: Finding) -> list[Cell]:
    interval = "" if math.isnan(finding.low) else f"{finding.low:.3f} to {finding.high:.3f}"
    value = "n/a" if math.isnan(finding.value) else f"{finding.value:.3f}"
    said = "" if finding.fine is None else "fine" if finding.fine else "look"
    return [
        Cell(finding.probe),
        Cell(finding.what),
        Cell(value),
        Cell(interval),
        Cell(said, "good" if finding.fine else "bad" if said else ""),
    ]
