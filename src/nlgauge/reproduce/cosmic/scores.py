"""The numbers that COSMIC's tables need of one benchmark: scores of each summary, labels of tasks, settings of the
estimator, the graph of systems. Each group of numbers is saved without texts as soon as it is computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import MissingExtraError
from nlgauge.features import RunOptions
from nlgauge.meta.benchmarks import Benchmark, load
from nlgauge.meta.benchmarks.places import place_of
from nlgauge.meta.diagnostics.covariates import lengths
from nlgauge.meta.papers.cosmic import InformationGraph, PairInformation, information_graph, pair_information
from nlgauge.meta.papers.embeddings import Embedded, cosines, embeddings, principal_components
from nlgauge.meta.papers.tasks import Classifier, labeled, task
from nlgauge.reproduce.settings import Settings, digest
from nlgauge.scoring import Scorer

# The encoder of the paper; another model replaces it if it is missing.
ENCODER, VECTORS = "WhereIsAI/UAE-Large-V1", "glove"
COSMIC, GAUSSIAN, WORDS = "I(S;T)", "I(S;T), Gaussian", "words"
ROUGE, BERTSCORE = "ROUGE-L", "BERTScore"
_KNIFE, _ONE_GAUSSIAN = "cosmic(reverse=False)", "cosmic(reverse=False, estimator='gaussian')"
_BASELINES = {
    ROUGE: ("rouge@source", "rougeL"),
    BERTSCORE: ("bertscore(model='minilm', layer=6)@source", "f1"),
}
MODES, LENGTHS, PAIRS = (1, 2, 8), (10, 20, 40), (25, 50, 75)
# One seed of the estimator is enough for means over all systems, and takes a third of the time.
_ONE_SEED = "cosmic(reverse=False, seeds=1)"
TASKS = ("sentiment", "topic:4", "topic:8")
# The topics of a benchmark are clusters of the articles of the others.
_OTHERS = {"summeval": ("realsumm", "primer_dailynews300"), "realsumm": ("summeval", "primer_dailynews300")}
_DIGITS = 5


class Shown(NamedTuple):
    """Two principal components of embeddings by name, and their shares of the variance."""

    points: dict[str, Array]
    shares: list[float]


class Measured:
    """The numbers of one benchmark; saved numbers are read, others are computed and saved."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name, self.settings = name, settings

    @lazy
    def benchmark(self) -> Benchmark:
        """The texts of machines, with human scores."""
        return self.settings.benchmark(self.name).machines()

    @lazy
    def corpus(self) -> Corpus:
        """The texts as a corpus."""
        return self.benchmark.corpus()

    @lazy
    def embedded(self) -> Embedded:
        """The vectors of the encoder."""
        return self._embedded(self.corpus, self.settings.model(ENCODER)[0])

    @property
    def _embedders(self) -> list[str]:
        """The model of the information, and word vectors if they are installed."""
        return [
            self.settings.model(ENCODER)[0],
            *(name for name in (VECTORS,) if name in self.settings.models),
        ]

    def _embedded(self, corpus: Corpus, model: str) -> Embedded:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # cut texts: the page counts them
            return embeddings(corpus, model)

    def _information(
        self, embedded: Embedded, metric: str = _KNIFE, corpus: Corpus | None = None
    ) -> list[PairInformation]:
        found = pair_information(corpus or self.corpus, embedded, metric, self.settings.seed)
        return [found[system] for system in self.benchmark.systems]

    def _keep(self, name: str, compute: Any, **asked: Any) -> dict[str, Any]:
        texts = digest(self.benchmark, human=False)
        kept: dict[str, Any] = self.settings.keep(
            f"{self.name}-{name}", compute, _DIGITS, texts=texts, **asked
        )
        return kept

    @lazy
    def _scores(self) -> dict[str, Any]:
        def compute() -> dict[str, Any]:
            self.settings.say(f"{self.name}: information, ROUGE and BERTScore")
            knife = self._information(self.embedded)
            plain = self._information(self.embedded, _ONE_GAUSSIAN)
            metrics = {
                COSMIC: [pair.pairs for pair in knife],
                GAUSSIAN: [pair.pairs for pair in plain],
                WORDS: lengths(self.corpus)["length"],
            }
            specs = [spec for spec, _ in _BASELINES.values()]
            result = Scorer(specs).score_corpus(self.corpus, None, RunOptions(self.settings.seed))
            for name, (label, output) in _BASELINES.items():
                metrics[name] = [
                    result._tables[system, label].segments()[output] for system in self.benchmark.systems
                ]
            return {
                "metrics": metrics,
                "deviation": [pair.seed_deviation for pair in knife],
                "cut": self.embedded.cut,
            }

        return self._keep("scores", compute)

    @property
    def metrics(self) -> dict[str, Array]:
        """The scores of each summary, (S, N) by name."""
        return _arrays(self._scores["metrics"])

    @property
    def deviation(self) -> Array:
        """Deviation of the information of each system over seeds, (S,)."""
        return np.array(self._scores["deviation"], dtype=np.float64)

    @property
    def cut(self) -> int:
        """Number of articles that were cut to the window of the encoder."""
        return int(self._scores["cut"]["sources"])

    @lazy
    def _tasks(self) -> dict[str, Any]:
        def compute() -> dict[str, Any]:
            self.settings.say(f"{self.name}: tasks")
            agreement, shares, missing = self._labeled(self.corpus)
            for model in self._embedders:
                own = self.embedded if model == self._embedders[0] else self._embedded(self.corpus, model)
                near = cosines(own)
                agreement[f"cosine {model}"] = np.stack([near[system] for system in self.benchmark.systems])
            return {"agreement": agreement, "shares": shares, "missing": missing}

        return self._keep("tasks", compute, tasks=TASKS)

    @property
    def tasks(self) -> dict[str, Array]:
        """Agreement of each summary with its source, (S, N) by task."""
        return _arrays(self._tasks["agreement"])

    @property
    def shares(self) -> dict[str, dict[str, float]]:
        """Share of the articles with each label, by task."""
        return dict(self._tasks["shares"])

    @property
    def missing(self) -> dict[str, str]:
        """Tasks that could not be run, with the reason."""
        return dict(self._tasks["missing"])

    def _labeled(self, corpus: Corpus) -> tuple[dict[str, Array], dict[str, Any], dict[str, str]]:
        agreement, shares = {}, {}
        for name, classifier in self._classifiers[0].items():
            found = labeled(corpus, classifier)
            agreement[name] = found.agreement
            shares[name] = {str(label): share for label, share in found.shares.items()}
        return agreement, shares, self._classifiers[1]

    @lazy
    def _classifiers(self) -> tuple[dict[str, Classifier], dict[str, str]]:
        """The tasks, which label each text once, and the reasons of missing tasks."""
        found, missing = {}, {}
        for name in TASKS:
            try:
                found[name] = _remembering(task(name, None if name == "sentiment" else self._other_articles))
            except MissingExtraError as error:
                missing[name] = str(error)
        return found, missing

    @lazy
    def _other_articles(self) -> list[str]:
        """The articles of other benchmarks that are not among the articles of this benchmark."""
        own = {_beginning(row.source) for row in load(self.name).rows}
        articles = {
            row.source
            for name in _OTHERS[self.name]
            if place_of(name) is not None
            for row in load(name).rows
            if row.source is not None and _beginning(row.source) not in own
        }
        return sorted(articles)

    @lazy
    def variants(self) -> dict[str, Array]:
        """Information of each summary with other numbers of modes and with word vectors, (S, N) by setting."""

        def compute() -> dict[str, Any]:
            self.settings.say(f"{self.name}: modes and vectors")
            found = {
                f"{modes} modes": self._information(
                    self.embedded, f"cosmic(reverse=False, seeds=1, modes={modes})"
                )
                for modes in MODES
            }
            for model in self._embedders[1:]:
                found[model] = self._information(self._embedded(self.corpus, model), _ONE_SEED)
            return {name: [pair.pairs for pair in pairs] for name, pairs in found.items()}

        return _arrays(self._keep("variants", compute, modes=MODES))

    @lazy
    def _beginnings(self) -> dict[str, Any]:
        def compute() -> dict[str, Any]:
            self.settings.say(f"{self.name}: shorter summaries")
            information, agreement = {}, {}
            for words in LENGTHS:
                corpus = self._cut(words)
                cut = self._embedded(self._cut(words, sources=False), self.settings.model(ENCODER)[0])
                embedded = Embedded(self.embedded.sources, cut.predictions, {})
                pairs = self._information(embedded, _ONE_SEED, corpus)
                information[str(words)] = [pair.pairs for pair in pairs]
                agreement[str(words)] = self._labeled(corpus)[0]
            return {"information": information, "agreement": agreement}

        return self._keep("beginnings", compute, words=LENGTHS)

    def beginnings(self, task_name: str | None = None) -> dict[str, Array]:
        """Return information, or agreement on a task, of the first 10, 20, 40 and all words, (S, N) by words."""
        kept = self._beginnings
        if task_name is None:
            return {**_arrays(kept["information"]), "all": self.metrics[COSMIC]}
        parts = {words: np.array(of[task_name], float) for words, of in kept["agreement"].items()}
        return {**parts, "all": self.tasks[task_name]}

    def _cut(self, words: int, sources: bool = True) -> Corpus:
        """Return the corpus with only the first words of each summary."""
        corpus = self.corpus
        texts = {
            system: [" ".join(corpus.texts[text].split()[:words]) for text in column.values.tolist()]
            for system, column in corpus.predictions.items()
        }
        assert corpus.sources is not None
        articles = [corpus.texts[text] for text in corpus.sources.tolist()] if sources else None
        return Corpus.read(texts, sources=articles)

    @lazy
    def fewer(self) -> dict[str, Array]:
        """Information of each system, (S,), from 25, 50, 75 and all pairs of a random order."""

        def compute() -> dict[str, Any]:
            self.settings.say(f"{self.name}: fewer pairs")
            order = np.random.default_rng(self.settings.seed).permutation(len(self.corpus))
            found = {}
            for pairs in PAIRS:
                rows = np.sort(order[:pairs])
                assert self.embedded.sources is not None
                taken = {system: vectors[rows] for system, vectors in self.embedded.predictions.items()}
                part = Embedded(self.embedded.sources[rows], taken, {})
                information = self._information(part, _ONE_SEED, self.corpus.take(rows))
                found[str(pairs)] = [float(pair.pairs.mean()) for pair in information]
            return found

        found = _arrays(self._keep("pairs", compute, pairs=PAIRS))
        every = self.metrics[COSMIC]
        return {**found, str(every.shape[1]): every.mean(axis=1)}

    @lazy
    def graph(self) -> InformationGraph:
        """Information of systems about each other."""

        def compute() -> dict[str, Any]:
            self.settings.say(f"{self.name}: graph of systems")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # few pairs: a note on the page
                metric = f"cosmic(reverse=False, model={self.settings.model(ENCODER)[0]!r})"
                found = information_graph(self.corpus, metric, self.settings.seed)
            return found._asdict()

        kept = self._keep("graph", compute)
        information, deviation = (
            np.array(kept[name], dtype=np.float64) for name in ("information", "seed_deviation")
        )
        return InformationGraph(tuple(kept["systems"]), information, deviation, int(kept["seeds"]))

    @lazy
    def map(self) -> Shown:
        """Principal components of articles, and of the summaries with most and with least information."""

        def compute() -> dict[str, Any]:
            assert self.embedded.sources is not None
            order = np.argsort(self.metrics[COSMIC].mean(axis=1))
            chosen = [self.benchmark.systems[order[place]] for place in (-1, 0)]
            arrays = {"articles": self.embedded.sources}
            arrays |= {system: self.embedded.predictions[system] for system in chosen}
            every = np.concatenate(list(arrays.values())).astype(np.float64)
            center, axes, shares = principal_components(every)
            points = {name: (values - center) @ axes.T for name, values in arrays.items()}
            return {"points": points, "shares": shares[:2]}

        kept = self._keep("map", compute)
        return Shown(_arrays(kept["points"]), [float(share) for share in kept["shares"]])


def _arrays(columns: Mapping[str, Sequence[Any]]) -> dict[str, Array]:
    return {name: np.array(values, dtype=np.float64) for name, values in columns.items()}


def _remembering(classifier: Classifier) -> Classifier:
    """Return a classifier that labels each text once."""
    known: dict[str, Any] = {}

    def label(texts: list[str]) -> list[Any]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, classifier(new), strict=True))
        return [known[text] for text in texts]

    return label


def _beginning(text: str | None) -> str:
    return (text or "").lower()[:200]
