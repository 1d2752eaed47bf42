"""METEOR: words matched exactly, by stem and by WordNet synset, weighed against how scattered the matches are.

    P = sum_k w_k (d m_k(h_c) + (1-d) m_k(h_f)) / (d |h_c| + (1-d) |h_f|)      over modules k; R the same on the reference
    F = P R / (alpha P + (1-alpha) R),   penalty = gamma (chunks / matches)^beta,   METEOR = F (1 - penalty)

h_c and h_f are content and function words of the prediction, m_k those matched by module k. Version 1.5 has tuned weights, sums its
counts over the corpus, and has no penalty where both texts match completely in one chunk. Version 2005 (alpha .9, beta 3, gamma .5) weighs all
modules and words alike, so that P = matches / words, has the penalty also for equal texts, and averages segments.
The papers ask for the alignment with most matches, then fewest chunks; `compat` gives the alignments that NLTK and METEOR's own program find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge.columns import Array
from nlgauge.explain import Explanation, WordAlignment
from nlgauge.features.text import Words
from nlgauge.features.wordnet import nltk_synonyms, pooled_synsets, synsets
from nlgauge.kernels.alignment import Alignment, Keys, chunk_numbers, fewest_chunks
from nlgauge.kernels.alignment_compat import beam, greedy
from nlgauge.metric import Arrays, Metric, Output, View, register

_MODULES = ("exact", "stem", "synonym", "paraphrase")
_TOKENIZERS = ("unicode", "whitespace", "13a", "intl", "zh", "char")
# Our own list of English words and marks, where the program has one of the words that are frequent in a corpus.
_LITTLE_MEANING = """
the a an this that these those of to in on at by for from with as into about after before and or but if than then not no so
i you he she it we they me him her us them my your his its our their who which what there all other some any more one up out over
is are was were be been being am has have had do does did will would can could may should must also when where how
. , ; : ? ! ' " ` '' `` ( ) [ ] - -- & / 's n't
"""
FUNCTION_WORDS = frozenset(_LITTLE_MEANING.split())


class _Tuning(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, ...]


_TUNINGS = {
    ("2005", "rank"): _Tuning(0.9, 3.0, 0.5, 0.5, (1.0, 1.0, 1.0, 1.0)),
    ("1.5", "rank"): _Tuning(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    ("1.5", "adequacy"): _Tuning(0.75, 1.4, 0.45, 0.7, (1.0, 1.0, 0.6, 0.8)),
}


@cache
def _stemmer(version: str) -> Callable[[str], str]:
    from nltk.stem import PorterStemmer, SnowballStemmer

    return cache((SnowballStemmer("english") if version == "1.5" else PorterStemmer()).stem)


@register
@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR of English text, 0 to 1."""

    version: str = "1.5"
    task: str = "rank"
    stem: bool = True
    synonyms: bool = True
    paraphrases: tuple[str, ...] = ()
    function_words: tuple[str, ...] | None = None
    tokenizer: str = "unicode"
    compat: str | None = None

    name: ClassVar[str] = "meteor"
    languages: ClassVar[tuple[str, ...] | None] = ("en",)

    def __post_init__(self) -> None:
        self.require(self.version in ("1.5", "2005"), "version", "'1.5' or '2005'")
        self.require((self.version, self.task) in _TUNINGS, "task", "'rank', or for version 1.5 'adequacy'")
        self.require(_strings(self.paraphrases), "paraphrases", "a list of strings, each with words that may stand for each other")
        self.require(self.function_words is None or _strings(self.function_words), "function_words", "a list of words")
        self.require(self.tokenizer in _TOKENIZERS, "tokenizer", f"one of {', '.join(_TOKENIZERS)}")
        own = {"1.5": "jar", "2005": "nltk"}[self.version]
        self.require(self.compat in (None, own), "compat", f"None or, for version {self.version}, {own!r}")
        self.require(self.compat != "nltk" or not self.paraphrases, "paraphrases", "empty with compat='nltk'")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        shares = [Output(name, True, 0, 1) for name in ("meteor", "precision", "recall", "f_mean")]
        return {"meteor": (*shares, Output("penalty", False, 0, 1))}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        rows = [self._counts(ours, theirs, alignment) for ours, theirs, alignment in self._aligned(view)]
        counts = np.array(rows, dtype=np.float64).reshape(len(view), 6 + 4 * len(_MODULES))
        if self.version == "1.5":
            return {"meteor": counts}
        return {"meteor": np.column_stack([*self._scores(counts).values(), np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        statistics = np.asarray(statistics, dtype=np.float64)
        if self.version == "1.5":
            return self._scores(statistics)
        return {output.name: statistics[..., i] / statistics[..., -1] for i, output in enumerate(self.outputs()[part])}

    def _scores(self, counts: Array) -> Arrays:
        """Every output from counts: words (4), matches of each module (4 each), all matches, chunks; fours are as in `_counts`."""
        alpha, beta, gamma, delta, weights = _TUNINGS[self.version, self.task]
        fours = counts[..., :-2].reshape(*counts.shape[:-1], 1 + len(_MODULES), 2, 2) @ np.array([delta, 1 - delta])
        weighted = np.einsum("k,...ks->...s", np.array(weights), fours[..., 1:, :])
        shares = weighted / np.where(fours[..., 0, :] > 0, fours[..., 0, :], 1.0)
        precision, recall = shares[..., 0], shares[..., 1]
        mean = precision * recall / np.where(precision * recall > 0, alpha * precision + (1 - alpha) * recall, 1.0)
        penalty = gamma * (counts[..., -1] / np.where(counts[..., -2] > 0, counts[..., -2], 1.0)) ** beta
        return {"meteor": mean * (1 - penalty), "precision": precision, "recall": recall, "f_mean": mean, "penalty": penalty}

    def _counts(self, prediction: list[str], reference: list[str], alignment: Alignment) -> list[int]:
        """One row: content and function words of prediction and reference, the same of those matched by each module, matches, chunks."""
        functions = FUNCTION_WORDS if self.function_words is None else frozenset(self.function_words)
        fours = np.zeros((1 + len(_MODULES), 2, 2), dtype=np.int64)
        for side, words in enumerate((prediction, reference)):
            in_list = [word in functions for word in words]
            fours[0, side] = in_list.count(False), in_list.count(True)
            for match in alignment:
                fours[1 + match[2], side, int(in_list[match[side]])] += 1
        chunks = chunk_numbers(alignment)[-1] if alignment else 0
        if self.version == "1.5" and chunks == 1 and len(alignment) == len(prediction) == len(reference):
            chunks = 0
        return [*fours.ravel().tolist(), len(alignment), chunks]

    def _aligned(self, view: View) -> list[tuple[list[str], list[str], Alignment]]:
        """The words of prediction and reference with their alignment, row by row."""
        words, predictions, references = view.get(Words(self.tokenizer), view.predictions, view.reference)
        rows = words.lists()
        numbers: dict[int, int] = {}
        ids = [[numbers.setdefault(word, len(numbers)) for word in row] for row in rows]
        spelt = [view.text(word) for word in numbers]
        stem = _stemmer(self.version) if self.stem else None
        senses = pooled_synsets if self.compat == "jar" else synsets
        groups = [frozenset(group.lower().split()) for group in self.paraphrases]
        modules: list[Keys] = [
            [(number,) for number in range(len(spelt))],
            [(stem(word),) if stem else () for word in spelt],
            [senses(word) if self.synonyms else () for word in spelt],
            [[i for i, group in enumerate(groups) if word in group] for word in spelt],
        ]
        found = []
        for p, r in zip(predictions.tolist(), references.tolist(), strict=True):
            sides = [spelt[word] for word in ids[p]], [spelt[word] for word in ids[r]]
            if self.compat == "nltk":
                alignment = greedy(*sides, stem, nltk_synonyms if self.synonyms else None)
            else:
                alignment = (beam if self.compat == "jar" else fewest_chunks)(ids[p], ids[r], modules)
            found.append((*sides, alignment))
        return found

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        found: list[Explanation] = []
        for row, (prediction, reference, alignment) in zip(self.statistics(view, fitted)["meteor"], self._aligned(view), strict=True):
            values = {name: float(value) for name, value in self.score("meteor", row).items()}
            title = (
                f"meteor {values['meteor']:.4f} (precision {values['precision']:.4f}, recall {values['recall']:.4f}, penalty {values['penalty']:.4f})"
            )
            matches = [(p, r, _MODULES[module]) for p, r, module in alignment]
            found.append(WordAlignment(title, {"meteor": row}, prediction, reference, matches, chunk_numbers(alignment)))
        return found


def _strings(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
