"""The analyses of the COSMIC paper: systems ranked by information, the information of each about the others.

Downstream tasks are in `nlgauge.meta.papers.tasks`. The upper bound of Proposition 1 is not offered (`nlgauge.meta.error_floor`).
"""

from __future__ import annotations

import warnings
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from nlgauge._core.progress import report
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.meta.papers.embeddings import Embedded, embeddings, texts_of
from nlgauge.metric import Metric
from nlgauge.metric.registry import parse
from nlgauge.metrics._shared.mutual_information import MutualInformation, digests, warn_of_few
from nlgauge.metrics.cosmic import Cosmic
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer


class RankedSystem(NamedTuple):
    """One system: its information about the sources in nats, the interval of that, its deviation over
    seeds, and the mean number of words.
    """

    system: str
    information: float
    low: float
    high: float
    seed_deviation: float
    words: float
    scored_pairs: float


def rank_summarizers(
    given: Result | Corpus, metric: str | Cosmic = "cosmic", seed: int = 12345, confidence: float = 0.95
) -> list[RankedSystem]:
    """Return the systems by the information of their summaries about the sources, most first, NaN last (Figure
    3), with their lengths: longer summaries have more information.
    """
    result = _scored(given, metric, seed)
    label = result._label(str(metric))
    intervals = result.intervals(confidence)
    found = []
    for system in result.systems:
        outputs = intervals[system] if len(result.systems) > 1 else intervals
        score, others = outputs[label]["score"], outputs[label]
        words = [
            len(result.corpus.texts[text].split())
            for text in result.corpus.predictions[system].values.tolist()
        ]
        deviation, pairs = others["seed_deviation"].score, others["scored_pairs"].score
        found.append(
            RankedSystem(system, score.score, score.low, score.high, deviation, float(np.mean(words)), pairs)
        )
    return sorted(found, key=lambda one: (np.isnan(one.information), -one.information))


class Convergence(NamedTuple):
    """The fit of one density: the mean round of training in it, the nats that were still gained at its end, and
    -log q by rows.

    A density is a mixture of closed forms (round 0) and of the network after each round of training, weighted
    by other rows: a mean near 0 means that the closed forms were best. `modes` is the mean number of modes of
    the unconditional density, by weight; `plain` is -log q of the held-out rows for a mixture of plain
    expectation maximization from random rows, which should not be below `held_out` of that density.
    """

    system: str
    density: str
    seed: int
    fold: int
    rounds: float
    gained: float
    learnt: float
    held_out: float
    modes: float
    plain: float

    @property
    def gap(self) -> float:
        """Difference between the held-out rows and the training rows, in nats; NaN if it is unknown."""
        return self.held_out - self.learnt


def convergence(result: Result, metric: str | Cosmic = "cosmic") -> list[Convergence]:
    """Return one record per density, seed and fold; the densities are "source", "source given summary" and
    the same of the summary.
    """
    label = result._label(str(metric))
    scored = result._job.metrics[label]
    fit = scored.fit() if isinstance(scored, Metric) else None
    if not isinstance(fit, MutualInformation):
        raise ParameterError(f"metric must be cosmic, got {str(metric)!r}.")
    found = []
    for system in result.systems:
        arrays = result._job.fits[label, system]
        for target, other in (("source", "summary"), ("summary", "source")):
            if target not in fit.targets:
                continue
            rounds, gained, learnt, held_out = (
                arrays[f"{target}_fit_{name}"] for name in ("rounds", "gained", "learnt", "held_out")
            )
            for seed, fold, side in np.ndindex(rounds.shape):
                place, density = (seed, fold, side), target if side == 0 else f"{target} given {other}"
                how = float(rounds[place]), float(gained[place]), float(learnt[place]), float(held_out[place])
                checks = (float(arrays[f"{target}_fit_{name}"][seed, fold]) for name in ("modes", "plain"))
                found.append(Convergence(system, density, seed, fold, *how, *checks))
    return found


class Edge(NamedTuple):
    """Information of the summaries of one system about the summaries of another, in nats, with its deviation
    and its 95% interval over seeds.

    `directed` is True if it is above the information in the other direction by more than twice the deviation of
    the difference.
    """

    predicting: str
    predicted: str
    information: float
    seed_deviation: float
    low: float
    high: float
    directed: bool


class InformationGraph(NamedTuple):
    """`information[i, j]` is I(S_i -> S_j), the information of summaries of system i about those of system j, as
    a mean over seeds; NaN on the diagonal.
    """

    systems: tuple[str, ...]
    information: Array
    seed_deviation: Array
    seeds: int = 1

    @property
    def outgoing(self) -> dict[str, float]:
        """The mean information of a system about the others: high for informative systems."""
        return dict(zip(self.systems, _means(self.information), strict=True))

    @property
    def incoming(self) -> dict[str, float]:
        """The mean information of the others about a system: low for systems that are hard to predict."""
        return dict(zip(self.systems, _means(self.information.T), strict=True))

    @property
    def directed(self) -> Array:
        """(S, S): True if i predicts j better than j predicts i, by more than twice the deviation of the difference."""
        deviation = np.sqrt(self.seed_deviation**2 + self.seed_deviation.T**2)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.information - self.information.T > 2 * deviation)

    def edges(self) -> list[Edge]:
        """Return every ordered pair of systems, the strongest first."""
        places = [(i, j) for i in range(len(self.systems)) for j in range(len(self.systems)) if i != j]
        reach = stdtrit(self.seeds - 1, 0.975) / np.sqrt(self.seeds) if self.seeds > 1 else np.nan
        directed = self.directed
        found = []
        for i, j in places:
            value, deviation = float(self.information[i, j]), float(self.seed_deviation[i, j])
            bounds = value - reach * deviation, value + reach * deviation
            found.append(
                Edge(self.systems[i], self.systems[j], value, deviation, *bounds, bool(directed[i, j]))
            )
        return sorted(found, key=lambda edge: (np.isnan(edge.information), -edge.information))


def information_graph(
    given: Result | Corpus, metric: str | Cosmic = "cosmic", seed: int = 12345
) -> InformationGraph:
    """Return the directed graph of how well each system's summaries predict the others' (Figure 10).

    n systems take n (n - 1) estimates; "cosmic(seeds=1)" takes a third of the time, but gives no intervals. The
    two directions of a pair of systems are equal for the true information, and differ in how much a mixture can
    find, which is what the figure of the paper shows. The estimator "gaussian" is one joint Gaussian of both
    sides, gives the same number in both directions, and is refused. Segments in which either text is empty are
    left out of a pair of systems. Segments with the same source (without sources: the same text to predict) are
    never on both sides of a split.
    """
    corpus, cosmic = texts_of(given), _cosmic(metric)
    if cosmic.compat is None and cosmic.estimator == "gaussian":
        raise ParameterError(
            "the Gaussian estimate is symmetric, so that a graph shows no direction, got estimator='gaussian'; use"
            " estimator='knife' (the default; cosmic(seeds=1) takes the least time)."
        )
    systems = corpus.systems
    if len(systems) < 2:
        raise InputError(f"a graph needs two systems or more, got {len(systems)}.")
    for system in systems:
        if (corpus.predictions[system].lengths != 1).any():
            raise InputError(f"a graph needs one prediction per segment, {system!r} has several.")
    vectors = list(_vectors(corpus, cosmic).predictions.values())
    filled = [~np.isnan(rows[:, 0]) for rows in vectors]
    contents = [_keys(corpus, corpus.predictions[system].values) for system in systems]
    sources = [] if corpus.sources is None else [_keys(corpus, corpus.sources)]
    information, deviation = (np.full((len(systems), len(systems)), np.nan) for _ in range(2))
    warn_of_few(int(np.sum(filled, axis=1).min()))
    pairs = list(permutations(range(len(systems)), 2))
    for done, (i, j) in enumerate(pairs):
        report("systems about each other", done, len(pairs))
        rows = np.flatnonzero(filled[i] & filled[j])
        keys = np.column_stack([*sources, contents[j], contents[i]])[rows]
        by_seed = np.full(cosmic.seeds, np.nan)
        if len(rows):
            found = cosmic.information()(vectors[j][rows], vectors[i][rows], keys, len(corpus), seed)
            by_seed = (found.entropy - found.conditional).mean(axis=1)
        information[i, j] = by_seed.mean()
        deviation[i, j] = by_seed.std(ddof=1) if len(by_seed) > 1 else np.nan
    return InformationGraph(systems, information, deviation, cosmic.seeds)


class PairInformation(NamedTuple):
    """Pointwise information of each pair of a system in nats, (N,), and the deviation of its mean over seeds."""

    pairs: Array
    seed_deviation: float


def pair_information(
    given: Result | Corpus,
    embedded: Embedded,
    metric: str | Cosmic = "cosmic",
    seed: int = 12345,
) -> dict[str, PairInformation]:
    """Return COSMIC of each pair of summary and source from vectors of any model, by system.

    The mean of a system is its score. With `embeddings(given, metric.model)` these are the numbers of the metric;
    other vectors, such as word vectors, show the effect of the embedding. A pair with an empty text has 0.
    """
    corpus, cosmic = texts_of(given), _cosmic(metric)
    if corpus.sources is None or embedded.sources is None:
        raise InputError("information about sources needs sources, got none; pass a corpus with sources.")
    source_keys = _keys(corpus, corpus.sources)
    found = {}
    for done, (system, vectors) in enumerate(embedded.predictions.items()):
        report("information by system", done, len(embedded.predictions))
        rows = np.flatnonzero(~np.isnan(embedded.sources[:, 0]) & ~np.isnan(vectors[:, 0]))
        keys = np.column_stack([source_keys, _keys(corpus, corpus.predictions[system].values)])[rows]
        values = np.zeros((cosmic.seeds, len(vectors)))
        if len(rows):
            sides = embedded.sources[rows], vectors[rows]
            sides = sides[::-1] if cosmic.compat else sides
            estimate = cosmic.information()(*sides, keys, len(corpus), seed)
            values[:, rows] = estimate.entropy - estimate.conditional
        deviation = float(values.mean(axis=1).std(ddof=1)) if cosmic.seeds > 1 else np.nan
        found[system] = PairInformation(values.mean(axis=0), deviation)
    return found


def _vectors(corpus: Corpus, cosmic: Cosmic) -> Embedded:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # texts that were cut: the metric reports them
        return embeddings(corpus, cosmic.model, cosmic.unit)


def _keys(corpus: Corpus, ids: Array) -> Array:
    return digests(corpus.texts[text] for text in ids.tolist())


def _means(rows: Array) -> list[float]:
    return [float(np.mean(np.delete(row, i))) for i, row in enumerate(rows)]


def _cosmic(metric: Any) -> Cosmic:
    parsed = parse(metric) if isinstance(metric, str) else metric
    if not isinstance(parsed, Cosmic):
        raise ParameterError(f"metric must be cosmic, got {str(metric)!r}.")
    return parsed


def _scored(given: Result | Corpus, metric: str | Cosmic, seed: int) -> Result:
    _cosmic(metric)
    return given if isinstance(given, Result) else Scorer(metric).score_corpus(given, None, RunOptions(seed))
