"""A random GPT-2 of two layers, with a tokenizer trained on the sentences of the tests."""

from __future__ import annotations

from typing import Any

import transformers
from strategies import SENTENCES


def make() -> tuple[Any, Any]:
    from tokenizers import ByteLevelBPETokenizer

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        [text for prediction, references in SENTENCES for text in (prediction, *references)],
        vocab_size=400,
        special_tokens=["<|endoftext|>"],
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=32,
        n_layer=2,
        n_head=2,
        n_positions=128,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=0,
    )
    return transformers.GPT2LMHeadModel(config), tokenizer
