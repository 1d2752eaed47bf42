"""Prompts: templates in data files, with version, source and license, and how texts are inserted.

{prediction}, {reference}, {source} and the names of further fields of the records in braces, such as
{contexts}, are replaced in one pass, so that braces inside a text stay unchanged.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from nlgauge.corpus.records import names_by_role
from nlgauge.errors import InputError, ParameterError
from nlgauge.judges.reading import Expected, Scale
from nlgauge.judges.requests import Message

_PLACE = re.compile(r"\{(\w+)\}")
TEXTS = ("prediction", "reference", "source")


class _Turn(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    content: str


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """Content of a prompt file."""

    prompt: str
    version: int = 1
    title: str = ""
    source: str = ""
    license: str = ""
    system: str = ""
    before: list[_Turn] = []
    # Lowest and highest whole number, or words with their values.
    scale: list[int] | dict[str, float] = msgspec.field(default_factory=lambda: [1, 5])
    # Without levels, the reply may be any number within the scale.
    levels: bool = True
    mark: str = ""
    max_tokens: int = 16
    higher_is_better: bool | None = True
    # The reply is a JSON list of errors, and the scale follows from their weights.
    errors: bool = False


@dataclass(frozen=True)
class Prompt:
    """Template: messages before it, text with placeholders, expected replies, title and version.

    With `errors`, a reply lists errors, and `expects` has no rule that reads it.
    """

    text: str
    expects: Expected
    before: tuple[Message, ...] = ()
    title: str = ""
    version: str = "1"
    max_tokens: int = 16
    higher_is_better: bool | None = True
    errors: bool = False

    @property
    def places(self) -> set[str]:
        """Names of the placeholders."""
        return {
            name for text in (self.text, *(text for _, text in self.before)) for name in _PLACE.findall(text)
        }

    @property
    def sha(self) -> str:
        """Hash of everything that is the same for every row."""
        same = [self.before, self.text, self.expects.mark, self.expects.scale.levels]
        return hashlib.sha256(msgspec.json.encode([*same, "errors"] if self.errors else same)).hexdigest()

    def filled(self, texts: Mapping[str, str]) -> Prompt:
        """Return the prompt with the placeholders filled whose text is the same for every row."""
        before = tuple((role, fill(text, texts)) for role, text in self.before)
        return replace(self, text=fill(self.text, texts), before=before)

    def render(self, texts: Mapping[str, str]) -> str:
        """Return the text that is sent for one row."""
        return fill(self.text, texts)


def fill(template: str, texts: Mapping[str, str]) -> str:
    """Replace names in braces by texts; other braces stay unchanged.

    >>> fill("{a} {b} {c}", {"a": "{b}", "b": "x"})
    '{b} x {c}'
    """
    return _PLACE.sub(lambda match: texts.get(match.group(1), match.group(0)), template)


def passages(texts: Sequence[str]) -> str:
    """Return the texts of a field as a prompt shows them: several texts as numbered passages.

    >>> passages(["Open 9 to 5."]), passages(["a", "b"]), passages([])
    ('Open 9 to 5.', '[1] a\\n\\n[2] b', '(none)')
    """
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1)) or "(none)"


@cache
def ready(name: str) -> Prompt:
    """Return a prompt that comes with this package."""
    return _prompt(name, (files("nlgauge") / "data" / "judges" / f"{name}.toml").read_bytes())


def from_file(path: str) -> Prompt:
    """Return the prompt of a user's file: TOML with at least `prompt`, which contains {prediction} or a usual name for it."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read the prompt {path!r}: {getattr(error, 'strerror', None) or error}."
        ) from None
    prompt = _prompt(path, data)
    if not prompt.places & set(names_by_role()["prediction"]):
        raise ParameterError(
            f"the prompt {path!r} has no placeholder {{prediction}}; it must have {{prediction}}, and may have"
            " {reference}, {source} and names of fields of the records, such as {contexts}."
        )
    return prompt


def _prompt(name: str, data: bytes) -> Prompt:
    try:
        file = msgspec.toml.decode(data, type=_File)
    except msgspec.MsgspecError as error:
        raise ParameterError(
            f"the prompt {name!r} is not a valid TOML file of a prompt: {str(error).rstrip('.')}."
        ) from None
    except UnicodeDecodeError:
        raise ParameterError(f"the prompt {name!r} is not encoded in UTF-8; save it as UTF-8.") from None
    before = ((("system", file.system),) if file.system else ()) + tuple(
        (turn.role, turn.content) for turn in file.before
    )
    for role, _ in before:
        if role not in ("system", "user", "assistant"):
            raise ParameterError(
                f"the prompt {name!r} has the role {role!r:.60}; a role must be system, user or assistant."
            )
    if file.errors and file.mark:
        raise ParameterError(
            f"the prompt {name!r} lists errors, and cannot have a mark; leave out mark or errors."
        )
    expects = Expected(Scale((), -math.inf, 0.0) if file.errors else _scale(name, file), file.mark)
    # The newline at the end of a file is not part of the prompt.
    text = file.prompt.removesuffix("\n")
    return Prompt(
        text,
        expects,
        before,
        file.title,
        str(file.version),
        file.max_tokens,
        True if file.errors else file.higher_is_better,
        file.errors,
    )


def _scale(name: str, file: _File) -> Scale:
    scale = file.scale
    if isinstance(scale, dict):
        if len(set(scale.values())) < 2:
            raise ParameterError(
                f"the prompt {name!r} must have a scale with at least two different values, got {scale}."
            )
        return Scale.of(scale)
    if len(scale) != 2 or not scale[0] < scale[1]:
        raise ParameterError(
            f"the prompt {name!r} must have a scale of two numbers, the lower number first, got {scale}."
        )
    return Scale.between(*scale) if file.levels else Scale((), *map(float, scale))
