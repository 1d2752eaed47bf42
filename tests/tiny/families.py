"""Small models of several families with weights by a closed form, which hang on no random generator: for
numbers of other people's programs.
"""

from __future__ import annotations

from typing import Any

import torch
import transformers
from strategies import SENTENCES
from tokenizers import ByteLevelBPETokenizer

from tiny.bert import VOCABULARY

TEXTS = [text for prediction, references in SENTENCES for text in (prediction, *references)]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
# Pieces with their scores: special ones, the mark of a space, letters, two words.
_LETTERS = sorted({letter for text in TEXTS for letter in text if letter != " "})
PIECES = [(name, 0.0) for name in ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")] + [("▁", -2.0)]
PIECES += [(letter, -3.0 - i / 100) for i, letter in enumerate(_LETTERS)] + [("▁the", -1.0), ("▁cat", -1.5)]


def filled(model: Any, scale: float = 0.4) -> Any:
    """The model with sines of each weight's place squared as its weights, around 1 where a layer is
    normalized.
    """
    with torch.no_grad():
        for number, (name, parameter) in enumerate(model.named_parameters(), 1):
            places = torch.arange(1, parameter.numel() + 1, dtype=torch.float64)
            values = scale * torch.sin((places % 1009) ** 2 / 10 + number).reshape(parameter.shape)
            parameter.copy_(values / 4 + 1 if "norm" in name.lower() and name.endswith("weight") else values)
    return model.eval()


def tokenizer_of(family: str, length: int = 64) -> Any:
    """The family's tokenizer, with a vocabulary of a few pieces."""
    if family == "bert":
        return transformers.BertTokenizer(
            vocab={token: i for i, token in enumerate(VOCABULARY)}, model_max_length=length
        )
    if family == "roberta":
        trained = ByteLevelBPETokenizer()
        trained.train_from_iterator(
            TEXTS, vocab_size=400, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        )
        made = transformers.RobertaTokenizer(
            vocab=trained.get_vocab(), merges=_merges(trained), model_max_length=length
        )
    elif family == "albert":
        renamed = {"[PAD]": "<pad>", "[UNK]": "<unk>"}
        made = transformers.AlbertTokenizer(
            vocab=[(renamed.get(piece, piece), score) for piece, score in PIECES], model_max_length=length
        )
    else:
        kind = {"deberta-v2": transformers.DebertaV2Tokenizer, "rembert": transformers.RemBertTokenizer}[
            family
        ]
        made = kind(vocab=PIECES, model_max_length=length)
    return made


def model_of(family: str, kind: str = "ForSequenceClassification", **settings: Any) -> Any:
    """The family's model of a kind, by default one that classifies pairs; settings are those of its
    configuration.
    """
    name = {
        "bert": "Bert",
        "roberta": "Roberta",
        "albert": "Albert",
        "deberta-v2": "DebertaV2",
        "rembert": "RemBert",
    }[family]
    vocabulary = len(VOCABULARY) if family == "bert" else len(tokenizer_of(family))
    given = {
        **SIZES,
        "vocab_size": vocabulary,
        "max_position_embeddings": 66 if family == "roberta" else 64,
        **settings,
    }
    if family in ("albert", "rembert"):
        given = {"embedding_size": 16, "input_embedding_size": 16, "output_embedding_size": 16, **given}
    if family == "roberta":
        given = {"type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, **given}
    config = getattr(transformers, f"{name}Config")(**given)
    return filled(getattr(transformers, f"{name}{kind}")(config))


def _merges(trained: Any) -> list[tuple[str, str]]:
    import json

    found = json.loads(trained._tokenizer.to_str())["model"]["merges"]
    return [tuple(merge) if isinstance(merge, list) else tuple(merge.split(" ")) for merge in found]
