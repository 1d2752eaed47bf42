"""NUBIA: features of a pair from three models (similarity, inference, language), and a small network that
makes one number of them.

    f = [ 5 s(r, h),  log P(contradiction), log P(neutral), log P(entailment) of (r, h),  g(r), g(h),  words of r, words of h ]
    raw = network(f(r, h)),   self = network(f(r, r))  with g(r) for g(h)
    NUBIA = 1 - (self - raw) / (|self| + 1),  no less than 0 and no more than 1

s is a regression model of similarity, g the mean loss of a causal language model. Words are split at single
spaces. A pair that is longer than 512 tokens is cut at its end. The authors' networks are pickles, which are
not read here: without an `aggregator` the features themselves are the outputs, and there is no score of all.
An empty prediction is 0 with an aggregator, as there, and NaN without one; an empty reference is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.errors import ModelError
from nlgauge.explanations import Entailment, Explanation, ModuleValue
from nlgauge.features.encoders.entailment import NLI, label_order
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.findings import Findings
from nlgauge.features.language_models.causal_lm import LogProbs
from nlgauge.metric import SPELLINGS, Arrays, Output, View, register
from nlgauge.metric.domains import require_model
from nlgauge.metrics._shared.model_means import empty_rows
from nlgauge.metrics._shared.pair_scores import LABELS, NOTHING, PairScores, PairValues, require_nli
from nlgauge.metrics._shared.unknown_tokens import read_pairs, readable
from nlgauge.models import ModelSpec, model_facts, model_name
from nlgauge.models.networks.nubia import network
from nlgauge.models.weights import store

_WINDOW = 512
_MEASURES = (
    ("contradiction", False, 0, 1),
    ("irrelevancy", False, 0, 1),
    ("agreement", True, 0, 1),
    ("grammar", False, 0, math.inf),
    ("grammar_reference", None, 0, math.inf),
)


@register
@dataclass(frozen=True)
class Nubia(PairScores):
    """NUBIA (the score, if there is an aggregator), similarity, the probabilities of inference, and the
    losses of the language model.
    """

    model: ModelSpec = "stsb-roberta-large"
    nli: ModelSpec = "roberta-large-mnli"
    lm: ModelSpec = "gpt2"
    aggregator: str = ""
    sigmoid: bool = True
    labels: tuple[str, ...] | None = None

    name: ClassVar[str] = "nubia"
    spellings: ClassVar[dict[str, str]] = {**SPELLINGS, "sts": "model"}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_model(self, "nli")
        require_model(self, "lm")
        self.require(
            isinstance(self.aggregator, str),
            "aggregator",
            "a directory with model.safetensors and config.json, or '' for none",
        )
        self.require(isinstance(self.sigmoid, bool), "sigmoid", "True or False")
        self.require_labels(NLI)

    def measures(self) -> tuple[Output, ...]:
        similarity = Output("semantic_relation", True, 0 if self.sigmoid else -math.inf, 5, nan=NOTHING)
        features = (
            similarity,
            *(Output(name, better, low, high, nan=NOTHING) for name, better, low, high in _MEASURES),
        )
        return (Output("nubia", True, 0, 1, nan=NOTHING), *features) if self.aggregator else features

    def facts(self, corpus: Corpus) -> dict[str, str]:
        others = {
            f"{name}_weights": model_facts(spec)["weights"]
            for name, spec in (("nli", self.nli), ("lm", self.lm))
        }
        if self.aggregator:
            others["aggregator_weights"] = store.weights_hash(Path(self.aggregator))[:12]
        return {**super().facts(corpus), "nli": model_name(self.nli), "lm": model_name(self.lm), **others}

    def findings(self, view: View) -> PairValues:
        read = read_pairs(view.features, self.model, "pair", view.predictions, view.reference)
        scored = readable(view, read.first, read.second)
        values, cut = np.full((len(view), len(self.measures())), np.nan), np.zeros(len(view), dtype=bool)
        predictions, references = read.first.ids[scored], read.second.ids[scored]
        features, cut[scored] = self._features(view, references, predictions)
        modules = np.full((len(view), 4), np.nan)
        modules[scored, :2] = features[:, 6:]
        # The features as a reader knows them: similarity at most 5, probabilities, losses.
        values[scored, -6:] = np.column_stack(
            [np.minimum(features[:, 0], 5), np.exp(features[:, 1:4]), features[:, 5], features[:, 4]]
        )
        if self.aggregator:
            itself, _ = self._features(view, references, references)
            raw, own = (network(Path(self.aggregator), rows) for rows in (features, itself))
            values[scored, 0] = np.clip(1 - (own - raw) / (np.abs(own) + 1), 0, 1)
            modules[scored, 2:] = np.column_stack([raw, own])
        empty = empty_rows(view, read.first, read.second)
        return PairValues(values, cut, empty, read.counts, np.hstack([values, modules]).tolist())

    def _features(self, view: View, references: Array, predictions: Array) -> tuple[Array, Array]:
        """Return (pairs, 8) features of reference and prediction, and whether a text of each pair was cut."""
        pairs = Ragged.of(np.column_stack([references, predictions]).tolist())
        similar, places = view.get(PairLogits(self.model, "end", _WINDOW), pairs)
        similarity = similar.logits.values[places]
        if similarity.size and similarity.shape[1] != 1:
            raise ModelError(
                f"nubia needs a model with one output per pair, but {model_name(self.model)} has"
                f" {similarity.shape[1]}; choose a regression model."
            )
        similarity = similarity.reshape(-1)
        inferred, rows = view.get(PairLogits(self.nli, "end", _WINDOW), pairs)
        order = require_nli(
            label_order(self.nli, self.labels, NLI, view.features.options.device), "cne", self.nli
        )
        logits = inferred.logits.values[rows].reshape(-1, len(order))[
            :, [order.index(label) for label in "cne"]
        ]
        told, of_reference, of_prediction = view.get(
            LogProbs(self.lm), *(Ragged.single(ids) for ids in (references, predictions))
        )
        losses = -np.bincount(
            told.log_probabilities.owners, told.log_probabilities.values, len(told.ids)
        ) / np.maximum(told.ids.lengths, 1)
        words = [
            [len(view.text(text).split(" ")) for text in ids.tolist()] for ids in (references, predictions)
        ]
        columns = (
            5 / (1 + np.exp(-similarity)) if self.sigmoid else 5 * similarity,
            logits - np.logaddexp.reduce(logits, axis=1, keepdims=True),
            *(losses[texts] for texts in (of_reference, of_prediction)),
            *words,
        )
        cut = sum(
            column.truncated.values[which]
            for column, which in (
                (similar, places),
                (inferred, rows),
                (told, of_reference),
                (told, of_prediction),
            )
        )
        return np.column_stack(columns).reshape(-1, 8), np.asarray(cut) > 0

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = zip(
            self.statistics(view, fitted)["nubia"],
            view.rows(Findings(self)).shown,
            view.predictions,
            view.reference,
            strict=True,
        )
        for row, shown, prediction, reference in rows:
            scores = self.score("nubia", row)
            title = "nubia: " + ", ".join(
                f"{output.name} {float(scores[output.name]):.4f}" for output in self.measures()
            )
            known = not math.isnan(shown[-5])
            contradiction, irrelevancy, agreement = shown[-9:-6]
            matrices = {
                LABELS[label]: np.array([[value]])
                for label, value in zip("ecn", (agreement, contradiction, irrelevancy), strict=True)
            }
            texts = [view.text(reference)], [view.text(prediction)] if known else []
            yield Entailment(
                title if known else "nubia: nothing to read",
                {"nubia": row},
                *texts,
                matrices,
                [0] * known,
                modules=list(self._modules(shown)) if known else [],
            )

    def _modules(self, shown: list[float]) -> Iterator[ModuleValue]:
        """Yield the numbers of the models, then those of the network and of the calibration."""
        *_, similarity, contradiction, irrelevancy, agreement, loss, loss_of_reference = shown[:-4]
        words_of_reference, words, raw, own = shown[-4:]
        lm = "language model", model_name(self.lm)
        for module, model, name, value, meaning in (
            (
                "similarity",
                model_name(self.model),
                "semantic_relation",
                similarity,
                "0 to 5, the same meaning",
            ),
            (
                "inference",
                model_name(self.nli),
                "agreement",
                agreement,
                "the prediction follows from the reference",
            ),
            (
                "inference",
                model_name(self.nli),
                "contradiction",
                contradiction,
                "it contradicts the reference",
            ),
            ("inference", model_name(self.nli), "irrelevancy", irrelevancy, "neither of both"),
            (*lm, "grammar", loss, "nats per token of the prediction; lower is more fluent"),
            (*lm, "grammar_reference", loss_of_reference, "nats per token of the reference"),
            ("lengths", "", "words", words, "words of the prediction"),
            ("lengths", "", "words_reference", words_of_reference, "words of the reference"),
            ("aggregator", self.aggregator, "raw", raw, "the network's number for the pair"),
            ("aggregator", self.aggregator, "self", own, "its number for the reference with itself"),
            ("calibration", "", "nubia", shown[0], "1 - (self - raw) / (|self| + 1), from 0 to 1"),
        ):
            if self.aggregator or module not in ("aggregator", "calibration"):
                yield ModuleValue(module, model, name, value, meaning)
