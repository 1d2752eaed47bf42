"""BLEURT's weights under the names that Transformers uses, and BLEURT-20's tokenizer.

The checkpoints of the package bleurt-pytorch call the encoder `bleurt`. If its embeddings are narrower than
its layers, the encoder is a RemBERT (BLEURT-20 and its smaller versions), otherwise a BERT (such as
bleurt-base-128). Google's program computes the tanh approximation of GELU, and bleurt-pytorch the exact GELU.
The configuration has "gelu_new", which is Google's; `bleurt(compat="bleurt-pytorch")` runs the exact
function. BLEURT-20 takes its tokens from a SentencePiece file, for which Transformers 5 has no class.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from nlgauge.errors import MissingExtraError, ModelError

_COPIED = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
    "layer_norm_eps",
    "pad_token_id",
)
_DEFAULTS = {"type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0, "max_position_embeddings": 512}


def converted(state: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights under Transformers' names, and the configuration of the class that reads them."""
    if not any(name.startswith("bleurt.") for name in state):
        raise ModelError(
            "this is not a checkpoint of bleurt-pytorch: no name of a weight starts with 'bleurt.'. Use such a"
            " checkpoint, or another layout."
        )
    narrow = config.get("embedding_size")
    family = "bert" if narrow is None else "rembert"
    renamed = {}
    for name, tensor in state.items():
        if name.endswith("embeddings.position_ids"):
            continue
        new = name.replace("bleurt.", f"{family}.", 1) if name.startswith("bleurt.") else name
        renamed[new.replace("encoder.embedding_projection.", "encoder.embedding_hidden_mapping_in.")] = tensor
    settings = {name: config.get(name, _DEFAULTS.get(name)) for name in _COPIED}
    new_config = {
        **{name: value for name, value in settings.items() if value is not None},
        "model_type": family,
        "hidden_act": "gelu_new",
    }
    new_config |= {
        "architectures": ["RemBertForSequenceClassification" if narrow else "BertForSequenceClassification"]
    }
    new_config |= {"id2label": {"0": "BLEURT"}, "label2id": {"BLEURT": 0}, "classifier_dropout_prob": 0.0}
    if narrow is not None:
        new_config |= {"input_embedding_size": narrow, "output_embedding_size": narrow}
    return renamed, new_config


class SentencePieces:
    """A tokenizer with the pieces and ids of a SentencePiece file, and Transformers' calling convention."""

    def __init__(self, path: Path, model_max_length: int) -> None:
        try:
            processor = importlib.import_module("sentencepiece").SentencePieceProcessor
        except ImportError:
            raise MissingExtraError("sentencepiece", "models", f"the tokenizer {path}") from None
        self._pieces = processor(model_file=str(path))
        self.model_max_length = model_max_length
        self.cls_token_id, self.sep_token_id, self.pad_token_id, self.unk_token_id = map(
            self.convert_tokens_to_ids, ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
        )

    def __call__(
        self, text: str, second: str | None = None, add_special_tokens: bool = True, **_: Any
    ) -> SimpleNamespace:
        """Return an object with `input_ids` of a text or a pair of texts, by default with special tokens."""
        parts = [self._pieces.encode(part) for part in (text, second) if part is not None]
        if not add_special_tokens:
            return SimpleNamespace(input_ids=[token for part in parts for token in part])
        return SimpleNamespace(
            input_ids=[self.cls_token_id, *(token for part in parts for token in (*part, self.sep_token_id))]
        )

    def convert_tokens_to_ids(self, token: str) -> int:
        """Return the id of a piece; the id of the unknown piece if the file does not contain it."""
        return int(self._pieces.piece_to_id(token))


def pieces_tokenizer(directory: Path) -> SentencePieces | None:
    """Return the tokenizer of a converted BLEURT with a SentencePiece file; None for other directories."""
    path, files = directory / "tokenizer_config.json", sorted(directory.glob("*.model"))
    if not path.is_file() or not files or (directory / "tokenizer.json").is_file():
        return None
    config = msgspec.json.decode(path.read_bytes())
    if not str(config.get("tokenizer_class", "")).startswith("Bleurt"):
        return None
    return SentencePieces(files[0], int(min(config.get("model_max_length") or 512, 1_000_000)))
