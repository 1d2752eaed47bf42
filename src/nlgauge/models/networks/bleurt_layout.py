"""BLEURT's weights, in the names that Transformers' own classes know.

The checkpoints that people use from Python (bleurt-pytorch's) call the encoder `bleurt`. With an embedding
narrower than the layers it is a RemBERT (BLEURT-20 and its smaller forms), else a BERT (bleurt-base-128 and
the like). Google's program computes GELU by its tanh form, the port exactly: the configuration says
"gelu_new", which is Google's, and `bleurt(compat="bleurt-pytorch")` runs the other. BLEURT-20's pieces are
those of a SentencePiece file, for which Transformers 5 has no class.
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
    """The weights under Transformers' names, and the configuration of the class that reads them."""
    if not any(name.startswith("bleurt.") for name in state):
        raise ModelError(
            "this is not a checkpoint of BLEURT as bleurt-pytorch has it: no weight's name begins with"
            " 'bleurt.'."
        )
    narrow = config.get("embedding_size")
    family = "bert" if narrow is None else "rembert"
    renamed = {}
    for name, tensor in state.items():
        if name.endswith("embeddings.position_ids"):
            continue
        own = name.replace("bleurt.", f"{family}.", 1) if name.startswith("bleurt.") else name
        renamed[own.replace("encoder.embedding_projection.", "encoder.embedding_hidden_mapping_in.")] = tensor
    settings = {name: config.get(name, _DEFAULTS.get(name)) for name in _COPIED}
    found = {
        **{name: value for name, value in settings.items() if value is not None},
        "model_type": family,
        "hidden_act": "gelu_new",
    }
    found |= {
        "architectures": ["RemBertForSequenceClassification" if narrow else "BertForSequenceClassification"]
    }
    found |= {"id2label": {"0": "BLEURT"}, "label2id": {"BLEURT": 0}, "classifier_dropout_prob": 0.0}
    if narrow is not None:
        found |= {"input_embedding_size": narrow, "output_embedding_size": narrow}
    return renamed, found


class SentencePieces:
    """A tokeniser that gives the pieces of a SentencePiece file, whose numbers are the model's; called as
    one of Transformers is.
    """

    def __init__(self, path: Path, model_max_length: int) -> None:
        try:
            processor = importlib.import_module("sentencepiece").SentencePieceProcessor
        except ImportError:
            raise MissingExtraError("sentencepiece", "models", f"the tokens of {path}") from None
        self._pieces = processor(model_file=str(path))
        self.model_max_length = model_max_length
        self.cls_token_id, self.sep_token_id, self.pad_token_id, self.unk_token_id = map(
            self.convert_tokens_to_ids, ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
        )

    def __call__(
        self, text: str, second: str | None = None, add_special_tokens: bool = True, **_: Any
    ) -> SimpleNamespace:
        """`input_ids` of a text or a pair of texts, with [CLS] and [SEP] unless they are not wanted."""
        parts = [self._pieces.encode(part) for part in (text, second) if part is not None]
        if not add_special_tokens:
            return SimpleNamespace(input_ids=[token for part in parts for token in part])
        return SimpleNamespace(
            input_ids=[self.cls_token_id, *(token for part in parts for token in (*part, self.sep_token_id))]
        )

    def convert_tokens_to_ids(self, token: str) -> int:
        """The number of a piece; that of the unknown one where there is none."""
        return int(self._pieces.piece_to_id(token))


def pieces_tokenizer(directory: Path) -> SentencePieces | None:
    """The tokeniser of a converted BLEURT of pieces; None where the directory has another."""
    path, files = directory / "tokenizer_config.json", sorted(directory.glob("*.model"))
    if not path.is_file() or not files or (directory / "tokenizer.json").is_file():
        return None
    said = msgspec.json.decode(path.read_bytes())
    if not str(said.get("tokenizer_class", "")).startswith("Bleurt"):
        return None
    return SentencePieces(files[0], int(min(said.get("model_max_length") or 512, 1_000_000)))
