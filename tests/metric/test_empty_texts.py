"""One rule for all string metrics: a text in which the metric's tokenizer finds no token scores as the
empty text.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any

import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric import Metric
from nlgauge.metric.registry import metric_classes
from nlgauge.testing.of_values import has_model

NOTHING = ["", " ", "\n", "\u200b\u200b", "\u200d", "\ufeff", "?!", "...", "\u00ad", "\ufe0f"]
# The tokens of metrics that have no parameter for them.
FIXED = {
    **dict.fromkeys(("accuracy", "precision", "recall", "f1"), "unicode"),
    **dict.fromkeys(("wer", "mer", "wil", "wip"), "jiwer"),
    "cer": "stripped-characters",
    "chrf": "visible-characters",
    "squad": "squad",
    "ter": "whitespace",
    "character": "whitespace",
}
# Their texts are compared sign by sign, or have words of their own kind.
TOKENLESS = {
    "exact_match",
    "eed",
    "levenshtein",
    "compression_ratio",
    "ari",
    "coleman_liau",
    "flesch_kincaid",
    "flesch_reading_ease",
    "gunning_fog",
    "smog",
}
STRINGS = {name: metric for name, metric in metric_classes().items() if not has_model(metric)}
TOKENIZERS = {
    name: FIXED.get(name) or getattr(metric(), "tokenizer", None) or "13a"
    for name, metric in STRINGS.items()
    if name not in TOKENLESS and issubclass(metric, Metric)
}
CASES = [
    *TOKENIZERS.items(),
    ("cder", "punctuated"),
    ("levenshtein", "unicode"),
    ("gleu", "13a"),
    ("meteor", "punctuated"),
]


@pytest.mark.parametrize(("name", "tokenizer"), CASES)
def test_texts_without_a_token_score_as_empty_ones(name, tokenizer):
    given: dict[str, Any] = (
        {"tokenizer": tokenizer} if "tokenizer" in (f.name for f in fields(STRINGS[name])) else {}
    )
    nothing = [text for text in NOTHING if not Tokens(tokenizer).of(text)]
    assert len(nothing) > 1
    pairs = [
        *product(nothing, nothing),
        *((text, "the cat") for text in nothing),
        *(("the cat", text) for text in nothing),
    ]
    # A second segment keeps fits of document frequencies defined.
    texts = [[*side, "the cat sat"] for side in zip(*pairs, strict=True)]
    table = rows_by_label(nlgauge.score(texts[0], texts[1], texts[1], metrics=STRINGS[name](**given)))
    found = [
        {key: value for key, value in row.items() if key not in ("segment", "system")} for row in table[:-1]
    ]
    empty = {side: found[pairs.index(side)] for side in (("", ""), ("", "the cat"), ("the cat", ""))}
    for pair, row in zip(pairs, found, strict=True):
        side = (pair[0] if pair[0] == "the cat" else "", pair[1] if pair[1] == "the cat" else "")
        assert row == pytest.approx(empty[side], abs=0, rel=0, nan_ok=True), pair
