"""The networks of COMET, CometKiwi, UniTE, XCOMET and LENS: a Transformers encoder and plain tensors.

A directory contains the encoder in the format of Transformers (config.json, model.safetensors, the
tokenizer), and the head in head.safetensors, under the names of the checkpoint:

    layerwise_attention.scalar_parameters.0 ... L, .gamma    weights of the layers
    estimator.ff.0, 3, 6 ... .weight, .bias                  feed-forward network that computes the score
    hidden2tag.weight, .bias                                 classifier of tokens, if the network has one

config.json has an additional entry "comet", which `CometSettings` describes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Literal

import msgspec

from nlgauge.errors import ModelError

HEAD = "head.safetensors"
Form = Literal["regression", "referenceless", "unified", "xcomet", "lens"]
_ACTIVATIONS = ("tanh", "sigmoid")


class CometSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a network, from the hyper-parameters of its checkpoint.

    `layer` is the layer whose states are used; None for a weighted sum of all layers. `sparse` selects
    sparsemax instead of softmax for the weights of the layers, and `normalize` normalizes the states of each
    layer over the whole text first. `pool` is avg, max or cls. `labels` are the labels of tokens in addition
    to "no error", predicted from the layer `word_layer`.
    """

    form: Form
    layer: int | None = None
    sparse: bool = False
    normalize: bool = False
    pool: Literal["avg", "max", "cls"] = "avg"
    activation: str = "Tanh"
    final_activation: str | None = None
    labels: tuple[str, ...] = ()
    word_layer: int = 0


class CometNetwork:
    """An encoder with the head of a COMET checkpoint."""

    def __init__(self, encoder: Any, head: Mapping[str, Any], settings: CometSettings) -> None:
        self.encoder = encoder
        self.settings = settings
        self.config = encoder.config
        self._head = dict(head)
        self._check()
        self._mix = self._layer_weights() if settings.layer is None else None

    def state_dict(self) -> dict[str, Any]:
        """Return all weights by name."""
        return {**self.encoder.state_dict(), **self._head}

    @property
    def device(self) -> Any:
        """The device of the network."""
        return self.encoder.device

    @property
    def window(self) -> int:
        """The number of tokens of one text that are read, including special tokens."""
        return int(self.config.max_position_embeddings) - 4

    def states(self, ids: Any, mask: Any) -> tuple[Any, ...]:
        """Return the states of all layers, each of shape (texts, tokens, width)."""
        states: tuple[Any, ...] = self.encoder(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states
        return states

    def sentence(self, states: tuple[Any, ...], mask: Any, pool: str | None = None) -> Any:
        """Return (texts, width): one vector per text, from the states of its tokens."""
        pool = pool or self.settings.pool
        if self._mix is None:
            return _pooled(states[self.settings.layer or 0], mask, pool)
        weights, gamma = self._mix
        read = [(weight, state) for weight, state in zip(weights, states, strict=True) if weight]
        if pool == "max":
            return gamma * _pooled(
                sum(weight * self._normalized(state, mask, state) for weight, state in read), mask, pool
            )
        # The mean of a weighted sum is the weighted sum of the means, which are much smaller.
        return gamma * sum(
            weight * self._normalized(_pooled(state, mask, pool), mask, state) for weight, state in read
        )

    def estimate(self, features: Any) -> Any:
        """Return (rows,) scores from the input features of the feed-forward network."""
        import torch

        states, numbers = features, self._linear_layers()
        for number in numbers:
            states = torch.nn.functional.linear(
                states, self._head[f"estimator.ff.{number}.weight"], self._head[f"estimator.ff.{number}.bias"]
            )
            name = self.settings.activation if number != numbers[-1] else self.settings.final_activation
            if name is not None:
                states = _activation(name)(states)
        return states.reshape(-1)

    def label_probabilities(self, states: tuple[Any, ...]) -> Any:
        """Return (texts, tokens, 1 + labels): the probabilities of "no error" and of each label."""
        import torch

        logits = torch.nn.functional.linear(
            states[self.settings.word_layer], self._head["hidden2tag.weight"], self._head["hidden2tag.bias"]
        )
        return logits.softmax(dim=-1)

    def _normalized(self, value: Any, mask: Any, state: Any) -> Any:
        """Standardize a value with the mean and deviation of its text's states, if `normalize` is set."""
        if not self.settings.normalize:
            return value
        inside = mask.unsqueeze(-1).to(state.dtype)
        size = mask.sum(dim=1).to(state.dtype) * state.shape[-1]
        mean = (state * inside).sum(dim=(1, 2)) / size
        variance = (((state - mean[:, None, None]) * inside) ** 2).sum(dim=(1, 2)) / size
        shape = (-1, *[1] * (value.dim() - 1))
        return (value - mean.reshape(shape)) / (variance + 1e-12).sqrt().reshape(shape)

    def _layer_weights(self) -> tuple[list[float], float]:
        """Return the weight of each layer, and the factor of the weighted sum."""
        import torch

        scalars = torch.cat(
            [
                self._head[f"layerwise_attention.scalar_parameters.{i}"].reshape(1).float()
                for i in range(self._layers + 1)
            ]
        )
        weights = sparsemax(scalars) if self.settings.sparse else scalars.softmax(dim=0)
        return weights.tolist(), float(self._head["layerwise_attention.gamma"])

    @property
    def _layers(self) -> int:
        return int(self.config.num_hidden_layers)

    def _linear_layers(self) -> list[int]:
        """Return the indices of the linear layers; activation and dropout have the indices between."""
        last = max(int(name.split(".")[2]) for name in self._head if name.startswith("estimator.ff."))
        return list(range(0, last + 1, 3))

    def _check(self) -> None:
        """Raise ModelError if the head lacks a weight, or does not fit the encoder."""
        needed = ["estimator.ff.0.weight", "estimator.ff.0.bias"]
        if self.settings.layer is None:
            needed += [f"layerwise_attention.scalar_parameters.{i}" for i in range(self._layers + 1)] + [
                "layerwise_attention.gamma"
            ]
        needed += ["hidden2tag.weight", "hidden2tag.bias"] if self.settings.labels else []
        missing = [name for name in needed if name not in self._head]
        if missing:
            raise ModelError(
                f"this {self.settings.form} model of COMET is incomplete: {', '.join(missing[:3])} is missing."
            )
        blocks = self._head["estimator.ff.0.weight"].shape[1] / int(self.config.hidden_size)
        wanted = {"regression": 6, "referenceless": 4, "unified": 1, "xcomet": 1, "lens": 7}[
            self.settings.form
        ]
        if blocks != wanted:
            raise ModelError(
                f"a {self.settings.form} model of COMET reads {wanted} vectors of its encoder's width, but this"
                f" model reads {blocks:g}."
            )
        for number in (self.settings.layer or 0, self.settings.word_layer):
            if not 0 <= number <= self._layers:
                raise ModelError(
                    f"the settings of this model name layer {number}, but its encoder has the layers 0 to"
                    f" {self._layers}."
                )


def sparsemax(scores: Any) -> Any:
    """Return the point of the simplex that is nearest to the scores; it is 0 for low scores.

    >>> import torch
    >>> sparsemax(torch.tensor([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.25, 0.75]
    """
    ordered, _ = scores.sort(descending=True)
    sums = ordered.cumsum(dim=0)
    support = next(k for k in count(len(scores), -1) if 1 + k * ordered[k - 1] > sums[k - 1])
    return (scores - (sums[support - 1] - 1) / support).clamp(min=0)


def _pooled(state: Any, mask: Any, pool: str) -> Any:
    if pool == "cls":
        return state[:, 0]
    inside = mask.unsqueeze(-1)
    if pool == "max":
        return state.masked_fill(inside == 0, float("-inf")).max(dim=1).values
    return (mask.unsqueeze(1).to(state.dtype) @ state).squeeze(1) / inside.sum(dim=1).to(state.dtype)


def _activation(name: str) -> Callable[[Any], Any]:
    """Return an activation function of torch by its name in COMET's settings."""
    import torch

    if name.lower() not in _ACTIVATIONS:
        raise ModelError(
            f"the activation {name!r} of this model is not supported; it must be {' or '.join(_ACTIVATIONS)}."
        )
    activation: Callable[[Any], Any] = getattr(torch, name.lower())
    return activation
