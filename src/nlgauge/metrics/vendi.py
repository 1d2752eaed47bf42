"""Vendi score: the effective number of different texts in a system's output.

    VS_q = exp( H_q(lambda) ),   lambda = eigenvalues of K / n,   H_1 = - sum lambda log lambda,   H_q = log( sum lambda^q ) / (1 - q)

K is an n x n matrix of similarities, positive semidefinite, with ones on its diagonal: n equal texts give 1,
n texts with nothing in common give n. Here K is the mean over n-gram orders of the cosine of n-gram counts
(or of sets: counts cut to 1), over the orders that a text is long enough for, so that a text is always alike
itself. `vendi_score` takes any other K. Non-zero eigenvalues come from the smaller of two matrices: of
different texts, equal ones taken together, or of n-grams.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import Features
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric import CorpusMetric, Output, register
from nlgauge.metric.domains import require_choice, require_number, require_order, require_whole

# A matrix of 20,000 x 20,000 takes 3.2 GB, its eigenvalues about half an hour.
_MOST = 20_000
_BLOCK = 2048


def vendi_score(kernel: Any, q: float = 1.0) -> float:
    """Return the Vendi score of order q (0 < q, math.inf included) of a symmetric matrix of similarities with
    ones on its diagonal.

    >>> round(vendi_score([[1, 0.5], [0.5, 1]]), 10)
    1.7547653506
    """
    matrix = np.asarray(kernel, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ParameterError(f"a kernel must be a square matrix, got the shape {matrix.shape}.")
    if not np.allclose(matrix, matrix.T) or not np.allclose(np.diagonal(matrix), 1):
        raise ParameterError(
            "a kernel must be symmetric with ones on its diagonal; the similarity of a text to itself is 1."
        )
    return _effective_number(matrix / len(matrix), q)


def _effective_number(matrix: Array, q: float) -> float:
    shares = np.clip(np.linalg.eigvalsh(matrix), 0.0, None)
    shares = shares[shares > 0]
    if q == math.inf:
        return float(1 / shares.max())
    if q == 1:
        return float(np.exp(-(shares * np.log(shares)).sum()))
    # Shares of the greatest one: high powers of small shares would all be 0.
    greatest = shares.max()
    return float(np.exp(q / (1 - q) * np.log(greatest) + np.log(((shares / greatest) ** q).sum()) / (1 - q)))


@register
@dataclass(frozen=True)
class Vendi(CorpusMetric):
    """Effective number of different texts, from 1."""

    kernel: str = "ngram"
    min_order: int = 1
    max_order: int = 2
    q: float = 1.0
    tokenizer: str = "unicode"
    sample: int | None = None

    name: ClassVar[str] = "vendi"
    resamples: ClassVar[int] = 200

    def __post_init__(self) -> None:
        self.require(
            self.kernel in ("ngram", "ngram_set"),
            "kernel",
            "'ngram' or 'ngram_set' (nlgauge.metrics.vendi.vendi_score takes any matrix)",
        )
        require_order(self, "min_order")
        require_order(self)
        self.require(self.max_order >= self.min_order, "max_order", "a whole number from min_order")
        require_number(self, "q", above=True)
        require_choice(self, "tokenizer", ("unicode", "whitespace", "13a"))
        require_whole(self, "sample", optional=True)

    @property
    def seeded(self) -> bool:  # type: ignore[override]
        return self.sample is not None

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"vendi": (Output("vendi", True, 1, nan="no text is long enough to have such an n-gram"),)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        tokens, texts = features.get(Tokens(self.tokenizer), corpus.predictions[system].values)
        texts = texts[tokens.lengths[texts] >= self.min_order]
        if not len(texts):
            return {"vendi": math.nan}
        if self.sample is not None and len(texts) > self.sample:
            texts = texts[
                np.random.default_rng(features.options.seed).choice(len(texts), self.sample, replace=False)
            ]
        # Texts and n-grams stay in the order of their first appearance, so that no other system changes a bit
        # of the sums.
        counted = Counter(texts.tolist())
        rows = tokens.take(np.array(list(counted))).lists()
        weights = np.sqrt(np.array(list(counted.values())) / len(texts))
        return {"vendi": _effective_number(self._similarities(rows, weights), self.q)}

    def _similarities(self, rows: list[list[int]], weights: Array) -> Array:
        """Return the smaller of W X X' W and X' W W X, with texts as rows of X: both have the same
        eigenvalues except zeros.
        """
        columns: dict[tuple[int, ...], int] = {}
        texts, grams, values = [], [], []
        for i, row in enumerate(rows):
            orders = range(self.min_order, min(self.max_order, len(row)) + 1)
            for n in orders:
                counts = Counter(zip(*(row[k:] for k in range(n)), strict=False))
                if self.kernel == "ngram_set":
                    counts = Counter(counts.keys())
                norm = math.sqrt(len(orders) * sum(count * count for count in counts.values()))
                texts += [i] * len(counts)
                grams += [columns.setdefault(gram, len(columns)) for gram in counts]
                values += [weights[i] * count / norm for count in counts.values()]
        size = min(len(rows), len(columns))
        if size > _MOST:
            raise InputError(
                f"vendi would need a matrix of {size:,} x {size:,}; set sample to {_MOST} or less to draw a sample of"
                " the texts."
            )
        sides = (
            (np.array(texts), np.array(grams))
            if len(rows) <= len(columns)
            else (np.array(grams), np.array(texts))
        )
        return _product(*sides, np.array(values), size)


def _product(rows: Array, columns: Array, values: Array, size: int) -> Array:
    """Return M M' of the matrix M with these entries and `size` rows, some columns at a time."""
    order = np.argsort(columns, kind="stable")
    rows, columns, values = rows[order], columns[order], values[order]
    product = np.zeros((size, size))
    for first in range(0, int(columns[-1]) + 1, _BLOCK):
        part = slice(*np.searchsorted(columns, [first, first + _BLOCK]))
        block = np.zeros((size, _BLOCK))
        block[rows[part], columns[part] - first] = values[part]
        product += block @ block.T
    return product
