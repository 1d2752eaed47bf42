"""Request and raw replies: what is asked, under which key the answer is kept, and what an answer holds,
in the shape of OpenAI's chat completions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar

import msgspec

# Raised when a key comes to mean something else.
_VERSION = 2
# OpenAI's own limit, which most servers share.
TOP_TOKENS = 20
# Rounding may leave a probability a little above 1.
_HIGHEST_LOGPROB = 0.01
# A level is one token, before which a blank or two may stand.
FIRST_TOKENS = 3

Message = tuple[str, str]
Failure = Literal["", "unparsed", "refused", "too_long", "failed", "not_asked"]


@dataclass(frozen=True)
class Request:
    """One request: messages as (role, text), and how the reply is drawn.

    `choices` replies are asked for at once.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    top_tokens: int = 0
    choices: int = 1

    def sample(self, index: int) -> Request:
        """The request for one sample: the next sample has the next seed."""
        return replace(self, seed=self.seed + index, choices=1)

    def body(self, model: str, limit_field: str = "max_tokens") -> dict[str, Any]:
        """The JSON of the request."""
        found: dict[str, Any] = {
            "model": model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "temperature": self.temperature,
            "top_p": self.top_p,
            limit_field: self.max_tokens,
            "seed": self.seed,
        }
        if self.choices > 1:
            found["n"] = self.choices
        if self.top_tokens:
            found |= {"logprobs": True, "top_logprobs": self.top_tokens}
        return found

    @property
    def size(self) -> int:
        """The bytes of its texts, of which about three are a token in any script."""
        return sum(len(text.encode()) for _, text in self.messages)

    @property
    def characters(self) -> int:
        """The characters of its texts."""
        return sum(len(text) for _, text in self.messages)

    def key(self, where: str, model: str, index: int) -> str:
        """Hash everything that decides the reply of one sample; how many are asked for at once does not."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "choices"}
        facts = {"version": _VERSION, "where": where, "model": model, "sample": index, **own}
        return hashlib.sha256(msgspec.json.encode(facts, order="deterministic")).hexdigest()


class BrokenReply(Exception):
    """A response or a cached reply that does not have the shape of a chat completion."""


class _Alternative(msgspec.Struct, omit_defaults=True):
    token: str
    logprob: float | None = None


class _Token(msgspec.Struct, omit_defaults=True):
    token: str
    logprob: float | None = None
    top_logprobs: list[_Alternative] | None = None


class _LogProbabilities(msgspec.Struct, omit_defaults=True):
    content: list[_Token] | None = None


class _Message(msgspec.Struct, omit_defaults=True):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, omit_defaults=True):
    message: _Message
    finish_reason: str | None = None
    logprobs: _LogProbabilities | None = None


class Response(msgspec.Struct):
    """The fields of a chat completion that are read; all others are ignored."""

    choices: list[_Choice]
    usage: Any = None
    system_fingerprint: Any = None
    model: Any = None


class _Reply(msgspec.Struct, omit_defaults=True):
    """One sample as it is cached."""

    choice: _Choice
    system_fingerprint: str | None = None
    model: str | None = None


Shape = TypeVar("Shape", Response, _Reply)


def response_of(data: bytes | Mapping[str, Any]) -> Response:
    """Read the JSON of a server, or the dictionary of a client, as a response."""
    return _shaped(data, Response)


def cached_reply(data: bytes) -> dict[str, Any]:
    """Read a reply from the cache."""
    return _plain(_shaped(data, _Reply))


def _shaped(data: bytes | Mapping[str, Any], shape: type[Shape]) -> Shape:
    try:
        found = (
            msgspec.json.decode(data, type=shape)
            if isinstance(data, bytes)
            else msgspec.convert(data, type=shape)
        )
        msgspec.json.encode(
            found.choices if isinstance(found, Response) else found
        )  # a lone surrogate cannot be cached
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BrokenReply(str(error)) from None
    for choice in found.choices if isinstance(found, Response) else [found.choice]:
        for logprob in _logprobs(choice):
            if logprob is not None and not logprob <= _HIGHEST_LOGPROB:
                raise BrokenReply(f"a token has the log-probability {logprob:g}, which is above 0")
    return found


def _logprobs(choice: _Choice) -> Iterator[float | None]:
    if choice.logprobs is not None:
        for place in choice.logprobs.content or []:
            yield place.logprob
            yield from (alternative.logprob for alternative in place.top_logprobs or [])


def _plain(reply: _Reply) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(reply)
    return found


def failed(failure: Failure, why: str) -> dict[str, Any]:
    """Make the stand-in for a reply that does not exist; it is never cached."""
    return {"failure": failure, "why": why}


def samples_of(response: Response) -> list[dict[str, Any]]:
    """List the choices of a response, each with the name of the model and the fingerprint of the server."""
    model, fingerprint = (
        value if isinstance(value, str) else None for value in (response.model, response.system_fingerprint)
    )
    return [_plain(_Reply(choice, fingerprint, model)) for choice in response.choices]


def text_of(reply: Mapping[str, Any]) -> str:
    """The words of a reply."""
    content = (reply.get("choice") or {}).get("message", {}).get("content")
    return content if isinstance(content, str) else ""


def tokens_of(reply: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Each token of a reply with its likeliest alternatives; None where the server gave none."""
    found = ((reply.get("choice") or {}).get("logprobs") or {}).get("content")
    return found if isinstance(found, list) else None


def alternatives(token: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The tokens that could stand at a place, each once, with their natural log-probabilities."""
    listed: Sequence[Mapping[str, Any]] = [*(token.get("top_logprobs") or []), token]
    return list(
        {
            str(item["token"]): float(item["logprob"]) for item in listed if item.get("logprob") is not None
        }.items()
    )


def is_cut(reply: Mapping[str, Any]) -> bool:
    """Whether the reply was longer than it may be."""
    return (reply.get("choice") or {}).get("finish_reason") == "length"


def refusal_of(reply: Mapping[str, Any]) -> str:
    """What the server says of its refusal; "" where it did not refuse."""
    choice = reply.get("choice") or {}
    refusal = (choice.get("message") or {}).get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal
    return (
        "the endpoint's filter kept the reply back" if choice.get("finish_reason") == "content_filter" else ""
    )
