"""Tokenisers from SentencePiece models: those that sacreBLEU has fetched (flores200, flores101, spBLEU-1K),
or any file (spm:FILE).

Nothing is fetched here. The pieces are those of sacreBLEU, whose tokeniser joins them with blanks and splits
them again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.features.tokens.tokenizers import SACREBLEU_TOKENIZERS, SENTENCEPIECE_TOKENIZERS

# What BLEU and its kin take; a name that begins with spm: may follow.
BLEU_TOKENIZERS = (*SACREBLEU_TOKENIZERS, *SENTENCEPIECE_TOKENIZERS)
_PREFIX = "spm:"


def is_bleu_tokenizer(name: str | None) -> bool:
    """Whether BLEU and its kin take a tokeniser of this name."""
    return name is None or name in BLEU_TOKENIZERS or (name.startswith(_PREFIX) and len(name) > len(_PREFIX))


def described(name: str) -> str:
    """The tokeniser as a signature names it: a model file by its name and the hash of what it holds, not
    by where it lies.
    """
    if not name.startswith(_PREFIX):
        return "flores101" if name == "spm" else name
    path = _model(name)
    return f"{_PREFIX}{path.name}#{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


@cache
def pieces(name: str) -> Callable[[str], list[str]]:
    """What splits a text into the pieces of a model."""
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtraError("sentencepiece", "models", f"the tokeniser {name!r}") from None
    path = _model(name)
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.Load(str(path))
    except (OSError, RuntimeError) as error:
        raise ParameterError(f"{path} is not a SentencePiece model: {error}") from None

    def split(text: str) -> list[str]:
        return " ".join(processor.EncodeAsPieces(text.rstrip())).split()

    return split


def _model(name: str) -> Path:
    """The file of a model, or an error that says where it must be."""
    if name.startswith(_PREFIX):
        path = Path(name.removeprefix(_PREFIX))
        if not path.is_file():
            raise ParameterError(f"cannot find the file {path} of the tokenizer {name!r}.")
        return path
    from sacrebleu import utils
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS

    address = str(SPM_MODELS[name]["url"])
    path = Path(str(utils.SACREBLEU_DIR)) / "models" / address.rpartition("/")[2]
    if not path.is_file():
        raise ParameterError(
            f"the tokeniser {name!r} needs the file {path}; fetch it once from {address}, or name your copy:"
            " tokenizer='spm:FILE'."
        )
    return path
