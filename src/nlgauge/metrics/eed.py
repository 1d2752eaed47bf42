"""EED: extended edit distance on characters, with jumps in the prediction and a price for characters that
are read twice or never.

    EED = min( 1, (e + rho v) / (|r| + rho v) )
    e   = cheapest way to read the reference r from the prediction h: substitution 1, insertion 1, deletion 0.2, and jumps of
          alpha = 2 at the end of a word of r (kernels/edits/jumps.py has the recursion); both texts have a space added on either side
    v   = sum_i |visits of place i - 1|,  a visit being the cheapest place for each character of r;  rho = 0.3

The authors' two programs disagree with each other. Theirs in C++, which their command runs, cuts the cost of
the cheapest place to a whole number while it looks for it, so visits and jumps may be at another place.
Theirs in Python, and torchmetrics, count the place before the first character in v, so equal texts do not
score 0. Here the minimum is a minimum and that place does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.explanations import Edit, Edits, Explanation
from nlgauge.features.findings import Findings
from nlgauge.features.tokens.code_points import CodePoints
from nlgauge.kernels.edits.distances import runs
from nlgauge.kernels.edits.jumps import JumpCosts, jump_distances, jump_steps
from nlgauge.metric import Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_number

_COMPAT = (None, "c++", "python")
_SPACE = ord(" ")
# Costs are counted in millionths, so that equal costs are equal whatever the order of their sums.
_UNIT = 1_000_000


@register
@dataclass(frozen=True)
class Eed(Metric):
    """Extended edit distance; 0 is perfect, 1 the worst; the corpus score is the mean."""

    alpha: float = 2.0
    rho: float = 0.3
    deletion: float = 0.2
    compat: str | None = None

    name: ClassVar[str] = "eed"
    aliases: ClassVar[dict[str, Any]] = {"extended_edit_distance": {}}

    def __post_init__(self) -> None:
        for parameter in ("alpha", "rho", "deletion"):
            require_number(self, parameter, 0, 1000)
        require_choice(self, "compat", _COMPAT)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"eed": (Output("eed", False, 0, 1),)}

    @property
    def _rules(self) -> tuple[JumpCosts, int, bool]:
        costs = (self.deletion, 1.0, 1.0, self.alpha, 1.0)
        kinds: dict[str | None, Any] = {
            None: lambda cost: round(cost * _UNIT),
            "python": float,
            "c++": np.float32,
        }
        return JumpCosts(*map(kinds[self.compat], costs)), _SPACE, self.compat == "c++"

    def findings(self, view: View) -> tuple[Array, Array, Array]:
        """Return e, rho v and the score of each row."""
        characters, predictions, references = view.get(CodePoints("padded"), view.predictions, view.reference)
        found = jump_distances(characters, predictions, references, *self._rules)
        number: Any = np.float32 if self.compat == "c++" else np.float64
        distance = (found[:, 0] / (1 if self.compat else _UNIT)).astype(number)
        visits = found[:, 1] + (found[:, 2] if self.compat == "python" else 0)
        coverage = number(self.rho) * visits.astype(number)
        return (
            distance,
            coverage,
            np.minimum(1, (distance + coverage) / (characters.lengths[references].astype(number) + coverage)),
        )

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        _, _, scores = view.rows(Findings(self))
        return {"eed": np.column_stack([scores, np.ones(len(view))]).astype(np.float64)}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"eed": statistics[..., 0] / statistics[..., 1]}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)["eed"]
        feature = CodePoints("padded")
        characters, predictions, references = view.get(feature, view.predictions, view.reference)
        for n, (row, distance, coverage) in enumerate(zip(rows, *view.rows(Findings(self))[:2], strict=True)):
            prediction, reference = (
                list(feature.of(view.text(ids[n]))) for ids in (view.predictions, view.reference)
            )
            steps = jump_steps(characters[predictions[n]], characters[references[n]], *self._rules)
            title = (
                f"eed {row[0]:.4f} (edits and jumps {distance:.2f}, coverage {coverage:.2f},"
                f" {counted(len(reference), 'character')})"
            )
            yield Edits(
                title,
                {"eed": row},
                [Edit.of(run, reference, prediction) for run in runs(steps)],
                prediction=prediction,
            )
