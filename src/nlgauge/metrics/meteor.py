"""METEOR: words matched exactly, by stem and by WordNet synset, weighed against how scattered the matches
are.

    P = sum_k w_k (d m_k(h_c) + (1-d) m_k(h_f)) / (d |h_c| + (1-d) |h_f|)      over modules k; R the same on the reference
    F = P R / (alpha P + (1-alpha) R),   penalty = gamma (chunks / matches)^beta,   METEOR = F (1 - penalty)

h_c and h_f are content and function words of the prediction, m_k those matched by module k. Version 1.5 has
tuned weights, sums its counts over the corpus, and has no penalty if both texts match completely in one
chunk. Version 2005 (alpha .9, beta 3, gamma .5) weighs all modules and words alike, so that P = matches /
words, has the penalty also for equal texts, and averages segments. The papers define the alignment with most
matches, then fewest chunks; `compat` gives the alignments that NLTK and METEOR's own program find.

With copy words (METEOR++, experimental) P and R are multiplied by (matched copy words + s) / (copy words +
s), counted on the own side; s smooths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError
from nlgauge.explanations import Explanation, WordAlignment
from nlgauge.features.lexical.paraphrases import content, word_list
from nlgauge.features.lexical.word_matches import MODULES, WORD_COUNTS, WordMatches
from nlgauge.features.tokens.text import Tokens, token_libraries
from nlgauge.kernels.alignment import Match, chunk_numbers
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_number

_TOKENIZERS = ("unicode", "punctuated", "whitespace", "13a", "intl", "zh", "char", "norm")
# The function words of nlgauge, English words and marks; the program uses the frequent words of a corpus
# instead.
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


# The copy words of METEOR++ before they are given.
_NEEDED = "..."


@register
@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR of English text, 0 to 1."""

    version: str = "1.5"
    task: str = "rank"
    stem: bool = True
    synonyms: bool = True
    paraphrases: tuple[str, ...] | str = ()
    function_words: tuple[str, ...] | None = None
    tokenizer: str = "unicode"
    compat: str | None = None
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    copy_words: tuple[str, ...] | str = ()
    copy_smoothing: float = 8.0

    name: ClassVar[str] = "meteor"
    # METEOR++ is METEOR with a list of copy words, which has to be given.
    aliases: ClassVar[dict[str, Any]] = {"meteor++": {"copy_words": _NEEDED}}
    languages: ClassVar[tuple[str, ...] | None] = ("en",)

    def __post_init__(self) -> None:
        require_choice(self, "version", ("1.5", "2005"))
        self.require((self.version, self.task) in _TUNINGS, "task", "'rank', or for version 1.5 'adequacy'")
        for parameter, several in (
            ("paraphrases", "strings, each with interchangeable words"),
            ("copy_words", "words"),
        ):
            value = getattr(self, parameter)
            if parameter == "copy_words" and isinstance(value, str) and value == _NEEDED:
                raise ParameterError(
                    "meteor++ needs a list of words that a good paraphrase copies, and nlgauge ships none; set"
                    " copy_words to a list or a file. nlgauge.features.lexical.paraphrases.copied_words learns such a"
                    " list. See `nlgauge card meteor`."
                )
            self.require(
                _strings(value) or (isinstance(value, str) and value != ""),
                parameter,
                f"a list of {several}, or the path of a file",
            )
        for parameter, high in (("alpha", 1.0), ("beta", np.inf), ("gamma", 1.0)):
            require_number(self, parameter, 0, high, optional=True)
        require_number(self, "copy_smoothing", 0, 1_000_000, above=True)
        self.require(
            self.function_words is None or _strings(self.function_words), "function_words", "a list of words"
        )
        require_choice(self, "tokenizer", _TOKENIZERS)
        own = {"1.5": "jar", "2005": "nltk"}[self.version]
        self.require(
            self.compat in (None, own),
            "compat",
            f"None, 'jar' with version 1.5 or 'nltk' with version 2005 (version is {self.version!r})",
        )
        self.require(self.compat != "nltk" or not self.paraphrases, "paraphrases", "empty with compat='nltk'")

    def libraries(self) -> tuple[str, ...]:
        return token_libraries(self.tokenizer, self.stem)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        shares = [Output(name, True, 0, 1) for name in ("meteor", "precision", "recall", "f_mean")]
        return {"meteor": (*shares, Output("penalty", False, 0, 1))}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        read = {parameter: getattr(self, parameter) for parameter in ("paraphrases", "copy_words")}
        return {
            **super().facts(corpus),
            **{
                f"{parameter}_content": content(path)
                for parameter, path in read.items()
                if isinstance(path, str)
            },
        }

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        counts = view.rows(self._matches).counts
        if self.version == "1.5":
            return {"meteor": _without_single_chunks(counts)}
        return {"meteor": np.column_stack([*self._scores(counts).values(), np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        if self.version == "1.5":
            return self._scores(statistics)
        return {
            output.name: statistics[..., i] / statistics[..., -1]
            for i, output in enumerate(self.outputs()[part])
        }

    def _scores(self, counts: Array) -> Arrays:
        """Return every output from counts in the order of `Matched`."""
        given = {
            name: value for name in ("alpha", "beta", "gamma") if (value := getattr(self, name)) is not None
        }
        alpha, beta, gamma, delta, weights = _TUNINGS[self.version, self.task]._replace(**given)
        kinds = counts[..., :WORD_COUNTS].reshape(*counts.shape[:-1], 1 + len(MODULES), 2, 2)
        # Sums, because the last bits of a matrix product depend on the library and on the number of rows.
        fours = delta * kinds[..., 0] + (1 - delta) * kinds[..., 1]
        weighted = (np.array(weights)[:, None] * fours[..., 1:, :]).sum(axis=-2)
        shares = weighted / np.where(fours[..., 0, :] > 0, fours[..., 0, :], 1.0)
        if self.copy_words:
            smoothing = self.copy_smoothing * counts[..., -1:]
            shares = (
                shares
                * (counts[..., -3:-1] + smoothing)
                / (counts[..., -5:-3] + np.where(smoothing > 0, smoothing, 1.0))
            )
        precision, recall = shares[..., 0], shares[..., 1]
        mean = (
            precision
            * recall
            / np.where(precision * recall > 0, alpha * precision + (1 - alpha) * recall, 1.0)
        )
        matches, chunks = counts[..., WORD_COUNTS], counts[..., WORD_COUNTS + 1]
        penalty = gamma * (chunks / np.where(matches > 0, matches, 1.0)) ** beta
        return {
            "meteor": mean * (1 - penalty),
            "precision": precision,
            "recall": recall,
            "f_mean": mean,
            "penalty": penalty,
        }

    @property
    def _matches(self) -> WordMatches:
        functions = FUNCTION_WORDS if self.function_words is None else frozenset(self.function_words)
        return WordMatches(
            # The program's normalization depends on the case, and changes it itself.
            Tokens(self.tokenizer, lowercase=self.tokenizer != "norm"),
            self.version if self.stem else None,
            self.synonyms,
            self.paraphrases,
            functions,
            word_list(self.copy_words)
            if isinstance(self.copy_words, str)
            else frozenset(word.lower() for word in self.copy_words),
            self.compat,
        )

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        aligned = view.rows(self._matches)
        for i, row in enumerate(self.statistics(view, fitted)["meteor"]):
            texts = aligned.words[aligned.predictions[i]], aligned.words[aligned.references[i]]
            prediction, reference = ([aligned.spelt[word] for word in text] for text in texts)
            alignment = [Match(*match) for match in aligned.matches[i].tolist()]
            values = {name: float(value) for name, value in self.score("meteor", row).items()}
            title = (
                f"meteor {values['meteor']:.4f}"
                f" ({', '.join(f'{name} {values[name]:.4f}' for name in ('precision', 'recall', 'penalty'))})"
            )
            if self.copy_words:
                _, expected, _, matched, _ = aligned.counts[i, -5:]
                title += (
                    f", {matched:g} of {counted(expected, 'copy word', spec='g')} of the reference matched"
                )
            matches, chunks = [], []
            for match, chunk in zip(alignment, chunk_numbers(alignment), strict=True):
                # A phrase is shown word by word, its last one with all that the other side has more.
                for k in range(max(match.predicted, match.expected)):
                    places = (
                        match.prediction + min(k, match.predicted - 1),
                        match.reference + min(k, match.expected - 1),
                    )
                    matches.append((*places, MODULES[match.module]))
                    chunks.append(chunk)
            factors = {
                "precision": values["precision"],
                "recall": values["recall"],
                "order": 1 - values["penalty"],
            }
            yield WordAlignment(
                title, {"meteor": row}, prediction, reference, matches, chunks, factors=factors
            )


def _without_single_chunks(counts: Array) -> Array:
    """Return the counts of `Matched` without the chunk of texts that match completely in one chunk."""
    kinds = counts[..., :WORD_COUNTS].reshape(-1, 1 + len(MODULES), 2, 2)
    matched, lengths = kinds[:, 1:].sum(axis=-1).sum(axis=1), kinds[:, 0].sum(axis=-1)
    chunks = counts[:, WORD_COUNTS + 1]
    chunks = np.where((chunks == 1) & (matched == lengths).all(axis=1), 0.0, chunks)
    return np.column_stack([counts[:, : WORD_COUNTS + 1], chunks, counts[:, WORD_COUNTS + 2 :]])


def _strings(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
