"""MATTR: golden values of lexical_diversity, and the windows themselves as an oracle.

The golden values were made with lexical_diversity 0.1.1: `lex_div.mattr(TEXT.split(), window_length=...)`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.mattr import Mattr

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"tokenizer": "13a"}
TEXT = "the cat sat on the mat and the dog sat on the cat and the cat ran"


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (1, 1.0),
        (3, 1.0),
        (5, 0.8769230769230769),
        (10, 0.675),
        (17, 0.47058823529411764),
        (50, 0.47058823529411764),
    ],
)
def test_golden_values(window, expected):
    assert nlgauge.score([TEXT], metrics=Mattr(window))["mattr"]["score"] == pytest.approx(
        expected, abs=1e-12
    )


@given(st.lists(texts(), min_size=1, max_size=4), st.integers(1, 6))
def test_it_is_the_mean_over_windows_then_over_texts(predictions, window):
    expected = []
    for words in map(str.split, predictions):
        size = min(window, len(words))
        shares = (
            [len(set(words[i : i + size])) / size for i in range(len(words) - size + 1)] if words else [0.0]
        )
        expected.append(sum(shares) / len(shares))
    result = nlgauge.score(predictions, metrics=Mattr(window, "whitespace"))
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-12)
    assert result["mattr"]["score"] == pytest.approx(sum(expected) / len(expected), abs=1e-12)


def test_a_text_without_tokens_has_the_worst_score():
    assert nlgauge.score(["?!", ""], metrics="mattr")["mattr"]["score"] == 0
    assert nlgauge.score(["a b", ""], metrics="mattr")["mattr"]["score"] == 0.5


@pytest.mark.parametrize("bad", [{"window": 0}, {"window": 2.5}, {"tokenizer": "google"}], ids=str)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"mattr: {next(iter(bad))} must be"):
        Mattr(**bad)
