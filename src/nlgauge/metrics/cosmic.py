"""COSMIC: the mutual information between embeddings of sources T and of a system's summaries S, in nats.

    I(S -> T) = h(T) - h(T | S)

How it is estimated is in `nlgauge.knife`: mixtures of Gaussians, cross-fitted over sources, so that every pair has a held-out pointwise value and
the score is their mean. The released package computes the other direction, and fits and evaluates on the same pairs. One number a system: it grows
with the summaries' length, depends on the embedder and on the number of pairs, and means little under about a thousand of them. Compare systems
on the same sources with the same parameters only.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.columns import Array
from nlgauge.corpus import Corpus
from nlgauge.features import RunOptions
from nlgauge.features.encoders import TextEmbedding
from nlgauge.knife import Settings, cross_fitted
from nlgauge.metric import Arrays, Fit, Metric, Output, Takes, View, register
from nlgauge.models import ModelSpec, is_model_spec, model_facts

_FEW_PAIRS = 1000


@dataclass(frozen=True)
class MutualInformation(Fit):
    """The held-out pointwise entropies of every pair of a system."""

    model: ModelSpec
    modes: int
    folds: int
    components: int | None

    over: ClassVar = "system"

    def partial(self, view: View) -> Arrays:
        embedded, summaries, sources = view.get(TextEmbedding(self.model), view.predictions, view.source)
        vectors, cut = embedded.vectors.values, embedded.truncated.values
        pairs = zip(view.predictions.tolist(), view.source.tolist(), strict=True)
        return {
            "summaries": vectors[summaries],
            "sources": vectors[sources],
            "source_ids": view.source,
            "truncated": np.maximum(cut[summaries], cut[sources]),
            "empty": np.array([not (view.text(summary).strip() and view.text(source).strip()) for summary, source in pairs]),
        }

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        joined = {name: np.concatenate([part[name] for part in partials]) for name in partials[0]}
        filled = np.flatnonzero(~joined["empty"])
        if len(filled) < _FEW_PAIRS:
            warnings.warn(
                f"cosmic has {len(filled)} pairs; under about {_FEW_PAIRS} its value says little, and differences between systems less.", stacklevel=2
            )
        components = min(64, max(1, len(filled) // 20)) if self.components is None else self.components
        settings = Settings(modes=self.modes, folds=self.folds)
        target, given, groups = (joined[name][filled] for name in ("sources", "summaries", "source_ids"))
        found = cross_fitted(target, given, groups, components, settings, options.seed)
        entropy, conditional = np.full(len(joined["empty"]), np.nan), np.full(len(joined["empty"]), np.nan)
        entropy[filled], conditional[filled] = found.entropy, found.conditional
        return {"entropy": entropy, "conditional": conditional, "truncated": joined["truncated"]}


@register
@dataclass(frozen=True)
class Cosmic(Metric):
    """COSMIC: how many nats the summaries tell about their sources, in an embedding space."""

    model: ModelSpec = "minilm"
    modes: int = 4
    folds: int = 5
    components: int | None = None

    name: ClassVar[str] = "cosmic"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True
    reduce: ClassVar[str] = "mean"
    seeded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.require(is_model_spec(self.model), "model", "a name, a directory or nlgauge.Model(model, tokenizer)")
        self.require(isinstance(self.modes, int) and self.modes >= 1, "modes", "a whole number from 1")
        self.require(isinstance(self.folds, int) and self.folds >= 2, "folds", "a whole number from 2")
        self.require(self.components is None or (isinstance(self.components, int) and self.components >= 1), "components", "a whole number from 1")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "no pair with a text on both sides could be scored by densities fitted on other sources"
        outputs = (Output("cosmic", True, nan=nan), Output("source_entropy", None, nan=nan), Output("conditional_entropy", None, nan=nan))
        return {"cosmic": (*outputs, Output("scored_pairs", None, 0), Output("truncated", None, 0))}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), **model_facts(self.model)}

    def fit(self) -> Fit:
        return MutualInformation(self.model, self.modes, self.folds, self.components)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        entropy, conditional = fitted["entropy"][view.positions], fitted["conditional"][view.positions]
        # An empty text tells nothing: information 0, and no entropies of its own.
        empty = np.isnan(entropy)
        rows = np.column_stack([entropy - conditional, entropy, conditional, ~empty])
        rows[empty] = 0.0
        return {"cosmic": np.column_stack([rows, np.ones(len(rows)), fitted["truncated"][view.positions]])}

    def score(self, part: str, statistics: Array) -> Arrays:
        scored, count = statistics[..., 3], statistics[..., 4]
        some = scored > 0
        means = {
            "cosmic": np.where(some, statistics[..., 0] / count, np.nan),
            "source_entropy": np.where(some, statistics[..., 1] / np.where(some, scored, 1.0), np.nan),
            "conditional_entropy": np.where(some, statistics[..., 2] / np.where(some, scored, 1.0), np.nan),
        }
        return {**means, "scored_pairs": scored, "truncated": statistics[..., 5]}
