"""A text whose words were counted by hand, published counts, and what every readability index is tested
for.
"""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.features.lexical.readability import ReadabilityCounts
from nlgauge.metric import Metric
from nlgauge.metric.registry import parse

TEXT = (
    "The committee created several beautiful universities. People didn't know the well-known Canadian"
    " minister! She paid $3,000.50 yesterday."
)
PLAIN = (
    "The committee created several beautiful universities People didn't know the well-known Canadian minister"
    " She paid 3,000.50 yesterday"
)
# Created is no complex word, because creat(e) has two syllables, and Canadian is none, because it is a name.
WORDS = {"words": 17, "sentences": 3, "syllables": 39, "letters": 112, "polysyllables": 8, "complex_words": 6}
# The counts of the specification's test vector, with 10 polysyllables.
PUBLISHED = {
    "words": 100,
    "sentences": 5,
    "syllables": 150,
    "letters": 450,
    "polysyllables": 10,
    "complex_words": 10,
}


def from_counts(name: str, counts: dict[str, float]) -> float:
    """An index of counts, through the metric's own `score`."""
    metric = parse(name)
    assert isinstance(metric, Metric)
    return float(
        metric.score(
            metric.name, np.array([counts[each] for each in ReadabilityCounts.NAMES], dtype=np.float64)
        )[metric.name]
    )


def check_index(name: str, published: float, of_text: float, low: str) -> None:
    """Formula, counts of a whole text, pooling, texts without words, extreme texts and explanation of an
    index.
    """
    assert from_counts(name, PUBLISHED) == pytest.approx(published, abs=1e-9)
    assert from_counts(name, WORDS) == pytest.approx(of_text, abs=1e-9)
    metric = parse(name)
    assert fields(metric) == ()

    result = nlgauge.score([TEXT, "Go home.", ""], metrics=name)
    counted = {output: int(value) for output, value in result[name].items() if output in WORDS}
    extra = {"words": 2, "sentences": 1, "syllables": 2, "letters": 6, "polysyllables": 0, "complex_words": 0}
    assert counted == {output: WORDS[output] + extra[output] for output in counted}
    assert result[name]["score"] == pytest.approx(
        from_counts(name, {each: WORDS[each] + extra[each] for each in WORDS}), abs=1e-9
    )
    segments = [row[name] for row in rows_by_label(result)]
    assert segments[:2] == pytest.approx([of_text, from_counts(name, extra)], abs=1e-9)
    assert math.isnan(segments[2])

    empty = nlgauge.score(["?!", ""], metrics=name)
    assert math.isnan(empty[name]["score"])
    assert empty.reasons()["system", name, name] == "the text has no word"
    (output,) = (output for output in metric.outputs()[name] if output.name == name)
    bound = output.high if output.higher_is_better else output.low
    assert nlgauge.score([low], metrics=name)[name]["score"] == pytest.approx(bound, abs=1e-9)

    (explanation,) = result.explain(name, 0)
    assert " ".join(explanation.tokens) == PLAIN
    assert {each: sum(values) for each, values in explanation.values.items()} == {
        each: WORDS[each] for each in explanation.values
    }
    assert set(explanation.values) == {each for each in counted if each not in ("words", "sentences")}
