"""A random BERT of two layers over letters and a few words."""

from __future__ import annotations

from typing import Any

import transformers

VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *"abcdefghijklmnopqrstuvwxyz0123456789.,!?'-",
    "the",
    "cat",
    "sat",
    "on",
    "mat",
    "##s",
    "##ing",
]
VOCABULARY += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]


def bert(model: type, **settings: Any) -> tuple[Any, Any]:
    """A BERT of the given class with its tokenizer; further settings are those of its configuration."""
    tokenizer = transformers.BertTokenizerFast(
        vocab={token: i for i, token in enumerate(VOCABULARY)}, model_max_length=128
    )
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 128,
    }
    config = transformers.BertConfig(vocab_size=len(VOCABULARY), initializer_range=0.5, **sizes, **settings)
    return model(config), tokenizer
