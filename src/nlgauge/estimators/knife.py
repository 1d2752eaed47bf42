"""Entropies of paired vectors by mixtures of Gaussians (KNIFE), held out by cross-fitting.

q(t) is a mixture of Gaussians with 1, 2, 4, ... modes, fitted by expectation maximization (`mixtures`).
q(t|s) is a mixture whose means, scales and weights are functions of s. For every number of modes it is fitted
in closed form (`knife_starts`: a linear map, and a linear guess of the mode). The mean of these densities is
the start of the training of a two-layer network, whose outputs are added to the parameters. With `full`,
modes have a triangular factor L in addition to their scales: log N(y) = -|(1 + L) u|^2 / 2 + sum log scale -
d/2 log 2 pi with u = scale (y - mean).

Differences from the released estimator (`knife_released`): vectors are projected onto their principal axes
and standardized, so the value does not change with shift and scale; means are learned; the number of modes
depends on rows that were not fitted; every row is evaluated by densities that were fitted without it;
training continues until the gain is below a tolerance; and everything is repeated for several seeds. The
networks of all seeds and folds are trained together, as one batch of matrices.

The result does not depend on the last bits of the vectors, because no choice is all or nothing. The
density is a mixture of all fitted densities (each number of modes, and the network after each round): q =
sum_i w_i q_i with w_i ~ exp(-n loss_i), where loss_i is the mean loss of the stopping rows, and n their
number or at most 500. If a stage of ten rounds still gains in its last quarter, another stage follows, and
its share in the value grows from 0 with the gain. If a mixture has no weight, its modes are not split
further.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.progress import report
from nlgauge._core.ragged import Array
from nlgauge.estimators.gaussian import Pointwise, standardized
from nlgauge.estimators.knife_starts import Expert, expert, weighing, weights_of
from nlgauge.estimators.mixtures import Mixture, fit, most_modes, one_mode, split
from nlgauge.models.loader import torch_modules

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_LARGEST_LOG_SCALE = 7.0
_STOPPING_SHARE = 0.2
_BLOCK = 512
_CLUSTERED = 4096
_APART = 0.3
# A density with a weight below exp(-10) is ignored.
_NO_WEIGHT = 10.0
_DECAY = 0.9, 0.999
# With Adam's usual 1e-8, gradients that are only rounding errors would cause full steps.
_LEAST_GRADIENT = 1e-3
_ROWS_FOR_A_STEP, _FEWEST_STEPS, _MOST_STEPS = 16, 2, 100
_WARMING = 0.1
_LAST_LAYER = 1e-3
# Gain of the last quarter of a stage, in nats: the share of the next stage is 0 up to this gain, and 1 from
# twice this gain on.
TOLERANCE = 0.02


class KnifeSettings(NamedTuple):
    """Settings of the fits: at most `modes` modes, and at most `stages` stages of `rounds` rounds.

    A round has one step per 16 rows, at least 2 and at most 100 steps.
    """

    modes: int = 16
    full: bool = False
    hidden: int = 128
    learning_rate: float = 3e-3
    batch: int = 128
    rounds: int = 10
    stages: int = 4


class _Rows(NamedTuple):
    """The rows of one seed and fold: training rows, rows that weight the densities, and held-out rows."""

    learning: Array
    stopping: Array
    rest: Array

    @property
    def learnt(self) -> Array:
        """Training rows on which densities are evaluated, for the comparison with held-out rows."""
        return self.learning[:_CLUSTERED]


class _Values(NamedTuple):
    """-log q of the rows that weight the densities, of the held-out rows, and of the training rows."""

    stopping: Array
    held_out: Array
    learnt: Array


def cross_fitted(
    target: Array, given: Array, fold: Array, components: int | None, settings: KnifeSettings, seed: int
) -> Pointwise:
    """Return held-out pointwise entropies -log q(t) and -log q(t|s), with `target` as t and `given` as s.

    `fold` (seeds, rows) is the fold in which each row is held out. `components` is the number of principal
    components of each side; None for all. The random numbers for a row depend on the order of the rows.
    """
    torch = torch_modules("estimating information")[1]
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # the matrices are small, so more threads would mostly wait for each other
    try:
        return _cross_fitted(torch, target, given, fold, components, settings, seed)
    finally:
        torch.set_num_threads(before)


def _cross_fitted(
    torch: Any,
    target: Array,
    given: Array,
    fold: Array,
    components: int | None,
    settings: KnifeSettings,
    seed: int,
) -> Pointwise:
    entropies = np.full((2, *fold.shape), np.nan)
    seeds, folds = len(fold), int(fold.max(initial=0)) + 1
    if folds < 2:
        return Pointwise.of(entropies[0], entropies[1], fold, 0)
    (t, offset, spread), (s, *_) = standardized(target, components), standardized(given, components)
    fits = []
    for k in range(seeds * folds):
        report("estimating information", k, 2 * seeds * folds)
        rng = np.random.default_rng([seed, k // folds, k % folds])
        order = rng.permutation(np.flatnonzero(fold[k // folds] != k % folds))
        stopping = max(1, int(_STOPPING_SHARE * len(order)))
        rows = _Rows(
            order[stopping:] if len(order) > 1 else order,
            order[:stopping],
            np.flatnonzero(fold[k // folds] == k % folds),
        )
        fits.append(_fit(t, s, spread, rows, settings, rng))
    trained = _trained(_Nets.of(torch, t, s, fits, settings), fits)
    numbers, checks = np.empty((4, seeds, folds, 2)), np.empty((2, seeds, folds))
    for k, (fitted, net) in enumerate(zip(fits, trained, strict=True)):
        place = divmod(k, folds)
        entropies[:, place[0], fitted.rows.rest] = (
            fitted.alone.held_out + offset,
            net.values.held_out + offset,
        )
        for side, values in enumerate((fitted.alone, net.values)):
            numbers[2:, place[0], place[1], side] = (
                values.learnt.mean() + offset,
                values.held_out.mean() + offset,
            )
        numbers[:2, place[0], place[1]] = (0, net.rounds), (fitted.gained, net.gained)
        checks[:, place[0], place[1]] = fitted.modes, fitted.plain + offset
    return Pointwise(entropies[0], entropies[1], fold, t.shape[1], *numbers, *checks)


class _Fit(NamedTuple):
    """The densities of one seed and fold that are fitted without a network.

    The second field has the values of q(t). `modes` is the weighted mean of its number of modes, and `gained`
    the gain of its last steps. `plain` is the mean of -log q on held-out rows for a mixture that was fitted
    in another way, as a check of q(t). `experts` are the densities q(t|s), one per number of modes, and
    `values` are their values.
    """

    rows: _Rows
    alone: _Values
    modes: float
    gained: float
    plain: float
    experts: list[Expert]
    values: list[_Values]
    seed: int


def _fit(
    t: Array, s: Array, spread: Array, rows: _Rows, settings: KnifeSettings, rng: np.random.Generator
) -> _Fit:
    levels = _levels(t, spread, rows, settings, rng)

    def fitted(given: Array) -> tuple[list[Expert], list[_Values]]:
        learning, stopping = rows.learning, rows.stopping
        experts = [
            expert(level, t[learning], given[learning], t[stopping], given[stopping]) for level in levels
        ]
        return experts, [
            _Values(
                *(density.surprise(t[part], given[part]) for part in (rows.stopping, rows.rest, rows.learnt))
            )
            for density in experts
        ]

    # q(t) is q(t|s) for an s without dimensions, so that both have the same error if s has no information.
    alone, weights = _mixed(fitted(s[:, :0])[1])
    modes = float(weights @ [len(level.means) for level in levels])
    plain = _plain(t, rows, settings, rng)
    return _Fit(
        rows, alone, modes, max(level.gained for level in levels), plain, *fitted(s), int(rng.integers(2**31))
    )


def _plain(t: Array, rows: _Rows, settings: KnifeSettings, rng: np.random.Generator) -> float:
    """Fit mixtures by expectation maximization from random rows; return the mean of -log q, held out."""
    learning, d = t[rows.learning[:_CLUSTERED]], t.shape[1]
    most = most_modes(len(learning), settings.modes)
    fits = []
    for modes in sorted({1, math.ceil(most / 4), most}):
        # Noise is added, because rows may be equal.
        means = learning[rng.integers(len(learning), size=modes)] + _APART * rng.standard_normal((modes, d))
        fits.append(fit(learning, Mixture(np.eye(d), np.full(modes, 1 / modes), means, np.ones((modes, d)))))
    values = [
        _Values(*(mixture.surprise(t[part]) for part in (rows.stopping, rows.rest, rows.learnt)))
        for mixture in fits
    ]
    return float(_mixed(values)[0].held_out.mean())


def _levels(
    t: Array, spread: Array, rows: _Rows, settings: KnifeSettings, rng: np.random.Generator
) -> list[Mixture]:
    """Fit mixtures of 1, 2, 4, ... modes; stop after a mixture that has no weight."""
    learning, stopping = t[rows.learning[:_CLUSTERED]], t[rows.stopping]
    directions = rng.standard_normal((settings.modes.bit_length(), t.shape[1]))
    levels, losses, fitted = [], [], one_mode(learning, settings.full)
    while True:
        levels.append(fitted)
        losses.append(levels[-1].surprise(stopping).mean())
        worthless = weighing(len(stopping)) * (losses[-1] - min(losses)) > _NO_WEIGHT
        if worthless or 2 ** len(levels) > most_modes(len(learning), settings.modes):
            return levels
        fitted = split(learning, fitted, spread, directions[len(levels)])


def _mixed(values: list[_Values]) -> tuple[_Values, Array]:
    """Return the mixture of densities, weighted by the stopping rows, and the weights."""
    weights = weights_of(np.array([part.stopping.mean() for part in values]), len(values[0].stopping))
    with np.errstate(divide="ignore"):
        logs = np.log(weights)[:, None]
    return _Values(
        *(-np.logaddexp.reduce(logs - np.array(parts), axis=0) for parts in zip(*values, strict=True))
    ), weights


class _Nets(NamedTuple):
    """The networks of all seeds and folds, stacked along the first axis.

    `targets` and `givens` are the vectors of all rows, `frames` the frames of the targets, and `parameters`
    the parameters to train.
    """

    torch: Any
    targets: Any
    givens: Any
    rows: list[_Rows]
    frames: Any
    volumes: Any
    parameters: list[Any]
    generators: list[Any]
    settings: KnifeSettings
    modes: int

    @classmethod
    def of(cls, torch: Any, t: Array, s: Array, fits: list[_Fit], settings: KnifeSettings) -> _Nets:
        """Return networks that start at the weighted mean of the densities in closed form."""
        targets, givens = (
            torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)) for values in (t, s)
        )
        modes = max(len(fit.experts[-1].offsets) for fit in fits)
        blends = [_blend(fit, modes) for fit in fits]
        generators = [torch.Generator().manual_seed(fit.seed) for fit in fits]
        started = [
            _started(torch, blend, settings, generator)
            for blend, generator in zip(blends, generators, strict=True)
        ]
        frames = torch.stack([torch.from_numpy(blend.mixture.frame).float() for blend in blends])
        volumes = torch.tensor([[blend.mixture.volume] for blend in blends])
        parameters = [torch.stack(parts) for parts in zip(*started, strict=True)]
        return cls(
            torch,
            targets,
            givens,
            [fit.rows for fit in fits],
            frames,
            volumes,
            parameters,
            generators,
            settings,
            modes,
        )


def _blend(fit: _Fit, modes: int) -> Expert:
    """Return the weighted mean of the parameters of the densities in closed form.

    The modes of each level correspond to the modes of the previous level, from which they were split.
    """
    weights = _mixed(fit.values)[1]
    experts = [density.repeated(modes) for density in fit.experts]

    def mean(parts: list[Array]) -> Array:
        blended: Array = np.tensordot(weights, np.array(parts), 1)
        return blended

    mixtures = [density.mixture for density in experts]
    blended = Mixture(
        mean([m.frame for m in mixtures]),
        np.ones(modes),
        mean([m.means for m in mixtures]),
        mean([m.scales for m in mixtures]),
    )
    return Expert(
        blended,
        mean([density.slopes for density in experts]),
        mean([density.gates for density in experts]),
        mean([density.offsets for density in experts]),
    )


def _started(torch: Any, start: Expert, settings: KnifeSettings, generator: Any) -> list[Any]:
    """Return parameters of a network with this density; its last layer starts with weights near 0."""
    mixture, hidden = start.mixture, settings.hidden
    (modes, d), width = mixture.means.shape, len(start.slopes)
    outputs = modes * (2 * d + 1)
    scales = np.diagonal(mixture.scales, axis1=1, axis2=2) if mixture.full else mixture.scales
    skip = np.concatenate(
        [np.tile(start.slopes @ mixture.frame.T, modes), np.zeros((width, modes * d)), start.gates], axis=1
    )
    bias = np.concatenate([mixture.means.reshape(-1), np.log(scales).reshape(-1), start.offsets])[None]

    def normal(rows: int, columns: int, deviation: float) -> Any:
        return deviation * torch.randn(rows, columns, generator=generator)

    layers = [
        normal(width, hidden, max(1, width) ** -0.5),
        torch.zeros(1, hidden),
        normal(hidden, hidden, hidden**-0.5),
        torch.zeros(1, hidden),
    ]
    layers.append(normal(hidden, outputs, _LAST_LAYER))
    lower = [torch.from_numpy(mixture.scales / scales[:, None, :]).float()] if mixture.full else []
    return [torch.from_numpy(skip).float(), torch.from_numpy(bias).float(), *layers, *lower]


def _log_mixture(torch: Any, values: Any, means: Any, log_scales: Any, logits: Any, lower: Any = None) -> Any:
    """Return log q of `values` (..., rows, d).

    `means` and `log_scales` (log inverse deviations) have the shape (..., rows or 1, K, d), `logits` (...,
    rows or 1, K), and `lower` (the factor L) (..., K, d, d).
    """
    log_scales = log_scales.clamp(-_LARGEST_LOG_SCALE, _LARGEST_LOG_SCALE)
    u = (values[..., None, :] - means) * log_scales.exp()
    if lower is not None:
        u = u + torch.einsum("...rkj,...kij->...rki", u, lower.tril(-1))
    modes = log_scales.sum(dim=-1) - 0.5 * (u * u).sum(dim=-1) - values.shape[-1] * _HALF_LOG_TWO_PI
    return torch.logsumexp(torch.log_softmax(logits, dim=-1) + modes, dim=-1)


def _log_density(nets: _Nets, places: Any) -> tuple[Any, Any]:
    """Return log q(t|s) of the rows `places` (nets, rows), and the log scales of the modes in their frame."""
    torch, modes = nets.torch, nets.modes
    skip, bias, w1, b1, w2, b2, w3, *lower = nets.parameters
    values, conditions = torch.bmm(nets.targets[places], nets.frames.transpose(1, 2)), nets.givens[places]
    hidden = torch.tanh(torch.baddbmm(b2, torch.tanh(torch.baddbmm(b1, conditions, w1)), w2))
    raw = torch.baddbmm(torch.baddbmm(bias, conditions, skip), hidden, w3)
    d = values.shape[-1]
    means, log_scales = (
        part.reshape(*values.shape[:-1], modes, d)
        for part in (raw[..., : modes * d], raw[..., modes * d : 2 * modes * d])
    )
    return _log_mixture(
        torch, values, means, log_scales, raw[..., 2 * modes * d :], *lower
    ) + nets.volumes, log_scales


class _Trained(NamedTuple):
    """Values of q(t|s) of one seed and fold, the weighted mean round, and the gain at the end.

    `gained` is the gain of the last quarter of the last stage.
    """

    values: _Values
    rounds: float
    gained: float


def _trained(nets: _Nets, fits: list[_Fit]) -> list[_Trained]:
    """Train all networks in stages of Adam.

    The result for each network is a mixture of q(t), of the densities q(t|s) in closed form, and of the
    network after each round, weighted by the stopping rows.
    """
    candidates = [[fit.alone, *fit.values] for fit in fits]
    closed = [len(densities) for densities in candidates]
    trained = [_Trained(_mixed(densities)[0], 0.0, math.inf) for densities in candidates]
    share = np.ones(len(fits))
    for stage in range(nets.settings.stages):
        if not share.any():
            break
        report("estimating information", nets.settings.stages + stage, 2 * nets.settings.stages)
        by_round = list(_stage(nets, stage))
        for k, densities in enumerate(candidates):
            before = min(values.stopping.mean() for values in densities)
            densities.extend(values[k] for values in by_round)
            if share[k]:
                trained[k] = _followed(
                    trained[k], densities, closed[k], before, float(share[k]), nets.settings.rounds
                )
        gained = np.array([net.gained for net in trained])
        share = share * still_gaining(gained)
    return trained


def still_gaining(gained: Array) -> Array:
    """Return the share of the next stage: 0 up to `TOLERANCE`, 1 from twice that on, linear in between."""
    share: Array = np.clip(gained / TOLERANCE - 1, 0.0, 1.0)
    return share


def _followed(
    before: _Trained, candidates: list[_Values], closed: int, least: float, share: float, rounds: int
) -> _Trained:
    """Return the density after one more stage: `share` times the new values, the rest from before."""
    values, weights = _mixed(candidates)
    blended = _Values(
        *((1 - share) * old + share * new for old, new in zip(before.values, values, strict=True))
    )
    done = np.concatenate([np.zeros(closed), np.arange(1, len(candidates) - closed + 1)])
    losses = np.array([values.stopping.mean() for values in candidates[closed:]])
    quarter = len(losses) - max(1, rounds // 4)
    gained = min(least, losses[:quarter].min(initial=np.inf)) - min(least, losses.min())
    return _Trained(blended, float((1 - share) * before.rounds + share * (weights @ done)), float(gained))


def _stage(nets: _Nets, stage: int) -> Iterator[list[_Values]]:
    """Train for a number of rounds, in place; yield the values of all networks after each round."""
    settings = nets.settings
    length = max(len(rows.learning) for rows in nets.rows)
    steps = min(max(math.ceil(length / _ROWS_FOR_A_STEP), _FEWEST_STEPS), _MOST_STEPS)
    moments = [[nets.torch.zeros_like(parameter) for parameter in nets.parameters] for _ in _DECAY]
    batches = _batches(nets, length)
    for done in range(settings.rounds):
        for step in range(done * steps, (done + 1) * steps):
            gradients = nets.torch.autograd.grad(_loss(nets, next(batches)), nets.parameters)
            _adam(
                nets.parameters,
                gradients,
                moments,
                settings.learning_rate * _course(step / (settings.rounds * steps)),
                step + 1,
            )
        parts = ([getattr(rows, name) for rows in nets.rows] for name in ("stopping", "rest", "learnt"))
        yield [_Values(*values) for values in zip(*(_surprises(nets, part) for part in parts), strict=True)]
    for parameter in nets.parameters:
        parameter.requires_grad_(False)


def _loss(nets: _Nets, batch: Any) -> Any:
    """Return the loss of a batch: -mean log q plus a term for the scales, summed over the networks.

    The term is the mean over modes of -log q of one additional row at a distance of one deviation of all
    residuals, divided by the number of training rows.
    """
    for parameter in nets.parameters:
        parameter.requires_grad_()
    logs, log_scales = _log_density(nets, batch)
    one_more = (0.5 * (2 * log_scales).exp() - log_scales).sum(dim=-1).mean(dim=(1, 2))
    counts = nets.torch.tensor([len(rows.learning) for rows in nets.rows])
    return (one_more / counts - logs.mean(dim=1)).sum()


def _batches(nets: _Nets, length: int) -> Iterator[Any]:
    """Yield endless batches (networks, rows) of training rows, shuffled again after each pass."""
    while True:
        rows = nets.torch.stack(
            [_resized(nets.torch, _shuffled(nets, net), length) for net in range(len(nets.rows))]
        )
        yield from rows.split(nets.settings.batch, dim=1)


def _course(share: float) -> float:
    """Return the factor of the learning rate: rising in the first tenth of a stage, then falling to 0.

    The last rounds therefore differ little.
    """
    return min(1.0, share / _WARMING) * (1 - share)


def _adam(
    parameters: list[Any], gradients: tuple[Any, ...], moments: list[list[Any]], rate: float, step: int
) -> None:
    """Take one step of Adam, in place."""
    (first_decay, second_decay), (firsts, seconds) = _DECAY, moments
    for parameter, gradient, first, second in zip(parameters, gradients, firsts, seconds, strict=True):
        first.lerp_(gradient, 1 - first_decay)
        second.mul_(second_decay).addcmul_(gradient, gradient, value=1 - second_decay)
        root = (second / (1 - second_decay**step)).sqrt_().add_(_LEAST_GRADIENT)
        parameter.detach().addcdiv_(first, root, value=-rate / (1 - first_decay**step))


def _shuffled(nets: _Nets, net: int) -> Any:
    torch, learning = nets.torch, nets.rows[net].learning
    return torch.from_numpy(learning)[torch.randperm(len(learning), generator=nets.generators[net])]


def _resized(torch: Any, rows: Any, length: int) -> Any:
    """Repeat rows cyclically up to `length`: networks are trained together, and some have more rows."""
    return rows[torch.arange(length) % len(rows)]


def _surprises(nets: _Nets, rows: list[Array]) -> list[Array]:
    """Return -log q of the rows of each network."""
    torch = nets.torch
    length = max(map(len, rows))
    places = torch.stack([_resized(torch, torch.from_numpy(part), length) for part in rows])
    with torch.no_grad():
        parts = [-_log_density(nets, block)[0] for block in places.split(_BLOCK, dim=1)]
    surprises = torch.cat(parts, dim=1).double().numpy()
    return [surprises[i, : len(part)] for i, part in enumerate(rows)]
