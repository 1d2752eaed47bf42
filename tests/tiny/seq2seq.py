"""A small BART whose weights are a closed form, with a byte-level tokenizer trained on the sentences of
the tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import transformers
from strategies import SENTENCES

from tiny.closed_form import fill

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def tokenizer() -> Any:
    """BART's kind of tokenizer."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import TemplateProcessing

    trained = ByteLevelBPETokenizer()
    texts = [text for prediction, references in SENTENCES for text in (prediction, *references)]
    trained.train_from_iterator(texts, vocab_size=400, special_tokens=SPECIALS)
    trained._tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    named = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, model_max_length=128, **named
    )


def write(directory: Path, seed: int) -> None:
    """The model and its tokenizer."""
    sizes = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in (("layers", 2), ("attention_heads", 2), ("ffn_dim", 64))
    }
    given = tokenizer()
    config = transformers.BartConfig(vocab_size=len(given), d_model=32, max_position_embeddings=128, **sizes)
    fill(transformers.BartForConditionalGeneration(config), seed).save_pretrained(directory)
    given.save_pretrained(directory)
