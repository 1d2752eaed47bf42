"""A random BERT as an encoder."""

from __future__ import annotations

from typing import Any

import transformers

from tiny.bert import bert


def make() -> tuple[Any, Any]:
    return bert(transformers.BertModel)
