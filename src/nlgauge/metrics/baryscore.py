"""BaryScore: how far the tokens of one text must travel to become those of the other, over the barycenters of
an encoder's last layers.

    mu_l(x) = uniform measure on the unit vectors of all pieces of the text x at layer l, start and end marks included
    B(x)    = argmin over measures mu with as many equal points of  sum over the last L layers l of  W(mu, mu_l(x))
    score   = W(B(prediction), B(reference)),    W(mu, nu) = min over transport plans T of  sum_ij T_ij |x_i - y_j|^2

W is the squared Wasserstein-2 distance, without a root, as in the authors' program. `sinkhorn` gives the same
cost of the plan that is best with entropy, <T_reg, C>: not the debiased divergence that the paper's name for
it suggests. The program starts the search for B with every point at zero; there all plans are equally good,
so that rounding decides which local minimum is found; here it starts at each piece's mean over the layers,
and `compat="official"` at zero. The program's inverse document frequencies are equal for all tokens in
effect, so there are none here. A text without any token that the model knows is read as an empty text, with
only the special tokens; the score is undefined if neither text has a known token.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.estimators.transport import entropic_plan, exact_plan, transport_module, uniform
from nlgauge.explanations import Explanation, Transport
from nlgauge.features import RunOptions
from nlgauge.features.encoders.barycenter import LayerBarycenter
from nlgauge.features.encoders.embeddings import piece_strings
from nlgauge.metric import TRUNCATED, Arrays, Metric, Output, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, read_pairs, unknown_share
from nlgauge.models import ModelSpec


class _Transported(NamedTuple):
    """Both texts' pieces, the cost of moving one to the other, the best plan (reference, prediction), True if
    a text was cut, and token counts.
    """

    prediction: Array
    reference: Array
    cost: Array
    plan: Array
    cut: float
    defined: bool
    counts: Array


@register
@dataclass(frozen=True)
class BaryScore(UsesEncoder, Metric):
    """Exact transport cost between layer barycenters (the score), and Sinkhorn's cost for each
    regularization in `sinkhorn`.
    """

    model: ModelSpec = "bert-base-uncased"
    layers: int = 5
    sinkhorn: tuple[float, ...] = ()
    compat: str | None = None

    name: ClassVar[str] = "baryscore"
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "layers")
        regular = isinstance(self.sinkhorn, tuple) and all(
            isinstance(value, int | float) and value > 0 for value in self.sinkhorn
        )
        self.require(
            regular and len(set(self.sinkhorn)) == len(self.sinkhorn),
            "sinkhorn",
            "a tuple of different numbers above 0, such as (0.1, 1)",
        )
        require_choice(self, "compat", (None, "official"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "neither text has a token that the model knows"
        found: dict[str, tuple[Output, ...]] = {
            "baryscore": (Output("baryscore", False, 0, 4, nan), TRUNCATED, UNKNOWN_TOKENS)
        }
        for value in self.sinkhorn:
            found[_part(value)] = (
                Output(
                    _part(value),
                    False,
                    0,
                    4,
                    f"the regularized plan was not found (set a larger number in sinkhorn), or {nan}",
                ),
            )
        return found

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "pot": installed_version("POT")}

    @property
    def _barycenter(self) -> LayerBarycenter:
        start = "zero" if self.compat == "official" else "mean"
        return LayerBarycenter(self.model, self.layers, start, precision=self.precision)

    def reads(self, options: RunOptions) -> tuple[LayerBarycenter, ...]:
        return (self._barycenter,)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        rows = np.array([[row.cut, *row.counts, *self._values(row)] for row in self._rows(view)]).reshape(
            -1, 4 + len(self.sinkhorn)
        )
        found = {}
        for i, part in enumerate(("baryscore", *map(_part, self.sinkhorn)), 3):
            known = ~np.isnan(rows[:, i])
            found[part] = np.column_stack([np.where(known, rows[:, i], 0.0), known])
        return {**found, "baryscore": np.column_stack([found["baryscore"], rows[:, :3]])}

    def score(self, part: str, statistics: Array) -> Arrays:
        found = {part: share(statistics[..., 0], statistics[..., 1])}
        return (
            {**found, "truncated": statistics[..., 2], **unknown_share(statistics)}
            if part == "baryscore"
            else found
        )

    def _rows(self, view: View) -> Iterator[_Transported]:
        transport = transport_module()
        read = read_pairs(view.features, self.model, "encoder", view.predictions, view.reference)
        found, predictions, references = view.get(self._barycenter, read.first.ids, read.second.ids)
        for prediction, reference, undefined, counts in zip(
            predictions, references, read.undefined, read.counts, strict=True
        ):
            # Points of a unit ball are at most 2 apart; rounding may not change that.
            cost = np.clip(transport.dist(found.points[reference], found.points[prediction]), 0.0, 4.0)
            cut = float(max(found.truncated[prediction][0], found.truncated[reference][0]))
            yield _Transported(
                found.ids[prediction],
                found.ids[reference],
                cost,
                exact_plan(cost),
                cut,
                not undefined,
                counts,
            )

    def _values(self, row: _Transported) -> list[float]:
        """Return the exact cost, then Sinkhorn's; NaN if its plan was not found, or if the texts have no
        known token.
        """
        if not row.defined:
            return [float("nan")] * (1 + len(self.sinkhorn))
        plans = [
            (
                _official_sinkhorn(row.cost, value)
                if self.compat == "official"
                else entropic_plan(row.cost, value)
            )
            for value in self.sinkhorn
        ]
        return [
            float("nan") if plan is None else float((plan * row.cost).sum()) for plan in (row.plan, *plans)
        ]

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        if self.compat == "official":
            return  # points that started at zero do not stand for pieces
        statistics = self.statistics(view, fitted)
        for i, row in enumerate(self._rows(view)):
            pieces = [
                piece_strings(self.model, ids, view.features.options.device)
                for ids in (row.prediction, row.reference)
            ]
            values = {part: rows[i] for part, rows in statistics.items()}
            title = ", ".join(
                f"{part} {self.score(part, values[part])[part]:.4f}" for part in view.parts or values
            )
            yield Transport(title, values, pieces[0], pieces[1], row.plan.T, row.cost.T)


def _part(regularization: float) -> str:
    return f"sinkhorn_{regularization:g}"


def _official_sinkhorn(cost: Array, regularization: float) -> Array:
    """Return POT's plan after at most 10,000 plain iterations; if small regularizations underflow, the plan
    of the previous iteration, which may be 0.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Array = transport_module().bregman.sinkhorn(
            *uniform(cost), cost, regularization, numItermax=10_000
        )
    return found
