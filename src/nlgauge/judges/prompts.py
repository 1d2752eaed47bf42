"""Prompts: templates as data files, with their version, source and license; and how a text is put into one.

{prediction}, {reference}, {source} and further names in braces are replaced in one pass, so that braces
inside a text stay what they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from nlgauge.errors import InputError, ParameterError
from nlgauge.judges.reading import Expected, Scale
from nlgauge.judges.requests import Message

_PLACE = re.compile(r"\{(\w+)\}")
TEXTS = ("prediction", "reference", "source")


class _Turn(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    content: str


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """A prompt as it is written in a file."""

    prompt: str
    version: int = 1
    title: str = ""
    source: str = ""
    license: str = ""
    system: str = ""
    before: list[_Turn] = []
    # The lowest and the highest whole number, or words with their values.
    scale: list[int] | dict[str, float] = msgspec.field(default_factory=lambda: [1, 5])
    # Without levels any number of the scale may be the reply.
    levels: bool = True
    mark: str = ""
    max_tokens: int = 16
    higher_is_better: bool | None = True


@dataclass(frozen=True)
class Prompt:
    """A template: what stands before it, the text with places to fill, what replies are expected, and
    where it is from.
    """

    text: str
    expects: Expected
    before: tuple[Message, ...] = ()
    title: str = ""
    version: str = "1"
    max_tokens: int = 16
    higher_is_better: bool | None = True

    @property
    def places(self) -> set[str]:
        """The names of the texts that are filled in."""
        return {
            name for text in (self.text, *(text for _, text in self.before)) for name in _PLACE.findall(text)
        }

    @property
    def sha(self) -> str:
        """The hash of all that is the same for every row."""
        return hashlib.sha256(
            msgspec.json.encode([self.before, self.text, self.expects.mark, self.expects.scale.levels])
        ).hexdigest()

    def filled(self, texts: Mapping[str, str]) -> Prompt:
        """The prompt with those places filled that are the same for every row."""
        before = tuple((role, fill(text, texts)) for role, text in self.before)
        return replace(self, text=fill(self.text, texts), before=before)

    def render(self, texts: Mapping[str, str]) -> str:
        """The words that are sent for one row."""
        return fill(self.text, texts)


def fill(template: str, texts: Mapping[str, str]) -> str:
    """The template with names in braces replaced by texts; other braces stay.

    >>> fill("{a} {b} {c}", {"a": "{b}", "b": "x"})
    '{b} x {c}'
    """
    return _PLACE.sub(lambda found: texts.get(found.group(1), found.group(0)), template)


@cache
def ready(name: str) -> Prompt:
    """A prompt that comes with this package."""
    return _prompt(name, (files("nlgauge") / "data" / "judges" / f"{name}.toml").read_bytes())


def from_file(path: str) -> Prompt:
    """The prompt of a user's file: TOML with at least `prompt`, in which {prediction} stands."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read the prompt {path!r}: {getattr(error, 'strerror', None) or error}."
        ) from None
    found = _prompt(path, data)
    unknown = found.places - set(TEXTS)
    if "prediction" not in found.places or unknown:
        wrong = f"{{{min(unknown)}}} is none of them" if unknown else "{prediction} is missing"
        raise ParameterError(
            f"the prompt {path!r} may have the places {{prediction}}, {{reference}} and {{source}}; {wrong}."
        )
    return found


def _prompt(name: str, data: bytes) -> Prompt:
    try:
        given = msgspec.toml.decode(data, type=_File)
    except msgspec.MsgspecError as error:
        raise ParameterError(
            f"the prompt {name!r} cannot be read as TOML with `prompt` in it: {error}"
        ) from None
    except UnicodeDecodeError:
        raise ParameterError(f"the prompt {name!r} is not UTF-8.") from None
    before = ((("system", given.system),) if given.system else ()) + tuple(
        (turn.role, turn.content) for turn in given.before
    )
    if any(role not in ("system", "user", "assistant") for role, _ in before):
        raise ParameterError(f"the prompt {name!r} has a role other than system, user and assistant.")
    expects = Expected(_scale(name, given), given.mark)
    # A file ends with a newline that was not meant.
    text = given.prompt.removesuffix("\n")
    return Prompt(
        text, expects, before, given.title, str(given.version), given.max_tokens, given.higher_is_better
    )


def _scale(name: str, given: _File) -> Scale:
    scale = given.scale
    if isinstance(scale, dict):
        if len(set(scale.values())) < 2:
            raise ParameterError(f"the prompt {name!r} must have a scale with two values or more.")
        return Scale.of(scale)
    if len(scale) != 2 or not scale[0] < scale[1]:
        raise ParameterError(
            f"the prompt {name!r} must have a scale of two numbers, the lower one first, got {scale}."
        )
    return Scale.between(*scale) if given.levels else Scale((), *map(float, scale))
