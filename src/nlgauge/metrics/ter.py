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
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.features import RowKernel
from nlgauge.features.pairs import Counts, Findings
from nlgauge.features.tokens.text import Tokens, tokenizer
from nlgauge.features.tokens.tokenizers import Tokenizer
from nlgauge.kernels.edits.distances import runs
from nlgauge.kernels.edits.tercom import Shift, alignment, apply_shift, shift_edits
from nlgauge.metric import SPELLINGS, Arrays, Metric, Output, Takes, View, register

if TYPE_CHECKING:
    from nlgauge.explanations import Explanation


@cache
def _tercom(**options: bool) -> Any:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    return TercomTokenizer(**options)


@dataclass(frozen=True)
class TercomTokens(Tokens):
    """The tokens that Tercom compares."""

    tokenizer: str = "tercom"
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False

    def splitter(self) -> Tokenizer:
        options = {
            "normalized": self.normalized,
            "no_punct": self.no_punct,
            "asian_support": self.asian_support,
        }
        if not any(options.values()):
            return tokenizer("whitespace")
        tercom = _tercom(case_sensitive=not self.lowercase, **options)
        return Tokenizer(lambda text: tercom(text.rstrip()).split())


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
    def _tokens(self) -> TercomTokens:
        return TercomTokens(
            lowercase=self.lowercase,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
        )

    def findings(self, view: View) -> tuple[Array, Ragged, Array]:
        """Return for each row the edits to its nearest reference, the shifts among them, and which reference
        is nearest.
        """
        tokens, predictions, references = view.get(self._tokens, view.predictions, view.reference)
        owners = view.reference_groups.owners
        edits, shifts = shift_edits(tokens, predictions[owners], references)
        # Sorting by edits puts the nearest reference (on a tie the first given) first in each row.
        nearest = np.lexsort((edits, owners))[view.reference_groups.offsets[:-1]]
        return edits[nearest], shifts.take(nearest), nearest

    def counts(self, view: View) -> Array:
        """(rows, 3) edits, shifts among them, and the mean length of the references."""
        edits, shifts, _ = view.rows(Findings(self))
        tokens, references = view.get(self._tokens, view.reference)
        groups = view.reference_groups
        lengths = np.bincount(groups.owners, tokens.lengths[references], len(groups)) / groups.lengths
        return np.column_stack([edits, shifts.lengths, lengths])

    def row_kernel(self) -> RowKernel | None:
        """Return the compiled function of `counts`; None if sacreBLEU splits the texts."""
        if self._tokens != TercomTokens(lowercase=self.lowercase):
            return None
        return RowKernel("shifted_edits", Tokens("whitespace", self.lowercase), 3, lambda columns: columns)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"ter": view.rows(Counts(self))}

    def score(self, part: str, statistics: Array) -> Arrays:
        edits, shifts, length = (statistics[..., i] for i in range(3))
        rate = np.where(length > 0, edits / np.where(length > 0, length, 1.0), np.where(edits > 0, 1.0, 0.0))
        return {"ter": 100 * rate, "edits": edits, "shifts": shifts, "reference_length": length}

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        from nlgauge.explanations import Edit, Edits

        rows = self.statistics(view, fitted)["ter"]
        _, moved, nearest = view.rows(Findings(self))
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
