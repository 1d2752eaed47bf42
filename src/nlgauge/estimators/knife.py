"""Entropies of paired vectors by mixtures of Gaussians (KNIFE), held out by cross-fitting.

q(t) is a mixture of K Gaussians; q(t|s) one whose means, scales and weights are functions of s (a linear map plus a two-layer network). With
`full`, modes have a triangular factor L beside their scales: log N(y) = -|(1 + L) u|^2 / 2 + sum log scale - d/2 log 2 pi, u = scale (y - mean).

What this does, and the released estimator (`knife_released`) does not: dimensions are standardised, so the value does not change with shift and
scale; means are learned, and start at clusters of the data or as one Gaussian, whichever suits other rows better; scales are free; training stops
early on those other rows; every row is valued by densities that never saw it; and all is done for several seeds. The models of all seeds and folds
are trained side by side, as one batch of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.estimators.gaussian import Pointwise, standardised
from nlgauge.models.loader import torch_modules
from nlgauge.run.progress import report

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_LARGEST_LOG_SCALE = 7.0
_STOPPING_SHARE = 0.2
_BLOCK = 512
_CLUSTERED, _MAXIMISATIONS = 4096, 30
_DECAY = 0.9, 0.999


class Settings(NamedTuple):
    """How the densities are trained. The limit is `epochs`, or as many as make `steps` where there are few rows."""

    modes: int = 4
    full: bool = False
    hidden: int = 128
    learning_rate: float = 3e-3
    batch: int = 128
    epochs: int = 200
    steps: int = 4000
    patience: int = 8


class _Models(NamedTuple):
    """One model for each seed and fold: the rows each learns from, stops by and is to value, and its own source of random numbers."""

    torch: Any
    targets: Any
    givens: Any
    learning: list[Array]
    stopping: list[Array]
    rest: list[Array]
    generators: list[Any]
    settings: Settings

    def start(self, density: Callable[[_Models, int, list[Any]], list[Any]], before: list[Any]) -> list[Any]:
        """The parameters of all models, one on top of the other; `before` are those of the density trained before."""
        started = [density(self, model, [part[model] for part in before]) for model in range(len(self.rest))]
        return [self.torch.stack(parts) for parts in zip(*started, strict=True)]


LogDensity = Callable[[Any, Settings, Any, Any, list[Any]], Any]


def cross_fitted(target: Array, given: Array, fold: Array, components: int | None, settings: Settings, seed: int) -> Pointwise:
    """Held-out pointwise entropies of `target`, alone and given `given`; `fold` (seeds, rows) says with whom each row is held out.

    `components`: principal components kept of each side; None keeps every dimension.
    """
    torch = torch_modules("estimating information")[1]
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # the matrices are small: more threads mostly wait for each other
    try:
        return _cross_fitted(torch, target, given, fold, components, settings, seed)
    finally:
        torch.set_num_threads(before)


def _cross_fitted(torch: Any, target: Array, given: Array, fold: Array, components: int | None, settings: Settings, seed: int) -> Pointwise:
    found = [np.full(fold.shape, np.nan), np.full(fold.shape, np.nan)]
    seeds, folds = len(fold), int(fold.max(initial=0)) + 1
    if folds < 2:
        return Pointwise.of(found[0], found[1], fold, 0)
    (t, offset), (s, _) = standardised(target, components), standardised(given, components)
    targets, givens = (torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)) for values in (t, s))
    models = _Models(torch, targets, givens, [], [], [], [], settings)
    for k in range(seeds * folds):
        rng = np.random.default_rng([seed, k // folds, k % folds])
        order = rng.permutation(np.flatnonzero(fold[k // folds] != k % folds))
        stopping = max(1, int(_STOPPING_SHARE * len(order)))
        models.stopping.append(order[:stopping])
        models.learning.append(order[stopping:] if len(order) > 1 else order)
        models.rest.append(np.flatnonzero(fold[k // folds] == k % folds))
        models.generators.append(torch.Generator().manual_seed(int(rng.integers(2**31))))
    how: list[tuple[list[Any], ...]] = []
    parameters: list[Any] = []
    for side, (start, log_density) in enumerate(((_alone, _log_alone), (_conditional, _log_conditional))):
        parameters, epochs, limited = _trained(models, models.start(start, parameters), log_density, side)
        held_out = _surprises(models, log_density, parameters, models.rest)
        learnt = _surprises(models, log_density, parameters, models.learning)
        for k, rows in enumerate(models.rest):
            found[side][k // folds, rows] = held_out[k] + offset
        how.append((epochs, limited, *([float(values.mean()) + offset for values in part] for part in (learnt, held_out))))
    by_density = [np.array([one[i] for one in how]).T.reshape(seeds, folds, 2) for i in range(4)]
    return Pointwise(found[0], found[1], fold, t.shape[1], *by_density)


def _log_mixture(torch: Any, values: Any, means: Any, log_scales: Any, logits: Any, lower: Any = None) -> Any:
    """log q of (..., rows, d) values: (..., rows or 1, K, d) means and log inverse deviations, (..., rows or 1, K) logits, (..., K, d, d) L."""
    log_scales = log_scales.clamp(-_LARGEST_LOG_SCALE, _LARGEST_LOG_SCALE)
    u = (values[..., None, :] - means) * log_scales.exp()
    if lower is not None:
        u = u + torch.einsum("...rkj,...kij->...rki", u, lower.tril(-1))
    modes = log_scales.sum(dim=-1) - 0.5 * (u * u).sum(dim=-1) - values.shape[-1] * _HALF_LOG_TWO_PI
    return torch.logsumexp(torch.log_softmax(logits, dim=-1) + modes, dim=-1)


def _alone(models: _Models, model: int, _: list[Any]) -> list[Any]:
    rows = models.targets[models.learning[model]].double().numpy()
    starts = _starts(models, model, rows, (rows.T @ rows + np.eye(rows.shape[1])) / (len(rows) + 1))
    return _better(models, model, _log_alone, starts)


def _log_alone(torch: Any, settings: Settings, values: Any, _: Any, parameters: list[Any]) -> Any:
    means, log_scales, logits, *lower = parameters
    return _log_mixture(torch, values, means[:, None], log_scales[:, None], logits[:, None], *lower)


def _conditional(models: _Models, model: int, alone: list[Any]) -> list[Any]:
    torch, modes, hidden = models.torch, models.settings.modes, models.settings.hidden
    d, width = models.targets.shape[1], models.givens.shape[1]
    outputs = modes * (2 * d + 1)

    def normal(rows: int, columns: int, deviation: float) -> Any:
        return deviation * torch.randn(rows, columns, generator=models.generators[model])

    # The best linear prediction is where training starts: exact already where all is Gaussian.
    slopes, missed, left = _ridge(models, model)
    skip = torch.zeros(width, outputs)
    skip[:, : modes * d] = torch.from_numpy(np.tile(slopes, modes)).float()
    layers = [normal(width, hidden, max(1, width) ** -0.5), torch.zeros(1, hidden), normal(hidden, hidden, hidden**-0.5), torch.zeros(1, hidden)]
    layers.append(normal(hidden, outputs, 0.01))
    # What q(t) has learnt is a start too, so that q(t|s) does not do worse than it where s tells nothing.
    mixtures = [(skip, mixture) for mixture in _starts(models, model, missed, left)] + [(torch.zeros(width, outputs), alone)]
    starts = [
        [linear, torch.cat([means.reshape(-1), log_scales.reshape(-1), logits])[None], *layers, *lower]
        for linear, (means, log_scales, logits, *lower) in mixtures
    ]
    return _better(models, model, _log_conditional, starts)


def _log_conditional(torch: Any, settings: Settings, values: Any, conditions: Any, parameters: list[Any]) -> Any:
    skip, bias, w1, b1, w2, b2, w3, *lower = parameters
    hidden = torch.tanh(torch.baddbmm(b2, torch.tanh(torch.baddbmm(b1, conditions, w1)), w2))
    raw = torch.baddbmm(torch.baddbmm(bias, conditions, skip), hidden, w3)
    modes, d = settings.modes, values.shape[-1]
    means, log_scales = (part.reshape(*values.shape[:-1], modes, d) for part in (raw[..., : modes * d], raw[..., modes * d : 2 * modes * d]))
    return _log_mixture(torch, values, means, log_scales, raw[..., 2 * modes * d :], *lower)


def _starts(models: _Models, model: int, rows: Array, covariance: Array) -> list[list[Any]]:
    """Means, log scales, logits and factors of two mixtures with this covariance: one Gaussian, modes a little apart, and clusters of the rows."""
    torch, modes, d = models.torch, models.settings.modes, rows.shape[1]
    deviations, spread = np.sqrt(np.diag(covariance)), rows.std(axis=0)
    rows = rows / np.where(spread > 0, spread, 1.0)
    drawn = rows[torch.randint(len(rows), (modes,), generator=models.generators[model]).numpy()]
    means, variances, weights = _clusters(rows[:_CLUSTERED], drawn)
    scales, lower = 1 / deviations, np.zeros((d, d))
    if models.settings.full:
        whitening = np.linalg.inv(np.linalg.cholesky(covariance))
        scales = np.diag(whitening)
        lower = whitening / scales
    one = 0.1 * drawn * deviations, np.tile(np.log(scales), (modes, 1)), np.zeros(modes), np.tile(lower, (modes, 1, 1))
    several = means * deviations, -0.5 * np.log(variances) - np.log(deviations), np.log(weights), np.zeros((modes, d, d))
    return [[torch.from_numpy(part).float() for part in start[: 4 if models.settings.full else 3]] for start in (one, several)]


def _clusters(rows: Array, means: Array) -> tuple[Array, Array, Array]:
    """Means, variances and weights of a mixture by expectation maximisation; one more row with the variance of all keeps each mode from vanishing."""
    variances, weights = np.ones(means.shape), np.full(len(means), 1 / len(means))
    for _ in range(_MAXIMISATIONS):
        distances = rows**2 @ (1 / variances).T - 2 * rows @ (means / variances).T + (means**2 / variances).sum(axis=1)
        logs = np.log(weights) - 0.5 * (distances + np.log(variances).sum(axis=1))
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        counts = shares.sum(axis=0)[:, None] + 1
        means = shares.T @ rows / counts
        variances = (shares.T @ rows**2 + 1) / counts - means**2
        weights = counts[:, 0] / counts.sum()
    return means, variances, weights


def _better(models: _Models, model: int, log_density: LogDensity, starts: list[list[Any]]) -> list[Any]:
    """The start that the stopping rows like best."""
    rows = models.stopping[model]
    values, conditions = models.targets[rows][None], models.givens[rows][None]
    found = [float(log_density(models.torch, models.settings, values, conditions, [part[None] for part in start]).mean()) for start in starts]
    return starts[int(np.argmax(found))]


def _ridge(models: _Models, model: int) -> tuple[Array, Array, Array]:
    """The linear map (ridge, its strength chosen on the stopping rows), what it leaves of the learning rows, and the covariance of that elsewhere."""
    learning, stopping = models.learning[model], models.stopping[model]
    (target, given), (wanted, shown) = ([side[rows].double().numpy() for side in (models.targets, models.givens)] for rows in (learning, stopping))
    covariance, crossed = given.T @ given / len(learning), given.T @ target / len(learning)
    tried = []
    for strength in (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, math.inf):
        slopes = np.zeros_like(crossed)
        if math.isfinite(strength):
            slopes = np.linalg.solve(covariance + (strength + 1e-9) * np.eye(len(covariance)), crossed)
        missed = wanted - shown @ slopes
        # One more row with the variance of all: a handful of rows must not look like certainty.
        left = (missed.T @ missed + np.eye(missed.shape[1])) / (len(stopping) + 1)
        tried.append((float(np.log(np.diag(left)).sum()), slopes, left))
    _, slopes, left = min(tried, key=lambda one: one[0])
    return slopes, target - given @ slopes, left


def _trained(models: _Models, parameters: list[Any], log_density: LogDensity, side: int) -> tuple[list[Any], list[int], list[bool]]:
    """Adam on the learning rows, each model until its stopping rows gain nothing more: best parameters, epochs, and who met the limit of epochs."""
    torch, settings, count = models.torch, models.settings, len(models.rest)
    length = max(len(rows) for rows in models.learning)
    steps = math.ceil(length / settings.batch)
    limit = max(settings.epochs, settings.steps // steps)
    best, waited, epochs = np.full(count, math.inf), np.zeros(count, dtype=int), np.zeros(count, dtype=int)
    kept = [parameter.clone() for parameter in parameters]
    moments = [[torch.zeros_like(parameter) for parameter in parameters] for _ in _DECAY]
    active: Array = np.arange(count)
    for epoch in range(limit + 1):
        report("estimating information", (side * count + count - len(active)) * limit + len(active) * epoch, 2 * count * limit)
        if epoch:
            rows = torch.stack([_resized(torch, _shuffled(models, model), length) for model in active])
            for step, batch in enumerate(rows.split(settings.batch, dim=1)):
                parameters = [parameter.requires_grad_() for parameter in parameters]
                loss = -log_density(torch, settings, models.targets[batch], models.givens[batch], parameters).mean(dim=1).sum()
                gradients = torch.autograd.grad(loss, parameters)
                _adam(parameters, gradients, moments, settings.learning_rate, (epoch - 1) * steps + step + 1)
        stopping = _surprises(models, log_density, parameters, [models.stopping[model] for model in active])
        held = np.array([values.mean() for values in stopping])
        epochs[active] = epoch
        better = held < best[active] - 1e-4
        chosen = active[better]
        best[chosen], waited[chosen] = held[better], 0
        waited[active[~better]] += 1
        for whole, parameter in zip(kept, parameters, strict=True):
            whole[chosen] = parameter.detach()[torch.from_numpy(better)]
        going = waited[active] < settings.patience
        if not going.all():
            active, stay = active[going], torch.from_numpy(going)
            parameters = [parameter.detach()[stay] for parameter in parameters]
            moments = [[moment[stay] for moment in part] for part in moments]
        if not len(active):
            break
    return kept, epochs.tolist(), (waited < settings.patience).tolist()


def _adam(parameters: list[Any], gradients: tuple[Any, ...], moments: list[list[Any]], rate: float, step: int) -> None:
    """One step of Adam, in place. Written out, because models leave the batch while it trains and their moments with them."""
    (first_decay, second_decay), (firsts, seconds) = _DECAY, moments
    for parameter, gradient, first, second in zip(parameters, gradients, firsts, seconds, strict=True):
        first.lerp_(gradient, 1 - first_decay)
        second.mul_(second_decay).addcmul_(gradient, gradient, value=1 - second_decay)
        root = (second / (1 - second_decay**step)).sqrt_().add_(1e-8)
        parameter.detach().addcdiv_(first, root, value=-rate / (1 - first_decay**step))


def _shuffled(models: _Models, model: int) -> Any:
    torch, learning = models.torch, models.learning[model]
    return torch.from_numpy(learning)[torch.randperm(len(learning), generator=models.generators[model])]


def _resized(torch: Any, rows: Any, length: int) -> Any:
    """Rows repeated from the first one on until there are `length`: models learn side by side, and some have a row more."""
    return rows[torch.arange(length) % len(rows)]


def _surprises(models: _Models, log_density: LogDensity, parameters: list[Any], rows: list[Array]) -> list[Array]:
    """-log q of each model's own rows."""
    torch = models.torch
    length = max(map(len, rows))
    places = torch.stack([_resized(torch, torch.from_numpy(part), length) for part in rows])
    with torch.no_grad():
        parts = [
            -log_density(torch, models.settings, models.targets[block], models.givens[block], parameters) for block in places.split(_BLOCK, dim=1)
        ]
    found = torch.cat(parts, dim=1).double().numpy()
    return [found[i, : len(part)] for i, part in enumerate(rows)]
