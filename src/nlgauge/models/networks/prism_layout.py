"""PRISM's checkpoint, converted from fairseq to Transformers, and its tokenizer.

A fairseq model that normalizes before each block becomes an M2M100 of Transformers, and a model that
normalizes after each block becomes an FSMT; `converted` renames the weights. Tokens are the pieces of
sentencepiece, with the ids of fairseq's dictionary: the lines of dict.src.txt have the ids from 4 on, and 0
to 3 are <s>, <pad>, </s> and <unk>.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from nlgauge.errors import ModelError

# Positions are sines, which need no training: the authors' program reads this many tokens, whatever the checkpoint says.
_POSITIONS = 2000
_FIRST = ("<s>", "<pad>", "</s>", "<unk>")
_PIECES, _DICTIONARY = "spm.model", "dict.src.txt"
# Files next to PRISM's weights that must be copied with them.
FILES = (_PIECES, _DICTIONARY)
_DROPPED = ("version", "_float_tensor")
# Weights that the checkpoints of some versions contain twice.
_TWICE = ("in_proj_weight", "in_proj_bias")


class DictionaryTokenizer:
    """A tokenizer of sentencepiece's pieces with the ids of fairseq's dictionary, and </s> at the end.

    It has the calling convention of Transformers.
    """

    bos_token_id, pad_token_id, eos_token_id, unk_token_id = range(4)

    def __init__(self, directory: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        self._pieces = SentencePieceProcessor(model_file=str(directory / _PIECES))
        lines = (directory / _DICTIONARY).read_text("utf-8").split("\n")
        self._tokens = [*_FIRST, *(line.rsplit(" ", 1)[0] for line in lines if line)]
        self._ids = {token: i for i, token in reversed(list(enumerate(self._tokens)))}

    def __call__(self, text: str, add_special_tokens: bool = True, **_: Any) -> Any:
        pieces = self._pieces.encode(text, out_type=str)
        ids = [self._ids.get(piece, self.unk_token_id) for piece in pieces]
        return SimpleNamespace(input_ids=[*ids, self.eos_token_id] if add_special_tokens else ids)

    def convert_tokens_to_ids(self, token: str) -> int:
        """Return the id of a token; the id of <unk> if the dictionary does not contain it."""
        return self._ids.get(token, self.unk_token_id)

    def decode(self, ids: list[int]) -> str:
        """Return the text of the pieces, with spaces instead of sentencepiece's marks."""
        return "".join(self._tokens[i] for i in ids).replace("\u2581", " ")


def dictionary_tokenizer(directory: Path) -> DictionaryTokenizer | None:
    """Return the tokenizer of a directory with a sentencepiece model and fairseq's dictionary, or None."""
    if not all((directory / name).is_file() for name in FILES):
        return None
    return DictionaryTokenizer(directory)


def converted(state: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights under Transformers' names, and the configuration, of a fairseq checkpoint.

    `state` is the checkpoint's `model`. `config` has the options under "args", as checkpoints of PRISM's
    time, or under "model" in "cfg", or it is the options themselves.
    """
    args: Mapping[str, Any] = config.get("args") or (config.get("cfg") or {}).get("model") or config
    option = args.get
    if option("encoder_normalize_before", False) != option("decoder_normalize_before", False):
        raise ModelError(
            "this checkpoint normalizes before the blocks in one half and after the blocks in the other;"
            " it cannot be converted, because no model of Transformers does that."
        )
    for name, expected in (
        ("encoder_learned_pos", False),
        ("decoder_learned_pos", False),
        ("layernorm_embedding", False),
        ("adaptive_input", False),
    ):
        if option(name, expected) != expected:
            raise ModelError(
                f"this checkpoint has {name} {option(name)!r}; only {expected!r}, the value of PRISM, can be"
                " converted."
            )
    first = bool(option("encoder_normalize_before", False))
    # fairseq omits the last normalization if a checkpoint names an early version, or no version.
    if first and any(float(state.get(f"{side}.version", [1])[0]) <= 2 for side in ("encoder", "decoder")):
        raise ModelError(
            "this checkpoint is from an early version of fairseq, without the normalization after the last"
            " layer that PRISM has; it cannot be converted."
        )
    tensors = {name: weights for name, weights in state.items() if not _is_dropped(name)}
    return _renamed(tensors, first), _configuration(tensors, args, first)


def _is_dropped(name: str) -> bool:
    return name.rpartition(".")[2] in (*_DROPPED, *_TWICE)


def _renamed(state: Mapping[str, Any], first: bool) -> dict[str, Any]:
    embedded = {f"{side}.embed_tokens.weight" for side in ("encoder", "decoder")}
    head = "decoder.output_projection.weight"
    renamed = {
        f"model.{name}": weights
        for name, weights in state.items()
        if not first or name not in (*embedded, head)
    }
    vectors = state["encoder.embed_tokens.weight"]
    # If the head is tied to the input embeddings, some versions do not write it.
    projection = state.get(head, state.get("decoder.embed_tokens.weight", vectors))
    if first:
        return {**renamed, "model.shared.weight": vectors, "lm_head.weight": projection}
    return {
        **renamed,
        f"model.{head}": projection,
        "model.decoder.embed_tokens.weight": state.get("decoder.embed_tokens.weight", vectors),
    }


def _configuration(state: Mapping[str, Any], args: Mapping[str, Any], first: bool) -> dict[str, Any]:
    """Return the configuration of the converted model."""
    vectors = state["encoder.embed_tokens.weight"]
    size, width = (int(length) for length in vectors.shape)
    config: dict[str, Any] = {
        "model_type": "m2m_100" if first else "fsmt",
        "architectures": ["M2M100ForConditionalGeneration" if first else "FSMTForConditionalGeneration"],
        "d_model": width,
        "activation_function": args.get("activation_fn", "relu"),
        "scale_embedding": not args.get("no_scale_embedding", False),
        "max_position_embeddings": _POSITIONS,
        "is_encoder_decoder": True,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
        "decoder_start_token_id": 2,
    }
    for side in ("encoder", "decoder"):
        config |= {
            f"{side}_layers": _layers(state, side),
            f"{side}_attention_heads": int(args[f"{side}_attention_heads"]),
        }
        config[f"{side}_ffn_dim"] = int(state[f"{side}.layers.0.fc1.weight"].shape[0])
    tied = "decoder.output_projection.weight" not in state or _equal(
        state["decoder.output_projection.weight"], vectors
    )
    if first:
        if not tied:
            raise ModelError(
                "the head of this checkpoint is not tied to its input embeddings as in PRISM, so it cannot be"
                " converted."
            )
        return {**config, "vocab_size": size, "tie_word_embeddings": True}
    sides = {
        "src_vocab_size": size,
        "tgt_vocab_size": int(state.get("decoder.embed_tokens.weight", vectors).shape[0]),
    }
    return {**config, **sides, "langs": ["en", "en"], "tie_word_embeddings": False}


def _layers(state: Mapping[str, Any], side: str) -> int:
    return 1 + max(int(name.split(".")[2]) for name in state if name.startswith(f"{side}.layers."))


def _equal(first: Any, second: Any) -> bool:
    return first.shape == second.shape and bool((first == second).all())
