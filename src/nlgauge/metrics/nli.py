"""NLI: how far a reference entails a prediction, or the other way round, by a classifier of natural language
inference (MENLI's NLI part).

    e, n, c = softmax of the classifier's logits for (premise, hypothesis): entailment, neutral, contradiction
    NLI     = e,  e - c,  -c  or  e - n                      (`formula`)
    premise and hypothesis = reference and prediction ("rh"), prediction and reference ("hr"), or the mean of both ("avg")

Whole texts are read; a pair that is longer than the model reads is cut by the rule longest_first. MENLI then
scales over the evaluated set and mixes the number with BERTScore, so that a text's score hangs on the others:
that is not done here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Ragged
from nlgauge.explanations import Entailment, Explanation
from nlgauge.features.encoders.entailment import NLI, label_order, probabilities
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.findings import Findings
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.model_means import empty_rows
from nlgauge.metrics._shared.pair_scores import LABELS, NOTHING, PairScores, PairValues, require_nli
from nlgauge.metrics._shared.unknown_tokens import read_pairs, readable
from nlgauge.models import ModelSpec

# The weights of entailment, neutral and contradiction, and the bounds.
_FORMULAS = {
    "e": ((1, 0, 0), (0, 1)),
    "e-c": ((1, 0, -1), (-1, 1)),
    "-c": ((0, 0, -1), (-1, 0)),
    "e-n": ((1, -1, 0), (-1, 1)),
}
_DIRECTIONS = {"rh": ("rh",), "hr": ("hr",), "avg": ("rh", "hr")}


@register
@dataclass(frozen=True)
class Nli(PairScores):
    """A formula of entailment, neutral and contradiction (the score), and the three probabilities."""

    model: ModelSpec = "roberta-large-mnli"
    formula: str = "e"
    direction: str = "rh"
    labels: tuple[str, ...] | None = None
    max_length: int | None = None

    name: ClassVar[str] = "nli"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "formula", _FORMULAS)
        require_choice(self, "direction", _DIRECTIONS)
        self.require_labels(NLI)
        require_whole(self, "max_length", 5, optional=True)

    def measures(self) -> tuple[Output, ...]:
        low, high = _FORMULAS[self.formula][1]
        score = Output("nli", True, low, high, nan=NOTHING)
        return score, *(
            Output(name, better, 0, 1, nan=NOTHING)
            for name, better in (("entailment", True), ("neutral", None), ("contradiction", False))
        )

    def findings(self, view: View) -> PairValues:
        read = read_pairs(view.features, self.model, "pair", view.predictions, view.reference)
        scored = readable(view, read.first, read.second)
        order = require_nli(
            label_order(self.model, self.labels, NLI, view.features.options.device), "enc", self.model
        )
        sides = np.column_stack([read.second.ids, read.first.ids])[scored]
        found, cut = {}, np.zeros(len(view), dtype=bool)
        for direction in _DIRECTIONS[self.direction]:
            pairs = sides if direction == "rh" else sides[:, ::-1]
            answers, places = view.get(
                PairLogits(self.model, "longest_first", self.max_length), Ragged.of(pairs.tolist())
            )
            found[direction] = np.full((len(view), 3), np.nan)
            found[direction][scored] = probabilities(answers.logits.values[places].reshape(-1, len(order)))[
                :, [order.index(label) for label in "enc"]
            ]
            cut[scored] |= answers.truncated.values[places] > 0
        mean = np.mean(list(found.values()), axis=0)
        shown = [{direction: values[i] for direction, values in found.items()} for i in range(len(view))]
        return PairValues(
            np.column_stack([mean @ np.array(_FORMULAS[self.formula][0]), mean]),
            cut,
            empty_rows(view, read.first, read.second),
            read.counts,
            shown,
        )

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = zip(
            self.statistics(view, fitted)["nli"],
            view.rows(Findings(self)).shown,
            view.predictions,
            view.reference,
            strict=True,
        )
        for row, shown, prediction, reference in rows:
            for direction, found in shown.items():
                texts = [view.text(reference)], [view.text(prediction)]
                premises, hypotheses = texts if direction == "rh" else texts[::-1]
                matrices = {
                    LABELS[label]: np.array([[value]]) for label, value in zip("enc", found, strict=True)
                }
                title = (
                    f"nli {row[0]:.4f}, the"
                    f" {'prediction by the reference' if direction == 'rh' else 'reference by the prediction'}"
                )
                known = bool(row[4])
                yield Entailment(
                    title if known else "nli: nothing to read",
                    {"nli": row},
                    premises,
                    hypotheses if known else [],
                    matrices,
                    [0] * known,
                )
