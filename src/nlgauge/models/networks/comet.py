"""The networks of COMET, CometKiwi, UniTE, XCOMET and LENS, on a Transformers encoder and plain tensors.

A directory holds the encoder as Transformers writes it (config.json, model.safetensors, the tokeniser), and
what stands on it in head.safetensors, under the names of the checkpoint:

    layerwise_attention.scalar_parameters.0 ... L, .gamma    how the states of all layers are mixed
    estimator.ff.0, 3, 6 ... .weight, .bias                  the feed-forward network that gives the score
    hidden2tag.weight, .bias                                 the labels of pieces, where the network has them

config.json has a further entry "comet", which `Settings` describes.
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


class CometSettings(msgspec.Struct, frozen=True):
    """What the checkpoint's hyper-parameters say of the network.

    `layer` is the layer that is read, None for a mix of all; `sparse` whether sparsemax weighs the layers
    (else softmax), `normalise` whether the states of a layer are normalised over the whole text first; `pool`
    is avg, max or cls. `labels` are those of pieces beside "no error", read from `word_layer`.
    """

    form: Form
    layer: int | None = None
    sparse: bool = False
    normalise: bool = False
    pool: Literal["avg", "max", "cls"] = "avg"
    activation: str = "Tanh"
    final_activation: str | None = None
    labels: tuple[str, ...] = ()
    word_layer: int = 0


class CometNetwork:
    """An encoder with the head that a COMET checkpoint puts on it."""

    def __init__(self, encoder: Any, head: Mapping[str, Any], settings: CometSettings) -> None:
        self.encoder = encoder
        self.settings = settings
        self.config = encoder.config
        self._head = dict(head)
        self._check()
        self._mix = self._layer_weights() if settings.layer is None else None

    def state_dict(self) -> dict[str, Any]:
        """Every weight, by name."""
        return {**self.encoder.state_dict(), **self._head}

    @property
    def device(self) -> Any:
        """Where the network runs."""
        return self.encoder.device

    @property
    def window(self) -> int:
        """How many pieces of one text are read, its marks included."""
        return int(self.config.max_position_embeddings) - 4

    def states(self, ids: Any, mask: Any) -> tuple[Any, ...]:
        """The states of every layer, (texts, places, width) each."""
        found: tuple[Any, ...] = self.encoder(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states
        return found

    def sentence(self, states: tuple[Any, ...], mask: Any, pool: str | None = None) -> Any:
        """(texts, width): one vector per text, from the states of its pieces."""
        pool = pool or self.settings.pool
        if self._mix is None:
            return _pooled(states[self.settings.layer or 0], mask, pool)
        weights, gamma = self._mix
        read = [(weight, state) for weight, state in zip(weights, states, strict=True) if weight]
        if pool == "max":
            return gamma * _pooled(
                sum(weight * self._normalised(state, mask, state) for weight, state in read), mask, pool
            )
        # A mean of mixed states is the mix of their means, which are much smaller.
        return gamma * sum(
            weight * self._normalised(_pooled(state, mask, pool), mask, state) for weight, state in read
        )

    def estimate(self, features: Any) -> Any:
        """(rows,) scores, from what the feed-forward network reads."""
        import torch

        found, numbers = features, self._linear_layers()
        for number in numbers:
            found = torch.nn.functional.linear(
                found, self._head[f"estimator.ff.{number}.weight"], self._head[f"estimator.ff.{number}.bias"]
            )
            name = self.settings.activation if number != numbers[-1] else self.settings.final_activation
            if name is not None:
                found = _activation(name)(found)
        return found.reshape(-1)

    def label_probabilities(self, states: tuple[Any, ...]) -> Any:
        """(texts, places, labels): how probable "no error" and each label is at each piece."""
        import torch

        logits = torch.nn.functional.linear(
            states[self.settings.word_layer], self._head["hidden2tag.weight"], self._head["hidden2tag.bias"]
        )
        return logits.softmax(dim=-1)

    def _normalised(self, value: Any, mask: Any, state: Any) -> Any:
        """The value on the scale on which all numbers of a text's states have mean 0 and deviation 1; as
        it is where nothing is normalised.
        """
        if not self.settings.normalise:
            return value
        inside = mask.unsqueeze(-1).to(state.dtype)
        size = mask.sum(dim=1).to(state.dtype) * state.shape[-1]
        mean = (state * inside).sum(dim=(1, 2)) / size
        variance = (((state - mean[:, None, None]) * inside) ** 2).sum(dim=(1, 2)) / size
        shape = (-1, *[1] * (value.dim() - 1))
        return (value - mean.reshape(shape)) / (variance + 1e-12).sqrt().reshape(shape)

    def _layer_weights(self) -> tuple[list[float], float]:
        """The weight of each layer, and what the mix is multiplied with."""
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
        """The numbers of the linear layers; activation and dropout have numbers of their own."""
        last = max(int(name.split(".")[2]) for name in self._head if name.startswith("estimator.ff."))
        return list(range(0, last + 1, 3))

    def _check(self) -> None:
        """Raises where the head lacks something, or is not of this encoder."""
        needed = ["estimator.ff.0.weight", "estimator.ff.0.bias"]
        if self.settings.layer is None:
            needed += [f"layerwise_attention.scalar_parameters.{i}" for i in range(self._layers + 1)] + [
                "layerwise_attention.gamma"
            ]
        needed += ["hidden2tag.weight", "hidden2tag.bias"] if self.settings.labels else []
        missing = [name for name in needed if name not in self._head]
        if missing:
            raise ModelError(
                f"this is not a whole {self.settings.form} model of COMET: {', '.join(missing[:3])} is"
                " missing."
            )
        blocks = self._head["estimator.ff.0.weight"].shape[1] / int(self.config.hidden_size)
        wanted = {"regression": 6, "referenceless": 4, "unified": 1, "xcomet": 1, "lens": 7}[
            self.settings.form
        ]
        if blocks != wanted:
            raise ModelError(
                f"a {self.settings.form} model of COMET reads {wanted} vectors of its encoder's width, this"
                f" one {blocks:g}."
            )
        for number in (self.settings.layer or 0, self.settings.word_layer):
            if not 0 <= number <= self._layers:
                raise ModelError(
                    f"the encoder of this model has the layers 0 to {self._layers}, and layer {number} is to"
                    " be read."
                )


def sparsemax(scores: Any) -> Any:
    """The point of the simplex that is nearest to the scores, which has zeros where softmax has small
    numbers.

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
    """One of torch's activations, by the name that COMET's settings have."""
    import torch

    if name.lower() not in _ACTIVATIONS:
        raise ModelError(
            f"the activation {name!r} is not known here; known are {' and '.join(_ACTIVATIONS)}."
        )
    found: Callable[[Any], Any] = getattr(torch, name.lower())
    return found
