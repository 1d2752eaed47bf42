"""Metrics on alignments, fragments and n-gram counts give the same statistics with compiled and with plain
kernels, on real data.

NLGAUGE_TWINS=20 takes twenty times as many texts.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from human_judgments import rows_of
from marks import thorough
from twins import needs_native

import nlgauge
from nlgauge._core import backend
from nlgauge.metrics.meteor import Meteor

pytestmark = [needs_native, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SETS = (
    "bagel",
    *thorough("hanna"),  # long stories
    "primer_dailynews300",
    "realsumm",
    "rose_cnndm",
    "summeval",
    "usr_topicalchat",
    "webnlg2020_en",
    "wmt17_da_seg",
    "wmt19_darr",
    "wmt21_mqm_news",
)
WITH_SOURCE = (
    "coverage",
    "coverage(exhaustive=True)",
    "novelty",
    "novelty(distinct=False)",
    "js_divergence",
    "js_divergence(order=2, smoothing=0.1)",
)
ALONE = ("repetitiveness", "aun", "mattr", "distinct", "self_bleu")
WITH_REFERENCES = ("cider", "cider_d", "nist", "meteor", "meteor(version='2005', compat='nltk')")
WITH_BOTH = ("sari", "sari(compat='original')")


def sample(name: str, most: int) -> list[dict[str, Any]]:
    """Rows with prediction, references and source, spread over the set."""
    most *= int(os.environ.get("NLGAUGE_TWINS") or 1)
    rows = rows_of(name, 20 * most)
    step = max(1, len(rows) // most)
    return [{**row, "prediction": row["better"]["text"]} if "better" in row else row for row in rows[::step]][
        :most
    ]


def statistics(metrics: Any, rows: list[dict[str, Any]], kernels: str) -> dict[str, bytes]:
    """What every segment has of every metric, bit for bit, and every score of a system."""
    references = [row["references"] for row in rows] if rows[0]["references"] else None
    with backend.using(kernels):
        result = nlgauge.score(
            [row["prediction"] for row in rows],
            references,
            sources=[row["source"] for row in rows],
            metrics=metrics,
        )
    found = {str(key): np.array(list(result[key].values())).tobytes() for key in result}
    for key, table in result._tables.items():
        if hasattr(table, "segments"):
            found |= {f"{key} {name}": values.tobytes() for name, values in table.segments().items()}
    return found


@pytest.mark.parametrize("name", SETS)
def test_statistics_are_the_same(name):
    rows = sample(name, {"summeval": 1, "hanna": 3, "webnlg2020_en": 10, "bagel": 5}.get(name, 16))
    metrics = [*WITH_SOURCE, *ALONE, *((*WITH_REFERENCES, *WITH_BOTH) if rows[0]["references"] else ())]
    assert statistics(metrics, rows, "native") == statistics(metrics, rows, "python")


def test_the_beam_is_the_same():
    metrics = [Meteor(compat="jar")]
    for name in ("wmt17_da_seg", "webnlg2020_en"):
        rows = sample(name, 25)
        assert statistics(metrics, rows, "native") == statistics(metrics, rows, "python")
