"""Downstream tasks (COSMIC, Table 1): does a task treat a summary as it treats the source?

A task is a function of texts that returns a label for each. Three need no weights:

    sentiment   VADER's word list: negative below -0.05, positive above 0.05, else neutral
    topic:K     the nearest of K clusters of other texts (k-means on 50 components of TF-IDF)
    outlet      the newspaper that a classifier of other articles predicts (logistic regression on TF-IDF)

Other texts are needed so that a task does not depend on the texts that are compared. MODULE:FUNCTION is a custom
task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, MissingExtraError, ParameterError, did_you_mean
from nlgauge.meta.papers.embeddings import texts_of

if TYPE_CHECKING:
    from nlgauge.results.result import Result

Classifier = Callable[[list[str]], Sequence[Hashable]]
TASKS = ("sentiment", "topic", "outlet")
_NEUTRAL = 0.05
_COMPONENTS, _STARTS = 50, 10


class Labeled(NamedTuple):
    """Labels of a task.

    Parameters
    ----------
    agreement : ndarray of shape (S, N)
        1 if prediction and source have the same label, 0 if they differ; for several predictions their mean.
    shares : dict of label to float
        Share of the sources with each label, the largest first. A task with one label shows nothing.
    """

    agreement: Array
    shares: dict[Hashable, float]


def labeled(given: Result | Corpus, classifier: Classifier) -> Labeled:
    """Label the predictions and the sources of a result or a corpus.

    Parameters
    ----------
    given : Result or Corpus
        Texts with sources.
    classifier : callable
        Function from a list of texts to their labels; it is called once, with every distinct text.

    Returns
    -------
    Labeled
        Agreement of labels, for `nlgauge.meta.downstream`, and the shares of labels among the sources.

    Raises
    ------
    InputError
        If there are no sources, or the function returns another number of labels.
    """
    corpus = texts_of(given)
    if corpus.sources is None:
        raise InputError("agreement with the sources needs sources, got none; pass a corpus with sources.")
    columns = corpus.predictions.values()
    ids = np.unique(np.concatenate([corpus.sources, *(column.values for column in columns)]))
    texts = [corpus.texts[text] for text in ids.tolist()]
    labels = list(classifier(list(texts)))
    if len(labels) != len(texts):
        name = getattr(classifier, "__name__", str(classifier))
        raise InputError(
            f"the task {name!r} returned {len(labels)} labels for {len(texts)} texts; it must return one per text."
        )
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    label_of = np.full(int(ids.max(initial=-1)) + 1, -1)
    label_of[ids] = [number[label] for label in labels]
    wanted = label_of[corpus.sources]
    rows = [
        np.bincount(column.owners, label_of[column.values] == wanted[column.owners], len(column))
        / column.lengths
        for column in columns
    ]
    by_label = list(number)
    counts = Counter(by_label[place] for place in wanted.tolist())
    return Labeled(np.stack(rows), {label: count / len(wanted) for label, count in counts.most_common()})


def task(
    spec: str, texts: Sequence[str] | None = None, outlets: Sequence[Hashable] | None = None
) -> Classifier:
    """Return a task by name.

    Parameters
    ----------
    spec : str
        "sentiment", "topic:K" (K clusters), "outlet", or MODULE:FUNCTION, a function from a list of texts to labels.
    texts : sequence of str, optional
        Other texts of the same kind, which "topic" and "outlet" learn from.
    outlets : sequence, optional
        Newspaper of each of these texts, for "outlet".

    Returns
    -------
    callable
        Function from a list of texts to their labels.

    Raises
    ------
    ParameterError
        If there is no such task, or texts to learn from are missing.
    MissingExtraError
        If a package is missing.
    """
    name, _, argument = spec.partition(":")
    if name == "sentiment" and not argument:
        return sentiment()
    if name == "topic":
        if not argument.isdigit() or int(argument) < 2:
            raise ParameterError(
                f"topic needs a number of clusters of at least 2, such as 'topic:8'; got {spec!r}."
            )
        return topic(int(argument), texts)
    if name == "outlet" and not argument:
        return outlet(texts, outlets)
    if argument:
        return _custom(name, argument)
    raise ParameterError(
        f"unknown task {spec!r}{did_you_mean(name, TASKS)}; the tasks are sentiment, topic:K, outlet and"
        " MODULE:FUNCTION."
    )


def sentiment() -> Classifier:
    """Return the task of VADER's sentiment: negative, neutral or positive."""
    _require("vaderSentiment", "sentiment")
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()

    def label(texts: list[str]) -> list[str]:
        scores = [analyzer.polarity_scores(text)["compound"] for text in texts]
        return [
            "negative" if score < -_NEUTRAL else "positive" if score > _NEUTRAL else "neutral"
            for score in scores
        ]

    return label


def topic(clusters: int, texts: Sequence[str] | None) -> Classifier:
    """Return the task of the nearest of `clusters` clusters of other texts."""
    known = _to_learn_from("topic", texts)
    vectors = _vectorizer(known)
    from sklearn.cluster import KMeans

    found = KMeans(clusters, n_init=_STARTS, random_state=0).fit(vectors.transform(known))
    return lambda new: [int(label) for label in found.predict(vectors.transform(_lower(new)))]


def outlet(texts: Sequence[str] | None, outlets: Sequence[Hashable] | None) -> Classifier:
    """Return the task of the newspaper of an article, as a classifier of other articles predicts it."""
    known = _to_learn_from("outlet", texts)
    if outlets is None or len(outlets) != len(known) or len(set(outlets)) < 2:
        raise ParameterError(
            "outlet needs the newspaper of each of the other texts, and at least two newspapers; pass outlets=[...]."
        )
    vectors = _vectorizer(known)
    from sklearn.linear_model import LogisticRegression

    found = LogisticRegression(max_iter=1000, random_state=0).fit(vectors.transform(known), list(outlets))
    return lambda new: list(found.predict(vectors.transform(_lower(new))).tolist())


def outlet_of(segment: str) -> str:
    """Return the newspaper in the id of an article of CNN/DailyMail ("cnn" or "dm"); "" if it has none."""
    start = segment.partition("-")[0]
    return start if start in ("cnn", "dm") else ""


def _vectorizer(texts: list[str]) -> Any:
    """Return TF-IDF of words, reduced to 50 components and scaled to length 1, fitted on the texts."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    words = TfidfVectorizer(stop_words="english", min_df=2, token_pattern=r"[a-z]{3,}")  # noqa: S106
    return make_pipeline(words, TruncatedSVD(_COMPONENTS, random_state=0), Normalizer()).fit(texts)


def _to_learn_from(name: str, texts: Sequence[str] | None) -> list[str]:
    _require("sklearn", name)
    if texts is None or len(texts) <= _COMPONENTS:
        raise ParameterError(
            f"{name} learns from more than {_COMPONENTS} other texts of the same kind, got"
            f" {0 if texts is None else len(texts)}",
            python="pass texts=[...]",
            cli="name a benchmark or a file whose sources are used with --learn-from",
        )
    return _lower(texts)


def _lower(texts: Sequence[str]) -> list[str]:
    return [text.lower() for text in texts]


def _custom(module: str, name: str) -> Classifier:
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ParameterError(f"the task {module}:{name} cannot be imported: {error}.") from None
    if not callable(found):
        raise ParameterError(f"the task {module}:{name} must be a function from texts to labels.")
    chosen: Classifier = found
    return chosen


def _require(module: str, name: str) -> None:
    if find_spec(module) is None:
        package = {"sklearn": "scikit-learn"}.get(module, module)
        raise MissingExtraError(package, "tasks", f"the task {name}")
