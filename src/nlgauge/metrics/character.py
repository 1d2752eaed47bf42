"""CharacTER: translation edit rate on characters, after shifts of whole words.

    CharacTER = min( 1, (E + C) / |h'| )

h' is the prediction after greedy shifts of phrases that the reference has elsewhere (kernels/character.py has
the rules), E the Levenshtein distance between h' and the reference on characters, spaces included, C the cost
of the shifts: for each phrase that moved the mean length of its words. The length is the prediction's, unlike
in TER. The paper also shifts words that are nearly equal; the released program, and this one, only equal
ones. A side without words: 1, also if both have none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.explanations import Edit, Edits, Explanation
from nlgauge.features.shifts import CharacterShifts
from nlgauge.features.tokens.code_points import CodePoints
from nlgauge.kernels.edits.character import joined, words
from nlgauge.kernels.edits.distances import opcodes
from nlgauge.kernels.edits.tercom import Shift, apply_shift
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice


@register
@dataclass(frozen=True)
class Character(Metric):
    """CharacTER; 0 is perfect, 1 the worst; the corpus score is the mean."""

    compat: str | None = None

    name: ClassVar[str] = "character"
    aliases: ClassVar[dict[str, Any]] = {"characTER": {}}

    def __post_init__(self) -> None:
        require_choice(self, "compat", (None, "released"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"character": (Output("character", False, 0, 1),)}

    @property
    def _shifts(self) -> CharacterShifts:
        return CharacterShifts(self.compat == "released")

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        edits, costs, lengths, *_ = view.rows(self._shifts)
        scores = np.where(lengths > 0, np.minimum(1, (edits + costs) / np.maximum(lengths, 1)), 1.0)
        return {"character": np.column_stack([scores, np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"character": statistics[..., 0] / statistics[..., 1]}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)["character"]
        characters, predictions, references = view.get(CodePoints("words"), view.predictions, view.reference)
        edits_of_rows, costs, _, moves, _ = view.rows(self._shifts)
        for n, (row, edited, cost, shifts) in enumerate(zip(rows, edits_of_rows, costs, moves, strict=True)):
            prediction, reference = characters[predictions[n]].tolist(), characters[references[n]].tolist()
            edits = []
            current = words(prediction)
            for shift in itertools.starmap(Shift, shifts.tolist()):
                block = current[shift.start : shift.start + shift.length]
                edits.append(Edit("shift", [], ["".join(map(chr, word)) for word in block], shift.target))
                current = apply_shift(current, shift)
            ours, theirs = ([chr(point) for point in points] for points in (joined(current), reference))
            edits += [Edit.of(run, theirs, ours) for run in opcodes(theirs, ours)]
            title = (
                f"character {row[0]:.4f} ({counted(edited, 'character', spec='.0f')} edited, shifts {cost:.2f}, for"
                f" {counted(len(ours), 'character')})"
            )
            yield Edits(title, {"character": row}, edits)
