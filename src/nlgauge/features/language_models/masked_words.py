"""The state of a masked language model at each word of a text when that word is hidden: what the model
expects there from the words around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.features import Feature, Work
from nlgauge.features.language_models.cloze import sentences_of, start_and_end, word_pieces
from nlgauge.features.language_models.masked_lm import mask_token, states_at
from nlgauge.features.tokens.treebank import words_of
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, load


class WordStates(NamedTuple):
    """For each word of a text: the state, the token and the place of its first piece, and a number that
    is the same for the same word.
    """

    states: Ragged
    ids: Ragged
    places: Ragged
    words: Ragged


class _Window(NamedTuple):
    """A stretch of a text's pieces, and the words (first piece, piece after the last) that are hidden in
    it.
    """

    start: int
    end: int
    hidden: list[tuple[int, int]]


@dataclass(frozen=True)
class HiddenWords(Feature):
    """The states at one layer of a hidden word, all its pieces included, hidden together with others at least
    `distance` words away.

    A long text is read in windows of `window` pieces; no word is read within `margin` pieces of a window's
    edge but at the text's own. The states are stored for a chunk: 4 bytes times the model's width for each
    word.
    """

    model: ModelSpec
    layer: int
    window: int
    margin: int
    distance: int
    lang: str

    def compute(self, keys: list[str], work: Work) -> WordStates:
        loaded = load(self.model, "masked", work.options.device)
        start, end = start_and_end(loaded)
        ids, places, words, rows, asked, order = [], [], [], [], [], []
        offset = 0
        for sentences in sentences_of(keys, self.lang, work):
            strings = words_of(sentences)
            pieces = [word_pieces(loaded, word).ids for word in strings]
            bounds = np.concatenate([[0], np.cumsum([len(part) for part in pieces])]).astype(int).tolist()
            spans = [(bounds[i], bounds[i + 1]) for i in range(len(pieces)) if pieces[i]]
            words.append(
                [
                    work.memory.setdefault(word, len(work.memory))
                    for word, part in zip(strings, pieces, strict=True)
                    if part
                ]
            )
            tokens = [token for part in pieces for token in part]
            places.append([first for first, _ in spans])
            ids.append([tokens[first] for first, _ in spans])
            numbers = {first: offset + i for i, (first, _) in enumerate(spans)}
            offset += len(spans)
            for window in self._windows(spans, len(tokens), loaded):
                part = list(tokens[window.start : window.end])
                for first, last in window.hidden:
                    for place in range(first, min(last, window.end)):
                        part[place - window.start] = mask_token(loaded)
                rows.append([start, *part, end])
                asked.append([1 + first - window.start for first, _ in window.hidden])
                order += [numbers[first] for first, _ in window.hidden]
        found = states_at(loaded, Ragged.of(rows), Ragged.of(asked), work.options, self.layer)
        states = np.empty_like(found)
        states[order] = found
        column = Ragged.of(ids)
        return WordStates(Ragged(states, column.offsets), column, Ragged.of(places), Ragged.of(words))

    def _windows(self, spans: Sequence[tuple[int, int]], length: int, loaded: Loaded) -> Iterator[_Window]:
        size = min(self.window, loaded.max_length - 2)
        margin = min(self.margin, (size - 1) // 2)
        for group in self._groups(len(spans)):
            left = [spans[i] for i in group]
            while left:
                start = max(0, left[0][0] - margin)
                # The first one is read whatever its length, so that every word is.
                count = 1
                while count < len(left) and left[count][1] - 1 <= start + size - margin:
                    count += 1
                yield _Window(start, min(length, start + size), left[:count])
                left = left[count:]

    def _groups(self, count: int) -> Iterator[list[int]]:
        """Return words that are hidden together: every `distance`-th one, from each of the first words in
        turn.
        """
        return (list(range(first, count, self.distance)) for first in range(min(self.distance, count)))


def input_vectors(spec: ModelSpec, ids: Any, device: str | None) -> Any:
    """Return (ids, width) vectors of tokens as the model's first layer has them, before any context."""
    weights = load(spec, "masked", device).model.get_input_embeddings().weight
    return weights.detach()[ids].double().cpu().numpy()
