"""Compression ratio against Python's gzip, and golden values of the package diversity.

Those were made with diversity 0.3.1, `diversity.compression.compression_ratio(texts)`, which rounds to three
digits; its file has a time stamp in it, so the last digit may differ by one from run to run.
"""

from __future__ import annotations

import gzip
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.compression_ratio import CompressionRatio

CHANGED_PARAMETERS = {"compat": "diversity"}
TEXTS = [
    "The cat is sitting on the mat.",
    "Prime Minister Narendra Modi met the president on Tuesday.",
    "It costs $1,234.56 (about 20% more).",
    "Shares fell 3.5% in early trading , traders said .",
    "Die Straße ist naß.",
]


def ratio(predictions: list[str], **options: str) -> float:
    return float(
        nlgauge.score(predictions, metrics=CompressionRatio(**options))["compression_ratio"]["score"]
    )


@given(st.lists(texts(), min_size=1, max_size=6))
def test_it_is_what_gzip_makes_of_the_sorted_texts(predictions):
    content = "\n".join(sorted(predictions)).encode()
    expected = (
        len(content) / len(gzip.compress(content, 9, mtime=0)) if "".join(predictions).strip() else math.nan
    )
    assert ratio(predictions) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("predictions", "expected"), [(TEXTS, 0.952), (TEXTS * 20, 16.873), (TEXTS[::-1] + TEXTS, 1.765)]
)
def test_golden_values_of_diversity(predictions, expected):
    assert ratio(predictions, compat="diversity") == pytest.approx(expected, abs=0.001)


def test_repetition_raises_it_and_order_does_not_matter():
    assert ratio(TEXTS * 20) > 5 * ratio(TEXTS)
    assert ratio(TEXTS * 20) == ratio(TEXTS[::-1] * 20)
    assert ratio(TEXTS * 20, compat="diversity") != ratio(sorted(TEXTS * 20), compat="diversity")


def test_the_implementation_is_named_in_the_signature():
    assert "|zlib:" in nlgauge.score(TEXTS, metrics="compression_ratio").signatures["compression_ratio"]


def test_parameters_outside_their_domain():
    with pytest.raises(ParameterError, match=r"compression_ratio: compat.*'xz'"):
        CompressionRatio(compat="xz")
