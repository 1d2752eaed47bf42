"""Mutual information of paired vectors by mixture densities (KNIFE), held out by cross-fitting.

    I(S -> T) = h(T) - h(T | S),   h(T) = -mean log q(t),   h(T | S) = -mean log q(t | s)

q(t) is a mixture of K diagonal Gaussians; q(t|s) one whose means, scales and weights are functions of s (a linear map plus a two-layer network).
What this does, and the released estimator does not: dimensions are standardised, so the value does not change with shift and scale; means are learned
and start at data; scales are free; training stops early on rows of its own; and every row is scored by densities that never saw it, so memorised
pairs count nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nlgauge.columns import Array
from nlgauge.models.loader import torch_modules
from nlgauge.progress import report

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_LARGEST_LOG_SCALE = 7.0
_STOPPING_SHARE = 0.2


class Pointwise(NamedTuple):
    """For each row -log q(t) and -log q(t|s), held out; their difference is the row's information."""

    entropy: Array
    conditional: Array
    fold: Array


class Settings(NamedTuple):
    """How the densities are trained."""

    modes: int = 4
    folds: int = 5
    hidden: int = 128
    learning_rate: float = 3e-3
    batch: int = 128
    epochs: int = 200
    patience: int = 8


def cross_fitted(target: Array, given: Array, groups: Array, components: int | None, settings: Settings, seed: int) -> Pointwise:
    """Held-out pointwise entropies of `target`, alone and given `given`; rows of a group are never on both sides of a split.

    `components`: principal components kept, found on training rows; None keeps every dimension.
    """
    torch = torch_modules("estimating information")[1]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the matrices are small: more threads only wait for each other
    try:
        return _cross_fitted(torch, (target, given, groups), components, settings, np.random.default_rng(seed))
    finally:
        torch.set_num_threads(threads)


def _cross_fitted(torch: Any, data: tuple[Array, Array, Array], components: int | None, settings: Settings, rng: np.random.Generator) -> Pointwise:
    target, given, groups = data
    names, group = np.unique(groups, return_inverse=True)
    folds = min(settings.folds, len(names))
    fold = rng.permutation(len(names))[group.reshape(-1)] % folds
    entropy, conditional = np.full(len(target), np.nan), np.full(len(target), np.nan)
    for k in range(folds if folds > 1 else 0):
        report("estimating information", k, folds)
        training = np.flatnonzero(fold != k)
        rest = np.flatnonzero(fold == k)
        order = rng.permutation(training)
        stopping = order[: max(1, int(_STOPPING_SHARE * len(order)))]
        learning = order[len(stopping) :] if len(order) > 1 else order
        t, offset = _standardised(target, learning, components)
        s, _ = _standardised(given, learning, components)
        targets, givens = (torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)) for values in (t, s))
        generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
        alone, given_other = _fold(_Training(torch, targets, givens, learning, stopping, settings, generator), rest)
        entropy[rest], conditional[rest] = alone + offset, given_other + offset
    return Pointwise(entropy, conditional, fold)


def gaussian_information(target: Array, given: Array, shrinkage: float = 0.0) -> float:
    """The plug-in value for jointly Gaussian vectors, (log|C_t| + log|C_s| - log|C|) / 2; covariances shrunk to their diagonal."""
    joint = np.cov(np.hstack([target, given]), rowvar=False)
    joint = (1 - shrinkage) * joint + shrinkage * np.diag(np.diag(joint))
    d = target.shape[1]
    parts = [np.linalg.slogdet(block)[1] for block in (joint[:d, :d], joint[d:, d:], joint)]
    return float(parts[0] + parts[1] - parts[2]) / 2


def _standardised(values: Array, learning: Array, components: int | None) -> tuple[Array, float]:
    """Values with mean 0 and variance 1 on the learning rows, and the log volume that this takes away."""
    values = values.astype(np.float64)
    values = values - values[learning].mean(axis=0)
    if components is not None and components < values.shape[1]:
        axes = np.linalg.svd(values[learning], full_matrices=False)[2][:components]
        values = values @ axes.T
    scale = values[learning].std(axis=0)
    # A dimension that does not vary in relation to the largest holds rounding alone.
    kept = scale > 1e-6 * scale.max(initial=0.0)
    return values[:, kept] / scale[kept], float(np.log(scale[kept]).sum())


class _Training(NamedTuple):
    """Standardised vectors as tensors, the rows to learn from and to stop by, and what training needs beside them."""

    torch: Any
    targets: Any
    givens: Any
    learning: Array
    stopping: Array
    settings: Settings
    generator: Any


LogDensity = Callable[[Any, Any], Any]


def _fold(training: _Training, rest: Array) -> tuple[Array, Array]:
    """-log q(t) and -log q(t|s) of the rows that neither training nor stopping saw."""
    found = []
    for density in (_marginal, _conditional):
        parameters, log_density = density(training)
        _train(training, parameters, log_density)
        with training.torch.no_grad():
            found.append(-log_density(training.targets[rest], training.givens[rest]).double().numpy())
    return found[0], found[1]


def _log_mixture(torch: Any, values: Any, means: Any, log_scales: Any, logits: Any) -> Any:
    """log q for (rows, d) values, (rows or 1, K, d) means and log inverse deviations, (rows or 1, K) logits."""
    log_scales = log_scales.clamp(-_LARGEST_LOG_SCALE, _LARGEST_LOG_SCALE)
    standardised = (values[:, None, :] - means) * log_scales.exp()
    modes = (-0.5 * standardised**2 + log_scales - _HALF_LOG_TWO_PI).sum(dim=-1)
    return torch.logsumexp(torch.log_softmax(logits, dim=-1) + modes, dim=-1)


def _marginal(training: _Training) -> tuple[list[Any], LogDensity]:
    torch, modes, d = training.torch, training.settings.modes, training.targets.shape[1]
    parameters = [_centres(training), torch.zeros(modes, d), torch.zeros(modes)]

    def log_density(values: Any, _: Any) -> Any:
        return _log_mixture(torch, values, parameters[0][None], parameters[1][None], parameters[2][None])

    return parameters, log_density


def _conditional(training: _Training) -> tuple[list[Any], LogDensity]:
    torch, modes, hidden = training.torch, training.settings.modes, training.settings.hidden
    d, width = training.targets.shape[1], training.givens.shape[1]
    means, scales = slice(0, modes * d), slice(modes * d, 2 * modes * d)
    outputs = modes * (2 * d + 1)

    def normal(rows: int, columns: int, deviation: float) -> Any:
        return deviation * torch.randn(rows, columns, generator=training.generator)

    skip, bias = torch.zeros(width, outputs), torch.zeros(outputs)
    # The best linear prediction is where training starts: exact already where all is Gaussian.
    slopes, deviations = _ridge(training)
    skip[:, means] = torch.from_numpy(np.tile(slopes, modes)).float()
    bias[means] = (_centres(training) * torch.from_numpy(deviations).float()).reshape(-1)
    bias[scales] = torch.from_numpy(np.tile(-np.log(deviations), modes)).float()
    layers = [normal(width, hidden, width**-0.5), torch.zeros(hidden), normal(hidden, hidden, hidden**-0.5), torch.zeros(hidden)]
    parameters = [skip, bias, *layers, normal(hidden, outputs, 0.01)]

    def log_density(values: Any, conditions: Any) -> Any:
        skip, bias, w1, b1, w2, b2, w3 = parameters
        raw = conditions @ skip + bias + torch.tanh(torch.tanh(conditions @ w1 + b1) @ w2 + b2) @ w3
        shape = (-1, modes, d)
        return _log_mixture(torch, values, raw[:, means].reshape(shape), raw[:, scales].reshape(shape), raw[:, 2 * modes * d :])

    return parameters, log_density


def _centres(training: _Training) -> Any:
    """Where modes start: a little way towards random rows, so that each starts as the whole and they part while learning."""
    torch, learning = training.torch, training.learning
    drawn = torch.randint(len(learning), (training.settings.modes,), generator=training.generator)
    return 0.1 * training.targets[torch.from_numpy(learning)[drawn]]


def _ridge(training: _Training) -> tuple[Array, Array]:
    """The linear map (ridge, its strength chosen on the stopping rows) and the deviations of what it leaves there."""
    target, given = training.targets.double().numpy(), training.givens.double().numpy()
    learning, stopping = training.learning, training.stopping
    covariance = given[learning].T @ given[learning] / len(learning)
    crossed = given[learning].T @ target[learning] / len(learning)
    tried = []
    for strength in (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, math.inf):
        slopes = np.zeros_like(crossed)
        if math.isfinite(strength):
            slopes = np.linalg.solve(covariance + (strength + 1e-9) * np.eye(len(covariance)), crossed)
        squares = ((target[stopping] - given[stopping] @ slopes) ** 2).sum(axis=0)
        # One more row with the variance of all: a handful of rows must not look like certainty.
        left = np.sqrt((squares + 1) / (len(stopping) + 1))
        tried.append((float(np.log(left).sum()), slopes, left))
    _, slopes, left = min(tried, key=lambda one: one[0])
    return slopes, left


def _train(training: _Training, parameters: list[Any], log_density: LogDensity) -> None:
    """Adam on the learning rows until the stopping rows gain nothing more; leaves the parameters at their best."""
    torch, settings = training.torch, training.settings

    def loss(rows: Any) -> Any:
        return -log_density(training.targets[rows], training.givens[rows]).mean()

    for parameter in parameters:
        parameter.requires_grad_(True)
    optimiser = torch.optim.Adam(parameters, lr=settings.learning_rate)
    learning = torch.from_numpy(training.learning)
    best, kept, waited = math.inf, parameters, 0
    for epoch in range(settings.epochs + 1):
        if epoch:
            for batch in learning[torch.randperm(len(learning), generator=training.generator)].split(settings.batch):
                optimiser.zero_grad()
                loss(batch).backward()
                optimiser.step()
        with torch.no_grad():
            held = float(loss(training.stopping))
        if held < best - 1e-4:
            best, kept, waited = held, [parameter.detach().clone() for parameter in parameters], 0
        elif (waited := waited + 1) >= settings.patience:
            break
    with torch.no_grad():
        for parameter, value in zip(parameters, kept, strict=True):
            parameter.copy_(value)
            parameter.requires_grad_(False)
