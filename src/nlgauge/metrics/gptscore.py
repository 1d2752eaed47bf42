"""GPTScore: how probable the prediction is to a causal language model after a prompt with the source or the
reference, per token on average.

    GPTScore = (1 / |h|) sum_t log p(h_t | template with the given text, h_<t)

The template has {text} at the place of the given text. The prediction follows after one space, without an end
mark. The prompt up to the end of the given text, the rest of the prompt, and the prediction are encoded
separately. If the model's window is too short, the given text loses its end. The authors' program drops the
first token of the prediction for GPT-2; here every token counts. The prompts are this project's own words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.features.language_models.causal_lm import LogProbs, TokenInformation
from nlgauge.metric import View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.likelihood import Direction, LikelihoodMetric
from nlgauge.models import ModelSpec
from nlgauge.models.weights.catalog import Kind

TEMPLATES = {
    "reference": "Say the following in other words, with the same meaning.\n\n{text}\n\nIn other words:",
    "source": "Write a short and accurate summary of the following text.\n\n{text}\n\nSummary:",
}


@register
@dataclass(frozen=True)
class GptScore(LikelihoodMetric):
    """The mean log-probability of the prediction's tokens, given the reference or the source in a prompt."""

    model: ModelSpec = "smollm2"
    given: str = "reference"
    template: str | None = None

    name: ClassVar[str] = "gptscore"
    kind: ClassVar[Kind] = "causal"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "given", TEMPLATES)
        fits = self.template is None or (
            isinstance(self.template, str) and self.template.count("{text}") == 1
        )
        self.require(fits, "template", "None, or a text with {text} in it once")
        self.take_sides(self.sides())

    @property
    def template_used(self) -> str:
        """The template, or the default if it is None."""
        return TEMPLATES[self.given] if self.template is None else self.template

    def directions(self) -> tuple[Direction, ...]:
        return (Direction("gptscore", self.given, "prediction"),)

    def ask(
        self, view: View, given: list[Array], written: list[Array]
    ) -> tuple[TokenInformation, list[Array]]:
        texts = view.features.texts
        before, _, after = self.template_used.partition("{text}")
        rest = [texts.intern(after)] if after else []
        # The window takes from the end of the first part, which is the end of the given text.
        keys = [
            [
                texts.intern(before + view.text(first)),
                *rest,
                texts.intern(f" {view.text(second)}" if view.text(second) else ""),
            ]
            for first, second in zip(given[0].tolist(), written[0].tolist(), strict=True)
        ]
        information, places = view.get(
            LogProbs(self.model), Ragged.of([np.array(key, dtype=np.int64) for key in keys])
        )
        return information, [places]
