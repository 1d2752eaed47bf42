"""`compare`: tests of whether a metric agrees better with human scores than another, also on new data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.all_pairs import MAX_T, Plan, all_pairs
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.stats.corrections import METHODS
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.letters import cluster_ranks, letters, not_beaten, wins
from nlgauge.stats.levels import check_level
from nlgauge.stats.measures import Measure, measure
from nlgauge.stats.permutation.swaps import GENERALIZES_TO
from nlgauge.stats.resampling import check_over, check_resampling

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

TESTS = ("randomization", "williams", "bootstrap")
# With fewer systems, tests about new systems have little power.
_FEW_SYSTEMS = 10


@dataclass(frozen=True, eq=False, repr=False)
class MetricComparison(Findings):
    """Differences between metrics: one row per pair of metrics, human dimension and group.

    Parameters
    ----------
    rows : sequence of mapping
        One dictionary per pair: values, difference with its interval, `p`, `p_adjusted`, and `better`, the better metric
        if the difference is significant.
    made : mapping, optional
        Settings of the analysis: seed, resamples, rule, versions.
    title : str, optional
        Title of the table.
    notes : sequence of str, optional
        Notes below the table.
    p_values : sequence of str
        Columns with p-values.
    drawn_as : str, default "winmatrix"
        Name of the plot in `nlgauge.plots`.
    """

    drawn_as: str = "winmatrix"

    def matrix(self, column: str = "p_adjusted") -> Findings:
        """Return a column of the comparison as a matrix of metrics, best first.

        Parameters
        ----------
        column : str, default "p_adjusted"
            Column of the comparison.

        Returns
        -------
        Findings
            M rows and M columns: the value of the column for each pair of metrics.

        Raises
        ------
        InputError
            If there are several human dimensions or groups.
        """
        labels, scores, _ = self._family(column)
        values = self._square(labels, column)
        order = np.argsort(-scores, kind="stable").tolist()
        rows = [
            {
                "metric": labels[i],
                "value": float(scores[i]),
                **{labels[j]: None if i == j else values[i, j] for j in order},
            }
            for i in order
        ]
        return Findings(
            rows, self.made, f"{column} of each pair", p_values=labels if column in self.p_values else ()
        )

    def clusters(self, alpha: float | None = None, adjusted: bool = True) -> Findings:
        """Return the significance cluster of each metric, best first.

        Parameters
        ----------
        alpha : float, optional
            Significance level. Default: the level of the comparison.
        adjusted : bool, default True
            Use the corrected p-values.

        Returns
        -------
        Findings
            M rows: cluster, letters, number of wins and losses, and `not_beaten`, True if no metric is significantly better.

        Raises
        ------
        InputError
            If the metrics were compared only with `against`, or there are several human dimensions or groups.
        """
        if self.made.get("against"):
            raise InputError(
                "clusters and letters need a comparison of all pairs of metrics, and these metrics were"
                f" compared only with {', '.join(self.made['against'])}",
                python="leave out against",
                cli="leave out --against",
            )
        labels, scores, p = self._family("p_adjusted" if adjusted else "p")
        alpha = float(self.made["alpha"]) if alpha is None else alpha
        ranks, shown, best = (
            cluster_ranks(scores, p, alpha),
            letters(scores, p, alpha),
            not_beaten(scores, p, alpha),
        )
        beats = wins(scores, p, alpha)
        rows = [
            {
                "metric": labels[i],
                "value": float(scores[i]),
                "cluster": ranks[i],
                "letters": shown[i],
                "wins": int(beats[i].sum()),
                "losses": int(beats[:, i].sum()),
                "not_beaten": best[i],
            }
            for i in np.argsort(-scores, kind="stable").tolist()
        ]
        return Findings(rows, {**self.made, "alpha": alpha, "adjusted": adjusted}, "Significance clusters")

    def letters(self, alpha: float | None = None, adjusted: bool = True) -> dict[str, str | None]:
        """Return the compact letter display of the metrics.

        Parameters
        ----------
        alpha : float, optional
            Significance level. Default: the level of the comparison.
        adjusted : bool, default True
            Use the corrected p-values.

        Returns
        -------
        dict of str to str or None
            Letters by metric. Metrics that share a letter are not significantly different.
        """
        return {row["metric"]: row["letters"] for row in self.clusters(alpha, adjusted)}

    def answer(self) -> list[str]:
        """Return a sentence about the best metric for each human dimension and group.

        Returns
        -------
        list of str
            Sentences that name the metric with the highest agreement and the metrics that are not significantly worse; empty if
            the metrics were compared only with `against`.
        """
        if self.made.get("against"):
            return []
        families = dict.fromkeys((row["human"], row["group"]) for row in self.rows)
        return [
            " ".join(self.where(human=human, group=group)._sentences(human, group))
            for human, group in families
        ]

    def _sentences(self, human: str, group: Any) -> Iterator[str]:
        labels, scores, p = self._family("p_adjusted")
        called = ", ".join(str(part) for part in (human, group) if part is not None)
        if np.isnan(scores).all():
            yield f"{called}: no metric has a value."
            return
        order = np.argsort(-scores, kind="stable").tolist()
        best, alpha = order[0], float(self.made["alpha"])
        level = f"{self.made['coefficient']} {scores[best]:.3f}, {self.made['level']} level"
        if scores[best] <= 0:
            yield f"{called}: no metric agrees with people; the highest is {labels[best]} ({level})."
            return
        leaders = [labels[i] for i in order if scores[i] == scores[best]]
        known = [i for i in order[len(leaders) :] if not np.isnan(p[best, i])]
        tied = [labels[i] for i in known if not (p[best, i] <= alpha and scores[best] > scores[i])]
        beaten = len(known) - len(tied)
        first = f"{labels[best]} agrees" if len(leaders) == 1 else f"{_listed(leaders)} agree equally and"
        rest = [f"{_listed(tied)} cannot be separated from {labels[best]}"] if tied else []
        rest += (
            [
                f"{labels[best]} is significantly better than"
                f" {'all others' if not tied else counted(beaten, 'other')}"
            ]
            if beaten
            else []
        )
        yield f"{called}: {'; '.join([f'{first} best with people ({level})', *rest])}."
        yield from () if group is not None else self._too_few(alpha)

    def _too_few(self, alpha: float) -> Iterator[str]:
        systems, smallest = int(self.made["systems"]), 2.0 ** (1 - int(self.made["systems"]))
        if (
            self.made["generalize_to"] == "systems"
            and self.made["test"] == "randomization"
            and smallest > alpha
        ):
            yield (
                f"{counted(systems, 'system')} are too few for any difference to be significant (p is at"
                f" least {smallest:.2g})."
            )
        elif self.made["generalize_to"] in {"systems", "both"} and systems < _FEW_SYSTEMS:
            yield f"{counted(systems, 'system')} are too few to show any but large differences."

    def _family(self, column: str) -> tuple[list[str], Array, Array]:
        for name in ("human", "group"):
            several = list(dict.fromkeys(row[name] for row in self.rows))
            if len(several) > 1:
                raise InputError(
                    f"these rows have {len(several)} values of {name!r}, but one is needed",
                    python=f"select one with .where({name}={several[0]!r})",
                    cli="choose one with --human"
                    if name == "human"
                    else "save one with `nlgauge meta DATA --group NAME -o DIR`",
                )
        known = {
            row[side]: row[value]
            for row in self.rows
            for side, value in (("metric", "value"), ("other", "other_value"))
        }
        labels = list(known)
        return labels, np.array([known[label] for label in labels], float), self._square(labels, column)

    def _square(self, labels: Sequence[str], column: str) -> Array:
        found = np.full((len(labels), len(labels)), np.nan)
        signed = column in {"delta", "low", "high"}
        for row in self.rows:
            i, j = labels.index(row["metric"]), labels.index(row["other"])
            back = {"delta": "delta", "low": "high", "high": "low"}.get(column, column)
            found[i, j], found[j, i] = row[column], -row[back] if signed else row[back]
        return found


def compare(
    judgments: Judgments,
    level: str = "system",
    coefficient: str | Measure = "pearson",
    test: str | None = None,
    generalize_to: str | None = None,
    adjust: str | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    human: str | Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    swap: str | None = None,
    confidence: float = 0.95,
    alpha: float = 0.05,
    stop: int | None = None,
    against: str | Sequence[str] | None = None,
) -> MetricComparison:
    """Test whether metrics differ in their agreement with human scores.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    level : {"system", "input", "global", "by_system"}
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    coefficient : str or Measure
        Name in `nlgauge.stats.measures.MEASURES`, or a Measure.
    test : {"randomization", "bootstrap", "williams"}, optional
        Test. "randomization" swaps the scores of two metrics, and is the default. "bootstrap" is the default for
        `generalize_to="both"`, which randomization does not support. "williams" tests new systems at the system level and
        new independent outputs at the global level.
    generalize_to : {"systems", "inputs", "both"}, optional
        Population of the claim: new systems (default), new inputs of the same systems (default for a single system at the
        global level), or both.
    adjust : {"maxT", "maxT-raw", "holm", "bonferroni", "bh", "by", "none"}, optional
        Correction for all pairs of a dimension and group. Default: "maxT" if there are resamples ("maxT-raw" does not scale
        them), "holm" for Williams' test and with `stop`.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.
    human : str or sequence of str, optional
        Human dimensions. Required if there are several.
    metrics : sequence of str, optional
        Metrics. Default: all.
    swap : {"systems", "inputs", "cells", "rows-xor-cols"}, optional
        Unit that randomization swaps. Default: derived from `generalize_to`.
    confidence : float, default 0.95
        Confidence of the interval of a difference: Zou's interval for Williams' test, otherwise the percentile bootstrap
        over the units of `generalize_to`.
    alpha : float, default 0.05
        Significance level: `better` names a metric if p_adjusted <= alpha.
    stop : int, optional
        Stop randomization tests early by Besag and Clifford's rule: the test stops after this number of resamples (such as
        20) with a difference as large as observed, and p remains valid. A small p needs all resamples.
    against : str or sequence of str, optional
        Metrics that were chosen in advance, such as BLEU or a sentinel. Each metric is compared only with these, and
        p-values are corrected for these planned pairs.

    Returns
    -------
    MetricComparison
        One row per pair of metrics, human dimension and group.

    Raises
    ------
    InputError
        If there are fewer than two metrics.
    ParameterError
        If an option is invalid.
    UnknownNameError
        If there is no such metric or human dimension.

    Notes
    -----
    Outputs that any metric or the human scores lack are excluded for all metrics. p-values of resampling tests are
    (1 + b) / (B + 1), where b is the number of resamples with a difference at least as large as observed.
    """
    named = tuple(judgments.check_metric(name) for name in listed(against or ()))
    if (
        len(judgments.systems) == 1
        and level == "global"
        and (generalize_to, swap, test) == (None, None, None)
    ):
        generalize_to = "inputs"
    plan = planned(
        level, coefficient, test, generalize_to, adjust, resamples, seed, swap, confidence, alpha, stop, named
    )
    chosen = judgments if metrics is None else judgments.only(metrics=list(dict.fromkeys([*metrics, *named])))
    if len(chosen.labels) < 2:
        raise InputError(
            f"a comparison needs two metrics, got {', '.join(chosen.labels) or 'none'}; score or name another."
        )
    dimensions = [chosen.dimension(name) for name in ([None] if human is None else listed(human))]
    rows = [
        row
        for dimension in dimensions
        for group, part in chosen.by_group().items()
        for row in all_pairs(part, dimension, plan).rows(dimension, group)
    ]
    how = {name: value for name, value in vars(plan).items() if name not in {"measure", "against"}}
    title = f"Differences in {plan.measure.title}, {plan.level} level"
    described = made(
        coefficient=plan.measure.name, against=list(named) or None, systems=len(chosen.systems), **how
    )
    return MetricComparison(rows, described, title, tuple(_notes(plan, chosen)))


def planned(
    level: str,
    coefficient: str | Measure,
    test: str | None,
    generalize_to: str | None,
    adjust: str | None,
    resamples: int,
    seed: int,
    swap: str | None,
    confidence: float,
    alpha: float,
    stop: int | None = None,
    against: tuple[str, ...] = (),
) -> Plan:
    """Return the options of a comparison, checked and completed."""
    chosen = measure(coefficient)
    if (chosen.average, chosen.undefined) != ("macro", "drop"):
        raise ParameterError(
            "comparisons need a measure with average='macro' and undefined='drop', got"
            f" {chosen.average!r} and {chosen.undefined!r}."
        )
    if check_level(level) not in chosen.levels:
        raise ParameterError(
            f"{chosen.name} is defined at level {', '.join(chosen.levels)}, got {level!r}; choose another level or"
            " coefficient."
        )
    if swap is not None and swap not in GENERALIZES_TO:
        raise ParameterError(f"swap must be one of {', '.join(map(repr, GENERALIZES_TO))}, got {swap!r:.60}.")
    target = generalize_to or (GENERALIZES_TO[swap] if swap else "systems")
    check_over(target, "generalize_to")
    check_resampling(resamples, seed)
    check_confidence(confidence)
    check_confidence(alpha, "alpha")
    test = test or ("bootstrap" if target == "both" else "randomization")
    if test not in TESTS:
        raise ParameterError(f"test must be one of {', '.join(map(repr, TESTS))}, got {test!r:.60}.")
    if swap is not None and (test != "randomization" or target != GENERALIZES_TO[swap]):
        raise ParameterError(
            f"swap={swap!r} is for randomization tests that generalize to {GENERALIZES_TO[swap]}, got"
            f" test={test!r}, generalize_to={target!r}."
        )
    if test == "randomization" and target == "both":
        raise ParameterError(
            "a randomization test cannot generalize to new systems and new inputs at once",
            python="use test='bootstrap', or swap='cells' (PERM-BOTH) to generalize to new outputs",
            cli="use --test bootstrap",
        )
    if test == "williams":
        target = _of_williams(level, chosen, generalize_to)
    if stop is not None and (
        test != "randomization" or not isinstance(stop, int) or isinstance(stop, bool) or stop < 1
    ):
        raise ParameterError(
            "stop must be a whole number from 1, and only a randomization test can stop early; got"
            f" stop={stop!r:.60} with test={test!r}."
        )
    adjust = adjust or ("holm" if test == "williams" or stop is not None else "maxT")
    if stop is not None and adjust in MAX_T:
        raise ParameterError(
            f"adjust={adjust!r} compares all pairs in the same resamples, so that none can stop early; use"
            " adjust='holm' with stop."
        )
    if adjust not in {*METHODS, *MAX_T} or (adjust in MAX_T and test == "williams"):
        raise ParameterError(
            f"adjust must be one of {', '.join(METHODS)}, for tests with resamples also {' or '.join(MAX_T)}, got"
            f" {adjust!r:.60}."
        )
    swap = swap or target if test == "randomization" else None
    return Plan(level, chosen, test, target, swap, adjust, resamples, seed, confidence, alpha, stop, against)


def _of_williams(level: str, chosen: Measure, generalize_to: str | None) -> str:
    if level not in {"system", "global"} or chosen.name not in {"pearson", "spearman", "kendall"}:
        raise ParameterError(
            "Williams' test is for one Pearson, Spearman or Kendall correlation at system or global level,"
            f" got {chosen.name} at {level} level (an average of correlations has another distribution)",
            python="use test='randomization' or 'bootstrap'",
            cli="use --test randomization or bootstrap",
        )
    target = "systems" if level == "system" else "outputs"
    if generalize_to not in {None, target}:
        raise ParameterError(
            f"Williams' test at {level} level generalizes only to {target}, not to {generalize_to}",
            python="leave out generalize_to",
            cli="omit --generalize-to",
        )
    return target


def _notes(plan: Plan, judgments: Judgments) -> list[str]:
    said: Mapping[str, str] = {
        "systems": "The claims are about new systems.",
        "inputs": (
            "The claims are about new inputs of these very systems; another set of systems may reverse them."
            if len(judgments.systems) > 1
            else "The claims are about new inputs."
        ),
        "both": "The claims are about new systems and new inputs.",
        "outputs": (
            "The claims are about new outputs, each taken as independent of all others, which outputs of one"
            " system or input are not."
        ),
    }
    notes = [said[plan.generalize_to]]
    if plan.stop is not None:
        notes.append(
            f"Each test stopped at resample l, when {plan.stop} resamples were as large as the observed difference:"
            f" p = {plan.stop} / l (Besag and Clifford)."
        )
    if plan.test == "williams" and plan.measure.name != "pearson":
        notes.append("Williams' test is an approximation for rank correlations.")
    units = {"systems": len(judgments.systems), "inputs": len(judgments.segments)}.get(
        plan.swap or "", math.inf
    )
    if units < 3:
        notes.append(
            f"Too few for a test: {counted(int(units), str(plan.swap)[:-1])}. At least three are needed, and ten"
            " or more for reasonable power."
        )
    elif 2 / 2**units > plan.alpha / 10:
        notes.append(
            f"With {units} {plan.swap} there are {2 ** (int(units) - 1)} different swaps, so no p is"
            f" below {2 / 2**units:.3g}."
        )
    family = f"{counted(int(plan.family(judgments.labels).sum()), 'pair')} of metrics"
    planned_pairs = f", each metric with {' and with '.join(plan.against)}" if plan.against else ""
    notes.append(
        f"p_adjusted is corrected for {family}{planned_pairs} ({plan.adjust})."
        if plan.adjust != "none"
        else f"{family}, not corrected."
    )
    return notes


def _listed(names: Sequence[str], most: int = 4) -> str:
    """Return names with "and" before the last; only the first few are spelled out."""
    shown = [*names] if len(names) <= most else [*names[: most - 1], counted(len(names) - most + 1, "other")]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
