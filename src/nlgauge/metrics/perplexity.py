"""Perplexity: how surprised a causal language model is by a text, per token on average.

    PPL = exp( -(1/n) sum_t log p(x_t | start, x_<t) )

The corpus score weighs every token alike: exp of the summed information over the number of tokens, not the
mean of the texts' perplexities. A text longer than the model's window is read in windows that overlap
(`stride`), so that no token is dropped. A text without any token that the model knows is read as an empty
one, and has no perplexity.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.language_models.causal_lm import NextTokenStates, token_log_probabilities
from nlgauge.features.language_models.model_halves import token_strings
from nlgauge.metric import EMPTY, Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_whole
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, read_texts, unknown_share
from nlgauge.models import ModelSpec
from nlgauge.models.loader import inference, load

_EMPTY = replace(EMPTY, note="predictions have no token to guess, and no score")


@register
@dataclass(frozen=True)
class Perplexity(UsesModel, Metric):
    """Perplexity of the predictions themselves under a causal language model, and bits per token."""

    model: ModelSpec = "smollm2"
    stride: int | None = None
    start: str = ""

    name: ClassVar[str] = "perplexity"
    revision: ClassVar[int] = 3
    aliases: ClassVar[dict[str, dict[str, object]]] = {"ppl": {}}
    takes: ClassVar[Takes] = "alone"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "stride", optional=True)
        self.require(
            isinstance(self.start, str), "start", "the name of a token, or '' for the default of the model"
        )

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "there is no token to guess, or none that the model knows"
        measures = (
            Output("perplexity", False, 1, nan=nan, decimals=2),
            Output("bits_per_token", False, 0, nan=nan),
        )
        return {"perplexity": (*measures, Output("tokens", None, 0), _EMPTY, UNKNOWN_TOKENS)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        information, _ = self._information(view)
        sums = np.bincount(information.owners, information.values, len(view))
        counts = read_texts(view.features, self.model, "causal", view.predictions).counts
        return {
            "perplexity": np.column_stack(
                [sums, information.lengths, information.lengths == 0, counts]
            ).astype(np.float64)
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        sums, tokens = statistics[..., 0], statistics[..., 1]
        mean = np.where(tokens > 0, sums / np.where(tokens > 0, tokens, 1.0), np.nan)
        return {
            "perplexity": np.exp(mean),
            "bits_per_token": mean / math.log(2),
            "tokens": tokens,
            "empty": statistics[..., 2],
            **unknown_share(statistics),
        }

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        information, ids = self._information(view)
        loaded = load(self.model, "causal", view.features.options.device)
        for i, row in enumerate(self.statistics(view, fitted)["perplexity"]):
            tokens = token_strings(loaded, ids[i].tolist())
            title = f"perplexity {float(self.score('perplexity', row)['perplexity']):.2f}"
            yield TokenScores(
                title, {"perplexity": row}, tokens, {"information (nats)": information[i].tolist()}
            )

    def _information(self, view: View) -> tuple[Ragged, Ragged]:
        """Return -log p of every token of every row, and the tokens."""
        read = read_texts(view.features, self.model, "causal", view.predictions)
        found, places = view.get(NextTokenStates(self.model, self.start, self.stride), read.ids)
        loaded = load(self.model, "causal", view.features.options.device)
        states, ids = found.states.take(places), found.ids.take(places)
        if not len(ids.values):
            return Ragged(np.empty(0), ids.offsets), ids
        with inference() as torch:
            values, _ = token_log_probabilities(
                loaded,
                torch.from_numpy(states.values).to(loaded.device),
                torch.from_numpy(ids.values).to(loaded.device),
            )
        return Ragged(-values, ids.offsets), ids
