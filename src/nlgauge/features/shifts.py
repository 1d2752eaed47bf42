"""Edits with shifts of words between a prediction and its references, as TER and CharacTER count them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features import RowFeature, RowKernel
from nlgauge.features.tokens.code_points import CodePoints
from nlgauge.features.tokens.text import Tokens
from nlgauge.features.tokens.tokenizers import Tokenizer
from nlgauge.kernels.edits.character import character_edits
from nlgauge.kernels.edits.tercom import shift_edits


@cache
def _tercom(**options: bool) -> Any:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    return TercomTokenizer(**options)


@dataclass(frozen=True)
class TercomTokens(Tokens):
    """The tokens of Tercom's options, which sacreBLEU splits."""

    tokenizer: str = "tercom"
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False

    def splitter(self) -> Tokenizer:
        tercom = _tercom(
            case_sensitive=not self.lowercase,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
        )
        return Tokenizer(lambda text: tercom(text.rstrip()).split())


def tercom_tokens(
    lowercase: bool, normalized: bool = False, no_punct: bool = False, asian_support: bool = False
) -> Tokens:
    """Return the tokens that Tercom compares; without options they are words between white space."""
    if not (normalized or no_punct or asian_support):
        return Tokens("whitespace", lowercase)
    return TercomTokens("tercom", lowercase, False, normalized, no_punct, asian_support)


class Shifted(NamedTuple):
    """(rows,) numbers of edits and of shifts (or their costs), and the length that they are divided by.

    The compiled kernels return no `moves` and no `nearest`: the shifts of each row, and the number of its nearest
    reference among those of all rows.
    """

    edits: Array
    shifts: Array
    length: Array
    moves: Ragged | None = None
    nearest: Array | None = None


def _shifted(columns: Any) -> Shifted:
    return Shifted(*(columns[:, k] for k in range(3)))


@dataclass(frozen=True)
class ShiftedEdits(RowFeature):
    """The edits of Tercom between each prediction and the nearest of its references, the shifts among them, and the
    mean length of the references.
    """

    tokens: Tokens

    def compute(self, view: Any) -> Shifted:
        tokens, predictions, references = view.get(self.tokens, view.predictions, view.reference)
        groups = view.reference_groups
        edits, shifts = shift_edits(tokens, predictions[groups.owners], references)
        # Sorting by edits puts the nearest reference (on a tie the first given) first in each row.
        nearest = np.lexsort((edits, groups.owners))[groups.offsets[:-1]]
        lengths = np.bincount(groups.owners, tokens.lengths[references], len(groups)) / groups.lengths
        moves = shifts.take(nearest)
        return Shifted(edits[nearest], moves.lengths, lengths, moves, nearest)

    def kernel(self) -> RowKernel:
        return RowKernel("shifted_edits", self.tokens, 3, _shifted)


@dataclass(frozen=True)
class CharacterShifts(RowFeature):
    """The edits of CharacTER between each prediction and its one reference, the costs of its shifts, and the characters
    of the prediction.
    """

    # Round the costs of shifts as the released program does.
    rounded: bool = False

    def compute(self, view: Any) -> Shifted:
        characters, predictions, references = view.get(CodePoints("words"), view.predictions, view.reference)
        costs, moves = character_edits(characters, predictions, references, self.rounded)
        return Shifted(costs[:, 0], costs[:, 1], characters.lengths[predictions], moves)

    def kernel(self) -> RowKernel:
        return RowKernel("character_shifts", CodePoints("words"), 3, _shifted, int(self.rounded))
