"""Predictions of a language model at each place of a text: distributions over its vocabulary, from a masked
or a causal model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nlgauge._core.ragged import Array
from nlgauge.errors import ModelError
from nlgauge.explanations import Guesses
from nlgauge.features import Feature
from nlgauge.features.language_models.causal_lm import NextTokenStates
from nlgauge.features.language_models.masked_lm import MaskedStates
from nlgauge.features.language_models.model_halves import halves, token_strings
from nlgauge.models import Model, ModelSpec, model_name
from nlgauge.models.loader import Loaded, inference
from nlgauge.models.weights import store
from nlgauge.models.weights.catalog import Kind

# A block of this many distributions over BERT's vocabulary has 16 MB, over XLM-R's 128 MB.
_BLOCK = 64
# A probability of exp(_LEAST) is still a float.
_LEAST = -600.0
_MASKED = ("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")
_CAUSAL = ("ForCausalLM", "LMHeadModel")


def kind_of(spec: ModelSpec, declared: str | None) -> Kind:
    """Return "masked" or "causal": as declared, else from the catalog or the model's own configuration."""
    if declared is not None:
        return "causal" if declared == "causal" else "masked"
    otherwise: Kind | None = None
    if isinstance(spec, Model):
        names = [type(spec.model).__name__]
        otherwise = "causal" if getattr(spec.tokenizer, "mask_token_id", None) is None else "masked"
    else:
        entry = store.entry_of(spec)
        if entry is not None and entry.kind == "causal":
            return "causal"
        names = (
            msgspec.json.decode((store.require_network(spec) / "config.json").read_bytes()).get(
                "architectures"
            )
            or []
        )
    kinds: tuple[tuple[tuple[str, ...], Kind], ...] = ((_MASKED, "masked"), (_CAUSAL, "causal"))
    for endings, kind in kinds:
        if any(architecture.endswith(endings) for architecture in names):
            return kind
    if otherwise is None:
        problem = (
            f"is saved as {', '.join(names)}, which is not known as a masked or causal language model"
            if names
            else "does not name its class in config.json"
        )
        raise ModelError(
            f"the model {model_name(spec)!r} {problem}; use another model, or declare its kind with"
            " language_model='masked' or language_model='causal'."
        )
    return otherwise


def states_feature(spec: ModelSpec, kind: Kind) -> Feature:
    """Return the feature with the state from which each token of a text is guessed: hidden from the model, or
    not yet read by it.
    """
    return NextTokenStates(spec) if kind == "causal" else MaskedStates(spec)


def bag(loaded: Loaded, states: Array, weights: Array, temperature: float) -> Array:
    """Return log of the weighted mean of the distributions at these states, in float64; weights are at least
    0, and not all of them 0.
    """
    return bags(loaded, states, weights, [temperature])[0]


def bags(loaded: Loaded, states: Array, weights: Array, temperatures: Sequence[float]) -> list[Array]:
    """Return a `bag` for each temperature, from one computation of the logits."""
    counted = weights > 0
    totals: list[Any] = [None] * len(temperatures)
    first = 0
    with inference() as torch:
        shares = torch.from_numpy(weights[counted] / weights.sum()).to(loaded.device)
        for logits in _logits(loaded, states[counted]):
            below = logits - logits.amax(dim=-1, keepdim=True)
            lowest = float(below.min())
            for i, temperature in enumerate(temperatures):
                scaled = below / temperature
                part = _mean(torch, scaled, shares[first : first + len(logits)], lowest / temperature)
                totals[i] = part if totals[i] is None else torch.logaddexp(totals[i], part)
            first += len(logits)
    return [total.cpu().numpy() for total in totals]


def _mean(torch: Any, logits: Any, shares: Any, lowest: float) -> Any:
    """Return log of the weighted sum of the softmax of logits, whose highest value is 0 at each state."""
    if lowest < _LEAST:
        return torch.logsumexp(torch.log_softmax(logits, dim=-1) + shares.log()[:, None], dim=0)
    # No probability is below the least float, so that no logarithms are needed before the sum.
    chances = logits.exp_()
    return ((shares / chances.sum(dim=-1)) @ chances).log()


def log_distributions(loaded: Loaded, states: Array, temperature: float) -> Iterator[Any]:
    """Return log of the distribution at each state, (states, vocabulary) tensors for one block of states at a
    time.
    """
    for logits in _logits(loaded, states):
        with inference() as torch:
            block = torch.log_softmax(logits / temperature, dim=-1)
        yield block


def _logits(loaded: Loaded, states: Array) -> Iterator[Any]:
    """Yield the logits at states in float64, for one block of states at a time."""
    for start in range(0, len(states), _BLOCK):
        with inference() as torch:
            block = torch.from_numpy(states[start : start + _BLOCK]).to(loaded.device)
            logits = halves(loaded).head(block).double()
        yield logits


def likeliest(loaded: Loaded, states: Array, ids: Array, temperature: float, count: int) -> list[Guesses]:
    """Return at each place of a text its token, how probable that is, and the likeliest tokens."""
    found = []
    first = 0
    for block in log_distributions(loaded, states, temperature):
        best = block.exp().topk(min(count, block.shape[1]), dim=1)
        for row, (values, tokens) in enumerate(zip(best.values.tolist(), best.indices.tolist(), strict=True)):
            token = int(ids[first + row])
            guesses = list(zip(token_strings(loaded, tokens), values, strict=True))
            found.append(Guesses(token_strings(loaded, [token])[0], float(block[row, token].exp()), guesses))
        first += len(block)
    return found
