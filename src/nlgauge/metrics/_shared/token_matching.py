"""The base of BERTScore and YiSi-1: each token of one text is matched with the most similar token of the
other, by contextual vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.estimators import idf
from nlgauge.explanations import Alignment, Explanation
from nlgauge.features import RunOptions
from nlgauge.features.encoders.embeddings import EncoderPieces, piece_strings
from nlgauge.features.encoders.encoder_layers import Hidden, HiddenLayers
from nlgauge.metric import Arrays, Fit, Metric, Stored, View
from nlgauge.metric.domains import require_whole
from nlgauge.metric.fits import inverse_layout
from nlgauge.metrics._shared.encoder_precision import EncoderPrecision
from nlgauge.metrics._shared.unknown_tokens import read_pairs, unknown_share
from nlgauge.models import ModelSpec, is_model_spec
from nlgauge.models.weights import store

# The layers that bert-score's authors found best, for the models that people name.
LAYERS = {
    "roberta-large": 17,
    "roberta-base": 10,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-multilingual-cased": 9,
    "bert-base-chinese": 8,
    "distilbert-base-uncased": 5,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "minilm": 6,
}
PARTS = ("precision", "recall", "f1")


def plain_name(model: ModelSpec) -> str:
    """Return the name by which tables know a model, without owner and revision; "" for a model object of the
    user.
    """
    return model.partition("@")[0].rsplit("/", 1)[-1] if isinstance(model, str) else ""


@dataclass(frozen=True)
class InverseDocumentFrequency(Fit):
    """log((N + 1) / (df + 1)) of every piece in the references, each occurrence of a reference being one
    document.
    """

    model: ModelSpec

    over: ClassVar = "references"

    def partial(self, view: View) -> Arrays:
        pieces, rows = view.get(EncoderPieces(self.model), view.reference)
        return idf.document_frequencies(pieces.ids.take(rows))

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        return idf.inverse(partials)

    def layout(self, rows: int) -> dict[str, Stored]:
        return inverse_layout()


class TokenMatching(EncoderPrecision, Metric):
    """Precision, recall and F of matched tokens; part by part, with the notes of the first part in its
    last columns.
    """

    layer: int | None

    @property
    def model_used(self) -> ModelSpec:
        """The model, or the default if it is None."""
        raise NotImplementedError

    @property
    def layer_used(self) -> int:
        """The layer; if it is None, the best layer that is known for the model."""
        known = LAYERS.get(plain_name(self.model_used)) if self.layer is None else self.layer
        if known is None:
            if isinstance(self.model_used, str):
                store.require(
                    self.model_used
                )  # a model that is missing is the first problem, its layer the second
            raise ParameterError(
                f"{self.name}: the best layer of {self.model_used!r} is unknown; set layer, for example to"
                " 9 for a model with 12 layers."
            )
        return known

    def check(self) -> None:
        """Raise ParameterError if a common parameter is outside its domain."""
        self.require(
            is_model_spec(self.model_used), "model", "a name, a directory or nlgauge.Model(model, tokenizer)"
        )
        require_whole(self, "layer", 0, optional=True)
        super().__post_init__()

    def weights(self, hidden: Hidden, text: int, fitted: Arrays) -> tuple[Array, bool]:
        """Return the weight of each piece, and True if all were 0 and became equal."""
        raise NotImplementedError

    def f_of(self, precision: float, recall: float) -> float:
        """Return F of precision and recall, both above 0."""
        raise NotImplementedError

    def cosines(self, hidden: Hidden, prediction: int, reference: int) -> Array:
        """Return the cosine of every pair of pieces; rounding errors are clipped to its bounds."""
        found: Array = np.clip(hidden.vectors[prediction] @ hidden.vectors[reference].T, -1, 1)
        return found

    def shown(self, part: str, value: Any) -> Any:
        """Return a value of precision, recall or F as it is reported."""
        return value

    def reads(self, options: RunOptions) -> tuple[HiddenLayers, ...]:
        return (HiddenLayers(self.model_used, (self.layer_used,), precision=self.precision),)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        hidden, predictions, references, counts = self._hidden(view)
        rows = np.array(
            [self._match(hidden, h, r, fitted) for h, r in zip(predictions, references, strict=True)]
        ).reshape(-1, 5)
        one = np.ones(len(rows))
        first, *others = self.outputs()
        columns = {"f1": rows[:, 0], "precision": rows[:, 1], "recall": rows[:, 2]}
        return {
            first: np.column_stack([columns["f1"], one, rows[:, 3:], counts]),
            **{part: np.column_stack([columns[part], one]) for part in others},
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        first = next(iter(self.outputs()))
        found = {part: self.shown("f1" if part == first else part, statistics[..., 0] / statistics[..., 1])}
        if part != first:
            return found
        notes = {
            "truncated": statistics[..., 2],
            "uniform_weights": statistics[..., 3],
            **unknown_share(statistics),
        }
        return {**found, **{output.name: notes[output.name] for output in self.outputs()[part][1:]}}

    def _hidden(self, view: View) -> tuple[Hidden, Array, Array, Array]:
        """Return the vectors of the texts' pieces, the place of each prediction and reference among them, and
        each pair's unknown and all tokens.
        """
        read = read_pairs(view.features, self.model_used, "encoder", view.predictions, view.reference)
        (feature,) = self.reads(view.features.options)
        hidden, predictions, references = view.get(feature, read.first.ids, read.second.ids)
        return hidden, predictions, references, read.counts

    def _match(
        self, hidden: Hidden, prediction: int, reference: int, fitted: Arrays
    ) -> tuple[float, float, float, float, float]:
        """Return F, P, R, and whether a text was cut or had no weight."""
        cut = float(max(hidden.truncated[prediction][0], hidden.truncated[reference][0]))
        weights = [self.weights(hidden, text, fitted) for text in (prediction, reference)]
        uniform = float(any(flag for _, flag in weights))
        if not all(w.any() for w, _ in weights):
            return 0.0, 0.0, 0.0, cut, uniform
        similarity = self.cosines(hidden, prediction, reference)
        precision, recall = (
            float(best.astype(np.float64) @ w / w.sum())
            for best, (w, _) in zip((similarity.max(axis=1), similarity.max(axis=0)), weights, strict=True)
        )
        f = self.f_of(precision, recall) if precision > 0 and recall > 0 else 0.0
        return f, precision, recall, cut, uniform

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        hidden, predictions, references, _ = self._hidden(view)
        device = view.features.options.device
        statistics = self.statistics(view, fitted)
        for i, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
            row = {part: values[i] for part, values in statistics.items()}
            title = f"{self.name} " + ", ".join(
                f"{part} {self.score(part, row[part])[part]:.4f}" for part in view.parts or row
            )
            pieces = [
                piece_strings(self.model_used, hidden.ids[text], device) for text in (prediction, reference)
            ]
            weights = [self.weights(hidden, text, fitted)[0] for text in (prediction, reference)]
            yield Alignment(
                title,
                row,
                pieces[0],
                pieces[1],
                self.cosines(hidden, prediction, reference),
                weights[0],
                weights[1],
            )
