"""BERTScore: each token of one text is matched with the most similar token of the other, by contextual vectors.

    P = sum_i w_i max_j cos(h_i, r_j) / sum_i w_i     over the prediction's tokens h,   R likewise over the reference's
    F = 2 P R / (P + R)                               (0 unless both are above 0)

w is 1, or with `idf` log((N + 1) / (df + 1)) from the N references; start and end marks weigh 0 but may be matched. bert-score multiplies
padding by 0, so a token whose cosines are all negative depends there on its batch; here it keeps its true maximum. With several references the
best is taken for P, R and F each, as bert-score does. A text without tokens, or without one that the model knows, scores 0. Where every weight of a
text is 0, they are equal instead. With a `baseline` b of its own each of P, R and F becomes (x - b) / (1 - b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.columns import Array
from nlgauge.corpus.language import code
from nlgauge.errors import ParameterError
from nlgauge.estimators import idf
from nlgauge.explain import Alignment, Explanation
from nlgauge.features import RunOptions
from nlgauge.features.encoders import EncoderPieces, Hidden, HiddenStates, piece_strings
from nlgauge.metric import TRUNCATED, UNIFORM_WEIGHTS, Arrays, Fit, Metric, Output, View, register
from nlgauge.metrics.unknown_tokens import UNKNOWN_TOKENS, read_pairs, unknown_share
from nlgauge.models import ModelSpec, is_model_spec, model_facts

# The layers that bert-score's authors found best, for the models that people name.
_LAYERS = {
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
_PARTS = ("precision", "recall", "f1")
_LANGUAGE_MODELS = {"zh": "bert-base-chinese"}


@dataclass(frozen=True)
class InverseDocumentFrequency(Fit):
    """log((N + 1) / (df + 1)) of every piece in the references, each occurrence of a reference being one document."""

    model: ModelSpec

    over: ClassVar = "references"

    def partial(self, view: View) -> Arrays:
        pieces, rows = view.get(EncoderPieces(self.model), view.reference)
        return idf.document_frequencies(pieces.ids.take(rows))

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        return idf.inverse(partials)


@register
@dataclass(frozen=True)
class BertScore(Metric):
    """BERTScore: f1 (the score), precision and recall; without rescaling unless a baseline is given."""

    model: ModelSpec | None = None
    layer: int | None = None
    idf: bool = False
    baseline: tuple[float, ...] | None = None

    name: ClassVar[str] = "bertscore"
    revision: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self.require(self.model is None or is_model_spec(self.model), "model", "a name, a directory or nlgauge.Model(model, tokenizer)")
        self.require(self.layer is None or (isinstance(self.layer, int) and self.layer >= 0), "layer", "a whole number from 0")
        self.require(self.baseline is None or _is_baseline(self.baseline), "baseline", "None or three numbers from -1 to below 1, for P, R and F")

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        notes = (TRUNCATED, UNIFORM_WEIGHTS, UNKNOWN_TOKENS)
        return {
            "f1": (Output("f1", True, self._rescaled("f1", 0), 1), *notes),
            "precision": (Output("precision", True, self._rescaled("precision", -1), 1),),
            "recall": (Output("recall", True, self._rescaled("recall", -1), 1),),
        }

    def _rescaled(self, part: str, value: Any) -> Any:
        """A value of precision, recall or F on the scale of the baseline."""
        if self.baseline is None:
            return value
        base = self.baseline[_PARTS.index(part)]
        return (value - base) / (1 - base)

    def for_language(self, lang: str | None) -> BertScore:
        if self.model is not None or code(lang) in ("", "en"):
            return self
        return replace(self, model=_LANGUAGE_MODELS.get(code(lang), "bert-base-multilingual-cased"))

    @property
    def model_used(self) -> ModelSpec:
        """The model, the default where none was given."""
        return "roberta-large" if self.model is None else self.model

    @property
    def layer_used(self) -> int:
        """The layer, that which is known to be best where none was given."""
        if self.layer is not None:
            return self.layer
        known = _LAYERS.get(self.model_used.partition("@")[0].rsplit("/", 1)[-1]) if isinstance(self.model_used, str) else None
        if known is None:
            raise ParameterError(f"bertscore: the best layer of {self.model_used!r} is not known; give layer=..., for example the last but three.")
        return known

    def facts(self, corpus: Corpus) -> dict[str, str]:
        rescaled = {} if self.baseline is None else {"baseline": ",".join(map(str, self.baseline))}
        return {"metric": self.name, "layer": str(self.layer_used), "idf": "yes" if self.idf else "no", **rescaled, **model_facts(self.model_used)}

    def fit(self) -> Fit | None:
        return InverseDocumentFrequency(self.model_used) if self.idf else None

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        hidden, predictions, references, counts = self._hidden(view)
        rows = np.array([self._match(hidden, h, r, fitted) for h, r in zip(predictions, references, strict=True)]).reshape(-1, 5)
        one = np.ones(len(rows))
        return {
            "f1": np.column_stack([rows[:, 0], one, rows[:, 3:], counts]),
            "precision": np.column_stack([rows[:, 1], one]),
            "recall": np.column_stack([rows[:, 2], one]),
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        first = {part: self._rescaled(part, statistics[..., 0] / statistics[..., 1])}
        if part != "f1":
            return first
        return {**first, "truncated": statistics[..., 2], "uniform_weights": statistics[..., 3], **unknown_share(statistics)}

    def _hidden(self, view: View) -> tuple[Hidden, Array, Array, Array]:
        """The vectors of the texts' pieces, where each prediction and reference is among them, and each pair's unknown and all tokens."""
        read = read_pairs(view.features, self.model_used, "encoder", view.predictions, view.reference)
        hidden, predictions, references = view.get(HiddenStates(self.model_used, self.layer_used), read.first.ids, read.second.ids)
        return hidden, predictions, references, read.counts

    def _match(self, hidden: Hidden, prediction: int, reference: int, fitted: Arrays) -> tuple[float, float, float, float, float]:
        """F, P, R, and whether a text was cut or had no weight."""
        cut = float(max(hidden.truncated[prediction][0], hidden.truncated[reference][0]))
        weights = [self._weights(hidden, text, fitted) for text in (prediction, reference)]
        uniform = float(any(flag for _, flag in weights))
        if not all(w.any() for w, _ in weights):
            return 0.0, 0.0, 0.0, cut, uniform
        similarity = _cosines(hidden, prediction, reference)
        precision, recall = (
            float(best.astype(np.float64) @ w / w.sum())
            for best, (w, _) in zip((similarity.max(axis=1), similarity.max(axis=0)), weights, strict=True)
        )
        f = 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0
        return f, precision, recall, cut, uniform

    def _weights(self, hidden: Hidden, text: int, fitted: Arrays) -> tuple[Array, bool]:
        """The weight of each piece, and whether all were 0 and had to be made equal."""
        plain = (~hidden.special[text]).astype(np.float64)
        if not self.idf:
            return plain, False
        weights = plain * idf.weights(fitted, hidden.ids[text])
        return (weights, False) if weights.any() else (plain, bool(plain.any()))

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        hidden, predictions, references, _ = self._hidden(view)
        device = view.features.options.device
        statistics = self.statistics(view, fitted)
        found: list[Explanation] = []
        for i, (prediction, reference) in enumerate(zip(predictions, references, strict=True)):
            row = {part: values[i] for part, values in statistics.items()}
            title = "bertscore " + ", ".join(f"{part} {self._rescaled(part, row[part][0]):.4f}" for part in view.parts or row)
            pieces = [piece_strings(self.model_used, hidden.ids[text], device) for text in (prediction, reference)]
            weights = [self._weights(hidden, text, fitted)[0] for text in (prediction, reference)]
            similarity = _cosines(hidden, prediction, reference)
            found.append(Alignment(title, row, pieces[0], pieces[1], similarity, weights[0], weights[1]))
        return found


def _is_baseline(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == len(_PARTS) and all(type(base) in (int, float) and -1 <= base < 1 for base in value)


def _cosines(hidden: Hidden, prediction: int, reference: int) -> Array:
    """The cosine of every pair of pieces; rounding may not take it out of its bounds."""
    cosines: Array = np.clip(hidden.vectors[prediction] @ hidden.vectors[reference].T, -1, 1)
    return cosines
