"""SARI: how well a simplification adds, keeps and deletes n-grams of its source, compared with all references
together.

    SARI = 100 * (F_add + F_keep + P_delete) / 3,      each the mean over n = 1 ... 4

with P = right / done and R = right / wanted from counts over the whole corpus (`kernels.edit_operations`),
and F = 2 P R / (P + R). The paper's equations leave three things open. Where neither prediction nor
references did anything an operation is perfect, 1 (0 if only one side did nothing); orders that no text is
long enough for are left out; the counts are EASSE's, which mend the authors' script. `compat` gives the other
definitions in use: "easse" (0/0 = 0, F1 for deletion), "original" (the authors' script: shares averaged over
n-grams, then over segments, 0/0 = 0) and "evaluate" (as that, but 0/0 = 1 and another recall of keeping).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Explanation, WordGroups
from nlgauge.features.tokens.text import SACREBLEU_TOKENIZERS
from nlgauge.kernels.edits.operations import ADD, DELETE, KEEP, operation_counts, operation_shares
from nlgauge.metric import Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.language_tokenizer import LanguageTokenizer

_ORDERS = 4
_RIGHT, _DONE, _WANTED = range(3)


@register
@dataclass(frozen=True)
class Sari(LanguageTokenizer, Metric):
    """SARI, 0 to 100, and the score of each operation."""

    tokenizer: str | None = None
    lowercase: bool = True
    compat: str | None = None

    name: ClassVar[str] = "sari"
    takes: ClassVar[Takes] = "joint"
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_choice(self, "tokenizer", (None, *SACREBLEU_TOKENIZERS))
        require_choice(self, "compat", (None, "easse", "original", "evaluate"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "sari": tuple(
                Output(name, True, 0, 100) for name in ("sari", "sari_add", "sari_keep", "sari_delete")
            )
        }

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        tokens, sources, predictions, references = view.get(
            self._tokens, view.source, view.predictions, view.reference
        )
        groups = Ragged(references, view.reference_groups.offsets)
        if self.compat in (None, "easse"):
            return {
                "sari": operation_counts(tokens, sources, predictions, groups, _ORDERS).reshape(len(view), -1)
            }
        # Both programs split at single spaces, which leaves one empty word of an empty text.
        tokens = Ragged.of([row or [-1] for row in tokens.lists()])
        shares = operation_shares(tokens, sources, predictions, groups, _ORDERS)
        if self.compat == "evaluate":
            right, _, wanted = np.moveaxis(
                operation_counts(tokens, sources, predictions, groups, _ORDERS)[:, :, KEEP], -1, 0
            )
            shares[:, :, KEEP, 1] = np.where(wanted > 0, right / np.where(wanted > 0, wanted, 1.0), np.nan)
        precision, recall = np.moveaxis(np.nan_to_num(shares, nan=float(self.compat == "evaluate")), -1, 0)
        scores = _harmonic(precision, recall)
        scores[..., DELETE] = precision[..., DELETE]
        return {"sari": np.column_stack([scores.mean(axis=1), np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        if self.compat in (None, "easse"):
            operations = self._pooled(statistics.reshape(*statistics.shape[:-1], _ORDERS, 3, 3))
        else:
            operations = statistics[..., :-1] / statistics[..., -1:]
        by_name = {
            f"sari_{name}": 100 * operations[..., i]
            for name, i in (("add", ADD), ("keep", KEEP), ("delete", DELETE))
        }
        return {"sari": 100 * operations.mean(axis=-1), **by_name}

    def _pooled(self, counts: Array) -> Array:
        """Return the score of each operation, 0 to 1, from summed counts."""
        right, done, wanted = counts[..., _RIGHT], counts[..., _DONE], counts[..., _WANTED]
        precision, recall = (right / np.where(whole > 0, whole, 1.0) for whole in (done, wanted))
        scores = _harmonic(precision, recall)
        if self.compat == "easse":
            found: Array = scores.mean(axis=-2)
            return found
        scores = np.stack(
            [(precision if kind == DELETE else scores)[..., kind] for kind in range(scores.shape[-1])],
            axis=-1,
        )
        scores = np.where((done == 0) & (wanted == 0), 1.0, scores)
        used = (done + wanted).sum(axis=-1) > 0
        pooled: Array = (scores * used[..., None]).sum(axis=-2) / np.maximum(used.sum(axis=-1), 1)[..., None]
        return pooled

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.statistics(view, fitted)["sari"]
        for row, source, prediction, references in zip(
            rows, view.source, view.predictions, view.reference_groups, strict=True
        ):
            before, after = (dict.fromkeys(self._tokens.of(view.text(text))) for text in (source, prediction))
            wanted = dict.fromkeys(word for text in references for word in self._tokens.of(view.text(text)))
            groups = {
                "added, as in some reference": [
                    word for word in after if word not in before and word in wanted
                ],
                "added, unlike all references": [
                    word for word in after if word not in before and word not in wanted
                ],
                "kept, as in some reference": [word for word in after if word in before and word in wanted],
                "kept, unlike all references": [
                    word for word in after if word in before and word not in wanted
                ],
                "deleted, as in all references": [
                    word for word in before if word not in after and word not in wanted
                ],
                "deleted, unlike some reference": [
                    word for word in before if word not in after and word in wanted
                ],
                "not added, unlike some reference": [
                    word for word in wanted if word not in before and word not in after
                ],
            }
            scores = self.score("sari", row)
            title = ", ".join(
                f"{name.replace('sari_', '')} {float(value):.2f}" for name, value in scores.items()
            )
            yield WordGroups(
                title, {"sari": row}, groups, against=[name for name in groups if "unlike" in name]
            )


def _harmonic(precision: Array, recall: Array) -> Array:
    total = precision + recall
    found: Array = 2 * precision * recall / np.where(total > 0, total, 1.0)
    return found
