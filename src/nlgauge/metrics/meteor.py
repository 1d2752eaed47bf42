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

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError
from nlgauge.explanations import Explanation, WordAlignment
from nlgauge.features import RowKernel
from nlgauge.features.lexical.paraphrases import content, phrase_table, word_list
from nlgauge.features.lexical.word_keys import meteor_stems, no_keys, numbered
from nlgauge.features.lexical.wordnet import accepted_stems, synset_column
from nlgauge.features.pairs import Counts, Findings
from nlgauge.features.tokens.text import Tokens, token_libraries
from nlgauge.kernels.alignment import BUDGET, Match, chunk_numbers, match_column, word_alignments
from nlgauge.kernels.alignment_compat import beam, beam_alignments, greedy_alignments
from nlgauge.kernels.phrase_alignment import most_places, phrase_alignment
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_number

_MODULES = ("exact", "stem", "synonym", "paraphrase")
# The counts of a row: words and matches of each module on both sides, content and function words separately.
_COUNTS = 4 * (1 + len(_MODULES))
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


class _Aligned(NamedTuple):
    """The words of the texts as numbers, how each number is spelt, the rows of predictions and
    references, and the matches of each pair.
    """

    words: Ragged
    spelt: list[str]
    predictions: Array
    references: Array
    matches: Ragged


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
        counts = view.rows(Counts(self))
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
        """Return every output from counts in the order of `_counts`."""
        given = {
            name: value for name in ("alpha", "beta", "gamma") if (value := getattr(self, name)) is not None
        }
        alpha, beta, gamma, delta, weights = _TUNINGS[self.version, self.task]._replace(**given)
        kinds = counts[..., :_COUNTS].reshape(*counts.shape[:-1], 1 + len(_MODULES), 2, 2)
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
        matches, chunks = counts[..., _COUNTS], counts[..., _COUNTS + 1]
        penalty = gamma * (chunks / np.where(matches > 0, matches, 1.0)) ** beta
        return {
            "meteor": mean * (1 - penalty),
            "precision": precision,
            "recall": recall,
            "f_mean": mean,
            "penalty": penalty,
        }

    def counts(self, view: View) -> Array:
        """Return for each row content and function words of prediction and reference, the words matched by
        each module, matches, chunks.

        Words that phrases match are counted on either side, and their mean is the number of matches. With
        copy words five more: their numbers in prediction and reference, the numbers matched, and 1 for the
        segment.
        """
        aligned: _Aligned = view.rows(Findings(self))
        functions = self._functions()
        copied = self._copied() - functions
        words, matches, rows = aligned.words, aligned.matches, len(aligned.predictions)
        in_list, in_copied = (
            np.array([word in chosen for word in aligned.spelt], dtype=bool)[words.values]
            for chosen in (functions, copied)
        )
        fours = np.zeros((rows, 1 + len(_MODULES), 2, 2))
        copies = np.zeros((rows, 2, 2))
        for side, texts in enumerate((aligned.predictions, aligned.references)):
            listed, copies[:, 0, side] = (_sums(words, counted)[texts] for counted in (in_list, in_copied))
            fours[:, 0, side] = np.column_stack([words.lengths[texts] - listed, listed])
            lengths = matches.values[:, 3 + side]
            # Every word of every match: its place among all words, and its side.
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            places = (
                np.repeat(words.offsets[texts][matches.owners] + matches.values[:, side], lengths) + within
            )
            owners = np.repeat(matches.owners, lengths)
            kinds = 2 * (len(_MODULES) * owners + np.repeat(matches.values[:, 2], lengths)) + in_list[places]
            fours[:, 1:, side] = np.bincount(kinds, minlength=2 * len(_MODULES) * rows).reshape(
                rows, len(_MODULES), 2
            )
            copies[:, 1, side] = np.bincount(owners, in_copied[places], rows)
        matched = fours[:, 1:].sum(axis=(1, 3))
        chunks = np.bincount(matches.owners, _chunk_begins(matches), rows)
        found = [fours.reshape(rows, _COUNTS), matched.sum(axis=1) / 2, chunks]
        return np.column_stack([*found, copies.reshape(rows, 4), np.ones(rows)] if self.copy_words else found)

    def row_kernel(self) -> RowKernel | None:
        """Return the compiled function of `counts`; None for alignments of other programs, phrases and copy words."""
        if self.compat is not None or isinstance(self.paraphrases, str) or self.copy_words:
            return None
        return RowKernel(
            "word_alignment", self._tokens(), _COUNTS + 2, lambda columns: columns, BUDGET, self.word_keys
        )

    def word_keys(self, words: list[str]) -> tuple[list[str] | None, list[Ragged], list[bool]]:
        """Return the stems of words, None without them, the columns of their synsets and of their groups of paraphrases,
        and whether each is a function word.
        """
        functions = self._functions()
        return (
            meteor_stems(words, self.version) if self.stem else None,
            [self._synsets(words), *([self._groups(words)] if self.paraphrases else [])],
            [word in functions for word in words],
        )

    def _functions(self) -> frozenset[str]:
        return FUNCTION_WORDS if self.function_words is None else frozenset(self.function_words)

    def _tokens(self) -> Tokens:
        # The program's normalization depends on the case, and changes it itself.
        return Tokens(self.tokenizer, lowercase=self.tokenizer != "norm")

    def _copied(self) -> frozenset[str]:
        return (
            word_list(self.copy_words)
            if isinstance(self.copy_words, str)
            else frozenset(word.lower() for word in self.copy_words)
        )

    def findings(self, view: View) -> _Aligned:
        """Return the words of predictions and references with their alignments."""
        tokens = self._tokens()
        words, predictions, references = view.get(tokens, view.predictions, view.reference)
        sides = words, predictions, references
        spelt = view.features.memory_of(tokens).words()
        stems = meteor_stems(spelt, self.version) if self.stem else spelt
        if self.compat == "nltk":
            found = greedy_alignments(
                *sides, numbered(stems), accepted_stems(stems) if self.synonyms else no_keys(stems)
            )
        elif isinstance(self.paraphrases, str):
            found = match_column(self._with_phrases(*sides, spelt, self._modules(spelt, stems)))
        elif self.compat == "jar":
            found = beam_alignments(*sides, self._modules(spelt, stems))
        else:
            found = word_alignments(*sides, self._modules(spelt, stems), BUDGET)
        return _Aligned(words, spelt, predictions, references, found)

    def _modules(self, spelt: list[str], stems: list[str]) -> list[Ragged]:
        """Return for each module the keys of each word: itself, its stem, its synsets, the groups of
        paraphrases that it is in.
        """
        return [
            Ragged.single(np.arange(len(spelt), dtype=np.int32)),
            numbered(stems) if self.stem else no_keys(spelt),
            self._synsets(spelt),
            self._groups(spelt),
        ]

    def _synsets(self, words: list[str]) -> Ragged:
        return synset_column(words, self.compat == "jar") if self.synonyms else no_keys(words)

    def _groups(self, words: list[str]) -> Ragged:
        if not self.paraphrases or isinstance(self.paraphrases, str):
            return no_keys(words)
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(self.paraphrases):
            for word in dict.fromkeys(group.lower().split()):
                numbers[word].append(number)
        return Ragged.of([numbers.get(word, []) for word in words], dtype=np.int32)

    def _with_phrases(
        self, words: Ragged, predictions: Array, references: Array, spelt: list[str], modules: list[Ragged]
    ) -> Iterator[list[Match]]:
        """Yield the alignment of each row with the phrases of the table."""
        assert isinstance(self.paraphrases, str)
        table, rows, keys = (
            phrase_table(self.paraphrases),
            words.lists(),
            [module.lists() for module in modules],
        )
        for p, r in zip(predictions.tolist(), references.tolist(), strict=True):
            prediction, reference = rows[p], rows[r]
            most = None if self.compat == "jar" else most_places(reference)
            places = table.matches(
                [spelt[word] for word in prediction], [spelt[word] for word in reference], most
            )
            phrases = [Match(place, other, 3, *lengths) for place, other, *lengths in places]
            if self.compat == "jar":
                yield beam(prediction, reference, keys, phrases)
            else:
                longer = [phrase for phrase in phrases if phrase[3:] != (1, 1)]
                yield phrase_alignment(
                    prediction, reference, [*keys[:3], _single(phrases, prediction, reference)], longer
                )

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        aligned = view.rows(Findings(self))
        counts = view.rows(Counts(self))
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
                _, expected, _, matched, _ = counts[i, -5:]
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
                    matches.append((*places, _MODULES[match.module]))
                    chunks.append(chunk)
            factors = {
                "precision": values["precision"],
                "recall": values["recall"],
                "order": 1 - values["penalty"],
            }
            yield WordAlignment(
                title, {"meteor": row}, prediction, reference, matches, chunks, factors=factors
            )


def _single(
    phrases: list[Match], prediction: list[int], reference: list[int]
) -> dict[int, list[tuple[int, int]]]:
    """Return the keys that join the words of a table's entries with one word on either side."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for match in phrases:
        if match[3:] == (1, 1):
            pair = prediction[match.prediction], reference[match.reference]
            for word in pair:
                found[word].append(pair)
    return found


def _without_single_chunks(counts: Array) -> Array:
    """Return counts of `Meteor.counts` without the chunk of texts that match completely in one chunk."""
    kinds = counts[..., :_COUNTS].reshape(-1, 1 + len(_MODULES), 2, 2)
    matched, lengths = kinds[:, 1:].sum(axis=-1).sum(axis=1), kinds[:, 0].sum(axis=-1)
    chunks = counts[:, _COUNTS + 1]
    chunks = np.where((chunks == 1) & (matched == lengths).all(axis=1), 0.0, chunks)
    return np.column_stack([counts[:, : _COUNTS + 1], chunks, counts[:, _COUNTS + 2 :]])


def _sums(column: Ragged, values: Array) -> Array:
    """Return the sum of each row's values."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return np.asarray(sums[column.offsets[1:]] - sums[column.offsets[:-1]])


def _chunk_begins(matches: Ragged) -> Array:
    """Return True for each match that begins a chunk: it does not continue at the end of the previous
    match.
    """
    begins = np.ones(len(matches.values), dtype=bool)
    values = matches.values
    begins[1:] = (values[1:, :2] != values[:-1, :2] + values[:-1, 3:]).any(axis=1)
    begins[matches.offsets[:-1][matches.lengths > 0]] = True
    return begins


def _strings(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
