"""A random BERT that gives one number for a pair of texts."""

from __future__ import annotations

from typing import Any

import transformers

from tiny.bert import bert


def make() -> tuple[Any, Any]:
    return bert(transformers.BertForSequenceClassification, num_labels=1)
