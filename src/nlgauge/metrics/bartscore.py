"""BARTScore: how probable one text is to a sequence-to-sequence model that has read the other, per token on
average.

    score(a -> b) = (1 / |y|) sum_t log p(y_t | y_<t, a)      y: the tokens of b between the marks <s> and </s>, which are scored too

    recall h -> r      precision r -> h      faithfulness s -> h      f = (precision + recall) / 2

for a prediction h, a reference r and a source s. Both texts are cut to `max_length` tokens; the end mark
stays. `specials=False` leaves the marks out of the mean. Any sequence-to-sequence model will do: with a T5
that was tuned for it this is T5Score. The authors' program scores an empty text only by its marks, which are
often very probable; here that is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from nlgauge._core.ragged import Array
from nlgauge.features.language_models.causal_lm import TokenInformation
from nlgauge.features.language_models.seq2seq import Seq2SeqLogProbs, marks_of
from nlgauge.metric import SPELLINGS, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.likelihood import Direction, LikelihoodMetric, pairs
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded
from nlgauge.models.weights.catalog import Kind

_PRECISION, _RECALL = (
    Direction("precision", "reference", "prediction"),
    Direction("recall", "prediction", "reference"),
)
_DIRECTIONS = {
    "recall": (_RECALL,),
    "precision": (_PRECISION,),
    "faithfulness": (Direction("faithfulness", "source", "prediction"),),
    "f": (_PRECISION, _RECALL),
}


@register
@dataclass(frozen=True)
class BartScore(LikelihoodMetric):
    """BARTScore in one direction, or the mean of precision and recall."""

    model: ModelSpec = "bart-large-cnn"
    direction: str = "f"
    specials: bool = True
    max_length: int = 1024

    name: ClassVar[str] = "bartscore"
    shows_empty: ClassVar[bool] = True
    kind: ClassVar[Kind] = "seq2seq"
    spellings: ClassVar[Mapping[str, str]] = {**SPELLINGS, "model_checkpoint": "model"}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "direction", _DIRECTIONS)
        self.require(isinstance(self.specials, bool), "specials", "True or False")
        require_whole(self, "max_length", 4)
        self.take_sides(self.sides())

    def directions(self) -> tuple[Direction, ...]:
        return _DIRECTIONS[self.direction]

    def mean_name(self) -> str:
        return "f"

    def ask(
        self, view: View, given: list[Array], written: list[Array]
    ) -> tuple[TokenInformation, list[Array]]:
        information, *places = view.get(
            Seq2SeqLogProbs(self.model, self.max_length), *map(pairs, given, written)
        )
        return information, places

    def averaged(self, tokens: Array, loaded: Loaded) -> slice:
        marks = marks_of(loaded)
        return slice(None) if self.specials else slice(len(marks.before), len(tokens) - len(marks.after))
