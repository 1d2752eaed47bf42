"""A random BERT that tells correct and incorrect sentences apart."""

from __future__ import annotations

from typing import Any

import transformers

from tiny.bert import bert


def make() -> tuple[Any, Any]:
    return bert(transformers.BertForSequenceClassification, id2label={0: "CORRECT", 1: "INCORRECT"})
