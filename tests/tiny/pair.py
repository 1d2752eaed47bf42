"""A random BERT that tells contradiction, neutral and entailment apart."""

from __future__ import annotations

from typing import Any

import transformers

from tiny.bert import bert


def make() -> tuple[Any, Any]:
    return bert(
        transformers.BertForSequenceClassification,
        id2label={0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"},
    )
