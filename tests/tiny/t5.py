"""A small T5 whose weights are a closed form, with a tokenizer over letters and the words that questions
are answered with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import transformers

from tiny.closed_form import fill

WORDS = (
    "Yes No the cat sat on mat. is question: this premise: hypothesis: source: candidate: reference: summary:"
    " document: claim:"
)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?':%$()-"
PIECES = [
    "<pad>",
    "</s>",
    "<unk>",
    "▁",
    *(f"▁{word}" for word in WORDS.split()),
    *LETTERS,
    "▁1",
    "▁0",
    "he",
    "in",
    "at",
    "er",
]


def tokenizer() -> Any:
    """T5's kind of tokenizer: the likeliest pieces, </s> at the end and also in the middle where a text
    has it.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    scores = [
        0.0 if piece.startswith("<") else -20.0 / len(piece) - i / 1000 for i, piece in enumerate(PIECES)
    ]
    made = Tokenizer(models.Unigram(list(zip(PIECES, scores, strict=True)), unk_id=2))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    named = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **named)


def model(kind: Any, vocabulary: int, width: int, **options: Any) -> Any:
    """A T5 or mT5 of two layers."""
    sizes = {"d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 2}
    config = kind.config_class(
        vocab_size=vocabulary,
        d_model=width,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        **sizes,
        **options,
    )
    return kind(config)


def write(directory: Path, seed: int) -> None:
    """The model, whose head is its input vectors, as the first T5's, and its tokenizer."""
    given = tokenizer()
    fill(model(transformers.T5ForConditionalGeneration, len(given), 32), seed, 0.5).save_pretrained(directory)
    given.save_pretrained(directory)
