"""Entropies of paired vectors by mixtures of Gaussians (KNIFE), held out by cross-fitting.

q(t) is a mixture of K Gaussians; q(t|s) one whose means, scales and weights are functions of s (a linear map plus a two-layer network). With
`full`, modes have a triangular factor L beside their scales: log N(y) = -|(1 + L) u|^2 / 2 + sum log scale - d/2 log 2 pi, u = scale (y - mean).

What this does, and the released estimator (`knife_released`) does not: vectors are turned to their principal axes and standardised, so the value does
not change with shift and scale; means are learned, and start between clusters of the data and one Gaussian, nearer to what suits other rows better;
scales are free, but that one more row with the variance of all keeps them from growing without bound; every row is valued by densities that never saw
it; and all is done for several seeds. The models of all seeds and folds are trained side by side, as one batch of matrices.

Nothing hangs on the last bits of the vectors, because no choice is all or nothing: training takes a number of rounds that the number of rows fixes,
and the density is a mixture of those after each round, q = sum_r w_r q_r with w_r ~ exp(-n loss_r) of n stopping rows; starts and strengths of the
linear map are averaged with such weights, too. Modes never start at equal places, and no step is made of a gradient that is rounding alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.estimators.gaussian import Pointwise, standardised
from nlgauge.estimators.knife_starts import clusters, ridge, weighing
from nlgauge.models.loader import torch_modules
from nlgauge.run.progress import report

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_LARGEST_LOG_SCALE = 7.0
_STOPPING_SHARE = 0.2
_BLOCK = 512
_CLUSTERED = 4096
_APART = 0.3
_DECAY = 0.9, 0.999
# Adam's usual 1e-8 makes full steps of gradients that are rounding alone.
_LEAST_GRADIENT = 1e-3
_ROWS_FOR_A_STEP, _FEWEST_STEPS, _MOST_STEPS = 16, 2, 100
_WARMING = 0.1


class Settings(NamedTuple):
    """How the densities are trained: for a number of rounds, each of one step for every 16 rows, but of 2 steps at least and 100 at most."""

    modes: int = 4
    full: bool = False
    hidden: int = 128
    learning_rate: float = 3e-3
    batch: int = 128
    rounds: int = 10


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


LogDensity = Callable[[Any, Settings, Any, Any, list[Any]], tuple[Any, Any]]


def cross_fitted(target: Array, given: Array, fold: Array, components: int | None, settings: Settings, seed: int) -> Pointwise:
    """Held-out pointwise entropies of `target`, alone and given `given`; `fold` (seeds, rows) says with whom each row is held out.

    `components`: principal components kept of each side; None keeps all. The order of the rows decides what is drawn for each of them.
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
    how: list[_Trained] = []
    parameters: list[Any] = []
    for side, (start, log_density) in enumerate(((_alone, _log_alone), (_conditional, _log_conditional))):
        parameters = models.start(start, parameters)
        how.append(_trained(models, parameters, log_density, side))
        for k, rows in enumerate(models.rest):
            found[side][k // folds, rows] = how[side].held_out[k] + offset

    def by_density(of_density: Callable[[_Trained], Any]) -> Array:
        return np.array([of_density(one) for one in how]).T.reshape(seeds, folds, 2)

    learnt, held_out = by_density(lambda one: [part.mean() for part in one.learnt]), by_density(lambda one: [part.mean() for part in one.held_out])
    rounds, gained = by_density(lambda one: one.rounds), by_density(lambda one: one.gained)
    return Pointwise(found[0], found[1], fold, t.shape[1], rounds, gained, learnt + offset, held_out + offset)


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
    return _between(models, model, _log_alone, starts)


def _log_alone(torch: Any, settings: Settings, values: Any, _: Any, parameters: list[Any]) -> tuple[Any, Any]:
    means, log_scales, logits, *lower = parameters
    return _log_mixture(torch, values, means[:, None], log_scales[:, None], logits[:, None], *lower), log_scales[:, None]


def _conditional(models: _Models, model: int, alone: list[Any]) -> list[Any]:
    torch, modes, hidden = models.torch, models.settings.modes, models.settings.hidden
    d, width = models.targets.shape[1], models.givens.shape[1]
    outputs = modes * (2 * d + 1)

    def normal(rows: int, columns: int, deviation: float) -> Any:
        return deviation * torch.randn(rows, columns, generator=models.generators[model])

    # The best linear prediction is where training starts: exact already where all is Gaussian.
    sides = ([side[rows].double().numpy() for side in (models.targets, models.givens)] for rows in (models.learning[model], models.stopping[model]))
    slopes, missed, left = ridge(*next(sides), *next(sides))
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
    return _between(models, model, _log_conditional, starts)


def _log_conditional(torch: Any, settings: Settings, values: Any, conditions: Any, parameters: list[Any]) -> tuple[Any, Any]:
    skip, bias, w1, b1, w2, b2, w3, *lower = parameters
    hidden = torch.tanh(torch.baddbmm(b2, torch.tanh(torch.baddbmm(b1, conditions, w1)), w2))
    raw = torch.baddbmm(torch.baddbmm(bias, conditions, skip), hidden, w3)
    modes, d = settings.modes, values.shape[-1]
    means, log_scales = (part.reshape(*values.shape[:-1], modes, d) for part in (raw[..., : modes * d], raw[..., modes * d : 2 * modes * d]))
    return _log_mixture(torch, values, means, log_scales, raw[..., 2 * modes * d :], *lower), log_scales


def _starts(models: _Models, model: int, rows: Array, covariance: Array) -> list[list[Any]]:
    """Means, log scales, logits and factors of two mixtures with this covariance: one Gaussian, modes a little apart, and clusters of the rows."""
    torch, modes, d = models.torch, models.settings.modes, rows.shape[1]
    deviations, spread = np.sqrt(np.diag(covariance)), rows.std(axis=0)
    rows = rows / np.where(spread > 0, spread, 1.0)
    generator = models.generators[model]
    # A little apart, because rows may be equal: two modes at one place would be parted by rounding.
    drawn = rows[torch.randint(len(rows), (modes,), generator=generator).numpy()] + _APART * torch.randn(modes, d, generator=generator).numpy()
    means, variances, weights = clusters(rows[:_CLUSTERED], drawn)
    scales, lower = 1 / deviations, np.zeros((d, d))
    if models.settings.full:
        whitening = np.linalg.inv(np.linalg.cholesky(covariance))
        scales = np.diag(whitening)
        lower = whitening / scales
    one = 0.1 * drawn * deviations, np.tile(np.log(scales), (modes, 1)), np.zeros(modes), np.tile(lower, (modes, 1, 1))
    several = means * deviations, -0.5 * np.log(variances) - np.log(deviations), np.log(weights), np.zeros((modes, d, d))
    return [[torch.from_numpy(part).float() for part in start[: 4 if models.settings.full else 3]] for start in (one, several)]


def _between(models: _Models, model: int, log_density: LogDensity, starts: list[list[Any]]) -> list[Any]:
    """The mean of the starts, weighted by how the stopping rows like each: where they clearly like one best, that one."""
    torch, rows = models.torch, models.stopping[model]
    values, conditions = models.targets[rows][None], models.givens[rows][None]
    liked = [log_density(torch, models.settings, values, conditions, [part[None] for part in start])[0].mean() for start in starts]
    weights = torch.softmax(weighing(len(rows)) * torch.stack(liked), 0)
    return [sum(weight * part for weight, part in zip(weights, parts, strict=True)) for parts in zip(*starts, strict=True)]


class _Trained(NamedTuple):
    """For each model -log q of the rows held out and of some learnt from, the mean round by weight, and what the last quarter of rounds gained."""

    held_out: list[Array]
    learnt: list[Array]
    rounds: Array
    gained: Array


def _trained(models: _Models, parameters: list[Any], log_density: LogDensity, side: int) -> _Trained:
    """Adam on the learning rows, all rounds, in place; the densities after each round are mixed, weighted by their loss on the stopping rows."""
    torch, settings = models.torch, models.settings
    length = max(len(rows) for rows in models.learning)
    steps = min(max(math.ceil(length / _ROWS_FOR_A_STEP), _FEWEST_STEPS), _MOST_STEPS)
    moments = [[torch.zeros_like(parameter) for parameter in parameters] for _ in _DECAY]
    batches = _batches(models, length)
    some = [learning[: len(stopping)] for learning, stopping in zip(models.learning, models.stopping, strict=True)]
    losses, held_out, learnt = [], [], []
    for done in range(settings.rounds + 1):
        report("estimating information", side * settings.rounds + done, 2 * settings.rounds)
        for step in range((done - 1) * steps, done * steps) if done else ():
            gradients = torch.autograd.grad(_loss(models, log_density, parameters, next(batches)), parameters)
            _adam(parameters, gradients, moments, settings.learning_rate * _course(step / (settings.rounds * steps)), step + 1)
        losses.append([values.mean() for values in _surprises(models, log_density, parameters, models.stopping)])
        held_out.append(_surprises(models, log_density, parameters, models.rest))
        learnt.append(_surprises(models, log_density, parameters, some))
    for parameter in parameters:
        parameter.requires_grad_(False)
    return _mixed(np.array(losses), np.array([weighing(len(rows)) for rows in models.stopping]), held_out, learnt)


def _mixed(losses: Array, weighing: Array, held_out: list[list[Array]], learnt: list[list[Array]]) -> _Trained:
    """The mixture over rounds; losses are (rounds, models)."""
    logs = -weighing * losses
    logs = logs - np.logaddexp.reduce(logs, axis=0)

    def mixture(by_round: list[list[Array]]) -> list[Array]:
        by_model = zip(*by_round, strict=True)
        return [-np.logaddexp.reduce(logs[:, model, None] - np.array(values), axis=0) for model, values in enumerate(by_model)]

    rounds = np.arange(len(losses)) @ np.exp(logs)
    before = losses[: 1 + 3 * (len(losses) - 1) // 4]
    return _Trained(mixture(held_out), mixture(learnt), rounds, before.min(axis=0) - losses.min(axis=0))


def _loss(models: _Models, log_density: LogDensity, parameters: list[Any], batch: Any) -> Any:
    """-mean log q of a batch for each model, and of one more row that lies one deviation of all from each mode, summed over models."""
    logs, log_scales = log_density(
        models.torch, models.settings, models.targets[batch], models.givens[batch], [p.requires_grad_() for p in parameters]
    )
    one_more = (0.5 * (2 * log_scales).exp() - log_scales).sum(dim=-1).mean(dim=(1, 2))
    counts = models.torch.tensor([len(rows) for rows in models.learning])
    return (one_more / counts - logs.mean(dim=1)).sum()


def _batches(models: _Models, length: int) -> Iterator[Any]:
    """(models, rows) without end: each model's learning rows, shuffled anew when all have had their turn."""
    while True:
        rows = models.torch.stack([_resized(models.torch, _shuffled(models, model), length) for model in range(len(models.rest))])
        yield from rows.split(models.settings.batch, dim=1)


def _course(share: float) -> float:
    """The learning rate's course: up in the first tenth of training, then evenly down to 0, so that the last rounds differ little."""
    return min(1.0, share / _WARMING) * (1 - share)


def _adam(parameters: list[Any], gradients: tuple[Any, ...], moments: list[list[Any]], rate: float, step: int) -> None:
    """One step of Adam, in place."""
    (first_decay, second_decay), (firsts, seconds) = _DECAY, moments
    for parameter, gradient, first, second in zip(parameters, gradients, firsts, seconds, strict=True):
        first.lerp_(gradient, 1 - first_decay)
        second.mul_(second_decay).addcmul_(gradient, gradient, value=1 - second_decay)
        root = (second / (1 - second_decay**step)).sqrt_().add_(_LEAST_GRADIENT)
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
            -log_density(torch, models.settings, models.targets[block], models.givens[block], parameters)[0] for block in places.split(_BLOCK, dim=1)
        ]
    found = torch.cat(parts, dim=1).double().numpy()
    return [found[i, : len(part)] for i, part in enumerate(rows)]
