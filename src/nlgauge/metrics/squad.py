"""SQuAD: exact match and token F1 of short answers, 0 to 100, as the official scripts compute them.

Answers are lower-cased, ASCII punctuation and the articles a, an, the are removed, the rest is split at white
space.

    exact_match = 100 * questions whose answer equals a reference / questions
    f1          = 100 * mean over questions of the best 2 * common tokens / (tokens predicted + tokens expected)

If an answer has no token left, F1 is 1 if both have none, else 0: the rule of version 2, whose unanswerable
questions have the reference "". References without a token are left out if other references have tokens.
Version 1.1 has neither rule, so an F1 of 0 goes with its exact match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.explanations import Explanation, NgramMatches, Order
from nlgauge.features.equality import SameTokens
from nlgauge.features.findings import Findings
from nlgauge.features.pairs import ClippedMatches
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import Arrays, Metric, Output, Takes, View, register

_TOKENS = Tokens("squad")


@register
@dataclass(frozen=True)
class Squad(Metric):
    """SQuAD's exact match and F1, 0 to 100, each with the best of the references."""

    compat: str | None = None

    name: ClassVar[str] = "squad"
    takes: ClassVar[Takes] = "joint"

    def __post_init__(self) -> None:
        self.require(self.compat in (None, "1.1"), "compat", "None (version 2) or '1.1'")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {part: (Output(part, True, 0, 100),) for part in ("exact_match", "f1")}

    def words(self, lang: str | None) -> Tokens:
        return _TOKENS

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        exact, f1, _ = view.rows(Findings(self))
        starts = view.reference_groups.offsets[:-1]
        return {
            part: np.column_stack([np.maximum.reduceat(best, starts), np.ones(len(view))])
            for part, best in (("exact_match", exact), ("f1", f1))
        }

    def findings(self, view: View) -> tuple[Array, Array, Array]:
        """Return exact match, F1 and common tokens of each prediction with each of its references."""
        owners = view.reference_groups.owners
        exact = view.rows(SameTokens(_TOKENS))
        matched, predicted, expected = view.rows(ClippedMatches(_TOKENS, 1, each=True))
        common, size, expected = matched[:, 0], predicted[:, 0], expected[:, 0]
        f1 = 2 * common / np.maximum(size + expected, 1)
        if self.compat is None:
            f1 = np.where(size + expected == 0, 1.0, f1)
            answerable = np.maximum.reduceat(expected, view.reference_groups.offsets[:-1]) > 0
            unused = answerable[owners] & (expected == 0)
            exact, f1 = np.where(unused, 0.0, exact), np.where(unused, 0.0, f1)
        return exact, f1, common

    def score(self, part: str, statistics: Array) -> Arrays:
        return {part: 100 * statistics[..., 0] / statistics[..., 1]}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)
        _, f1, common = view.rows(Findings(self))
        for i, (prediction, references) in enumerate(
            zip(view.predictions, view.reference_groups, strict=True)
        ):
            start, end = view.reference_groups.offsets[i : i + 2]
            best = int(start + f1[start:end].argmax())
            tokens, spans = _TOKENS.located(view.text(prediction))
            expected = _TOKENS.of(view.text(references[best - start]))
            orders = [Order("tokens", float(common[best]), len(tokens), len(expected))]
            title = ", ".join(f"{part} {100 * values[i, 0]:.2f}" for part, values in rows.items())
            longest = longest_matched(tokens, [expected], 1)
            yield NgramMatches(
                title,
                {part: values[i] for part, values in rows.items()},
                tokens,
                longest,
                orders,
                spans={"prediction": spans},
            )
