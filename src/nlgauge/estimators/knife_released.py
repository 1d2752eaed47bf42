"""The estimator that the authors of COSMIC released, for comparison with their numbers.

Its errors are reproduced. It fits on all rows and evaluates the same rows. The means of the modes of q(t) are
not trained and remain near 0, and there are as many modes as rows in a batch. Scales are between 1/e and e,
regardless of the data. q(t|s) has three networks (means, scales, weights) with two hidden layers (layer
normalization, linear, ReLU) and a linear output layer. Training is plain gradient descent with batches in the
order of the rows and without a stopping rule. Therefore the value changes with shift and scale of the
vectors, increases with memorization, and is far from convergence; do not use it as a measurement. Random
numbers are drawn in the same order as in the package: the value for `seed` is the package's value after
`torch.manual_seed(seed)`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.progress import report
from nlgauge._core.ragged import Array
from nlgauge.estimators.gaussian import Pointwise
from nlgauge.models.loader import torch_modules

_START = 0.01
_SMALL = 1e-8
_HIDDEN_LAYERS = 2
_BLOCK = 1024


class ReleasedSettings(NamedTuple):
    """The default settings of the package; `batch` has the value that its scorer sets."""

    modes: int = 4
    learning_rate: float = 0.01
    batch: int = 32
    epochs: int = 100


def released(target: Array, given: Array, settings: ReleasedSettings, seed: int, seeds: int) -> Pointwise:
    """Return pointwise entropies -log q(t) and -log q(t|s), with `target` as t and `given` as s.

    The seeds are `seed`, `seed` + 1, ...; there are `seeds` of them. All rows are in one fold, and no row is
    held out.
    """
    torch = torch_modules("estimating information")[1]
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # the matrices are small, so more threads would mostly wait for each other
    try:
        targets, givens = (
            torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)) for values in (target, given)
        )
        by_seed = [_released(torch, targets, givens, settings, seed + k, k, seeds) for k in range(seeds)]
    finally:
        torch.set_num_threads(before)
    entropy, conditional = (np.array([entropies[side] for entropies in by_seed]) for side in (0, 1))
    one_fold = Pointwise.of(entropy, conditional, np.zeros(entropy.shape, dtype=np.int64), target.shape[1])
    return one_fold._replace(
        rounds=np.full_like(one_fold.rounds, settings.epochs),
        learnt=one_fold.held_out,
        held_out=one_fold.learnt,
    )


def _released(
    torch: Any, targets: Any, givens: Any, settings: ReleasedSettings, seed: int, k: int, seeds: int
) -> tuple[Array, Array]:
    generator = torch.Generator().manual_seed(seed)
    d, width = targets.shape[1], givens.shape[1]
    means = _START * torch.randn(settings.batch, d, generator=generator)
    alone = [_START * torch.randn(settings.batch, d, generator=generator), torch.ones(settings.batch)]
    networks = [
        _network(torch, width, d, outputs, generator)
        for outputs in (settings.modes * d, settings.modes * d, settings.modes)
    ]
    parameters = [
        parameter.requires_grad_()
        for parameter in (*alone, *(part for network in networks for part in network))
    ]

    def surprises(rows: slice) -> tuple[Any, Any]:
        values, conditions = targets[rows], givens[rows]
        predicted, scales, weights = (_output(torch, conditions, network) for network in networks)
        shape = (len(values), settings.modes, d)
        conditional = _log_mixture(torch, values, predicted.reshape(shape), scales.reshape(shape), weights)
        return -_log_mixture(torch, values, means[None], alone[0][None], alone[1][None]), -conditional

    for epoch in range(settings.epochs):
        report("estimating information", k * settings.epochs + epoch, seeds * settings.epochs)
        for first in range(0, len(targets), settings.batch):
            loss = sum(part.mean() for part in surprises(slice(first, first + settings.batch)))
            for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
                parameter.detach().sub_(gradient, alpha=settings.learning_rate)
    with torch.no_grad():
        parts = [surprises(slice(first, first + _BLOCK)) for first in range(0, len(targets), _BLOCK)]
    entropy, conditional = (torch.cat([part[side] for part in parts]).double().numpy() for side in (0, 1))
    return entropy, conditional


def _log_mixture(torch: Any, values: Any, means: Any, scales: Any, logits: Any) -> Any:
    scale = scales.tanh().exp()
    distances = (((values[:, None, :] - means) * scale) ** 2).sum(dim=-1)
    modes = (scale + _SMALL).log().sum(dim=-1) - distances / 2 - values.shape[1] / 2 * math.log(2 * math.pi)
    return torch.logsumexp(modes + torch.log_softmax(logits, dim=-1), dim=-1)


def _network(torch: Any, width: int, hidden: int, outputs: int, generator: Any) -> list[Any]:
    """Return the parameters of a network, layer by layer.

    A hidden layer has gain and shift of its normalization, weight and bias; the last layer has weight and
    bias.
    """
    parameters = []
    for i in range(_HIDDEN_LAYERS + 1):
        inputs = width if i == 0 else hidden
        size = hidden if i < _HIDDEN_LAYERS else outputs
        bound = inputs**-0.5
        layer = [
            torch.empty(*shape).uniform_(-bound, bound, generator=generator)
            for shape in ((size, inputs), (size,))
        ]
        parameters += [torch.ones(inputs), torch.zeros(inputs), *layer] if i < _HIDDEN_LAYERS else layer
    return parameters


def _output(torch: Any, values: Any, network: list[Any]) -> Any:
    linear, normalized = torch.nn.functional.linear, torch.nn.functional.layer_norm
    for i in range(0, 4 * _HIDDEN_LAYERS, 4):
        gain, shift, weight, bias = network[i : i + 4]
        values = torch.relu(linear(normalized(values, gain.shape, gain, shift), weight, bias))
    return linear(values, *network[-2:])
