"""Cloze tests: tokens of a document that are hidden together, and the guesses of a masked language model,
without and with a summary.

A document is read sentence by sentence; the summary, or the same number of dots, precedes each sentence. What
does not fit into the model's window is cut: first the end of the sentence, down to a minimum length; then
whole sentences of the summary, from its end for the first half of the document and from its start for the
second; last the tokens of the remaining sentence, from the same side.
"""

from __future__ import annotations

import random
import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus.texts import Texts
from nlgauge.errors import ModelError, ParameterError
from nlgauge.features import Feature, Features, RunOptions, Work
from nlgauge.features.language_models.masked_lm import mask_token, states_at
from nlgauge.features.language_models.model_halves import halves
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load

# Logits of 512 places are 60 MB for a vocabulary of 30,000; 4096 questions are stored at a time.
_HEAD_PLACES = 512
_QUESTIONS = 4096
# The mark of a continuation piece of a word (the first), or of the piece that begins a word (the others).
_MARKS = ("##", "Ġ", "▁")


class ClozeAnswers(NamedTuple):
    """A document's hidden tokens in its order, True for each that is guessed without and with the summary,
    and True if something was cut.
    """

    ids: Ragged
    without_summary: Ragged
    with_summary: Ragged
    truncated: Ragged


class WordPieces(NamedTuple):
    """The tokens of a text, how long each is without its mark, and which of them are continuation pieces
    of a word.
    """

    ids: list[int]
    lengths: list[int]
    continues: list[bool]

    def part(self, start: int, end: int) -> WordPieces:
        """Return some of the pieces."""
        return WordPieces(self.ids[start:end], self.lengths[start:end], self.continues[start:end])


class Masked(NamedTuple):
    """The input of a model: tokens, some of them hidden, and the places of the hidden tokens."""

    ids: tuple[int, ...]
    places: tuple[int, ...]


class HiddenTokens(NamedTuple):
    """Some tokens of a sentence hidden together: the inputs without and with the summary, and the hidden
    tokens.
    """

    without_summary: Masked
    with_summary: Masked
    expected: tuple[int, ...]


class Cloze(NamedTuple):
    """The questions on a document, sentence by sentence, and whether something had to be cut."""

    questions: list[list[HiddenTokens]]
    truncated: bool


@dataclass(frozen=True)
class Hiding:
    """The tokens that are hidden together: `gap_mask` of every `gap`, at each offset in turn, or a random
    share; never a short token.

    `shortest` has the least length of a word in one piece, of the first piece of a longer word, and of a
    continuation piece.
    """

    gap: int
    gap_mask: int
    shortest: tuple[int, int, int]
    share: float | None = None

    def groups(self, pieces: WordPieces, rng: random.Random) -> list[list[int]]:
        """Return the places that are hidden together, one list for each reading."""
        whole, lead, continuation = self.shortest
        count = len(pieces.ids)
        leads = [*pieces.continues[1:], False]
        least = [
            continuation if continues else lead if leads[i] else whole
            for i, continues in enumerate(pieces.continues)
        ]
        places = [i for i in range(count) if pieces.lengths[i] >= least[i]]
        if self.share is not None:
            size = max(int(count * self.share), 1)
            rng.shuffle(places)
            return [sorted(places[i : i + size]) for i in range(0, len(places), size)]
        gap = min(self.gap, count)
        found = ([i for i in places if (i - offset) % gap < self.gap_mask] for offset in range(gap))
        return [group for group in found if group]


@dataclass(frozen=True)
class ClozeReader:
    """Settings that turn documents into questions."""

    hiding: Hiding
    lang: str
    separator: str = ""
    kept: int = 100
    # True if the summary is always cut as blanc 0.3.4 does: sentences from the end, the last sentence from
    # its start.
    as_released: bool = False

    def sentences(self, loaded: Loaded, texts: Sequence[str], work: Work) -> dict[str, list[WordPieces]]:
        """Return the pieces of each sentence of each text."""
        found = sentences_of(texts, self.lang, work)
        return {
            text: [word_pieces(loaded, sentence) for sentence in sentences]
            for text, sentences in zip(texts, found, strict=True)
        }

    def cloze(
        self,
        loaded: Loaded,
        document: Sequence[WordPieces],
        summary_sentences: Sequence[list[int]] | None,
        seed: int,
    ) -> Cloze:
        """Return the questions on a document with the sentences of a summary before them; if it is None, both
        sides read only the sentence.
        """
        start, end = start_and_end(loaded)
        dot = word_pieces(loaded, ".").ids[-1]
        separator = [] if summary_sentences is None else word_pieces(loaded, self.separator).ids
        summary = summary_sentences or []
        room = loaded.max_length - 2 - len(separator)
        if room < 1:
            raise ParameterError(
                f"separator has {len(separator)} tokens, which leaves no room in the {loaded.max_length} tokens that"
                f" {loaded.name} reads; use a shorter separator."
            )
        found, truncated = [], False
        for number, whole in enumerate(document):
            sentence = whole.part(0, max(min(self.kept, room), room - sum(map(len, summary))))
            top = not self.as_released and 2 * number >= len(document)
            prompt = _shortened(summary, room - len(sentence.ids), top, self.as_released)
            truncated |= len(sentence.ids) < len(whole.ids) or len(prompt) < sum(map(len, summary))
            rng = random.Random(seed_of(seed, *map(str, sentence.ids)))  # noqa: S311
            asked = []
            for group in self.hiding.groups(sentence, rng):
                hidden = list(sentence.ids)
                for place in group:
                    hidden[place] = mask_token(loaded)
                places = tuple(1 + len(prompt) + len(separator) + place for place in group)
                without, given = (
                    Masked((start, *before, *separator, *hidden, end), places)
                    for before in ([dot] * len(prompt), prompt)
                )
                asked.append(HiddenTokens(without, given, tuple(sentence.ids[place] for place in group)))
            found.append(asked)
        return Cloze(found, truncated)


@dataclass(frozen=True)
class HelpedGuesses(Feature):
    """The guesses of a model for a document with a summary before each sentence; a key is (summary,
    document).
    """

    model: ModelSpec
    reader: ClozeReader

    def compute(self, keys: list[tuple[str, str]], work: Work) -> ClozeAnswers:
        loaded = load(self.model, "masked", work.options.device)
        sentences = self.reader.sentences(
            loaded, list(dict.fromkeys(text for key in keys for text in key)), work
        )
        found: dict[int, tuple[Array, ...]] = {}
        waiting: dict[int, Cloze] = {}
        # One document's questions after the other: those without a summary are often the same for several
        # summaries.
        for row in sorted(range(len(keys)), key=lambda row: keys[row][1]):
            summary, document = keys[row]
            prompt = [pieces.ids for pieces in sentences[summary]]
            waiting[row] = self.reader.cloze(loaded, sentences[document], prompt, work.options.seed)
            if sum(len(asked) for cloze in waiting.values() for asked in cloze.questions) >= _QUESTIONS:
                found |= _answered(loaded, waiting, work.options)
                waiting = {}
        return answer_column(found | _answered(loaded, waiting, work.options))


def _answered(
    loaded: Loaded, clozes: Mapping[int, Cloze], options: RunOptions
) -> dict[int, tuple[Array, ...]]:
    questions = [question for cloze in clozes.values() for asked in cloze.questions for question in asked]
    answers = likeliest_tokens(
        loaded,
        [masked for question in questions for masked in (question.without_summary, question.with_summary)],
        options,
    )
    return {row: answers_to(cloze, answers, answers) for row, cloze in clozes.items()}


def answers_to(
    cloze: Cloze, without_summary: Mapping[Masked, Array], with_summary: Mapping[Masked, Array]
) -> tuple[Array, ...]:
    """Return the hidden tokens of a document in its order, True for each that was guessed without and with
    the summary, and True if something was cut.
    """
    rows = []
    for number, asked in enumerate(cloze.questions):
        for question in asked:
            guesses = without_summary[question.without_summary], with_summary[question.with_summary]
            for place, token, *both in zip(
                question.with_summary.places, question.expected, *guesses, strict=True
            ):
                rows.append((number, place, token, *(guess == token for guess in both)))
    columns = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5).T
    return columns[2], columns[3], columns[4], np.array([cloze.truncated], dtype=np.int64)


def answer_column(found: Mapping[int, tuple[Array, ...]]) -> ClozeAnswers:
    """Return the column of all rows, from 0 on."""
    return ClozeAnswers(*(Ragged.of([found[row][part] for row in range(len(found))]) for part in range(4)))


def likeliest_tokens(loaded: Loaded, inputs: Sequence[Masked], options: RunOptions) -> dict[Masked, Array]:
    """Return the likeliest token at each hidden place of each input; equal inputs are read once."""
    head = halves(loaded).head
    found: dict[Masked, Array] = {}
    for block in _blocks(sorted(set(inputs), key=lambda masked: len(masked.ids))):
        places = Ragged.of([masked.places for masked in block])
        states = states_at(loaded, Ragged.of([masked.ids for masked in block]), places, options)
        with inference() as torch:
            tokens = head(torch.from_numpy(states).to(loaded.device)).argmax(dim=-1).cpu().numpy()
        found.update(zip(block, Ragged(tokens, places.offsets), strict=True))
    return found


def _blocks(inputs: Sequence[Masked]) -> Iterator[list[Masked]]:
    block: list[Masked] = []
    places = 0
    for masked in inputs:
        if block and places + len(masked.places) > _HEAD_PLACES:
            yield block
            block, places = [], 0
        block.append(masked)
        places += len(masked.places)
    if block:
        yield block


def _shortened(summary: Sequence[list[int]], room: int, top: bool, as_released: bool) -> list[int]:
    """Return the tokens of the summary that fit: whole sentences, else the tokens of one sentence that
    fit.
    """
    kept = list(summary)
    while len(kept) > 1 and sum(map(len, kept)) > room:
        del kept[0 if top else -1]
    tokens = [token for sentence in kept for token in sentence]
    return tokens[max(len(tokens) - room, 0) :] if top or as_released else tokens[:room]


def sentences_of(texts: Sequence[str], lang: str, work: Work) -> list[list[str]]:
    """Return the sentences of each text, in the form in which the authors of BLANC and ESTIME read it."""
    features = work.features or Features(Texts(), work.options)
    column, rows = features.get(Sentences(lang), features.ids_of([normal(text) for text in texts]))
    return [[features.texts[sentence] for sentence in column[row].tolist()] for row in rows]


def normal(text: str) -> str:
    """Return the text in Unicode's compatibility decomposition, as the authors of BLANC and ESTIME read
    it.
    """
    return unicodedata.normalize("NFKD", text)


def seed_of(seed: int, *parts: str) -> int:
    """Return a seed that depends on the seed of the run and on the purpose, not on the rest of the run."""
    written = "\0".join([str(seed), *parts]).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(written, digest_size=4).digest(), "little")


def word_pieces(loaded: Loaded, text: str) -> WordPieces:
    """Return the pieces of a text without special tokens, as for a text that follows others if the tokenizer
    makes a difference.
    """
    mark = loaded.made("mark", lambda: _mark(loaded))
    ids = list(
        loaded.tokenizer(
            f" {text}" if mark == "Ġ" and text else text, add_special_tokens=False, verbose=False
        ).input_ids
    )
    pieces = list(loaded.tokenizer.convert_ids_to_tokens(ids))
    if mark == "##":
        continues = [piece.startswith(mark) for piece in pieces]
    else:
        # A comma has no mark either, but does not belong to the word before it; a separate mark does not
        # belong to a word.
        inner = [piece[:1] not in string.punctuation and not piece.startswith(mark) for piece in pieces]
        continues = [
            i > 0 and inner[i] and pieces[i - 1][-1:] not in (*string.punctuation, mark)
            for i in range(len(pieces))
        ]
    return WordPieces(ids, [len(piece.removeprefix(mark)) for piece in pieces], continues)


def _mark(loaded: Loaded) -> str:
    vocabulary = list(loaded.tokenizer.get_vocab())
    counts = {mark: sum(piece.startswith(mark) for piece in vocabulary) for mark in _MARKS}
    mark = max(_MARKS, key=lambda mark: counts[mark])
    if not counts[mark]:
        raise ModelError(
            f"the vocabulary of {loaded.name} does not mark the pieces of words; use a model whose tokenizer marks"
            " continuation pieces with '##' (BERT), or the first piece of a word with 'Ġ' (RoBERTa) or '▁'"
            " (XLM-R, ALBERT)."
        )
    return mark


def start_and_end(loaded: Loaded) -> tuple[int, int]:
    """Return the tokens before and after every input."""
    start, end = loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id
    if start is None or end is None:
        raise ModelError(
            f"the tokenizer of {loaded.name} has no start token or no end token; set tokenizer.cls_token and"
            " tokenizer.sep_token, or use another model."
        )
    return int(start), int(end)
