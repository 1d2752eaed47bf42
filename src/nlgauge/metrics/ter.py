"""TER: translation edit rate, 100 times edits over reference length, where moving a block of words is one
edit.

    TER = 100 * sum_s min_r E(h_s, r) / sum_s mean_r |r|,      E = insertions + deletions + substitutions + shifts, 1 each

over segments s with predictions h_s and references r. The fewest edits with shifts are hard to find, so E is
what Tercom's greedy search finds (kernels/tercom.py has its rules). The numbers are sacreBLEU's, its
tokenizer included: lower case, split at white space. With no reference word at all the rate is 100 if there
are edits, else 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.features.shifts import ShiftedEdits, tercom_tokens
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.edits.distances import runs
from nlgauge.kernels.edits.tercom import Shift, alignment, apply_shift
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, Takes, View, register

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation


@register
@dataclass(frozen=True)
class Ter(Metric):
    """TER as sacreBLEU computes it; 0 is perfect, above 100 if there are more edits than reference words."""

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    lowercase: bool = True

    name: ClassVar[str] = "ter"
    spellings: ClassVar[Mapping[str, str]] = {
        **SPELLINGS,
        "normalize": "normalized",
        "no_punctuation": "no_punct",
    }
    takes: ClassVar[Takes] = "joint"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "ter": (
                Output("ter", False, 0, decimals=2),
                *(Output(name, None, 0) for name in ("edits", "shifts", "reference_length")),
            )
        }

    def facts(self, corpus: Corpus) -> dict[str, str]:
        choices = {"norm": self.normalized, "punct": not self.no_punct, "asian": self.asian_support}
        return {
            "nrefs": corpus.reference_count,
            "case": "lc" if self.lowercase else "mixed",
            "tok": "tercom",
            **{name: "yes" if chosen else "no" for name, chosen in choices.items()},
            "version": installed_version("sacrebleu"),
        }

    def words(self, lang: str | None) -> Tokens:
        return self._tokens

    @property
    def _tokens(self) -> Tokens:
        return tercom_tokens(
            lowercase=self.lowercase,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
        )

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"ter": np.column_stack(view.rows(ShiftedEdits(self._tokens))[:3])}

    def score(self, part: str, statistics: Array) -> Arrays:
        edits, shifts, length = (statistics[..., i] for i in range(3))
        rate = np.where(length > 0, edits / np.where(length > 0, length, 1.0), np.where(edits > 0, 1.0, 0.0))
        return {"ter": 100 * rate, "edits": edits, "shifts": shifts, "reference_length": length}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import Edit, Edits

        rows = self.statistics(view, fitted)["ter"]
        moved, nearest = view.rows(ShiftedEdits(self._tokens))[3:]
        chosen = (nearest - view.reference_groups.offsets[:-1]).tolist()
        for row, shifts, prediction_id, reference_id, number in zip(
            rows, moved, view.predictions, view.reference[nearest], chosen, strict=True
        ):
            (prediction, ours), (reference, theirs) = (
                self._tokens.located(view.text(text)) for text in (prediction_id, reference_id)
            )
            edits = []
            for shift in itertools.starmap(Shift, shifts.tolist()):
                edits.append(
                    Edit("shift", [], prediction[shift.start : shift.start + shift.length], shift.target)
                )
                prediction, ours = apply_shift(prediction, shift), apply_shift(ours, shift)
            numbers = {token: number for number, token in enumerate(dict.fromkeys(prediction + reference))}
            steps = alignment(
                [numbers[token] for token in prediction], [numbers[token] for token in reference]
            )
            edits += [Edit.of(run, reference, prediction) for run in runs(steps)]
            title = (
                f"ter {self.score('ter', row)['ter']:.2f} ({counted(row[0], 'edit', spec='.0f')}, {counted(row[1], 'shift', spec='.0f')} among"
                f" them, for {counted(row[2], 'word', spec='g')})"
            )
            yield Edits(
                title,
                {"ter": row},
                edits,
                reference_number=number,
                spans={"prediction": ours, "reference": theirs},
            )
