"""The explorer's data of a result: the parts of its page, explanations of every segment, slices, and
explanations of a text of the user.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge._core.safe_text import visible
from nlgauge.corpus import Corpus
from nlgauge.corpus.selecting import matching
from nlgauge.engine.checks import check
from nlgauge.engine.explain import explained
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric import Metric
from nlgauge.results.explain import explain_segments
from nlgauge.results.groups import taken
from nlgauge.results.imported.human import HumanScores, with_human_scores
from nlgauge.results.imported.remarks import has_remarks
from nlgauge.results.joined import of_systems
from nlgauge.results.runs.alignment import Runs, aligned
from nlgauge.results.runs.slices import LENGTH, by_length, by_value, sliced_fields
from nlgauge.results.runs.testing import compare_runs
from nlgauge.results.selecting import columns_of
from nlgauge.show.page_data.data import view_of
from nlgauge.show.page_data.parts import explanations_shown, field_parts, json_part, score_parts, text_parts
from nlgauge.show.page_data.runs import run_parts
from nlgauge.show.page_data.spans import span_parts, span_table
from nlgauge.show.page_data.trust import Trust, trust_of
from nlgauge.spans.named_numbers import with_span_fields

if TYPE_CHECKING:
    from nlgauge.results.result import Result

_MOST_VIEWS = 32
# The numbers of an output that differ between selections, and those of the whole page.
_NUMBERS = ("scores", "low", "high", "letters", "ranks", "pairs", "best", "missing", "unequal", "reason")
_WHOLE_PAGE = ("order", "in_top", "votes", "humans", "alike", "verdict", "remarks", "agreement")
# Smallest number of segments of a slice with a meaningful interval.
FEW = 5


class Served:
    """One result with its name; everything is computed at the first request, and some of it stored."""

    def __init__(
        self,
        result: Result,
        name: str,
        human: Sequence[str] | None = None,
        against: Served | None = None,
        pairs: Mapping[str, str] | None = None,
    ) -> None:
        self.result = result
        self.human = with_human_scores(result, human)
        self.named = human
        self.name = name
        self.against = against
        self.pairs = pairs
        self.why = lru_cache(maxsize=2048)(self._why)
        self.slices = lru_cache(maxsize=64)(self._slices)
        self.view = lru_cache(maxsize=_MOST_VIEWS)(self._view)
        self.trusted = lru_cache(maxsize=_MOST_VIEWS)(self._trusted)
        self.spans = lru_cache(maxsize=_MOST_VIEWS)(self._spans)

    @lazy
    def parts(self) -> dict[str, bytes]:
        """Return the parts of the page, as in a report, without explanations."""
        result = self.result
        view = view_of(result, self.name, human=self.human)
        found = dict(score_parts(view, result.corpus.ids))
        fields: list[dict[str, Any]] = []
        found |= dict(field_parts(with_span_fields(result.corpus), fields, self.human.fields))
        texts = dict(text_parts(result.corpus, result.systems)) if result.has_texts else {}
        meta = {
            **view.meta,
            "fields": fields,
            "texts": "all" if texts else "none",
            "blocks": sum(name.startswith("text") for name in texts),
            "why": {},
            "explained": {label: len(result.corpus) for label in self.labels} if texts else {},
            "sums": [],
            "slices": list(self.dimensions),
            "trust": None if (trusted := self.trusted()) is None else trusted.described(),
        }
        meta["spans"], marks = span_parts(result)
        old: dict[str, bytes] = {}
        if self.runs is not None and self.against is not None:
            names = self.name, self.against.name
            meta["runs"], old = run_parts(self.runs, compare_runs(self.runs), names, bool(texts))
        return {**found, **texts, **old, **marks, "meta": json_part(meta)}

    @lazy
    def runs(self) -> Runs | None:
        """Return the alignment with the older run; None without one."""
        if self.against is None:
            return None
        return aligned(self.result, self.against.result, self.pairs, self.named)

    def _selected(self, where: str, systems: tuple[int, ...]) -> tuple[HumanScores, Array]:
        """Return the scores of the selected segments and systems, and the mask of the segments.

        An empty expression means all segments, no system all systems.
        """
        result = self.human.result
        if any(not 0 <= number < len(result.systems) for number in systems):
            raise ParameterError(f"the result has only {counted(len(result.systems), 'system')}.")
        chosen = sorted(set(systems)) or list(range(len(result.systems)))
        mask = matching(where, columns_of(result, chosen))
        if not mask.any():
            raise InputError("no segment meets the selection; use a wider one.")
        if not mask.all():
            result = taken(result, np.flatnonzero(mask))
        if len(chosen) < len(result.systems):
            result = of_systems(result, *(result.systems[number] for number in chosen))
        return self.human._replace(result=result), mask

    def _view(self, where: str, systems: tuple[int, ...]) -> dict[str, Any]:
        """Return the numbers of the page on the selected segments and systems, and which segments these are.

        Systems are numbered among the selected systems. `bits` has one bit per segment, in base64.
        """
        human, mask = self._selected(where, systems)
        view = view_of(human.result, self.name, human=list(human.labels))
        return {
            "segments": int(mask.sum()),
            "bits": base64.b64encode(np.packbits(mask).tobytes()).decode(),
            "outputs": [{name: output[name] for name in _NUMBERS} for output in view.meta["outputs"]],
            **{name: view.meta[name] for name in _WHOLE_PAGE},
        }

    def _trusted(self, where: str = "", systems: tuple[int, ...] = ()) -> Trust | None:
        """Return the agreement of metrics with human scores; None if there is nothing to compare."""
        return trust_of(self._selected(where, systems)[0] if where or systems else self.human)

    def trust(self, level: str, dimension: str, where: str, systems: tuple[int, ...]) -> dict[str, Any]:
        """Return the table of the section on trust at a level, for a dimension as a page shows it."""
        trusted = self.trusted(where, systems)
        names = {} if trusted is None else {visible(name): name for name in trusted.dimensions}
        if trusted is None or level not in trusted.levels or dimension not in names:
            raise ParameterError(
                f"the selection has too few ratings or systems for {dimension!r:.40} at this level; use a wider one."
            )
        return trusted.table(level, names[dimension])

    def _spans(self, where: str, systems: tuple[int, ...]) -> dict[str, Any]:
        """Return how well metrics find the errors that people mark in the selected texts."""
        table = span_table(self._selected(where, systems)[0].result)
        if table is None:
            raise ParameterError(
                "people and metrics read no text of the selection in common; use a wider one."
            )
        return table

    @lazy
    def labels(self) -> dict[str, str]:
        """Return the metrics that explain segments, by their labels as a page shows them."""
        metrics = self.result._job.metrics
        return {
            visible(label): label
            for label in self.result.labels
            if isinstance(metric := metrics.get(label), Metric)
            and (metric.listed or has_remarks(self.result, label))
        }

    @lazy
    def dimensions(self) -> dict[str, str | None]:
        """Return the names to slice segments by, with the field of each: columns with few values, and the
        length of the reference or else of the source, which is not a field.
        """
        found: dict[str, str | None] = {
            visible(name): name for name in sliced_fields(self.result.corpus, self.human.fields)
        }
        return {LENGTH: None, **found} if self.result.has_texts else found

    def _why(self, segment: int, label: str) -> dict[str, Any]:
        """Return the explanations of a segment by one metric, for every system."""
        found = explain_segments(self.result, [segment], [self.labels[label]])
        return {
            visible(system): explanations_shown(explanations)
            for (_, system, _), explanations in found.items()
        }

    def _slices(self, dimension: str, where: str = "") -> list[dict[str, Any]]:
        """Return for each value of a dimension the scores, intervals and letters of only its segments, or of
        the selected ones of them.
        """
        if dimension not in self.dimensions:
            raise ParameterError(
                f"cannot slice by {dimension!r}; choose one of {', '.join(self.dimensions)}."
            )
        mask = self._selected(where, ())[1]
        found = []
        for value, of_value in self._groups(dimension).items():
            segments = [segment for segment in of_value if mask[segment]]
            if not segments:
                continue
            view = view_of(taken(self.human.result, np.array(segments)), value, human=self.human.labels)
            kept = tuple(
                (
                    "label metric name output up decimals bounds people scores low high letters ranks reason"
                ).split()
            )
            outputs = [{name: output[name] for name in kept} for output in view.meta["outputs"]]
            found.append(
                {
                    "value": visible(value),
                    "segments": len(segments),
                    "few": len(segments) < FEW,
                    "outputs": outputs,
                }
            )
        return found

    def _groups(self, dimension: str) -> dict[str, list[int]]:
        field = self.dimensions[dimension]
        corpus = self.result.corpus
        return by_length(corpus) if field is None else by_value(corpus, field)

    def own(self, label: str, prediction: str, references: list[str], source: str) -> dict[str, Any]:
        """Return the scores and explanations of a text of the user by a metric of this result; fitted values
        stay unchanged.
        """
        name = self.labels[label]
        job = self.result._job
        metric = job.metrics[name]
        assert isinstance(metric, Metric)
        fit = metric.fit()
        if fit is not None and fit.over == "system":
            raise ParameterError(
                f"{label} is fitted on all texts of a system, so it cannot score a single text; choose another metric."
            )
        corpus = Corpus.read(
            [prediction],
            [references] if references else None,
            [source] if source else None,
            lang=self.result.corpus.lang,
        )
        check(corpus, {label: metric})
        ((_, _, _, found),) = explained(corpus, [0], corpus.systems, [name], job)
        scores: dict[str, float] = {}
        for explanation in found:
            for part, row in explanation.statistics.items():
                scores |= {
                    output: float(value) for output, value in metric.for_segments().score(part, row).items()
                }
        return {
            "scores": {output: value if math.isfinite(value) else None for output, value in scores.items()},
            "why": explanations_shown(found),
        }
