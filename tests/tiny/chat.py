"""A random GPT-2 of two layers that reads long prompts, through a chat template; its tokens are mostly
single bytes, so that levels are tokens.
"""

from __future__ import annotations

from typing import Any

import transformers
from strategies import SENTENCES

TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}\n{% endfor %}{% if add_generation_prompt"
    " %}<assistant>{% endif %}"
)


def make() -> tuple[Any, Any]:
    from tokenizers import ByteLevelBPETokenizer

    texts = [text for prediction, references in SENTENCES for text in (prediction, *references)]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        [*texts, *["Yes No Yes No"] * 20], vocab_size=500, special_tokens=["<|endoftext|>"]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )
    tokenizer.chat_template = TEMPLATE
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=1024,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=0,
    )
    return transformers.GPT2LMHeadModel(config), tokenizer
