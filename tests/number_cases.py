"""A metric that reads its score from the prediction, so that tests choose the scores; an empty prediction has
none.
"""

from __future__ import annotations

import math

import nlgauge


def _number(prediction: str) -> float:
    return float(prediction) if prediction else math.nan


NUMBER = nlgauge.metric_from(_number, name="number", needs=None, higher_is_better=True)
