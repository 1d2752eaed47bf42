"""CDER: cover disjoint error rate, an edit rate in which a jump to another place of the prediction costs one
edit.

    CDER = D(I, L) / L
    D(0, 0) = 0,  D(i, 0) = 1
    D(i, l) = min( D(i-1, l-1) + [h_i != r_l],  D(i-1, l) + 1,  D(i, l-1) + 1,  min_k D(k, l) + 1 )

h is the prediction of I words, r the reference of L. The reference is read once, from its first word to its
last (it is covered completely and disjointly); the last term is a long jump, so words of the prediction may
be read twice or not at all. The paper's word-dependent substitution costs are not implemented: every
substitution costs 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.explanations import Edit, Edits, Explanation
from nlgauge.features.findings import Findings
from nlgauge.features.tokens.text import Tokens, tokenizer
from nlgauge.kernels.edits.distances import runs
from nlgauge.kernels.edits.jumps import JumpCosts, jump_distances, jump_steps
from nlgauge.metric import Arrays, Metric, Output, View, register

_COSTS = JumpCosts(deletion=1, insertion=1, substitution=1, jump=1, start=1)


@register
@dataclass(frozen=True)
class Cder(Metric):
    """Cover disjoint error rate; 0 is perfect, above 1 if words must be skipped in addition."""

    tokenizer: str = "unicode"
    lowercase: bool = False

    name: ClassVar[str] = "cder"

    def __post_init__(self) -> None:
        tokenizer(self.tokenizer)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "cder": (Output("cder", False, 0), Output("edits", None, 0), Output("reference_length", None, 0))
        }

    @property
    def _tokens(self) -> Tokens:
        return Tokens(self.tokenizer, self.lowercase)

    def findings(self, view: View) -> Array:
        """Return (rows,) edits and jumps."""
        tokens, predictions, references = view.get(self._tokens, view.predictions, view.reference)
        return jump_distances(tokens, predictions, references, _COSTS)[:, 0]

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        tokens, references = view.get(self._tokens, view.reference)
        return {
            "cder": (
                np.column_stack([view.rows(Findings(self)), tokens.lengths[references]]).astype(np.float64)
            )
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        edits, length = statistics[..., 0], statistics[..., 1]
        return {"cder": edits / np.where(length > 0, length, 1.0), "edits": edits, "reference_length": length}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)["cder"]
        feature = self._tokens
        tokens, predictions, references = view.get(feature, view.predictions, view.reference)
        for n, row in enumerate(rows):
            prediction, reference = (
                feature.of(view.text(ids[n])) for ids in (view.predictions, view.reference)
            )
            steps = jump_steps(tokens[predictions[n]], tokens[references[n]], _COSTS)
            title = (
                f"cder {self.score('cder', row)['cder']:.4f} ({counted(row[0], 'edit or jump', 'edits and jumps', '.0f')}"
                f" for {counted(row[1], 'word', spec='.0f')})"
            )
            yield Edits(
                title,
                {"cder": row},
                [Edit.of(run, reference, prediction) for run in runs(steps)],
                prediction=prediction,
            )
