"""Embeddings of texts as arrays: of any texts, and of the sources and predictions of a result or a corpus."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ResultError
from nlgauge.features import RunOptions, Work
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.features.lexical.word_vectors import WordVectors
from nlgauge.models import ModelSpec
from nlgauge.models.weights import store

if TYPE_CHECKING:
    from nlgauge.results.result import Result


class Embedded(NamedTuple):
    """Embeddings of the sources and of the predictions of each system.

    Parameters
    ----------
    sources : ndarray of shape (N, d)
        Vectors of the sources; None if there are no sources.
    predictions : dict of str to ndarray of shape (N, d)
        Vectors of the predictions by system.
    cut : dict of str to int
        Number of texts that were cut to the window of the model, by system and for "sources".
    """

    sources: Array | None
    predictions: dict[str, Array]
    cut: dict[str, int]


def embed(
    texts: Sequence[str],
    model: ModelSpec = "minilm",
    unit: bool = True,
    *,
    device: str | None = None,
    batch_size: int | None = None,
) -> Array:
    """Return one vector per text.

    Parameters
    ----------
    texts : sequence of str
        N texts.
    model : str or Model, default "minilm"
        Encoder or causal model, whose last vectors are averaged over the tokens of a text, or word vectors such as
        "glove", which are averaged over the known words of a text.
    unit : bool, default True
        Scale each vector to length 1.
    device : str, optional
        Torch device, such as "cpu" or "cuda".
    batch_size : int, optional
        Number of texts that the model reads at once.

    Returns
    -------
    ndarray of shape (N, d)
        Vectors, float32; NaN for an empty text and for a text without a known word.

    Warns
    -----
    UserWarning
        If texts were cut to the window of the model.

    Raises
    ------
    InputError
        If `texts` is no sequence of texts.
    """
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise InputError("texts must be a list of texts.")
    options = RunOptions(batch_size=batch_size, device=device)
    vectors, cut = _embedded(list(texts), model, unit, options)
    _warn_of_cut({"texts": int(cut.sum())}, {"texts": len(cut)})
    return vectors


def embeddings(
    given: Result | Corpus, model: ModelSpec = "minilm", unit: bool = True, *, device: str | None = None
) -> Embedded:
    """Return the vectors of the sources and predictions of a result or a corpus.

    Parameters
    ----------
    given : Result or Corpus
        Texts with one prediction per segment and system.
    model : str or Model, default "minilm"
        Model, as in `embed`.
    unit : bool, default True
        Scale each vector to length 1.
    device : str, optional
        Torch device, such as "cpu" or "cuda".

    Returns
    -------
    Embedded
        Vectors, and the number of texts that were cut. Each distinct text is read once, in its own batch, so that its vector does
        not depend on other texts.

    Warns
    -----
    UserWarning
        If texts were cut to the window of the model.

    Raises
    ------
    ResultError
        If a result was saved without its texts.
    InputError
        If a system has several predictions of a segment.
    """
    corpus = texts_of(given)
    columns = {"sources": corpus.sources} if corpus.sources is not None else {}
    for system, column in corpus.predictions.items():
        if (column.lengths != 1).any():
            raise InputError(f"embeddings need one prediction per segment, {system!r} has several.")
        columns[system] = column.values
    ids, places = np.unique(np.concatenate(list(columns.values())), return_inverse=True)
    texts = [corpus.texts[text] for text in ids.tolist()]
    vectors, cut = _embedded(texts, model, unit, RunOptions(device=device), alone=True)
    rows = dict(zip(columns, places.reshape(len(columns), -1), strict=True))
    counts = {name: int(cut[at].sum()) for name, at in rows.items()}
    _warn_of_cut(counts, {name: len(at) for name, at in rows.items()})
    found = {name: vectors[at] for name, at in rows.items()}
    return Embedded(found.pop("sources", None), found, counts)


def cosines(embedded: Embedded) -> dict[str, Array]:
    """Return the cosine of each prediction with its source, (N,) by system."""
    if embedded.sources is None:
        raise InputError("cosines with sources need sources, got none; pass a corpus with sources.")
    sources = embedded.sources / np.linalg.norm(embedded.sources, axis=1, keepdims=True)
    return {
        system: np.asarray((vectors * sources).sum(axis=1) / np.linalg.norm(vectors, axis=1))
        for system, vectors in embedded.predictions.items()
    }


def principal_components(vectors: Array) -> tuple[Array, Array, Array]:
    """Return the mean, the first two principal axes, (2, d), and the share of the variance of every axis."""
    center = vectors.mean(axis=0)
    _, spread, axes = np.linalg.svd(vectors - center, full_matrices=False)
    # The sign of an axis is arbitrary: its largest part is made positive, so that pictures are the same everywhere.
    axes = axes[:2] * np.sign(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)])[:, None]
    return center, axes, spread**2 / (spread**2).sum()


def texts_of(given: Result | Corpus) -> Corpus:
    """Return the corpus of a result, or raise if the result was saved without its texts."""
    if isinstance(given, Corpus):
        return given
    if not given.has_texts:
        raise ResultError(
            "cannot analyze this result: it was saved without its texts (texts=False); pass the Corpus."
        )
    return given.corpus


def _embedded(
    texts: list[str], model: ModelSpec, unit: bool, options: RunOptions, alone: bool = False
) -> tuple[Array, Array]:
    """Return (texts, d) vectors and whether each text was cut."""
    if isinstance(model, str) and (store.require(model) / store.VECTORS).is_file():
        vectors, cut = _means_of_words(texts, model, unit, options), np.zeros(len(texts), dtype=bool)
    else:
        found = Work(options).get(TextEmbedding(model, unit, alone), texts)
        vectors, cut = found.vectors.values.astype(np.float32), found.truncated.values.astype(bool)
    vectors[[not text.strip() for text in texts]] = np.nan
    return vectors, cut


def _means_of_words(texts: list[str], model: str, unit: bool, options: RunOptions) -> Array:
    """Return the mean vector of the known words of each text, in lower case; NaN without one."""
    feature = WordVectors(model)
    vectors = np.full((len(texts), feature.table.vectors.shape[1]), np.nan, dtype=np.float32)
    for place, rows in enumerate(Work(options).get(feature, [text.lower() for text in texts]).rows):
        if len(rows):
            mean = feature.table.take(rows).mean(axis=0)
            vectors[place] = mean / (np.linalg.norm(mean) or 1.0) if unit else mean
    return vectors


def _warn_of_cut(cut: dict[str, int], total: dict[str, int]) -> None:
    if any(cut.values()):
        listed = ", ".join(f"{number} of {total[name]} {name}" for name, number in cut.items() if number)
        warnings.warn(
            f"{counted(sum(cut.values()), 'text')} cut to the window of the model ({listed}); the vectors represent"
            " only the beginnings.",
            stacklevel=3,
        )
