"""What the tests of the measures of an alignment share: the comparison with jiwer, and the alignment that
they show.
"""

from __future__ import annotations

import jiwer
import pytest
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import texts

import nlgauge

PAIRS = st.lists(st.tuples(texts(), texts()), min_size=1, max_size=5)
_COUNTS = ("substitutions", "deletions", "insertions", "hits")


def assert_equals_jiwer(name: str, predictions: list[str], references: list[str]) -> None:
    """The measure and the counts of the corpus and of every segment."""
    process = jiwer.process_characters if name == "cer" else jiwer.process_words
    result = nlgauge.score(predictions, references, metrics=name)
    expected = process(references, predictions)
    assert result[name]["score"] == pytest.approx(getattr(expected, name), abs=1e-12)
    assert [result[name][count] for count in _COUNTS] == [getattr(expected, count) for count in _COUNTS]
    for row, prediction, reference in zip(rows_by_label(result), predictions, references, strict=True):
        one = process(reference, prediction)
        assert row[name] == pytest.approx(getattr(one, name), abs=1e-12)
        assert [row[f"{name}.{count}"] for count in _COUNTS] == [getattr(one, count) for count in _COUNTS]


def assert_alignment_is_shown(name: str) -> None:
    """The explanation of a known pair."""
    (explanation,) = nlgauge.score(["the dog sat down"], ["the cat sat"], metrics=name).explain(name, 0)
    kinds = [(edit.kind, edit.prediction) for edit in explanation.edits]
    assert kinds == [("equal", ["the"]), ("replace", ["dog"]), ("equal", ["sat"]), ("insert", ["down"])]
