"""Pictures of explanations, one per metric that explains its scores."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import nlgauge
from nlgauge import plots
from nlgauge.models.weights.store import location

# The second and third segment are for metrics with counts over the corpus.
PREDICTIONS = [
    "The ferry stops for two weeks in March while its rusted ramp is replaced.",
    "A small boat takes passengers over.",
    "Cars have to wait.",
]
REFERENCES = [
    "The ferry will not run for two weeks in March because the rusted ramp is being replaced.",
    "A small boat will carry passengers.",
    "Cars must wait.",
]
SOURCES = [
    "The ferry to the island will not run for two weeks in March. The ramp has rusted and is being replaced.",
    "During this time a small boat carries passengers.",
    "It cannot carry cars, which have to wait.",
]
# Small models that replace the default of a metric in a picture.
SMALL = {
    **dict.fromkeys(("baryscore", "depthscore", "moverscore", "yisi"), ("minilm", "model='minilm'")),
    "bertscore": ("minilm", "model='minilm', layer=6"),
    "infolm": ("smollm2", "model='smollm2'"),
}


class Picture(NamedTuple):
    """An explanation as SVG, with its description and the metric that it shows."""

    svg: bytes
    alt: str
    spec: str


def picture(name: str, default_model: str, *, models: bool) -> Picture | None:
    """Return the picture of an explanation; None if the metric explains nothing or its model is not installed."""
    model, parameters = SMALL.get(name, (default_model, ""))
    if model and not (models and location(model)):
        return None
    spec = f"{name}({parameters})" if parameters else name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three segments are few
        result = nlgauge.score(PREDICTIONS, REFERENCES, sources=SOURCES, metrics=[spec])
        explanations = result.explain(name, 0)
    if not explanations:
        return None
    axes = plots.explanation(explanations[0])
    with tempfile.TemporaryDirectory() as scratch:
        file = plots.save(axes, Path(scratch) / "picture.svg")
        return Picture(file.read_bytes(), plots.alt(axes), spec)
