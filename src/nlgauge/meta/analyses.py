"""Analyses: the functions of this package as methods of Judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.meta.comparison import MetricComparison
    from nlgauge.meta.findings import Findings
    from nlgauge.meta.labeling.estimate import Estimates


class Analyses:
    """What can be asked of judgments; each method takes the options of the function of its name, which
    is imported when it is called.
    """

    def correlate(self: Any, **options: Any) -> Findings:
        """How well each metric agrees with people: see `nlgauge.meta.correlation`."""
        from nlgauge.meta.correlation import correlate

        return correlate(self, **options)

    def compare(self: Any, **options: Any) -> MetricComparison:
        """Whether one metric agrees with people more than another: see `nlgauge.meta.comparison`."""
        from nlgauge.meta.comparison import compare

        return compare(self, **options)

    def replicate(self: Any, **options: Any) -> Findings:
        """How often such a claim holds on other systems and inputs: see `nlgauge.meta.replication`."""
        from nlgauge.meta.replication import replicate

        return replicate(self, **options)

    def rank(self: Any, **options: Any) -> Findings:
        """Metrics by their average over tasks, or by a preset: see `nlgauge.meta.ranking`."""
        from nlgauge.meta.ranking import rank

        return rank(self, **options)

    def between_metrics(self: Any, **options: Any) -> Findings:
        """How well metrics agree with each other: see `nlgauge.meta.between_metrics`."""
        from nlgauge.meta.diagnostics.between import between_metrics

        return between_metrics(self, **options)

    def top_systems(self: Any, **options: Any) -> Findings:
        """How well each metric agrees with people about the best systems alone: see
        `nlgauge.meta.top_systems`.
        """
        from nlgauge.meta.diagnostics.top import top_systems

        return top_systems(self, **options)

    def agreement(self: Any, **options: Any) -> Findings:
        """How well the annotators agree with each other: see `nlgauge.stats.agreement`."""
        from nlgauge.meta.diagnostics.annotators import agreement

        return agreement(self, **options)

    def bias(self: Any, covariates: Any, **options: Any) -> Findings:
        """How metrics and people depend on lengths and other traits of the texts: see
        `nlgauge.meta.diagnostics.bias`.
        """
        from nlgauge.meta.diagnostics.bias import bias

        return bias(self, covariates, **options)

    def sentinels(self: Any, texts: Any = None, **options: Any) -> Findings:
        """What metrics that know nothing of quality reach: see `nlgauge.meta.diagnostics.sentinels`."""
        from nlgauge.meta.diagnostics.sentinels import sentinels

        return sentinels(self, texts, **options)

    def convert(self: Any, metric: str, to: str = "accuracy", **options: Any) -> Findings:
        """What scores of a metric, and their differences, mean to people: see
        `nlgauge.meta.diagnostics.convert`.
        """
        from nlgauge.meta.diagnostics.convert import convert

        return convert(self, metric, to, **options)

    def estimate(
        self: Any, dimension: str | None = None, metrics: Sequence[str] | None = None, **options: Any
    ) -> Estimates:
        """Human scores of a dimension from the few that are known, and the metrics of all outputs: see
        `nlgauge.meta.labeling.estimate`.
        """
        from nlgauge.meta.labeling.estimate import estimate
        from nlgauge.meta.labeling.labels import labelled_scores

        return estimate(*labelled_scores(self, dimension, metrics), systems=self.systems, **options)

    def segments_to_label(self: Any, count: int, dimension: str | None = None, **options: Any) -> Findings:
        """Which segments people should judge next: see `nlgauge.meta.segments_to_label`."""
        from nlgauge.meta.labeling.labels import labelled_scores
        from nlgauge.meta.labeling.selection import segments_to_label

        return segments_to_label(*labelled_scores(self, dimension), count, segments=self.segments, **options)
