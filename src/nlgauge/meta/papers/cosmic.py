"""The analyses of the COSMIC paper: systems ranked by information, how much each tells about the others,
and agreement on downstream tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.progress import report
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError, ResultError
from nlgauge.features import Features, RunOptions
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.metric import Metric
from nlgauge.metric.registry import parse
from nlgauge.metrics._shared.mutual_information import MutualInformation, digests, warn_of_few
from nlgauge.metrics.cosmic import Cosmic
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer
from nlgauge.stats.coefficients import kendall, pearson, spearman

Classifier = Callable[[list[str]], Sequence[Hashable]]


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
    """Information of the summaries of one system about the summaries of another, in nats, and its deviation
    over seeds.
    """

    predicting: str
    predicted: str
    information: float
    seed_deviation: float


class InformationGraph(NamedTuple):
    """`information[i, j]` is I(S_i -> S_j): how much summaries of system i tell about those of system j;
    NaN on the diagonal.
    """

    systems: tuple[str, ...]
    information: Array
    seed_deviation: Array

    @property
    def outgoing(self) -> dict[str, float]:
        """The mean of how much a system tells about the others: high for informative systems."""
        return dict(zip(self.systems, _means(self.information), strict=True))

    @property
    def incoming(self) -> dict[str, float]:
        """The mean of how much the others tell about a system: low for systems that are hard to predict."""
        return dict(zip(self.systems, _means(self.information.T), strict=True))

    def edges(self) -> list[Edge]:
        """Return every ordered pair of systems, the strongest first."""
        places = [(i, j) for i in range(len(self.systems)) for j in range(len(self.systems)) if i != j]
        found = [
            Edge(
                self.systems[i],
                self.systems[j],
                float(self.information[i, j]),
                float(self.seed_deviation[i, j]),
            )
            for i, j in places
        ]
        return sorted(found, key=lambda edge: (np.isnan(edge.information), -edge.information))


def information_graph(
    given: Result | Corpus, metric: str | Cosmic = "cosmic", seed: int = 12345
) -> InformationGraph:
    """Return the directed graph of how well each system's summaries predict the others' (Figure 10).

    n systems take n (n - 1) estimates; "cosmic(seeds=1)" takes a third of the time. The two directions of a
    pair of systems are equal for the true information, and differ in how much a mixture can find, which is
    what the figure of the paper shows. The estimator "gaussian" is one joint Gaussian of both sides, gives
    the same number in both directions, and is refused. Segments in which either text is empty are left out of
    a pair of systems. Segments with the same source (without sources: the same text to predict) are never on
    both sides of a split.
    """
    corpus, cosmic = _with_texts(given), _cosmic(metric)
    if cosmic.compat is None and cosmic.estimator == "gaussian":
        raise ParameterError(
            "a directed graph needs an estimate that differs by direction, got estimator='gaussian', which is"
            " symmetric; use estimator='knife' (the default; cosmic(seeds=1) takes the least time)."
        )
    systems = corpus.systems
    if len(systems) < 2:
        raise InputError(f"a graph needs two systems or more, got {len(systems)}.")
    for system in systems:
        if (corpus.predictions[system].lengths != 1).any():
            raise InputError(f"a graph needs one prediction per segment, {system!r} has several.")
    ids = [corpus.predictions[system].values for system in systems]
    embedded, *places = Features(corpus.texts, RunOptions(seed)).get(
        TextEmbedding(cosmic.model, cosmic.unit, alone=True, precision=cosmic.precision), *ids
    )
    filled = np.array([[bool(corpus.texts[text].strip()) for text in column.tolist()] for column in ids])
    contents = [digests(corpus.texts[text] for text in column.tolist()) for column in ids]
    sources = (
        [] if corpus.sources is None else [digests(corpus.texts[text] for text in corpus.sources.tolist())]
    )
    information, deviation = (np.full((len(systems), len(systems)), np.nan) for _ in range(2))
    warn_of_few(int(filled.sum(axis=1).min()))
    estimate = cosmic.information()
    for done, (i, j) in enumerate((i, j) for i in range(len(systems)) for j in range(len(systems)) if i != j):
        report("systems about each other", done, len(systems) * (len(systems) - 1))
        rows = np.flatnonzero(filled[i] & filled[j])
        predicted, predicting = (embedded.vectors.values[places[k][rows]] for k in (j, i))
        keys = np.column_stack([*sources, contents[j], contents[i]])[rows]
        found = estimate(predicted, predicting, keys, len(corpus), seed)
        by_seed = (
            (found.entropy - found.conditional).mean(axis=1) if len(rows) else np.full(cosmic.seeds, np.nan)
        )
        information[i, j] = by_seed.mean()
        deviation[i, j] = by_seed.std(ddof=1) if len(by_seed) > 1 else np.nan
    return InformationGraph(systems, information, deviation)


class Correlations(NamedTuple):
    """Correlations over systems; NaN for fewer than two systems, or if one side is constant."""

    pearson: float
    spearman: float
    kendall: float


class Agreement(NamedTuple):
    """`errors[task][system]`: how often a label differs between summary and source;
    `correlations[task][metric]`: of scores with 1 - error.
    """

    errors: dict[str, dict[str, float]]
    correlations: dict[str, dict[str, Correlations]]


def downstream_agreement(given: Result | Corpus, classifiers: Mapping[str, Classifier]) -> Agreement:
    """Return how often classifiers label a summary differently from its source, and the correlation of each
    metric of a Result with how often they agree (Table 1; Kendall is tau-b).

    A classifier takes texts and returns a label for each; it is called once, with every distinct text. A metric
    for which lower is better is expected to correlate negatively. A Corpus has only errors.
    """
    corpus = _with_texts(given)
    if corpus.sources is None:
        raise InputError("agreement with the sources needs sources, got none; pass a corpus with sources.")
    ids = np.unique(
        np.concatenate([corpus.sources, *(column.values for column in corpus.predictions.values())])
    )
    texts = [corpus.texts[text] for text in ids.tolist()]
    errors: dict[str, dict[str, float]] = {}
    for task, classifier in classifiers.items():
        labels = list(classifier(list(texts)))
        if len(labels) != len(texts):
            raise InputError(
                f"the classifier {task!r} returned {len(labels)} labels for {len(texts)} texts; it must return"
                " one per text."
            )
        number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        label_of = np.full(int(ids.max()) + 1, -1)
        label_of[ids] = [number[label] for label in labels]
        errors[task] = {}
        for system, column in corpus.predictions.items():
            differs = label_of[column.values] != label_of[corpus.sources][column.owners]
            by_segment = np.bincount(column.owners, differs, len(column)) / column.lengths
            errors[task][system] = float(np.average(by_segment, weights=corpus.weights))
    scores: dict[str, list[float]] = {}
    if isinstance(given, Result):
        scores = {
            label: [given._tables[system, label].scores()["score"] for system in corpus.systems]
            for label in given.labels
        }
    agreement = {task: [1 - error for error in by_system.values()] for task, by_system in errors.items()}
    return Agreement(
        errors,
        {
            task: {label: _correlations(scores[label], right) for label in scores}
            for task, right in agreement.items()
        },
    )


def _correlations(scores: Sequence[float], others: Sequence[float]) -> Correlations:
    if np.isnan(scores).any():
        return Correlations(np.nan, np.nan, np.nan)
    return Correlations(*(float(correlation(scores, others)) for correlation in (pearson, spearman, kendall)))


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


def _with_texts(given: Result | Corpus) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if not given.has_texts:
        raise ResultError(
            "cannot analyze this result: it was saved without its texts (texts=False); pass the Corpus."
        )
    return given.corpus
