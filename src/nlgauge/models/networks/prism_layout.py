"""PRISM's checkpoint: a Transformer of fairseq, here one of Transformers' classes, and its tokens:
sentencepiece's pieces, numbered by a dictionary.

A fairseq model that normalises before each block is an M2M100 of Transformers, one that does so afterwards is
an FSMT; `converted` renames weights. fairseq numbers the lines of dict.src.txt from 4; below are <s>, <pad>,
</s> and <unk>.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from nlgauge.errors import ModelError

_FIRST = ("<s>", "<pad>", "</s>", "<unk>")
_PIECES, _DICTIONARY = "spm.model", "dict.src.txt"
# What stands beside PRISM's weights and must be copied with them.
FILES = (_PIECES, _DICTIONARY)
_DROPPED = ("version", "_float_tensor")
# Weights that the checkpoints of some versions hold a second time.
_TWICE = ("in_proj_weight", "in_proj_bias")


class DictionaryTokenizer:
    """sentencepiece's pieces as numbers of fairseq's dictionary, with </s> at the end; called as
    Transformers' tokenisers are.
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
        """The number of a token; that of the unknown one where it is not in the dictionary."""
        return self._ids.get(token, self.unk_token_id)

    def decode(self, ids: list[int]) -> str:
        """The pieces, with spaces for sentencepiece's."""
        return "".join(self._tokens[i] for i in ids).replace("\u2581", " ")


def dictionary_tokenizer(directory: Path) -> DictionaryTokenizer | None:
    """The tokeniser of a directory with a sentencepiece model and a dictionary of fairseq; None of any
    other.
    """
    if not all((directory / name).is_file() for name in FILES):
        return None
    return DictionaryTokenizer(directory)


def converted(state: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The weights under the names that Transformers gives them, and the configuration, from a fairseq
    checkpoint's `model` and its options.

    `config` holds the options under "args", as checkpoints of PRISM's time do, or under "model" in "cfg"; or
    it is the options themselves.
    """
    args: Mapping[str, Any] = config.get("args") or (config.get("cfg") or {}).get("model") or config
    given = args.get
    if given("encoder_normalize_before", False) != given("decoder_normalize_before", False):
        raise ModelError(
            "this checkpoint normalises before the blocks of one half and after those of the other; no model"
            " of Transformers does that."
        )
    for name, expected in (
        ("encoder_learned_pos", False),
        ("decoder_learned_pos", False),
        ("layernorm_embedding", False),
        ("adaptive_input", False),
    ):
        if given(name, expected) != expected:
            raise ModelError(
                f"this checkpoint has {name} {given(name)!r}; PRISM's has {expected!r}, and no other can be"
                " converted."
            )
    first = bool(given("encoder_normalize_before", False))
    # fairseq leaves the last normalisation out where a checkpoint names an early version, or none.
    if first and any(float(state.get(f"{side}.version", [1])[0]) <= 2 for side in ("encoder", "decoder")):
        raise ModelError(
            "this checkpoint is of an early version of fairseq, without a normalisation after the last layer;"
            " PRISM's has one."
        )
    kept = {name: weights for name, weights in state.items() if not _is_dropped(name)}
    return _renamed(kept, first), _configuration(kept, args, first)


def _is_dropped(name: str) -> bool:
    return name.rpartition(".")[2] in (*_DROPPED, *_TWICE)


def _renamed(state: Mapping[str, Any], first: bool) -> dict[str, Any]:
    embedded = {f"{side}.embed_tokens.weight" for side in ("encoder", "decoder")}
    head = "decoder.output_projection.weight"
    found = {
        f"model.{name}": weights
        for name, weights in state.items()
        if not first or name not in (*embedded, head)
    }
    vectors = state["encoder.embed_tokens.weight"]
    # Where the head is the input vectors, some versions do not write it.
    projection = state.get(head, state.get("decoder.embed_tokens.weight", vectors))
    if first:
        return {**found, "model.shared.weight": vectors, "lm_head.weight": projection}
    return {
        **found,
        f"model.{head}": projection,
        "model.decoder.embed_tokens.weight": state.get("decoder.embed_tokens.weight", vectors),
    }


def _configuration(state: Mapping[str, Any], args: Mapping[str, Any], first: bool) -> dict[str, Any]:
    """config.json of the converted model."""
    vectors = state["encoder.embed_tokens.weight"]
    size, width = (int(length) for length in vectors.shape)
    found: dict[str, Any] = {
        "model_type": "m2m_100" if first else "fsmt",
        "architectures": ["M2M100ForConditionalGeneration" if first else "FSMTForConditionalGeneration"],
        "d_model": width,
        "activation_function": args.get("activation_fn", "relu"),
        "scale_embedding": not args.get("no_scale_embedding", False),
        "max_position_embeddings": int(args.get("max_target_positions") or 1024),
        "is_encoder_decoder": True,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
        "decoder_start_token_id": 2,
    }
    for side in ("encoder", "decoder"):
        found |= {
            f"{side}_layers": _layers(state, side),
            f"{side}_attention_heads": int(args[f"{side}_attention_heads"]),
        }
        found[f"{side}_ffn_dim"] = int(state[f"{side}.layers.0.fc1.weight"].shape[0])
    tied = "decoder.output_projection.weight" not in state or _equal(
        state["decoder.output_projection.weight"], vectors
    )
    if first:
        if not tied:
            raise ModelError(
                "the head of this checkpoint is not its input vectors; PRISM's is, and no other can be"
                " converted."
            )
        return {**found, "vocab_size": size, "tie_word_embeddings": True}
    sides = {
        "src_vocab_size": size,
        "tgt_vocab_size": int(state.get("decoder.embed_tokens.weight", vectors).shape[0]),
    }
    return {**found, **sides, "langs": ["en", "en"], "tie_word_embeddings": False}


def _layers(state: Mapping[str, Any], side: str) -> int:
    return 1 + max(int(name.split(".")[2]) for name in state if name.startswith(f"{side}.layers."))


def _equal(one: Any, other: Any) -> bool:
    return one.shape == other.shape and bool((one == other).all())
