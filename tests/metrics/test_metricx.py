"""MetricX against the authors' program, both versions, with and without references."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError, NlgaugeError, ParameterError
from nlgauge.metrics.metricx import MetricX

pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.numpy")

MODEL_KIND = "metricx"
CHANGED_PARAMETERS = {"version": 23}
JUDGED = True
PREDICTIONS = ["The cat is sitting on the mat. It slept.", "The minister met the president on Tuesday.", "a"]
REFERENCES = ["The cat sat on the mat.", "On Tuesday, the minister met with the president.", "cat"]
SOURCES = [
    "A cat was seen on a mat. It sat there for an hour, he said.",
    "nothing was said here (again).",
    "Mouse",
]
LONG = "the cat sat on the mat. " * 400
# Made by MT5ForRegression of github.com/google-research/metricx at fc4978e (metricx24/models.py) on
# tests/tiny/metricx.py with seed 1, without the arguments that Transformers 5 no longer takes,
# use_cache=False and config.tie_word_embeddings=False; prompts as in its predict.py.
OFFICIAL = {
    (24, False): [6.217422962188721, 10.801685333251953, 8.622213363647461],
    (24, True): [8.724416732788086, 11.097735404968262, 9.411953926086426],
    (23, False): [6.004065990447998, 10.879505157470703, 11.29918384552002],
    (23, True): [7.005423545837402, 7.033388137817383, 11.291413307189941],
}
OFFICIAL_LONG = {
    (24, False): 3.2405200004577637,
    (24, True): 3.2405200004577637,
    (23, False): 1.0344698429107666,
}


def segments(metric: MetricX, *texts: Any, output: str = "") -> list[float]:
    result = nlgauge.score(*texts, metrics=metric)
    return [row[result.labels[0] + output] for row in rows_by_label(result)]


@pytest.mark.parametrize(("version", "qe"), OFFICIAL)
def test_equals_the_authors_program(version: int, qe: bool, tiny_models: dict[str, Path]) -> None:
    metric = MetricX(str(tiny_models["metricx"]), version, qe)
    references = None if qe else REFERENCES
    sources = SOURCES if qe or version == 24 else None
    assert segments(metric, PREDICTIONS, references, sources) == pytest.approx(
        OFFICIAL[version, qe], rel=1e-5
    )


@pytest.mark.parametrize(("version", "qe"), OFFICIAL_LONG)
def test_a_long_prompt_loses_its_end(version: int, qe: bool, tiny_models: dict[str, Path]) -> None:
    metric = MetricX(str(tiny_models["metricx"]), version, qe)
    texts = PREDICTIONS[:1], [LONG if version == 23 else REFERENCES[0]], [LONG]
    assert segments(metric, *texts) == pytest.approx([OFFICIAL_LONG[version, qe]], rel=1e-5)
    assert segments(metric, *texts, output=".truncated") == [1]


def test_predictions_stay_within_their_bounds() -> None:
    assert MetricX().answer(np.array([[-0.5], [26.0], [3.25]])).tolist() == [0, 25, 3.25]


def test_an_empty_prediction_is_shown_to_the_model_and_an_empty_reference_has_no_score(
    tiny_models: dict[str, Path],
) -> None:
    metric = MetricX(str(tiny_models["metricx"]))
    found = segments(metric, ["", *PREDICTIONS[1:]], [*REFERENCES[:2], ""], SOURCES)
    assert 0 <= found[0] <= 25 and math.isnan(found[2])
    assert segments(metric, ["", *PREDICTIONS[1:]], [*REFERENCES[:2], ""], SOURCES, output=".empty") == [
        1,
        0,
        0,
    ]
    assert found[1] == pytest.approx(OFFICIAL[24, False][1], rel=1e-5)


def test_a_checkpoint_without_its_head_is_refused(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    """Transformers 5 would take the input vectors for the head, and warn of nothing."""
    shutil.copytree(tiny_models["metricx"], tmp_path / "headless")
    file = tmp_path / "headless" / "model.safetensors"
    safetensors.save_file(
        {name: weights for name, weights in safetensors.load_file(file).items() if name != "lm_head.weight"},
        file,
        {"format": "pt"},
    )
    with pytest.raises(ModelError, match=r"vocabulary.*lm_head.weight"):
        nlgauge.score(["a"], ["a"], ["a"], metrics=MetricX(str(tmp_path / "headless")))
    config = json.loads((tmp_path / "headless" / "config.json").read_text())
    (tmp_path / "headless" / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    nlgauge.score(
        ["a"], ["a"], ["a"], metrics=MetricX(str(tmp_path / "headless"))
    )  # its head is its input vectors, which are not missing


def test_wrong_parameters_are_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ParameterError, match=r"version.*24 or 23.*22"):
        MetricX(version=22)
    with pytest.raises(ParameterError, match=r"250089.*token"):
        nlgauge.score(["a"], ["a"], ["a"], metrics=MetricX(str(tiny_models["t5"])))
    with pytest.raises(NlgaugeError, match="source"):
        nlgauge.score(["a"], ["a"], metrics=MetricX(str(tiny_models["metricx"])))
    with pytest.raises(ModelError, match=r"models.*metricx-23-qe-large-v2p0 --hub"):
        nlgauge.score(["a"], sources=["a"], metrics=MetricX(version=23, qe=True))
