"""Every number of the specification's vectors stands in the tests; those that stood in no other test are
here.
"""

import json
import re
from pathlib import Path

import pytest

from nlgauge.stats.coefficients import kendall, kendall_c

TESTS = Path(__file__).resolve().parents[1]
VECTORS = TESTS.parents[1] / "shared" / "spec" / "meta-vectors.json"
# What is not held, and why.
LEFT_OUT = {
    "/corr/weightedtau": "a coefficient that the package does not have",
    "/spa/MTME 2x3 test": "depends on the draws of mt-metrics-eval",
    "/darr/thresh1": "stands there as 1 / 3",
    "/normalised_MI (COSMIC Table 2: bart-large-cnn cnn_dailymail I=55.54 H(T|S)=-16.05)": (
        "a ratio above 1, which is refused"
    ),
}


def test_kendall_of_the_example_with_ties():
    gold, metric = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
    assert float(kendall(metric, gold)) == pytest.approx(0.31622776601683794)
    assert float(kendall_c(metric, gold)) == pytest.approx(0.32)


def numbers(value, place=""):
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in numbers(inner, f"{place}/{key}")]
    if isinstance(value, list):
        return [pair for inner in value for pair in numbers(inner, place)]
    return [(place, value)] if isinstance(value, float) and value == value and value != int(value) else []


@pytest.mark.skipif(not VECTORS.is_file(), reason="the specification's vectors are not beside the checkout")
def test_every_vector_is_in_the_tests():
    paths = [path for folder in ("stats", "meta") for path in sorted((TESTS / folder).rglob("*.py"))]
    written = " ".join(path.read_text(encoding="utf-8") for path in paths)
    known = [float(found) for found in re.findall(r"-?\d*\.\d+(?:e-?\d+)?", written)]
    missing = {
        place
        for place, value in numbers(json.loads(VECTORS.read_text(encoding="utf-8")))
        if not any(abs(one - value) <= 1e-4 * abs(value) for one in known)
    }
    assert missing == set(LEFT_OUT)
