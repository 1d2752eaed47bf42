"""XCOMET: COMET that also marks the errors in a translation, minor, major and critical, and counts them in
its score.

    a, b, c = FF(mixed state of <s>)   of the prediction with the source, with the reference, with both
    mqm     = 1 - min(25, minor + 5 major + 10 critical) / 25
    XCOMET  = .12 min(1, a) + .33 min(1, b) + .33 min(1, c) + .22 mqm,      without references   .78 min(1, a) + .22 mqm

A piece's label is the likeliest in the mix .1667, .3333, .5 of the three passes; errors are runs of labeled
pieces. The authors' program drops a run that reaches the end of the text and gives a run the severity of its
first piece, and so does the published score: spans="compat". spans="complete" counts it, with the severity
that is likeliest over the run, which changes the score. An empty prediction is shown to the network; an empty
reference or source leaves the row without a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.metric import Output, View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.comet_family import NAN, JointMetric, NetworkRows
from nlgauge.metrics._shared.error_spans import Span, decoded
from nlgauge.models import ModelSpec
from nlgauge.models.networks.comet import Form

_SEVERITIES = ("minor", "major", "critical")
_PENALTIES = np.array([1.0, 5.0, 10.0])
_MOST = 25.0
_WEIGHTS = (0.12, 0.33, 0.33, 0.22)


@register
@dataclass(frozen=True)
class XComet(JointMetric):
    """XCOMET, its parts, and how many errors of each severity it marks."""

    model: ModelSpec = "xcomet-xl"
    references: bool = True
    spans: str = "compat"

    name: ClassVar[str] = "xcomet"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "spans", ("compat", "complete"))

    def forms(self) -> tuple[Form, ...]:
        return ("xcomet",)

    def measures(self) -> tuple[Output, ...]:
        scores = [
            Output(name, True, nan=NAN)
            for name in (("src", "ref", "unified") if self.references else ("src",))
        ]
        counts = [Output(name, False, 0, nan=NAN) for name in _SEVERITIES]
        return (Output("xcomet", True, nan=NAN), Output("mqm", True, 0, 1, nan=NAN), *scores, *counts)

    def judged(self, view: View) -> NetworkRows:
        passes = self.passes(view)
        known = ~np.isnan(passes.scores).any(axis=1)
        counts = np.zeros((len(view), len(_SEVERITIES)))
        for row, (probabilities, offsets) in enumerate(zip(passes.labels, passes.offsets, strict=True)):
            for span in self.error_spans(probabilities, offsets):
                counts[row, span.label - 1] += 1
        counts[~known] = np.nan
        mqm = mqm_of(counts)
        values = np.column_stack([mixed(passes.scores, mqm), mqm, passes.scores, counts])
        return NetworkRows(values, passes.truncated, passes.empty)

    def error_spans(self, probabilities: Array, offsets: Array) -> list[Span]:
        return decoded(probabilities, offsets, self.spans == "complete")


def mqm_of(counts: Array) -> Array:
    """Return 1 for no error, 0 for errors that weigh 25 or more, from (..., 3) counts of minor, major and
    critical errors.

    >>> round(float(mqm_of(np.array([1.0, 0.0, 2.0]))), 2)
    0.16
    """
    found: Array = 1 - np.minimum(_MOST, counts @ _PENALTIES) / _MOST
    return found


def mixed(scores: Array, mqm: Array) -> Array:
    """Return XCOMET's score, from (rows, 1 or 3) scores of the passes and the value of the errors.

    >>> mixed(np.array([[1.2, 0.5, 0.5]]), np.array([1.0])).round(6).tolist()
    [0.67]
    """
    weights = (
        np.array(_WEIGHTS[:3]) if scores.shape[1] == len(_WEIGHTS) - 1 else np.array([sum(_WEIGHTS[:3])])
    )
    found: Array = np.minimum(scores, 1.0) @ weights + _WEIGHTS[3] * mqm
    return found
