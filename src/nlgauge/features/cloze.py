"""Cloze tests: which tokens of a document are hidden together, and which of them a masked language model guesses, alone and with a summary before it.

A document is read sentence by sentence; a summary stands before each, against as many dots where there is no help. What does not fit into the
model's window is cut: first the end of the sentence, down to a length that is kept; then whole sentences of the summary, from its end for the first
half of the document and from its start for the second; last the tokens of the one sentence that is left, from the same side.
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

from nlgauge.corpus.columns import Array, Ragged
from nlgauge.errors import ModelError, ParameterError
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.features.masked_lm import mask_token, states_at
from nlgauge.features.model_halves import halves
from nlgauge.features.text import Sentences
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load_masked

# Logits of 512 places are 60 MB for a vocabulary of 30,000; 4096 questions are what is held at a time.
_HEAD_PLACES = 512
_QUESTIONS = 4096
# What marks a piece that goes on with a word (the first), or one that begins a word (the others).
_MARKS = ("##", "Ġ", "▁")


class Guesses(NamedTuple):
    """A document's hidden tokens in its order, whether each is guessed without help and with it, and whether something was cut."""

    ids: Ragged
    alone: Ragged
    helped: Ragged
    truncated: Ragged


class Pieces(NamedTuple):
    """The tokens of a text, how long each is without its mark, and which of them go on with a word."""

    ids: list[int]
    lengths: list[int]
    further: list[bool]

    def part(self, start: int, end: int) -> Pieces:
        """Some of them."""
        return Pieces(self.ids[start:end], self.lengths[start:end], self.further[start:end])


class Masked(NamedTuple):
    """What a model reads: tokens, some of them hidden, and where those are."""

    ids: tuple[int, ...]
    places: tuple[int, ...]


class Question(NamedTuple):
    """Some tokens of a sentence hidden together: what is read without help and with it, and the tokens that are meant."""

    alone: Masked
    helped: Masked
    meant: tuple[int, ...]


class Cloze(NamedTuple):
    """The questions on a document, sentence by sentence, and whether something had to be cut."""

    questions: list[list[Question]]
    truncated: bool


@dataclass(frozen=True)
class Hiding:
    """Which tokens are hidden together: `gap_mask` of every `gap`, at each offset in turn, or a random share; never a short one.

    `shortest` has the least length of a word in one piece, of the first piece of a longer word, and of a further piece.
    """

    gap: int
    gap_mask: int
    shortest: tuple[int, int, int]
    share: float | None = None

    def groups(self, pieces: Pieces, chance: random.Random) -> list[list[int]]:
        """The places that are hidden together, time after time."""
        whole, lead, further = self.shortest
        count = len(pieces.ids)
        leads = [*pieces.further[1:], False]
        least = [further if goes_on else lead if leads[i] else whole for i, goes_on in enumerate(pieces.further)]
        places = [i for i in range(count) if pieces.lengths[i] >= least[i]]
        if self.share is not None:
            size = max(int(count * self.share), 1)
            chance.shuffle(places)
            return [sorted(places[i : i + size]) for i in range(0, len(places), size)]
        gap = min(self.gap, count)
        found = ([i for i in places if (i - offset) % gap < self.gap_mask] for offset in range(gap))
        return [group for group in found if group]


@dataclass(frozen=True)
class Reader:
    """How documents become questions."""

    hiding: Hiding
    lang: str
    separator: str = ""
    kept: int = 100
    # Whether the summary is always cut as blanc 0.3.4 does: sentences from the end, the last one from its start.
    as_released: bool = False

    def sentences(self, loaded: Loaded, text: str) -> list[Pieces]:
        """The pieces of each sentence of a text."""
        return [pieces_of(loaded, sentence) for sentence in Sentences(self.lang).of(normal(text))]

    def cloze(self, loaded: Loaded, document: Sequence[Pieces], help_sentences: Sequence[list[int]] | None, seed: int) -> Cloze:
        """The questions on a document with a summary's sentences as the help; without any both sides read the sentence by itself."""
        start, end = start_and_end(loaded)
        dot = pieces_of(loaded, ".").ids[-1]
        separator = [] if help_sentences is None else pieces_of(loaded, self.separator).ids
        summary = help_sentences or []
        room = loaded.max_length - 2 - len(separator)
        if room < 1:
            raise ParameterError(f"separator has {len(separator)} tokens, which leaves no room in the {loaded.max_length} that {loaded.name} reads.")
        found, truncated = [], False
        for number, whole in enumerate(document):
            sentence = whole.part(0, max(min(self.kept, room), room - sum(map(len, summary))))
            top = not self.as_released and 2 * number >= len(document)
            help_ids = _shortened(summary, room - len(sentence.ids), top, self.as_released)
            truncated |= len(sentence.ids) < len(whole.ids) or len(help_ids) < sum(map(len, summary))
            chance = random.Random(seed_of(seed, *map(str, sentence.ids)))  # noqa: S311
            asked = []
            for group in self.hiding.groups(sentence, chance):
                hidden = list(sentence.ids)
                for place in group:
                    hidden[place] = mask_token(loaded)
                places = tuple(1 + len(help_ids) + len(separator) + place for place in group)
                alone, helped = (Masked((start, *prompt, *separator, *hidden, end), places) for prompt in ([dot] * len(help_ids), help_ids))
                asked.append(Question(alone, helped, tuple(sentence.ids[place] for place in group)))
            found.append(asked)
        return Cloze(found, truncated)


@dataclass(frozen=True)
class HelpedGuesses(Feature):
    """What a model guesses of a document with a summary before each sentence; a key is (summary, document)."""

    model: ModelSpec
    reader: Reader

    def compute(self, keys: list[tuple[str, str]], work: Work) -> Guesses:
        loaded = load_masked(self.model, work.options.device)
        summaries = {text: [pieces.ids for pieces in self.reader.sentences(loaded, text)] for text in {summary for summary, _ in keys}}
        documents = {text: self.reader.sentences(loaded, text) for text in {document for _, document in keys}}
        found: dict[int, tuple[Array, ...]] = {}
        waiting: dict[int, Cloze] = {}
        # One document's questions after the other: those without help are often the same for several summaries.
        for row in sorted(range(len(keys)), key=lambda row: keys[row][1]):
            summary, document = keys[row]
            waiting[row] = self.reader.cloze(loaded, documents[document], summaries[summary], work.options.seed)
            if sum(len(asked) for cloze in waiting.values() for asked in cloze.questions) >= _QUESTIONS:
                found |= _answered(loaded, waiting, work.options)
                waiting = {}
        return guesses(found | _answered(loaded, waiting, work.options))


def _answered(loaded: Loaded, clozes: Mapping[int, Cloze], options: RunOptions) -> dict[int, tuple[Array, ...]]:
    questions = [question for cloze in clozes.values() for asked in cloze.questions for question in asked]
    answers = guessed(loaded, [masked for question in questions for masked in (question.alone, question.helped)], options)
    return {row: answered(cloze, answers, answers) for row, cloze in clozes.items()}


def answered(cloze: Cloze, alone: Mapping[Masked, Array], helped: Mapping[Masked, Array]) -> tuple[Array, ...]:
    """The hidden tokens of a document in its order, whether each was guessed without help and with it, and whether something was cut."""
    rows = [
        (number, place, token, without == token, given == token)
        for number, asked in enumerate(cloze.questions)
        for question in asked
        for place, token, without, given in zip(question.helped.places, question.meant, alone[question.alone], helped[question.helped], strict=True)
    ]
    columns = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5).T
    return columns[2], columns[3], columns[4], np.array([cloze.truncated], dtype=np.int64)


def guesses(found: Mapping[int, tuple[Array, ...]]) -> Guesses:
    """The column of all rows, from 0 on."""
    return Guesses(*(Ragged.of([found[row][part] for row in range(len(found))]) for part in range(4)))


def guessed(loaded: Loaded, inputs: Sequence[Masked], options: RunOptions) -> dict[Masked, Array]:
    """The likeliest token at each hidden place of each input; equal inputs are read once."""
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
    """The tokens of the summary that fit: whole sentences, else as many tokens of one as there is room for."""
    kept = list(summary)
    while len(kept) > 1 and sum(map(len, kept)) > room:
        del kept[0 if top else -1]
    tokens = [token for sentence in kept for token in sentence]
    return tokens[max(len(tokens) - room, 0) :] if top or as_released else tokens[:room]


def normal(text: str) -> str:
    """The text in Unicode's compatibility decomposition, as the authors of BLANC and ESTIME read it."""
    return unicodedata.normalize("NFKD", text)


def seed_of(seed: int, *parts: str) -> int:
    """A seed that depends on the run's and on what is drawn for, not on what else is in the run."""
    written = "\0".join([str(seed), *parts]).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(written, digest_size=4).digest(), "little")


def pieces_of(loaded: Loaded, text: str) -> Pieces:
    """The pieces of a text without special tokens; of a text that stands after others, where the tokeniser makes a difference."""
    mark = loaded.made("mark", lambda: _mark(loaded))
    ids = list(loaded.tokenizer(f" {text}" if mark == "Ġ" and text else text, add_special_tokens=False, verbose=False).input_ids)
    pieces = list(loaded.tokenizer.convert_ids_to_tokens(ids))
    if mark == "##":
        further = [piece.startswith(mark) for piece in pieces]
    else:
        # A comma has no mark either, but is no part of the word before it; a mark that stands alone is none of a word.
        inner = [piece[:1] not in string.punctuation and not piece.startswith(mark) for piece in pieces]
        further = [i > 0 and inner[i] and pieces[i - 1][-1:] not in (*string.punctuation, mark) for i in range(len(pieces))]
    return Pieces(ids, [len(piece.removeprefix(mark)) for piece in pieces], further)


def _mark(loaded: Loaded) -> str:
    vocabulary = list(loaded.tokenizer.get_vocab())
    counts = {mark: sum(piece.startswith(mark) for piece in vocabulary) for mark in _MARKS}
    mark = max(_MARKS, key=lambda mark: counts[mark])
    if not counts[mark]:
        raise ModelError(
            f"the vocabulary of {loaded.name} does not say which pieces go on with a word; "
            "a tokeniser is needed that marks those by '##' (BERT), or the first piece of a word by 'Ġ' (RoBERTa) or '▁' (XLM-R, ALBERT)."
        )
    return mark


def start_and_end(loaded: Loaded) -> tuple[int, int]:
    """The tokens before and after every input."""
    start, end = loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id
    if start is None or end is None:
        raise ModelError(f"the tokeniser of {loaded.name} has no start or end token; set tokenizer.cls_token and tokenizer.sep_token.")
    return int(start), int(end)
