"""Analyses: the functions of this package as methods of Judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.meta.compare import MetricComparison
    from nlgauge.meta.estimate import Estimates
    from nlgauge.meta.found import Found


class Analyses:
    """What can be asked of judgements; each method takes the options of the function of its name, which is imported when it is called."""

    def correlate(self: Any, **options: Any) -> Found:
        """How well each metric agrees with people: see `nlgauge.meta.correlate`."""
        from nlgauge.meta.correlate import correlate

        return correlate(self, **options)

    def compare(self: Any, **options: Any) -> MetricComparison:
        """Whether one metric agrees with people more than another: see `nlgauge.meta.compare`."""
        from nlgauge.meta.compare import compare

        return compare(self, **options)

    def replicate(self: Any, **options: Any) -> Found:
        """How often such a claim holds on other systems and inputs: see `nlgauge.meta.replicate`."""
        from nlgauge.meta.replicate import replicate

        return replicate(self, **options)

    def rank(self: Any, **options: Any) -> Found:
        """Metrics by their average over tasks, or by a preset: see `nlgauge.meta.rank`."""
        from nlgauge.meta.rank import rank

        return rank(self, **options)

    def between_metrics(self: Any, **options: Any) -> Found:
        """How well metrics agree with each other: see `nlgauge.meta.between_metrics`."""
        from nlgauge.meta.between import between_metrics

        return between_metrics(self, **options)

    def top_systems(self: Any, **options: Any) -> Found:
        """How well each metric agrees with people about the best systems alone: see `nlgauge.meta.top_systems`."""
        from nlgauge.meta.top import top_systems

        return top_systems(self, **options)

    def agreement(self: Any, **options: Any) -> Found:
        """How well the annotators agree with each other: see `nlgauge.meta.agreement`."""
        from nlgauge.meta.annotators import agreement

        return agreement(self, **options)

    def bias(self: Any, covariates: Any, **options: Any) -> Found:
        """How metrics and people depend on lengths and other traits of the texts: see `nlgauge.meta.bias`."""
        from nlgauge.meta.bias import bias

        return bias(self, covariates, **options)

    def sentinels(self: Any, texts: Any = None, **options: Any) -> Found:
        """What metrics that know nothing of quality reach: see `nlgauge.meta.sentinels`."""
        from nlgauge.meta.sentinels import sentinels

        return sentinels(self, texts, **options)

    def convert(self: Any, metric: str, to: str = "accuracy", **options: Any) -> Found:
        """What scores of a metric, and their differences, mean to people: see `nlgauge.meta.convert`."""
        from nlgauge.meta.convert import convert

        return convert(self, metric, to, **options)

    def estimate(self: Any, dimension: str | None = None, metrics: Sequence[str] | None = None, **options: Any) -> Estimates:
        """Human scores of a dimension from the few that are known, and the metrics of all outputs: see `nlgauge.meta.estimate`."""
        from nlgauge.meta.estimate import estimate
        from nlgauge.meta.labels import labelled_scores

        return estimate(*labelled_scores(self, dimension, metrics), systems=self.systems, **options)

    def segments_to_label(self: Any, count: int, dimension: str | None = None, **options: Any) -> Found:
        """Which segments people should judge next: see `nlgauge.meta.segments_to_label`."""
        from nlgauge.meta.labelling import segments_to_label
        from nlgauge.meta.labels import labelled_scores

        return segments_to_label(*labelled_scores(self, dimension), count, segments=self.segments, **options)
