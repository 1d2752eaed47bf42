"""ROUGE-WE: overlap of n-grams, in which an n-gram of near meaning counts as a match.

    P = matched / n-grams of the prediction,   R = matched / n-grams of the reference,   F = 2 P R / (P + R)

An n-gram's vector is the sum of its words' vectors. The prediction's different n-grams are taken in order of
first appearance; the partner of each is the n-gram left in the reference with the largest cosine: the same
one if it is there. From a cosine of `threshold` on, the smaller of both counts is matched. A partner whose
count is not larger is used up, and the remaining count of the predicted n-gram is lost. An n-gram with a word
that has no vector matches only itself.

This is the form of S3 and SummEval. The authors' script of 2015 multiplies word vectors, and what it matches
hangs on the order of a hash table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.explanations import Explanation, WordGroups
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metric.domains import require_number, require_whole
from nlgauge.metrics._shared.known_words import WordPairs, WordVectorMetric, units

# Cosines are compared to this precision, so that no match depends on the last bits of a number.
_DECIMALS = 9


class _Grams(NamedTuple):
    """The different n-grams of a text in order of first appearance, their counts, and (n-grams, d) unit
    vectors: 0 if unknown.
    """

    grams: list[tuple[int, ...]]
    counts: list[int]
    vectors: Array


@register
@dataclass(frozen=True)
class RougeWe(WordVectorMetric):
    """ROUGE-WE: f1 (the score), precision and recall, 0 to 1, and the share of words without a vector."""

    n: int = 3
    threshold: float = 0.8
    vectors: str = "glove"
    tokenizer: str = "unicode"

    name: ClassVar[str] = "rouge_we"
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "rouge_we1": {"n": 1},
        "rouge_we2": {"n": 2},
        "rouge_we3": {"n": 3},
    }

    def __post_init__(self) -> None:
        self.check()
        require_whole(self, "n", 1, 9)
        require_number(self, "threshold", 0, 1, above=True)

    def measures(self) -> tuple[Output, ...]:
        return tuple(Output(name, True, 0, 1) for name in ("f1", "precision", "recall"))

    def values_of(self, view: View, pairs: WordPairs) -> Array:
        rows = []
        for prediction, reference in self._sides(view, pairs):
            matched = sum(count for _, _, count in self._matches(prediction, reference))
            predicted, expected = sum(prediction.counts), sum(reference.counts)
            precision, recall = (matched / total if total else 0.0 for total in (predicted, expected))
            rows.append(
                (2 * precision * recall / (precision + recall) if matched else 0.0, precision, recall)
            )
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def _sides(self, view: View, pairs: WordPairs) -> list[tuple[_Grams, _Grams]]:
        tokens = Tokens(self.tokenizer)
        column, *places = view.get(tokens, view.predictions, view.reference)
        rows = self.words_used().rows_of(view.features.memory_of(tokens).words())
        known: dict[int, _Grams] = {}
        for text in np.unique(np.concatenate(places)).tolist():
            counts: dict[tuple[int, ...], int] = {}
            words = column[text].tolist()
            for gram in zip(*(words[i:] for i in range(self.n)), strict=False):
                counts[gram] = counts.get(gram, 0) + 1
            known[text] = _Grams(
                list(counts), list(counts.values()), self._vectors(pairs, rows, list(counts))
            )
        return [(known[prediction], known[reference]) for prediction, reference in zip(*places, strict=True)]

    def _vectors(self, pairs: WordPairs, rows: Array, grams: list[tuple[int, ...]]) -> Array:
        found = (
            rows[np.array(grams, dtype=np.int64).reshape(-1, self.n)]
            if grams
            else np.empty((0, self.n), dtype=np.int64)
        )
        complete = (found >= 0).all(axis=1)
        sums = np.zeros((len(grams), pairs.table.vectors.shape[1]))
        sums[complete] = (
            pairs.table.take(found[complete].ravel()).reshape(-1, self.n, sums.shape[1]).sum(axis=1)
        )
        return units(sums)

    def _matches(self, prediction: _Grams, reference: _Grams) -> list[tuple[int, int, int]]:
        """Return the matched n-grams of prediction and reference, with their counts."""
        if not prediction.grams or not reference.grams:
            return []
        cosines = np.round(prediction.vectors @ reference.vectors.T, _DECIMALS)
        place = {gram: j for j, gram in enumerate(reference.grams)}
        left, found = list(reference.counts), []
        gone = np.zeros(len(left), dtype=bool)
        for i, (gram, count) in enumerate(zip(prediction.grams, prediction.counts, strict=True)):
            same = place.get(gram, -1)
            if same < 0 or gone[same]:
                near = np.where(gone, -1.0, cosines[i])
                same = int(near.argmax())
                if near[same] < self.threshold:
                    continue
            found.append((i, same, min(count, left[same])))
            gone[same] = left[same] <= count
            left[same] -= count
        return found

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        pairs = self.pairs(view)
        words = view.features.memory_of(Tokens(self.tokenizer)).words()
        for (prediction, reference), row in zip(
            self._sides(view, pairs), self.statistics(view, fitted)["rouge_we"], strict=True
        ):
            ours, theirs = (
                [" ".join(words[word] for word in gram) for gram in side.grams]
                for side in (prediction, reference)
            )
            matches = self._matches(prediction, reference)
            groups: dict[str, list[str]] = {"same": [], "near": [], "not matched": [], "missed": []}
            for i, j, _ in matches:
                groups["same" if ours[i] == theirs[j] else "near"].append(
                    ours[i] if ours[i] == theirs[j] else f"{ours[i]}/{theirs[j]}"
                )
            groups["not matched"] = [
                gram for i, gram in enumerate(ours) if i not in {match[0] for match in matches}
            ]
            groups["missed"] = [
                gram for j, gram in enumerate(theirs) if j not in {match[1] for match in matches}
            ]
            score = self.score("rouge_we", row)
            title = (
                f"rouge_we f1 {score['f1']:.4f}, precision {score['precision']:.4f}, recall"
                f" {score['recall']:.4f}; near matches as prediction/reference"
            )
            yield WordGroups(title, {"rouge_we": row}, groups, against=["not matched", "missed"])
