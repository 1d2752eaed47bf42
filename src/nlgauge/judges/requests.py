"""Requests and raw replies in the format of OpenAI's chat completions, and the cache keys of replies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar

import msgspec

# Increased when the meaning of a key changes.
_VERSION = 2
# OpenAI's limit, which most servers share.
TOP_TOKENS = 20
# Rounding may make a probability slightly larger than 1.
_HIGHEST_LOGPROB = 0.01
# A level is one token, possibly after one or two blank tokens.
FIRST_TOKENS = 3

Message = tuple[str, str]
Failure = Literal["", "unparsed", "refused", "too_long", "failed", "not_asked", "no_claims"]


@dataclass(frozen=True)
class Request:
    """One request: messages as (role, text), and the sampling of the reply.

    `choices` is the number of replies that are requested at once.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    top_tokens: int = 0
    choices: int = 1

    def sample(self, index: int) -> Request:
        """Return the request for one sample; the next sample has the next seed."""
        return replace(self, seed=self.seed + index, choices=1)

    def body(self, model: str, limit_field: str = "max_tokens") -> dict[str, Any]:
        """Return the JSON of the request as a dictionary."""
        content: dict[str, Any] = {
            "model": model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "temperature": self.temperature,
            "top_p": self.top_p,
            limit_field: self.max_tokens,
            "seed": self.seed,
        }
        if self.choices > 1:
            content["n"] = self.choices
        if self.top_tokens:
            content |= {"logprobs": True, "top_logprobs": self.top_tokens}
        return content

    @property
    def size(self) -> int:
        """Number of bytes of the texts; about three bytes are one token in any script."""
        return sum(len(text.encode()) for _, text in self.messages)

    @property
    def characters(self) -> int:
        """Number of characters of the texts."""
        return sum(len(text) for _, text in self.messages)

    def key(self, where: str, model: str, index: int) -> str:
        """Hash everything that determines the reply of one sample; `choices` does not."""
        settings = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name != "choices"
        }
        facts = {"version": _VERSION, "where": where, "model": model, "sample": index, **settings}
        return hashlib.sha256(msgspec.json.encode(facts, order="deterministic")).hexdigest()


class BrokenReply(Exception):
    """Response or cached reply that does not have the form of a chat completion."""


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
    """Fields of a chat completion that are read; all other fields are ignored."""

    choices: list[_Choice]
    usage: Any = None
    system_fingerprint: Any = None
    model: Any = None


class _Reply(msgspec.Struct, omit_defaults=True):
    """One sample, in its cached form."""

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
        parsed = (
            msgspec.json.decode(data, type=shape)
            if isinstance(data, bytes)
            else msgspec.convert(data, type=shape)
        )
        # This raises for a lone surrogate, which cannot be cached.
        msgspec.json.encode(parsed.choices if isinstance(parsed, Response) else parsed)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BrokenReply(str(error)) from None
    for choice in parsed.choices if isinstance(parsed, Response) else [parsed.choice]:
        for logprob in _logprobs(choice):
            if logprob is not None and not logprob <= _HIGHEST_LOGPROB:
                raise BrokenReply(f"a token has the log-probability {logprob:g}, which is above 0")
    return parsed


def _logprobs(choice: _Choice) -> Iterator[float | None]:
    if choice.logprobs is not None:
        for place in choice.logprobs.content or []:
            yield place.logprob
            yield from (alternative.logprob for alternative in place.top_logprobs or [])


def _plain(reply: _Reply) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(reply)
    return plain


def failed(failure: Failure, why: str) -> dict[str, Any]:
    """Return a substitute for a reply that does not exist; it is never cached."""
    return {"failure": failure, "why": why}


def samples_of(response: Response) -> list[dict[str, Any]]:
    """List the choices of a response, each with the name of the model and the server's fingerprint."""
    model, fingerprint = (
        value if isinstance(value, str) else None for value in (response.model, response.system_fingerprint)
    )
    return [_plain(_Reply(choice, fingerprint, model)) for choice in response.choices]


def text_of(reply: Mapping[str, Any]) -> str:
    """Return the text of a reply."""
    content = (reply.get("choice") or {}).get("message", {}).get("content")
    return content if isinstance(content, str) else ""


def tokens_of(reply: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the tokens of a reply with their likeliest alternatives; None if the server sent none."""
    tokens = ((reply.get("choice") or {}).get("logprobs") or {}).get("content")
    return tokens if isinstance(tokens, list) else None


def alternatives(token: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the possible tokens at a position, each once, with their natural log-probabilities."""
    listed: Sequence[Mapping[str, Any]] = [*(token.get("top_logprobs") or []), token]
    return list(
        {
            str(item["token"]): float(item["logprob"]) for item in listed if item.get("logprob") is not None
        }.items()
    )


def is_cut(reply: Mapping[str, Any]) -> bool:
    """Return True if the reply ended because it reached the maximum number of tokens."""
    return (reply.get("choice") or {}).get("finish_reason") == "length"


def refusal_of(reply: Mapping[str, Any]) -> str:
    """Return the server's text about its refusal; "" if it did not refuse."""
    choice = reply.get("choice") or {}
    refusal = (choice.get("message") or {}).get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal
    return (
        "the endpoint's content filter withheld the reply"
        if choice.get("finish_reason") == "content_filter"
        else ""
    )
