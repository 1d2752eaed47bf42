"""What the tests of metrics on word vectors share."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge._core.ragged import Array
from nlgauge.metric import Metric
from nlgauge.models.weights import store

CAT = ("the cat is on the mat", "the cat sat on the mat")
OBAMA = ("obama speaks to the media in illinois .", "the president greets the press in chicago .")


def need_glove() -> None:
    """Skips the test where the vectors are not here."""
    if store.location("glove") is None:
        pytest.skip("the word vectors are not in the cache; run: nlgauge models get glove")


def rows(metric: Metric | str, predictions: list[str], references: list[str]) -> Array:
    """(segments, outputs) scores."""
    (table,) = nlgauge.score(predictions, references, metrics=metric)._tables.values()
    return np.column_stack(list(table.segments().values()))
