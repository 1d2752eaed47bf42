"""Tokenizers from SentencePiece models: the models that sacreBLEU has downloaded (flores200, flores101,
spBLEU-1K), or any file (spm:FILE).

Nothing is downloaded here. The pieces are equal to sacreBLEU's, whose tokenizer joins them with blanks and
splits them again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.features.tokens.functions import is_function
from nlgauge.features.tokens.tokenizers import SACREBLEU_TOKENIZERS, SENTENCEPIECE_TOKENIZERS

if TYPE_CHECKING:
    from pathlib import Path

# Tokenizers of BLEU and related metrics; a name that begins with spm: is also accepted.
BLEU_TOKENIZERS = (*SACREBLEU_TOKENIZERS, *SENTENCEPIECE_TOKENIZERS)
_PREFIX = "spm:"


def is_bleu_tokenizer(name: str | None) -> bool:
    """Return True if BLEU and related metrics accept a tokenizer of this name."""
    if is_function(name):
        return True
    return name is None or name in BLEU_TOKENIZERS or (name.startswith(_PREFIX) and len(name) > len(_PREFIX))


def described(name: str) -> str:
    """Return the tokenizer as a signature names it: a model file by its name and the hash of its content,
    without its directory, and a dictionary with its version, as in sacreBLEU.
    """
    if name.endswith("-mecab"):
        return _with_dictionary(name)
    if not name.startswith(_PREFIX):
        return "flores101" if name == "spm" else name
    import hashlib

    path = _model(name)
    return f"{_PREFIX}{path.name}#{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


@cache
def _with_dictionary(name: str) -> str:
    from sacrebleu.metrics.bleu import _get_tokenizer

    try:
        return str(_get_tokenizer(name)().signature())
    except (ImportError, RuntimeError):  # without the dictionary there are no scores that need its version
        return name


@cache
def pieces(name: str) -> Callable[[str], list[str]]:
    """Return the function that splits a text into the pieces of a model."""
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtraError("sentencepiece", "models", f"the tokenizer {name!r}") from None
    path = _model(name)
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.Load(str(path))
    except (OSError, RuntimeError) as error:
        raise ParameterError(
            f"{path} is not a SentencePiece model ({error}); specify another file with spm:FILE."
        ) from None

    def split(text: str) -> list[str]:
        return " ".join(processor.EncodeAsPieces(text.rstrip())).split()

    return split


def _model(name: str) -> Path:
    """Return the file of a model, or raise an error with its expected path."""
    from pathlib import Path

    if name.startswith(_PREFIX):
        path = Path(name.removeprefix(_PREFIX))
        if not path.is_file():
            raise ParameterError(
                f"cannot find the file {path} of the tokenizer {name!r}; use the path of a SentencePiece model."
            )
        return path
    from sacrebleu import utils
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS

    address = str(SPM_MODELS[name]["url"])
    path = Path(str(utils.SACREBLEU_DIR)) / "models" / address.rpartition("/")[2]
    if not path.is_file():
        raise ParameterError(
            f"the tokenizer {name!r} needs the file {path}; download it once from {address}, or use"
            " a local copy with tokenizer='spm:FILE'."
        )
    return path
