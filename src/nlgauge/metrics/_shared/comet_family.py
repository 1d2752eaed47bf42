"""The base of COMET, CometKiwi, UniTE, XCOMET and LENS: a network of the family, the mean of segments, empty
texts, cut texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import ModelError
from nlgauge.explanations import ErrorSpans, Explanation
from nlgauge.features.encoders.comet import CometEmbedding, CometJoint
from nlgauge.metric import TRUNCATED, Arrays, Output, View
from nlgauge.metric.mean import Measured
from nlgauge.metrics._shared.encoder_precision import UsesEncoder
from nlgauge.metrics._shared.error_spans import Span, decoded, spans_of
from nlgauge.metrics._shared.model_means import ModelMeans
from nlgauge.metrics._shared.unknown_tokens import seen, visible
from nlgauge.models import ModelSpec
from nlgauge.models.loader import inference, load
from nlgauge.models.networks.comet import CometNetwork, Form

NAN = "the reference or the source is empty"
_ROWS = 4096
# The metric for each form of network, for the message about a wrong form.
_METRICS = {
    "regression": "comet",
    "referenceless": "comet(references=False)",
    "unified": "cometkiwi or unite",
    "xcomet": "xcomet",
    "lens": "lens",
}


class NetworkRows(NamedTuple):
    """(rows, measures) values, NaN if undefined; whether a text of the row was cut; in which rows the
    prediction is empty.
    """

    values: Array
    truncated: Array
    empty: Array


@dataclass(frozen=True)
class FamilyMetric(UsesEncoder, ModelMeans):
    """A metric that asks a network of the COMET family. An empty prediction is shown to the network; a
    row with another empty text has no value.
    """

    source: ClassVar[bool] = True
    reduce: ClassVar[str] = "mean"
    shows_empty: ClassVar[bool] = True
    model: ModelSpec

    def __post_init__(self) -> None:
        super().__post_init__()
        references = getattr(self, "references", True)
        self.require(isinstance(references, bool), "references", "True or False")
        if not references:
            object.__setattr__(self, "takes", "alone")

    def forms(self) -> tuple[Form, ...]:
        """Return the forms of network that compute this output."""
        raise NotImplementedError

    def judged(self, view: View) -> NetworkRows:
        """Return the network's values of every row."""
        raise NotImplementedError

    def counted(self) -> tuple[Output, ...]:
        return TRUNCATED, self.empty_output()

    def measured(self, view: View) -> Measured:
        rows = self.judged(view)
        return Measured(rows.values, rows.empty, [rows.truncated, rows.empty])

    def network(self, view: View) -> CometNetwork:
        """Return the network, if its form computes this output."""
        found: CometNetwork = load(self.model, "comet", view.features.options.device).model
        form = found.settings.form
        if form not in self.forms():
            needed = " or ".join(self.forms())
            raise ModelError(
                f"{self.name}: {self.model!r} is a {form} model, whose metric is {_METRICS[form]}; use that"
                f" metric, or choose a {needed} model."
            )
        return found


class VectorMetric(FamilyMetric):
    """A metric of the vectors of single texts: a feed-forward network reads them, their products and
    differences.
    """

    def read(self, view: View, m: Any, s: Any, r: Any) -> list[Any]:
        """Return the input of the feed-forward network, from the vectors of predictions, sources and
        references.
        """
        raise NotImplementedError

    def texts(self, view: View) -> list[Array]:
        """Return the ids of predictions, sources and, if used, references."""
        return [
            visible(view, view.predictions),
            view.source,
            *([] if self.takes == "alone" else [view.reference]),
        ]

    def judged(self, view: View) -> NetworkRows:
        network = self.network(view)
        texts = self.texts(view)
        column, *places = view.get(CometEmbedding(self.model, precision=self.precision), *texts)
        scores = np.zeros(len(view))
        with inference() as torch:
            for start in range(0, len(view), _ROWS):
                vectors = [
                    torch.from_numpy(column.vectors.values[rows[start : start + _ROWS]]).to(network.device)
                    for rows in places
                ]
                features = torch.cat(self.read(view, vectors[0], vectors[1], vectors[-1]), dim=1)
                scores[start : start + _ROWS] = network.estimate(features).double().cpu().numpy()
        said = [
            (column.pieces.values[rows] > 0) & seen(view, ids)
            for rows, ids in zip(places, texts, strict=True)
        ]
        others = np.all(said[1:], axis=0)
        truncated = np.max([column.truncated.values[rows] for rows in places], axis=0)
        return NetworkRows(np.where(others, scores, np.nan)[:, None], truncated, others & ~said[0])


class Passes(NamedTuple):
    """The values of all passes over rows: (rows, passes) scores, NaN if a text other than the prediction is
    empty; the label probabilities and places of the pieces of each row; the rows with an empty prediction.
    """

    scores: Array
    labels: list[Array]
    offsets: list[Array]
    truncated: Array
    empty: Array


class JointMetric(FamilyMetric):
    """A metric of texts that the network reads together: with the source and, if references are used, with
    the reference and with both.
    """

    # Weights of the label probabilities of each pass.
    label_weights: ClassVar[tuple[float, ...]] = (0.1667, 0.3333, 0.5)

    def passes(self, view: View) -> Passes:
        """Return the network's answers on prediction and source, then on prediction and reference, and on all
        three.
        """
        self.network(view)
        sides = (
            [[view.source]]
            if self.takes == "alone"
            else [[view.source], [view.reference], [view.source, view.reference]]
        )
        predictions = visible(view, view.predictions)
        feature = CometJoint(self.model, precision=self.precision)
        found, *rows = view.get(feature, *(_keys([predictions, *side]) for side in sides))
        scores = np.column_stack([found.scores.values[places] for places in rows])
        others = np.min([found.pieces.values[places] for places in rows], axis=0) > 0
        others &= seen(view, *sides[-1])
        scores[~others] = np.nan
        weights = self.label_weights if len(rows) > 1 else (1.0,)
        labels = [
            sum(w * found.labels[place] for w, place in zip(weights, places, strict=True))
            for places in zip(*rows, strict=True)
        ]
        offsets = [found.offsets[place] for place in rows[0]]
        truncated = np.max([found.truncated.values[places] for places in rows], axis=0)
        return Passes(scores, labels, offsets, truncated, others & ~seen(view, view.predictions))

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        labels = self.network(view).settings.labels
        if not labels:
            return
        statistics, passes = self.statistics(view, fitted)[self.name], self.passes(view)
        for row, probabilities, offsets, prediction in zip(
            statistics, passes.labels, passes.offsets, view.predictions, strict=True
        ):
            score = float(self.score(self.name, row)[self.name])
            spans = spans_of(self.error_spans(probabilities, offsets), labels)
            yield ErrorSpans(f"{self.name} {score:.4f}", {self.name: row}, view.text(prediction), spans)

    def error_spans(self, probabilities: Array, offsets: Array) -> list[Span]:
        """Return the errors according to the probabilities of labels."""
        return decoded(probabilities, offsets, complete=True)


def _keys(sides: list[Array]) -> Ragged:
    """Return the ids of texts that are read together, row by row."""
    return Ragged(np.column_stack(sides).ravel(), np.arange(len(sides[0]) + 1) * len(sides))
