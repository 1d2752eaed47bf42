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
# The models that pictures are drawn with; larger models would take minutes.
MODELS = ("minilm", "glove")
PARAMETERS = {
    **dict.fromkeys(("baryscore", "depthscore", "moverscore", "yisi"), "model='minilm'"),
    "bertscore": "model='minilm', layer=6",
}
# Pictures that tools/pictures.py has drawn with SmolLM2 from the sample of the package.
DRAWN = {
    "shannon": ("tokens", "Information of each token of a text of the sample.", "shannon(model='smollm2')"),
    "infolm": (
        "guesses",
        "Tokens whose probabilities differ most between two texts of the sample.",
        "infolm(model='smollm2')",
    ),
    "yes_no": (
        "verdict",
        "Answer of a small model, asked whether a text of the sample is clear and correct.",
        "yes_no(model='smollm2', with_source=True)",
    ),
}


class Picture(NamedTuple):
    """An explanation: its file relative to metrics/, its description, and the metric; with the content of a new file."""

    file: str
    alt: str
    spec: str
    svg: bytes = b""


def picture(name: str, default_model: str) -> Picture | None:
    """Return the picture of an explanation; None if the metric explains nothing or its model is not installed."""
    if name in DRAWN:
        file, alt, spec = DRAWN[name]
        return Picture(f"../pictures/{file}.png", alt, spec)
    model = "minilm" if name in PARAMETERS else default_model
    if model and not (model in MODELS and location(model)):
        return None
    spec = f"{name}({PARAMETERS[name]})" if name in PARAMETERS else name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three segments are few
        result = nlgauge.score(PREDICTIONS, REFERENCES, sources=SOURCES, metrics=[spec])
        explanations = result.explain(name, 0)
    if not explanations:
        return None
    axes = plots.explanation(explanations[0])
    with tempfile.TemporaryDirectory() as scratch:
        file = plots.save(axes, Path(scratch) / "picture.svg")
        return Picture(f"pictures/{name}.svg", plots.alt(axes), spec, file.read_bytes())
