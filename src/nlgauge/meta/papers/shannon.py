"""The analyses of the Shannon paper: does a metric separate good summaries from corrupted ones, does context
change it, and what is it biased towards?

They take any metric that reads summaries and their documents. The token heat map of Figure 1 is
`Result.explain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric
from nlgauge.metric.registry import parse
from nlgauge.metrics.shannon import Shannon
from nlgauge.results.labels import output_named
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer, score
from nlgauge.stats.coefficients import spearman

# Statistics that Table 3 compares the metrics with: the length in words separated by white space, and columns of
# built-in metrics.
_STATISTICS = {
    "novel 1": "novelty",
    "novel 2": "novelty.novelty2",
    "novel 3": "novelty.novelty3",
    "coverage": "coverage",
    "compression": "compression",
    "density": "density",
}


def spoilt(summaries: Sequence[str], seed: int = 12345) -> dict[str, list[str]]:
    """Return the summaries unchanged ("original"), with their words in random order ("shuffled"), and the
    summaries of other documents ("wrong").

    >>> spoilt(["a b", "c d"])["wrong"]
    ['c d', 'a b']
    """
    if len(set(summaries)) < 2:
        raise InputError(
            "at least two different summaries are needed, so that one can be wrong for another's document;"
            f" got {len(set(summaries))}."
        )
    rng = np.random.default_rng(seed)
    shuffled = [" ".join(rng.permutation(summary.split()).tolist()) for summary in summaries]
    order = rng.permutation(len(summaries)).tolist()
    wrong = [""] * len(summaries)
    for place, one in enumerate(order):
        # The next summary, in a random order that closes to a circle, that is another text.
        others = (summaries[order[(place + step) % len(order)]] for step in range(1, len(order)))
        wrong[one] = next(other for other in others if other != summaries[one])
    return {"original": list(summaries), "shuffled": shuffled, "wrong": wrong}


@dataclass(frozen=True, eq=False)
class Separation:
    """A metric on original, shuffled and wrong summaries (Figure 2): `values[kind]` has one value per document,
    in the order of the documents.
    """

    values: Mapping[str, Array]
    higher_is_better: bool

    def preferred(self, kind: str) -> float:
        """Return the share of documents on which the original scores better; a tie counts one half, and
        documents without a value are left out.
        """
        gained = (self.values["original"] - self.values[kind]) * (1 if self.higher_is_better else -1)
        gained = gained[~np.isnan(gained)]
        return float(np.mean((gained > 0) + 0.5 * (gained == 0))) if len(gained) else float("nan")

    def separated(self, kind: str) -> float:
        """Return the chance that an original scores better than a corrupted summary of any document (the area
        under the curve): 1 is full separation.
        """
        good, bad = (
            values[~np.isnan(values)] * (1 if self.higher_is_better else -1)
            for values in (self.values["original"], self.values[kind])
        )
        if not len(good) or not len(bad):
            return float("nan")
        ordered = np.sort(bad)
        below, not_above = (np.searchsorted(ordered, good, side) for side in ("left", "right"))
        return float(np.mean((below + not_above) / (2 * len(bad))))


def separation(
    documents: Sequence[str], summaries: Sequence[str], metric: str | AnyMetric = "shannon", seed: int = 12345
) -> Separation:
    """Return the values of a metric on original, shuffled and wrong summaries."""
    if len(documents) != len(summaries):
        raise InputError(
            f"each document needs one summary, got {len(documents)} documents and {len(summaries)} summaries."
        )
    result = score(spoilt(summaries, seed), sources=list(documents), metrics=metric)
    label = result.labels[0]
    output = result._tables["original", label].outputs()[0]
    if output.higher_is_better is None:
        raise ParameterError(f"metric must be one with a direction, got {label}.")
    return Separation(
        {kind: result._tables[kind, label].segments()[output.name] for kind in result.systems},
        output.higher_is_better,
    )


class Upstream(NamedTuple):
    """One system at one amount of context: its scores, and the mean information of a document, unconditional
    and given the summary (Table 5, Figure 4).
    """

    upstream: int
    system: str
    shannon: float
    information_difference: float
    blanc_shannon: float
    information: float
    information_given_summary: float


def dependence_on_upstream(
    predictions: Mapping[str, Sequence[str]],
    documents: Sequence[str],
    upstream: Iterable[int] = (0, 1, 2),
    metric: str | Shannon = "shannon",
) -> list[Upstream]:
    """Return the metric for several numbers of sentences of context: one record per number in `upstream` and
    system.
    """
    base = parse(metric) if isinstance(metric, str) else metric
    if not isinstance(base, Shannon):
        raise ParameterError(f"metric must be shannon, got {metric!r}.")
    metrics = {k: replace(base, upstream=k) for k in upstream}
    result = score(dict(predictions), sources=list(documents), metrics=list(metrics.values()))
    found = []
    for k, one in metrics.items():
        for system in result.systems:
            outputs = result._tables[system, str(one)].scores()
            found.append(Upstream(k, system, *(outputs[name] for name in Upstream._fields[2:])))
    return found


def biases(result: Result, columns: Iterable[str] | None = None) -> dict[str, dict[str, float]]:
    """Return biases of metrics (Table 3): Spearman correlations over all summaries with length, novelty,
    coverage, compression and density.

    `columns` are names of metrics or outputs ("rouge.rouge2"); by default the score of every metric of the result.
    """
    if not result.has_texts:
        raise ResultError(
            "biases needs texts, and this result was saved without them (texts=False); score again with texts."
        )
    statistics = summary_statistics(result.corpus)
    return {
        name: {
            statistic: rank_correlation(_segment_scores(result, name), values)
            for statistic, values in statistics.items()
        }
        for name in (result.labels if columns is None else columns)
    }


def summary_statistics(corpus: Corpus) -> dict[str, Array]:
    """Return properties of summaries other than their quality: length in white-space words, novelty, coverage,
    compression, density; system by system.
    """
    if corpus.sources is None:
        raise InputError(
            "describing summaries needs their documents",
            python="pass sources=[...]",
            cli="name their file with -s",
        )
    for system in corpus.systems:
        if (corpus.predictions[system].lengths != 1).any():
            raise InputError(f"describing summaries needs one summary per document, {system!r} has several.")
    summaries = [
        corpus.texts[text] for system in corpus.systems for text in corpus.predictions[system].values.tolist()
    ]
    beside = Scorer(["novelty", "coverage", "compression", "density"]).score_corpus(
        corpus, None, RunOptions()
    )
    return {
        "length": np.array([len(summary.split()) for summary in summaries]),
        **{name: _segment_scores(beside, of) for name, of in _STATISTICS.items()},
    }


def rank_correlation(one: Array, other: Array) -> float:
    """Return Spearman's correlation over pairs of known values; NaN for fewer than three pairs or if one side is
    constant.
    """
    known = ~(np.isnan(one) | np.isnan(other))
    return float(spearman(one, other)) if known.sum() > 2 else float("nan")


def _segment_scores(result: Result, name: str) -> Array:
    """Return the segment scores of an output, system by system."""
    label, output = output_named(result, name)
    tables = [result._tables[system, label] for system in result.systems]
    if not tables[0].has_segments:
        raise InputError(f"{label} has no segment scores; name other columns.")
    return np.concatenate([table.segments_of(output.name) for table in tables])
