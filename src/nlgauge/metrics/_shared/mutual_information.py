"""The mutual information of paired texts as a Fit: embeddings of both sides, and an estimator's pointwise
entropies for every pair of a system.

An estimate is trained, so it must depend only on the texts. Each text is embedded separately; pairs are put
into the order of digests of their texts before anything is drawn or summed; and a pair's fold follows from
the digest of its source. So the value of a pair is the same bit for bit in any order of the segments, in any
chunks, and whatever else is scored. (The released estimator takes pairs in the order given, as its authors
do.)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.estimators import knife, knife_released
from nlgauge.estimators.gaussian import Pointwise, fold_of_rows, gaussian
from nlgauge.estimators.knife import still_gaining
from nlgauge.features import RunOptions
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.features.vocabulary import UnknownTokens
from nlgauge.metric import Arrays, Fit, Stored, View
from nlgauge.models import ModelSpec

FEW_PAIRS = 1000
MOST_MODES, RELEASED_MODES = 16, 4
OTHER = {"source": "summary", "summary": "source"}
_MOST_COMPONENTS, _PAIRS_A_COMPONENT = 64, 20


@dataclass(frozen=True)
class Estimator:
    """The estimator of information: mixtures ("knife"), one Gaussian ("gaussian"), or the released program of
    the authors of COSMIC ("released").
    """

    kind: str = "knife"
    modes: int | None = None
    folds: int = 5
    components: int | None = None
    seeds: int = 3
    full: bool = False

    def __call__(self, target: Array, given: Array, keys: Array, pairs: int, seed: int) -> Pointwise:
        """Return pointwise entropies of `target`, unconditional and given `given`; by default `pairs` decides
        the number of components.

        `keys` (rows, 1 or more) stand for the content of a row: rows with equal keys are equal, rows with an
        equal first key are held out together.
        """
        if self.kind == "released" and len(target):
            return knife_released.released(
                target,
                given,
                knife_released.ReleasedSettings(modes=self.modes or RELEASED_MODES),
                seed,
                self.seeds,
            )
        components = (
            min(_MOST_COMPONENTS, max(1, pairs // _PAIRS_A_COMPONENT))
            if self.components is None
            else self.components
        )
        keys = np.column_stack([keys])
        _, place, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(place.reshape(-1), kind="stable")
        # Equal rows get the value of the first of them, because a row's place in a batch may change its last
        # bit.
        first = (np.cumsum(counts) - counts)[place.reshape(-1)]
        fold = fold_of_rows(keys[order, 0], self.folds, seed, self.seeds)
        found = self._of_ordered(target[order], given[order], fold, components, seed)
        return found._replace(
            entropy=found.entropy[:, first], conditional=found.conditional[:, first], fold=fold[:, first]
        )

    def _of_ordered(self, target: Array, given: Array, fold: Array, components: int, seed: int) -> Pointwise:
        if self.kind == "gaussian":
            return gaussian(target, given, components, fold)
        return knife.cross_fitted(
            target,
            given,
            fold,
            components,
            knife.KnifeSettings(modes=self.modes or MOST_MODES, full=self.full),
            seed,
        )


def digests(texts: Iterable[str]) -> Array:
    """Return a number for each text that depends only on the text; ids would depend on the rest of the
    corpus.
    """
    found = [
        int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        for text in texts
    ]
    return np.array(found, dtype=np.uint64)


@dataclass(frozen=True)
class MutualInformation(Fit):
    """(pairs, seeds) pointwise entropies of the sides named in `targets`, unconditional and given the other
    side, and diagnostics of the fit.

    NaN for pairs with an empty text, or with a text without a known token. Names start with the side; what
    follows `_fit_` is a field of `Pointwise`.
    """

    model: ModelSpec
    unit: bool
    targets: tuple[str, ...]
    estimator: Estimator
    precision: str = "float32"

    over: ClassVar = "system"

    def partial(self, view: View) -> Arrays:
        embedded, summaries, sources = view.get(
            TextEmbedding(self.model, self.unit, alone=True, precision=self.precision),
            view.predictions,
            view.source,
        )
        vectors, cut = embedded.vectors.values, embedded.truncated.values
        source_texts, summary_texts = (
            [view.text(text) for text in side.tolist()] for side in (view.source, view.predictions)
        )
        counted, *places = view.get(UnknownTokens(self.model, "encoder"), view.predictions, view.source)
        tokens = [counted.values[rows].reshape(-1, 2) for rows in places]
        return {
            "summary": vectors[summaries],
            "source": vectors[sources],
            "keys": np.column_stack([digests(source_texts), digests(summary_texts)]),
            "truncated": np.maximum(cut[summaries], cut[sources]),
            # A text without a token that the model knows counts as empty.
            "filled": np.logical_and(*(counts[:, 0] < counts[:, 1] for counts in tokens)),
            "tokens": sum(tokens),
        }

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        joined = {name: np.concatenate([part[name] for part in partials]) for name in partials[0]}
        pairs, filled = len(joined["filled"]), np.flatnonzero(joined["filled"])
        warn_of_few(len(filled))
        found: Arrays = {"truncated": joined["truncated"], "tokens": joined["tokens"]}
        for target in self.targets:
            sides = joined[target][filled], joined[OTHER[target]][filled]
            pointwise = self.estimator(*sides, joined["keys"][filled], pairs, options.seed)
            how = pointwise._asdict()
            by_fold = {
                "unconverged": still_gaining(pointwise.gained).max(axis=2),
                "shortfall": pointwise.shortfall(),
            }
            by_fold["entropy_excess"] = pointwise.held_out[..., 0] - pointwise.plain
            by_pair = {
                name: np.take_along_axis(values, pointwise.fold, axis=1) for name, values in by_fold.items()
            }
            columns = {
                name: values.max(axis=0) if name == "unconverged" else values.mean(axis=0)
                for name, values in by_pair.items()
            }
            for name, values in {
                "entropy": pointwise.entropy.T,
                "conditional": pointwise.conditional.T,
                **columns,
            }.items():
                found[f"{target}_{name}"] = np.full((pairs, *values.shape[1:]), np.nan)
                found[f"{target}_{name}"][filled] = values
            found |= {
                f"{target}_fit_{name}": np.asarray(how[name])
                for name in ("width", "rounds", "gained", "learnt", "held_out", "modes", "plain")
            }
        return found

    def layout(self, rows: int) -> dict[str, Stored]:
        found = {"truncated": Stored("any", (rows,)), "tokens": Stored("any", (rows, 2))}
        for target in self.targets:
            found |= {
                f"{target}_{name}": Stored("any", (rows, "seeds")) for name in ("entropy", "conditional")
            }
            found |= {
                f"{target}_{name}": Stored("any", (rows,))
                for name in ("unconverged", "shortfall", "entropy_excess")
            }
            found[f"{target}_fit_width"] = Stored("any", ())
        return found

    def taken(self, fitted: Arrays, predictions: Array) -> Arrays:
        return {name: values if "_fit_" in name else values[predictions] for name, values in fitted.items()}


def warn_of_few(pairs: int) -> None:
    """Warn that the value is unreliable for few pairs."""
    if pairs < FEW_PAIRS:
        warnings.warn(
            f"cosmic has only {counted(pairs, 'pair')}; below about {FEW_PAIRS:,} its value is unreliable. With 100 to"
            " 1,000 Gaussian pairs it was 15% to 20% too low, and differed by 0.2 to 0.5 nats between samples, which"
            " seed_deviation does not include. Score more pairs.",
            stacklevel=3,
        )
