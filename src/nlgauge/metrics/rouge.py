"""ROUGE-N, ROUGE-L, ROUGE-Lsum: overlap of n-grams and of longest common subsequences.

    P = hits / predicted,   R = hits / expected,   F = 2 P R / (P + R)

Hits are clipped n-gram matches (rouge1 ... rouge9), the length of the longest common subsequence of the whole
texts (rougeL), or of the union over lines (rougeLsum; each sentence must be on a separate line). The corpus
score is the mean over segments. With several references the best F decides, type by type. With
`tokenizer="google"` the numbers are rouge-score's; the default tokenizer is the same on ASCII and supports
every other script.

compat="coco" is the ROUGE-L of the COCO captions' program: P and R are the greatest over the references, each
for itself, and

    F = (1 + b^2) P R / (R + b^2 P),   b = 1.2
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.features.findings import Findings
from nlgauge.features.pairs import ClippedMatches
from nlgauge.features.sequences import CommonSubsequence, UnionSubsequence
from nlgauge.features.tokens.text import Tokens, token_libraries
from nlgauge.kernels.ngrams import longest_matched
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation

_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
_COCO_BETA = 1.2


@cache
def _outputs(types: tuple[str, ...]) -> dict[str, tuple[Output, ...]]:
    kinds = sorted(types, key=lambda kind: kind != "rougeL")
    return {
        kind: tuple(Output(kind + suffix, True, 0, 1) for suffix in ("", "_precision", "_recall"))
        for kind in kinds
    }


@register
@dataclass(frozen=True)
class Rouge(Metric):
    """ROUGE, 0 to 1; "score" is rougeL's F if it is among the types."""

    rouge_types: tuple[str, ...] = _TYPES
    stem: bool = False
    tokenizer: str = "unicode"
    compat: str | None = None

    name: ClassVar[str] = "rouge"
    aliases: ClassVar[dict[str, dict[str, object]]] = {
        alias: {"rouge_types": (kind,)}
        for kind in _TYPES
        for alias in (kind.lower(), kind.lower().replace("rouge", "rouge_"))
    }
    spellings: ClassVar[Mapping[str, str]] = {**SPELLINGS, "rouge_keys": "rouge_types"}

    def __post_init__(self) -> None:
        valid = (
            isinstance(self.rouge_types, tuple)
            and bool(self.rouge_types)
            and len(set(self.rouge_types)) == len(self.rouge_types)
        )
        valid = valid and all(
            isinstance(t, str) and re.fullmatch(r"rouge([1-9]|L|Lsum)", t) for t in self.rouge_types
        )
        self.require(valid, "rouge_types", "a list of different rouge1 ... rouge9, rougeL, rougeLsum")
        require_choice(self, "tokenizer", ("unicode", "google", "whitespace"))
        require_choice(self, "compat", (None, "coco"))
        if self.compat == "coco":
            self.require(
                self.rouge_types in (_TYPES, ("rougeL",)),
                "rouge_types",
                "omitted with compat='coco', which computes only rougeL",
            )
            # It needs all references of a prediction at once.
            object.__setattr__(self, "takes", "joint")

    def libraries(self) -> tuple[str, ...]:
        return token_libraries(self.tokenizer, self.stem)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return dict(_outputs(("rougeL",) if self.compat == "coco" else self.rouge_types))

    @property
    def _tokens(self) -> Tokens:
        return Tokens(self.tokenizer, stem=self.stem)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        findings = view.rows(Findings(self))
        # All types at once: the findings, in the order of `findings`, by type and pair.
        hits, predicted, expected = (np.stack(side) for side in zip(*findings.values(), strict=True))
        precision, recall = hits / np.maximum(predicted, 1), hits / np.maximum(expected, 1)
        weight = 1.0
        if self.compat == "coco":
            weight = _COCO_BETA**2
            precision, recall = (
                np.maximum.reduceat(side, view.reference_groups.offsets[:-1], axis=1)
                for side in (precision, recall)
            )
        f = (1 + weight) * precision * recall / np.where(recall > 0, recall + weight * precision, 1.0)
        rows = np.stack([f, precision, recall, np.ones_like(f)], axis=-1)
        return dict(zip(findings, rows, strict=True))

    def findings(self, view: View) -> dict[str, tuple[Array, Array, Array]]:
        """Return for each type the hits, and how many there could be in the prediction and in the reference,
        for each pair of the two.
        """
        highest = max((int(kind[-1]) for kind in self.outputs() if kind[-1].isdigit()), default=0)
        matched, predicted, expected = view.rows(ClippedMatches(self._tokens, highest))
        predicted = predicted[view.reference_groups.owners]
        found = {}
        for kind in self.outputs():
            if kind == "rougeL":
                found[kind] = view.rows(CommonSubsequence(self._tokens))
            elif kind == "rougeLsum":
                found[kind] = view.rows(UnionSubsequence(self._tokens))
            else:
                n = int(kind[-1]) - 1
                found[kind] = matched[:, n], predicted[:, n], expected[:, n]
        return found

    def score(self, part: str, statistics: Array) -> Arrays:
        return {
            output.name: statistics[..., i] / statistics[..., -1]
            for i, output in enumerate(self.outputs()[part])
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import NgramMatches, Order

        rows = self.statistics(view, fitted)
        counts = view.rows(Findings(self))
        for i, (prediction, references) in enumerate(
            zip(view.predictions, view.reference_groups, strict=True)
        ):
            tokens, spans = self._tokens.located(view.text(prediction))
            longest = longest_matched(
                tokens, [self._tokens.of(view.text(reference)) for reference in references], 9
            )
            pairs = range(*view.reference_groups.offsets[i : i + 2])
            kinds = view.parts or tuple(rows)
            orders = [
                Order(kind, *(float(column[pair]) for column in counts[kind]))
                for kind in kinds
                for pair in pairs
            ]
            title = ", ".join(f"{kind} {rows[kind][i, 0]:.4f}" for kind in kinds)
            yield NgramMatches(
                title,
                {kind: values[i] for kind, values in rows.items()},
                tokens,
                longest,
                orders,
                spans={"prediction": spans},
            )
