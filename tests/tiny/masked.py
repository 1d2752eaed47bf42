"""A random BERT as a masked language model."""

from __future__ import annotations

from typing import Any

import transformers

from tiny.bert import bert


def make() -> tuple[Any, Any]:
    return bert(transformers.BertForMaskedLM)
