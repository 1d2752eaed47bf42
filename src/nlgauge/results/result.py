"""Result: what a run found.

Every view (table, frame, interval, test, explanation, report) reads it and nothing else.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from nlgauge._core.lazy import lazy, lazy_field
from nlgauge._core.numbers import counted
from nlgauge._core.options import takes_options
from nlgauge.errors import ParameterError, ResultError, UnknownNameError, no_such
from nlgauge.results.table_options import REPORT_DEFAULTS, ExportedTable, ReportOptions, TableOptions

if TYPE_CHECKING:
    from nlgauge._core.page import Page
    from nlgauge.corpus import Corpus
    from nlgauge.engine.chunk import Job
    from nlgauge.engine.costs import Costs
    from nlgauge.engine.executors import Executor
    from nlgauge.explanations import Explanations
    from nlgauge.metric import AnyMetric
    from nlgauge.metric.table import Table
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.groups import Groups
    from nlgauge.results.inference import Inference
    from nlgauge.results.ranks import Ranks
    from nlgauge.results.resampling import Resampling
    from nlgauge.results.segments import SegmentList
    from nlgauge.results.storage.resume import Destination
    from nlgauge.results.targets import Target
    from nlgauge.show.report.notebook import Framed
    from nlgauge.spans.columns import Spans

    # By label, system and segment.
    ExplanationsByKey = dict[tuple[str, str, Hashable], Explanations]

# Intervals of up to this number of rows of statistics are computed without a noticeable wait.
_QUICK = 50_000


@dataclass(frozen=True, eq=False, repr=False)
class Result(ExportedTable, Mapping[str, Any]):
    """A mapping from labels to outputs, or from systems to labels to outputs if there are several systems.

    Parameters
    ----------
    corpus : Corpus
        N segments with the predictions of S systems.
    _tables : mapping
        Statistics by system and label.
    signatures : mapping of str to str
        Signature of each metric, by label.
    costs : Costs
        Seconds, memory and energy of the run.
    _job : Job
        Metrics and options of the run.
    environment : mapping of str to str
        Versions and machine of the run.
    has_texts : bool, default True
        False if the result was saved without its texts.
    _last : list
        Latest resamples, reused by the next interval or test.
    sequential : mapping, optional
        Verdict of a run that stopped when it was sure.

    Notes
    -----
    `nlgauge.score`, `Scorer` and `nlgauge.load` return results; the constructor is not meant to be called.

    Examples
    --------
    >>> import nlgauge
    >>> result = nlgauge.score(["the cat sat"], ["the cat sat"], metrics=["bleu(max_order=2)", "wer"])
    >>> result["wer"]["score"], result["bleu"]["score"]
    (0.0, 100.00000000000004)
    """

    corpus: Corpus
    _tables: Mapping[tuple[str, str], Table]
    signatures: Mapping[str, str]
    costs: Costs
    _job: Job
    environment: lazy_field[Mapping[str, str]] = lazy_field()  # noqa: RUF009
    has_texts: bool = True
    # The last resamples, so that intervals and a comparison after them draw once.
    _last: list[Inference] = field(default_factory=list, repr=False)
    sequential: Mapping[str, Any] | None = None

    @lazy
    def systems(self) -> tuple[str, ...]:
        """Names of the S systems."""
        return tuple(dict.fromkeys(system for system, _ in self._tables))

    @lazy
    def labels(self) -> tuple[str, ...]:
        """Labels of the M metrics."""
        return tuple(dict.fromkeys(label for _, label in self._tables))

    @property
    def config(self) -> dict[str, Any]:
        """Options of the run, as plain data."""
        from nlgauge.engine.chunk import describe

        return describe(self._job)

    def __getitem__(self, key: str) -> Any:
        several = len(self.systems) > 1
        if key in self.systems and (several or key not in self.labels):
            return _ByLabel(self, {label: self._tables[key, label].scores() for label in self.labels})
        if several:
            from nlgauge.results.labels import labels_found

            if key in self.labels or labels_found(key, self._metrics):
                raise UnknownNameError(
                    f"the result has several systems ({', '.join(self.systems)}); use result[system][{key!r}]."
                )
            self._check_system(key)
        return self._tables[self.systems[0], self._label(key)].scores()

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems if len(self.systems) > 1 else self.labels)

    def __len__(self) -> int:
        return len(self.systems if len(self.systems) > 1 else self.labels)

    @lazy
    def _metrics(self) -> dict[str, AnyMetric]:
        return {label: self._tables[self.systems[0], label].metric for label in self.labels}

    def _label(self, name: str) -> str:
        """Return the label that a label, a metric as printed, an alias or a unique bare name stands for."""
        from nlgauge.results.labels import label_of

        return label_of(name, self._metrics)

    def _check_system(self, name: str) -> None:
        """Raise an error if the result has no such system."""
        if name not in self.systems:
            raise UnknownNameError(no_such("system", name, self.systems, " in this result"))

    def _by_shape(self, values: dict[tuple[str, str], Any]) -> dict[str, Any]:
        if len(self.systems) == 1:
            return _ByLabel(self, {label: value for (_, label), value in values.items()})
        return {
            system: _ByLabel(self, {label: values[system, label] for label in self.labels})
            for system in self.systems
        }

    def reasons(self) -> dict[tuple[str, str, str], str]:
        """Return the reason for every score that is NaN.

        Returns
        -------
        dict
            Reasons by (system, label, output).
        """
        reasons = {}
        for (system, label), table in self._tables.items():
            scores = table.scores()
            for output in table.outputs():
                if isinstance(scores.get(output.name), float) and math.isnan(scores[output.name]):
                    reasons[system, label, output.name] = table.unknown or output.nan
        return reasons

    def undefined(self) -> dict[tuple[str, str, str], int]:
        """Count the segments without a value, which are excluded from means.

        Returns
        -------
        dict
            Number of segments by (system, label, output). Outputs without such segments are omitted.
        """
        return {
            (system, label, name): count
            for (system, label), table in self._tables.items()
            for name, count in table.undefined().items()
        }

    def segments(self, frame: str | None = None, *, wide: bool = False, texts: bool = False) -> Any:
        """Return the segment scores as a table: one row per segment and system.

        Parameters
        ----------
        frame : {"pandas", "polars", "records"}, optional
            Type of the table; "records" is a list of dictionaries. Default: the
            installed library, or "records" without one.
        wide : bool, default False
            Use one row per segment, with columns SYSTEM/OUTPUT.
        texts : bool, default False
            Add predictions, references and sources.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or list of dict
            S * N rows, or N rows if `wide`. Fields of the segments precede the scores. Metrics without segment scores have
            no column.

        Raises
        ------
        ResultError
            If `texts` is True and the result was saved without its texts.

        Notes
        -----
        A column is named after its metric, without parameters if that name is unique, and its output, such as
        `rouge.rougeL`. If both names are equal, the column has one name, such as `bleu`.
        """
        from nlgauge._core.frames import blocks_as_frame
        from nlgauge.results.segments import segment_columns

        if texts:
            self._need_texts("show the texts of")
        return blocks_as_frame(segment_columns(self, wide, texts), frame)

    def scores(
        self,
        frame: str | None = None,
        *,
        intervals: bool = True,
        confidence: float = 0.95,
        resamples: int = 1000,
        seed: int | None = None,
    ) -> Any:
        """Return the scores as a table: one row per system, metric and output.

        Parameters
        ----------
        frame : {"pandas", "polars", "records"}, optional
            Type of the table; "records" is a list of dictionaries. Default: the
            installed library, or "records" without one.
        intervals : bool, default True
            Compute intervals.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or list of dict
            Score, bounds of its interval, direction, number of segments without a value, and the reason if a number is NaN.
        """
        from nlgauge._core.frames import as_frame
        from nlgauge.results.scores import score_records

        return as_frame(
            score_records(self, self.intervals(confidence, resamples, seed) if intervals else None), frame
        )

    def with_scores(
        self,
        name: str,
        scores: Mapping[str, Sequence[Any]],
        *,
        better: str | Sequence[str] | None = None,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> Result:
        """Return the result with scores that another program or people gave.

        Parameters
        ----------
        name : str
            Name of the score; facts may follow, such as "helpful:higher:1..5".
        scores : mapping of str to sequence
            N scores by system, one per segment: a number, a boolean, a category, a list of several scores, or None if the
            score is missing. Systems that are not named have no scores.
        better : str or sequence of str, optional
            "higher", "lower" or "neither", or the categories from worst to best. Default: from `name`.
        low : float, optional
            Lowest possible score. Default: none.
        high : float, optional
            Highest possible score. Default: none.

        Returns
        -------
        Result
            The result with one more metric.

        Raises
        ------
        InputError
            If a score is not a number or outside its bounds, or a system has another number of scores.
        ParameterError
            If the description of the score is not valid, or the result has a metric of this name.
        """
        from nlgauge.results.imported.building import with_scores

        return with_scores(self, name, scores, better, low, high)

    def with_spans(self, spans: Sequence[Spans]) -> Result:
        """Return the result with error spans of people or metrics, which are saved with it.

        Parameters
        ----------
        spans : sequence of Spans
            Spans, one per annotator or metric, as `nlgauge.spans.read` or `nlgauge.meta.metric_spans` returns them. Systems
            and segment ids, as text, select their places.

        Returns
        -------
        Result
            The result with spans, which the report and the explorer show.

        Raises
        ------
        InputError
            If spans and result have no text in common, or a text differs.
        """
        from nlgauge.spans.of_corpus import with_spans

        return replace(self, corpus=with_spans(self.corpus, spans))

    def worst(self, metric: str, n: int = 10, system: str | None = None) -> SegmentList:
        """Return the segments with the worst scores, worst first, with their texts.

        Parameters
        ----------
        metric : str
            Metric ("rouge") or one of its outputs ("rouge.rouge2").
        n : int, default 10
            Number of segments.
        system : str, optional
            Restrict the segments to this system. Default: all systems.

        Returns
        -------
        SegmentList
            At most `n` segments. Segments without a value are omitted; `note` reports their number.

        Raises
        ------
        ParameterError
            If the metric has no segment scores, or the output has no direction.
        """
        from nlgauge.results.segments import worst

        return worst(self, metric, n, system)

    def missing(self, metric: str, system: str | None = None) -> SegmentList:
        """Return the segments without a score, with the reason and their texts.

        Parameters
        ----------
        metric : str
            Metric ("rouge") or one of its outputs ("rouge.rouge2").
        system : str, optional
            Restrict the segments to this system. Default: all systems.

        Returns
        -------
        SegmentList
            The segments. The column `missing` is "empty", "unreadable", "error" or "absent".

        Raises
        ------
        ParameterError
            If the metric has no segment scores.
        """
        from nlgauge.results.segments import missing

        return missing(self, metric, system)

    def disagreements(self, one: str, other: str, n: int = 10, system: str | None = None) -> SegmentList:
        """Return the segments that two metrics rank most differently, with their texts.

        Parameters
        ----------
        one : str
            Metric ("rouge") or one of its outputs ("rouge.rouge2").
        other : str
            Metric or output to compare `one` with.
        n : int, default 10
            Number of segments.
        system : str, optional
            Restrict the segments to this system. Default: all systems.

        Returns
        -------
        SegmentList
            At most `n` segments with both scores and ranks, the largest difference first.

        Raises
        ------
        ParameterError
            If a metric has no segment scores, or an output has no direction.

        Notes
        -----
        A rank is a share of the segments, 1 for the best by the direction of the output. Equal scores share their mean rank.
        """
        from nlgauge.results.segments import disagreements

        return disagreements(self, one, other, n, system)

    def where(self, expression: str = "", /, **conditions: Any) -> Result:
        """Return the result on the segments that meet an expression and all conditions.

        Parameters
        ----------
        expression : str, optional
            Expression over scores, fields and texts, such as `'domain = news and bleu[A] < 5'`.
        **conditions
            Fields of the segments and their values, such as `domain="news"`; a list matches any of its items.

        Returns
        -------
        Result
            Result on these segments. Only corpus metrics are computed again, from the texts; fits remain unchanged.

        Raises
        ------
        InputError
            If a field is unknown or no segment matches.
        ParameterError
            If the expression has a mistake.

        Notes
        -----
        An expression compares names with values by =, !=, <, <=, >, >= and ~ (regular expression), and joins comparisons with
        and, or, not and brackets. A name is a score (`bleu`, `rouge.rougeL`, `"chrf(word_order=2)"`), a field, `id`, `source`,
        `reference`, `prediction`, `words` or `length`. `bleu[A]` is the score of one system; without a
        system a comparison is met if any system meets it. A word without a comparison is searched in ids and
        texts.
        """
        from nlgauge.results.groups import taken

        result = self
        if expression.strip():
            from nlgauge.results.selecting import selected

            result = taken(self, selected(self, expression))
        return taken(result, result.corpus.matching(**conditions)) if conditions else result

    def by(self, field: str) -> Groups:
        """Split the result by the values of a field.

        Parameters
        ----------
        field : str
            Field of the segments.

        Returns
        -------
        Groups
            Mapping from values to results, displayed as one table.
        """
        from nlgauge.results.groups import Groups, taken

        return Groups(
            field, {value: taken(self, segments) for value, segments in self.corpus.groups(field).items()}
        )

    def intervals(
        self, confidence: float = 0.95, resamples: int = 1000, seed: int | None = None
    ) -> dict[str, Any]:
        """Return every score with its confidence interval.

        Parameters
        ----------
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.

        Returns
        -------
        dict
            `Interval` (score, low, high, reason) by label and output, or by system, label and output if there are several
            systems. The bounds are NaN if there is no interval; `reason` has the cause.

        Notes
        -----
        Segments, or documents if the corpus has them, are resampled with replacement, and the bounds are percentiles. Metrics of
        the whole corpus are computed on half samples.
        """
        return self._by_shape(self._inference(confidence, resamples, seed).intervals())

    def compare(
        self,
        *systems: str,
        baseline: str | None = None,
        all_pairs: bool = False,
        test: str = "randomization",
        confidence: float = 0.95,
        resamples: int = 1000,
        seed: int | None = None,
        legacy: str | None = None,
    ) -> Comparison:
        """Compare systems with a baseline, or all pairs, on every metric: gain, interval, p-values.

        Parameters
        ----------
        *systems : str
            Systems to compare. Default: all.
        baseline : str, optional
            System that the other systems are compared with. Default: the first system, or the first of two named systems.
        all_pairs : bool, default False
            Compare every pair, the second system with the first. This is the default if more than two systems and no
            baseline are named.
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        legacy : {"sacrebleu"}, optional
            Return the p-values of sacreBLEU against a baseline, resample by resample, for comparison with published values.
            Its rule calls a system different from itself.

        Returns
        -------
        Comparison
            One row per pair of systems and part of a metric, which is tested on its first output.

        Raises
        ------
        ResultError
            If the result has only one system.
        ParameterError
            If an option is invalid, or fewer than two systems are named.
        UnknownNameError
            If the result has no such system.

        Notes
        -----
        The gain of a system is its improvement over the baseline: positive if it is better, whatever the direction of the
        metric. p-values against a baseline are corrected by Holm's method for all tests of the comparison, p-values of all
        pairs by max-T for all pairs, separately for each output.
        """
        from nlgauge.results.comparison import Comparison
        from nlgauge.results.equal_outputs import corrected_once, equal_outputs
        from nlgauge.results.resampling import caution, checked_test, drawn_in_groups

        test = checked_test(test)
        inferred = self._inference(confidence, resamples, seed)
        together = baseline is None and (all_pairs or len(set(systems)) > 2)
        pairs = self._pairs(systems, baseline, all_pairs)
        rows = inferred.compared(pairs, test, together)
        few = caution(min((row.units for row in rows if row.units), default=0), test)
        warned = few or drawn_in_groups(inferred.plan.clusters)
        if test == "bootstrap" and few:
            warnings.warn(f"{warned}; use the randomization test.", stacklevel=2)
        if legacy is not None:
            if legacy != "sacrebleu":
                raise ParameterError(f"legacy must be 'sacrebleu' or None, got {legacy!r:.60}.")
            if together:
                raise ParameterError(
                    "legacy='sacrebleu' compares with a baseline, not all pairs; pass baseline=SYSTEM."
                )
            from nlgauge.results.legacy import as_sacrebleu

            rows = as_sacrebleu(inferred, rows, test)
            warned = "; ".join(
                filter(
                    None,
                    [
                        warned,
                        "p-values by sacreBLEU's rule, under which a system differs significantly from itself",
                    ],
                )
            )
        equal = equal_outputs(self._tables)
        if not together:
            (rows,) = corrected_once([(rows, equal)])
        return Comparison(
            rows,
            test,
            inferred.plan.confidence,
            resamples,
            warned,
            inferred.plan.seed,
            equal,
            "max_t" if together else "holm",
            self._label,
        )

    def ranks(
        self,
        *,
        test: str = "randomization",
        confidence: float = 0.95,
        resamples: int = 1000,
        seed: int | None = None,
    ) -> Ranks:
        """Rank the systems on each metric, from tests of all pairs corrected by max-T.

        Parameters
        ----------
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.

        Returns
        -------
        Ranks
            For the first output of each part of each metric: letters (systems that share a letter are not significantly
            different) and the range of ranks of each system.

        Raises
        ------
        ResultError
            If the result has only one system.
        """
        from nlgauge.results.equal_outputs import equal_outputs
        from nlgauge.results.ranks import Ranks
        from nlgauge.results.resampling import checked_test

        test = checked_test(test)
        if len(self.systems) < 2:
            raise ResultError(
                f"ranks need at least two systems, got only {self.systems[0]!r}",
                python="score several systems with predictions={name: texts}",
                cli="score several systems with -i",
            )
        inferred = self._inference(confidence, resamples, seed)
        return Ranks(
            inferred.ranked(test),
            test,
            inferred.plan.confidence,
            resamples,
            inferred.plan.seed,
            equal_outputs(self._tables),
            self._label,
        )

    def _pairs(
        self, systems: tuple[str, ...], baseline: str | None, all_pairs: bool
    ) -> list[tuple[str, str]]:
        for system in systems if baseline is None else (*systems, baseline):
            self._check_system(system)
        if all_pairs and baseline is not None:
            raise ParameterError(
                f"all_pairs compares without a baseline, got baseline {baseline!r}",
                python="pass either all_pairs or baseline",
            )
        if len(self.systems) < 2:
            raise ResultError(
                f"a comparison needs at least two systems, got only {self.systems[0]!r}",
                python="score several systems with predictions={name: texts}",
                cli="score several systems with -i",
            )
        compared = list(dict.fromkeys(systems or self.systems))
        if baseline is None:
            baseline = compared[0]
            if len(compared) > 1 and (all_pairs or (systems and len(compared) > 2)):
                return list(combinations(compared, 2))
        others = [system for system in compared if system != baseline]
        if not others:
            rest = ", ".join(repr(system) for system in self.systems if system != baseline)
            raise ParameterError(
                f"a comparison needs two systems, got only {baseline!r}; name one of the others: {rest}."
            )
        return [(baseline, other) for other in others]

    def _inference(self, confidence: float, resamples: int, seed: int | None) -> Inference:
        from nlgauge.results.inference import Inference
        from nlgauge.results.resampling import checked_plan
        from nlgauge.stats.units import Clusters

        clusters = Clusters(self.corpus.documents, len(self.corpus))
        plan = checked_plan(
            clusters,
            self.corpus.weights,
            resamples,
            self._job.options.seed if seed is None else seed,
            confidence,
        )
        if not self._last or not _same_draws(self._last[0].plan, plan):
            self._last[:] = [Inference(self._tables, self.corpus, self._job.options, self.has_texts, plan)]
        self._last[0].plan = plan
        return self._last[0]

    @overload
    def explain(self, metric: str, segment: Hashable, system: str | None = None) -> Explanations: ...

    @overload
    def explain(
        self, metric: str | list[str] | None, segment: list[Any], system: str | list[str] | None = None
    ) -> ExplanationsByKey: ...

    @overload
    def explain(
        self, metric: list[str] | None, segment: Hashable, system: str | list[str] | None = None
    ) -> ExplanationsByKey: ...

    @overload
    def explain(self, metric: str, segment: Hashable, system: list[str]) -> ExplanationsByKey: ...

    def explain(
        self,
        metric: str | list[str] | None,
        segment: Hashable | list[Any],
        system: str | list[str] | None = None,
    ) -> Explanations | ExplanationsByKey:
        """Explain the scores of one or more segments.

        Parameters
        ----------
        metric : str, list of str or None
            Metric, list of metrics, or None for all metrics.
        segment : hashable or list
            Id of a segment, also as text, or its number; or a list of these. A list is faster than one call per segment,
            because texts are tokenized and encoded once.
        system : str or list of str, optional
            System, required if there are several, or a list of systems. If `metric` is None, or `metric` or `segment` is a
            list, None means all systems.

        Returns
        -------
        Explanations or dict
            List with one explanation, or several if different references determine parts of the metric; empty if the metric
            has no explanations. If `metric` is None or any argument is a list, a dictionary of such lists by (label, system,
            segment).

        Raises
        ------
        ParameterError
            If the segment does not exist, or no system is named and there are several.
        """
        from nlgauge.results.explain import explain_segments

        many = metric is None or any(isinstance(each, list) for each in (metric, segment, system))
        if system is None and not many:
            if len(self.systems) > 1:
                raise ParameterError(
                    f"system is missing, and the result has several ({', '.join(self.systems)})",
                    python=f"pass one, for example system={self.systems[0]!r}",
                    cli=f"name one, for example --system {self.systems[0]}",
                )
            system = self.systems[0]
        names = {
            self._segment_number(each): each for each in (segment if isinstance(segment, list) else [segment])
        }
        metrics, systems = ([each] if isinstance(each, str) else each for each in (metric, system))
        explanations = {
            (label, name, names[number]): found
            for (label, name, number), found in explain_segments(self, list(names), metrics, systems).items()
        }
        return explanations if many else next(iter(explanations.values()))

    def _segment_number(self, segment: Hashable) -> int:
        place = self.corpus.number(segment)
        if place is None:
            raise ParameterError(
                f"unknown segment {segment!r}; the result has {counted(len(self.corpus), 'segment')}, from"
                f" {self.corpus.ids[0]!r} to {self.corpus.ids[-1]!r}."
            )
        return place

    def add(
        self,
        *metrics: str | AnyMetric | Mapping[str, Any],
        predictions: Mapping[str, Any] | None = None,
        executor: str | Executor | None = None,
        cache: bool = True,
        output: str | Path | Destination | None = None,
        resume: bool = False,
        overwrite: bool = False,
        batch_size: int | None = None,
        device: str | None = None,
        show_progress: bool | None = None,
    ) -> Result:
        """Return the result with further metrics, further systems, or both; nothing is scored again.

        Parameters
        ----------
        *metrics : str, metric or mapping
            Metrics to add, in any form that `nlgauge.score` accepts.
        predictions : mapping, optional
            Systems to add: a mapping from names to N predictions each.
        executor : str or Executor, optional
            Executor of the chunks: "serial", "threads", "processes", "ray", or an object of `nlgauge.engine.executors`.
            Default: "threads" if all metrics are built in and have no model, otherwise "serial".
        cache : bool, default True
            Read and write the cache of segment statistics of costly metrics.
        output : str or Path, optional
            Directory to save the new result in. Rows are saved as soon as they are computed. It may be the directory of this
            result if `overwrite` is True; that result remains unchanged until the new result is complete.
        resume : bool, default False
            Continue the unfinished run in `output`.
        overwrite : bool, default False
            Replace the result in `output`.
        batch_size : int, optional
            Number of texts that a model reads at once. Default: the value of this result.
        device : str, optional
            Torch device, such as "cpu", "cuda" or "cuda:1". Default: the device of this result.
        show_progress : bool, optional
            Show a progress bar. Default: if standard error is a terminal and the run is long.

        Returns
        -------
        Result
            The larger result.

        Raises
        ------
        ResultError
            If the result was saved without its texts.
        """
        from nlgauge.engine.run_options import run_options
        from nlgauge.results.storage.extend import extended
        from nlgauge.results.storage.resume import Destination
        from nlgauge.scoring import output_of

        self._need_texts("add to")
        given, before = run_options(batch_size=batch_size, device=device), self._job.options
        options = replace(
            before, batch_size=given.batch_size or before.batch_size, device=given.device or before.device
        )
        result = replace(self, _job=replace(self._job, options=options, cache=cache))
        kept = output if isinstance(output, Destination) else output_of(output, resume, overwrite)
        return extended(result, metrics, predictions, executor, kept, show_progress)

    @takes_options(ReportOptions, REPORT_DEFAULTS)
    def report(self, path: str | Path, *, title: str | None = None, **options: Unpack[ReportOptions]) -> Path:
        """Write a self-contained HTML report.

        Parameters
        ----------
        path : str or Path
            File to write.
        title : str, optional
            Title of the report. Default: the name of the file.
        explain : int or "all", default 200
            Number of segments with explanations: segments on which systems differ most or metrics disagree, segments with
            the worst and best scores, and random segments. Slow explanations are computed for 40 of them unless the value
            is "all".
        texts : bool, default True
            Include texts and explanations. False makes a report that may be shared.
        max_size : float, default 25
            Size of the file in megabytes. Only scores and the texts of explained segments may exceed it; the page reports
            the omitted parts.
        human : str or sequence of str, optional
            Fields or imported scores that are human scores, such as "coherence", or "mqm:lower" if lower is better. They
            come first, with intervals and tests. Default: fields called human.NAME, else all fields with a number for
            each of several systems. An empty sequence shows no human scores.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        against : Result, optional
            Older run of the same test set: the report begins with what changed since.
        pairs : mapping of str to str, optional
            For systems of this result the systems of the older run to compare them with. Default: systems of the same
            name; if each run has one system, these two.
        run_names : tuple of str, optional
            Names of this and of the older run in the report. Default: the title and "the old run".

        Returns
        -------
        Path
            The file; its attribute `left_out` names the parts that did not fit into `max_size`.
        """
        from nlgauge.show.report import write_report

        return write_report(self, path, title=title, **options)

    @takes_options(ReportOptions, REPORT_DEFAULTS)
    def show(
        self, title: str | None = None, *, height: int = 760, **options: Unpack[ReportOptions]
    ) -> Framed:
        """Show the report in a notebook, in an isolated frame.

        Parameters
        ----------
        title : str, optional
            Title of the report. Default: "nlgauge".
        height : int, default 760
            Height of the frame in pixels.
        explain : int or "all", default 200
            Number of segments with explanations: segments on which systems differ most or metrics disagree, segments with
            the worst and best scores, and random segments. Slow explanations are computed for 40 of them unless the value
            is "all".
        texts : bool, default True
            Include texts and explanations. False makes a report that may be shared.
        max_size : float, default 25
            Size of the file in megabytes. Only scores and the texts of explained segments may exceed it; the page reports
            the omitted parts.
        human : str or sequence of str, optional
            Fields or imported scores that are human scores, such as "coherence", or "mqm:lower" if lower is better. They
            come first, with intervals and tests. Default: fields called human.NAME, else all fields with a number for
            each of several systems. An empty sequence shows no human scores.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        against : Result, optional
            Older run of the same test set: the report begins with what changed since.
        pairs : mapping of str to str, optional
            For systems of this result the systems of the older run to compare them with, as for `Result.report`.
        run_names : tuple of str, optional
            Names of this and of the older run. Default: the title and "the old run".

        Returns
        -------
        Framed
            Frame that a notebook displays. The notebook stores the page; a smaller `explain` makes it smaller.
        """
        from nlgauge.show.report.notebook import framed

        return framed(self, title, height, **options)

    def save(self, directory: str | Path, *, texts: bool = True, overwrite: bool = False) -> Path:
        """Save the result to a directory, completely or not at all.

        Parameters
        ----------
        directory : str or Path
            Directory to write.
        texts : bool, default True
            Save the texts; False saves only their hashes.
        overwrite : bool, default False
            Replace a result in the directory. Other files are never replaced.

        Returns
        -------
        Path
            The directory.

        Raises
        ------
        ResultError
            If the directory is not writable, or contains other files, or a result and `overwrite` is False.
        """
        from nlgauge.results.storage.save import save

        return save(self, Path(directory), texts, overwrite)

    def log(
        self,
        target: str | Target,
        *,
        run: Any = None,
        step: int | None = None,
        segments: bool = True,
        texts: bool = False,
        report: bool = False,
    ) -> None:
        """Log scores, intervals, signatures and segment scores to a tracker of experiments.

        Parameters
        ----------
        target : {"mlflow", "wandb"} or Target
            Tracker, or an object with the methods `log_numbers`, `log_texts`, `log_table` and `log_file`.
        run : str or object, optional
            Id of a run of MLflow, or a run object of wandb. Default: the active run.
        step : int, optional
            Step of the training that the scores belong to.
        segments : bool, default True
            Log a table of segment scores.
        texts : bool, default False
            Include the texts in the table and in the report.
        report : bool, default False
            Log the HTML report.

        Raises
        ------
        MissingExtraError
            If the package of the tracker is not installed.
        ParameterError
            If the target is unknown, or no run is active.
        """
        from nlgauge.results.targets import log, target_of

        if texts:
            self._need_texts("log the texts of")
        log(self, target_of(target, run), step, segments, texts, report)

    def to_model_index(
        self,
        task: str | Mapping[str, Any],
        dataset: str | Mapping[str, Any],
        *,
        system: str | None = None,
        name: str | None = None,
        confidence: float = 0.95,
        resamples: int = 1000,
        seed: int | None = None,
    ) -> str:
        """Return the scores of a system as YAML for a model card of Hugging Face.

        Parameters
        ----------
        task : str or mapping
            Task of Hugging Face, such as "translation", or its `type` and `name`.
        dataset : str or mapping
            Data set, or its `type`, `name`, `config`, `split`, `revision` and `args`.
        system : str, optional
            System, required if there are several.
        name : str, optional
            Name of the model. Default: the name of the system.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.

        Returns
        -------
        str
            The key `model-index` with the first output of each part of each metric; signature and interval are in `args`.

        Raises
        ------
        ParameterError
            If the task or the data set is not valid, or no system is named and there are several.
        """
        from nlgauge.results.model_index import model_index

        if system is None and len(self.systems) > 1:
            raise ParameterError(
                f"system is missing, and the result has several; name one of {', '.join(self.systems)}."
            )
        chosen = self.systems[0] if system is None else system
        self._check_system(chosen)
        bounds = self.intervals(confidence, resamples, seed)
        return model_index(self, task, dataset, chosen, name or chosen, bounds, confidence)

    def _need_texts(self, what: str) -> None:
        """Raise if the result was saved without its texts."""
        if not self.has_texts:
            raise ResultError(
                f"cannot {what} this result: it was saved without its texts",
                python="score again, and save with texts=True",
                cli="score again without --no-texts",
            )

    def _page(self, **options: Any) -> Page:
        """Return the page of `to_text`, `to_markdown`, `to_latex` and `to_html`: scores, intervals, tests against
        the baseline, and their settings.

        `TableOptions` documents the options; Markdown and LaTeX are wide unless wide=False is passed.
        """
        from nlgauge.show.pages.result import page_of

        return page_of(self, TableOptions.of(options))

    def _short_page(self) -> Page:
        from nlgauge.show.pages.result import short_page

        return short_page(self)

    def _notebook_page(self) -> Page:
        from nlgauge.show.pages.result import short_page

        # Only if there is no noticeable wait for them.
        quick = (
            len(self.corpus) > 1
            and len(self.corpus) * len(self._tables) <= _QUICK
            and all(table.additive for table in self._tables.values())
        )
        if not quick:
            return self._short_page()
        return short_page(self, self.intervals())

    def _paper_page(self, small_print: bool, options: dict[str, Any]) -> Page:
        return super()._paper_page(small_print, {"wide": True, **options})

    def _csv_records(self, **options: Any) -> list[dict[str, Any]]:
        from nlgauge.results.scores import score_records

        wanted = TableOptions.of(options)
        return score_records(self, wanted.intervals_of(self), wanted.comparison_of(self))


def _same_draws(one: Resampling, other: Resampling) -> bool:
    return (one.resamples, one.seed) == (other.resamples, other.seed)


class _ByLabel(dict[str, Any]):
    """A dict by label that also accepts aliases and unique bare names."""

    def __init__(self, result: Result, values: dict[str, Any]) -> None:
        super().__init__(values)
        self._result = result

    def __missing__(self, key: str) -> Any:
        return self[self._result._label(key)]
