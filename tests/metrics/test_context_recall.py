"""Context recall: the share of the claims of the reference that contexts support."""

from __future__ import annotations

from rag_cases import RECORDS, looking_up

import nlgauge
from nlgauge.metrics.context_recall import ContextRecall
from nlgauge.testing.comparing import rows_of

MODEL_KIND = "chat"
OTHER_MODELS = {"nli": "pair"}
TEST_PARAMETERS = {"calls": "cache=off", "claims": "sentences"}
JUDGED = True
CHANGED_PARAMETERS = {
    "base_url": "local",
    "scoring": "single",
    "calls": "cache=off concurrency=3",
    "claims": "judge",
    "contexts": "passages",
}


def test_the_share_of_the_claims_of_the_reference_whatever_the_answer():
    metric = ContextRecall(model=looking_up(), scoring="single")
    rows = rows_of(nlgauge.score(RECORDS, metrics=metric))
    assert [row["context_recall"] for row in rows] == [0.5, 0, 1, 1]
    assert metric.takes == "pair" and metric.record_fields == ("contexts", "question")
