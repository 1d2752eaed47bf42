"""Covariates: properties of texts other than their quality, one (systems, segments) array each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.corpus.scripts import unspaced_script
from nlgauge.errors import InputError
from nlgauge.features.tokens.tokenizers import tokenizer
from nlgauge.results.result import Result

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


def lengths(corpus: Corpus) -> dict[str, Array]:
    """Return the lengths of outputs and, if they exist, references and sources, (systems, segments) each; for
    several texts their mean.

    Words and punctuation marks count, in scripts without spaces characters, so that a tokenized text is as
    long as the same text untokenized.
    """
    words = np.array([_length(corpus.texts[text]) for text in range(len(corpus.texts))], dtype=np.float64)
    lengths_by_name = {
        "length": np.stack([_mean(words, corpus.predictions[system]) for system in corpus.systems])
    }
    if corpus.references is not None:
        lengths_by_name["reference length"] = np.tile(
            _mean(words, corpus.references), (len(corpus.systems), 1)
        )
    if corpus.sources is not None:
        lengths_by_name["source length"] = np.tile(words[corpus.sources], (len(corpus.systems), 1))
    return lengths_by_name


def covariates(corpus: Corpus) -> dict[str, Array]:
    """Measure properties of texts that a metric may reward by mistake.

    Parameters
    ----------
    corpus : Corpus
        N segments with one prediction each of S systems.

    Returns
    -------
    dict of str to ndarray of shape (S, N)
        Lengths and repetition; with sources also novelty, coverage, compression and density.

    Raises
    ------
    InputError
        If a system has several predictions of a segment.
    """
    from nlgauge.features import RunOptions
    from nlgauge.meta.papers.shannon import summary_statistics
    from nlgauge.scoring import Scorer

    for system in corpus.systems:
        if (corpus.predictions[system].lengths != 1).any():
            raise InputError(f"covariates need one output per segment, {system!r} has several.")
    repeated = Scorer("repetitiveness").score_corpus(corpus, None, RunOptions())
    label = repeated.labels[0]
    found = {
        **lengths(corpus),
        "repetition": np.stack(
            [repeated._tables[system, label].segments()["repetitiveness3"] for system in corpus.systems]
        ),
    }
    if corpus.sources is not None:
        shape = found["length"].shape
        found |= {
            name: values.reshape(shape)
            for name, values in summary_statistics(corpus).items()
            if name != "length"
        }
    return found


def aligned(
    judgments: Judgments, given: Corpus | Result | Mapping[str, Any], only_lengths: bool = False
) -> dict[str, Array]:
    """Return covariates in the order of the judgments' systems and segments: of a corpus (NaN if it lacks a
    text), or arrays of that shape.
    """
    shape = len(judgments.systems), len(judgments.segments)
    corpus = given.corpus if isinstance(given, Result) else given
    if not isinstance(corpus, Corpus):
        return {name: _checked(name, values, shape) for name, values in corpus.items()}
    rows = {system: i for i, system in enumerate(corpus.systems)}
    columns = {segment: i for i, segment in enumerate(corpus.ids)}
    i, j = (
        np.array([rows.get(name, -1) for name in judgments.systems]),
        np.array([columns.get(name, -1) for name in judgments.segments]),
    )
    if (i < 0).all() or (j < 0).all():
        raise InputError(
            "the corpus has none of the judged systems or none of the judged segments; pass the corpus with the"
            " judged texts."
        )
    here = np.ix_(i, j)
    known = (i >= 0)[:, None] & (j >= 0)
    return {
        name: np.where(known, values[here], np.nan)
        for name, values in (lengths if only_lengths else covariates)(corpus).items()
    }


def group_columns(judgments: Judgments) -> list[Array]:
    """Return the segments of each group; all segments if there are no groups."""
    groups = judgments.groups or (None,) * len(judgments.segments)
    return [np.flatnonzero([one == group for one in groups]) for group in dict.fromkeys(groups)]


def _checked(name: str, values: Any, shape: tuple[int, int]) -> Array:
    try:
        return np.array(np.broadcast_to(np.asarray(values, dtype=np.float64), shape))
    except (TypeError, ValueError):
        raise InputError(
            f"the covariate {name!r} must be numbers of shape (systems, segments) = {shape}, or one number per"
            " segment."
        ) from None


def _length(text: str) -> int:
    return len("".join(text.split())) if unspaced_script(text) else len(tokenizer("punctuated")(text))


def _mean(words: Array, column: Ragged) -> Array:
    with np.errstate(invalid="ignore"):
        means: Array = np.bincount(column.owners, words[column.values], len(column)) / column.lengths
    return means
