"""Request and raw replies: what is asked, under which key the answer is kept, and what an answer holds, in the shape of OpenAI's chat completions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

# Raised when a key comes to mean something else.
_VERSION = 1
# OpenAI's own limit, which most servers share.
TOP_TOKENS = 20
# A level is one token, before which a blank or two may stand.
FIRST_TOKENS = 3

Message = tuple[str, str]
Failure = Literal["", "unparsed", "refused", "too_long", "failed", "not_asked"]


@dataclass(frozen=True)
class Request:
    """One request: messages as (role, text), and how the reply is drawn. `choices` replies are asked for at once."""

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
        """The name under which the reply of one sample is kept: all that decides it, and nothing else."""
        facts = {
            "version": _VERSION,
            "where": where,
            "model": model,
            "messages": self.messages,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "logprobs": self.top_tokens,
            "sample": index,
        }
        return hashlib.sha256(msgspec.json.encode(facts, order="deterministic")).hexdigest()


def failed(failure: Failure, why: str) -> dict[str, Any]:
    """What stands in the place of a reply that there is not; it is never kept."""
    return {"failure": failure, "why": why}


def samples_of(response: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The choices of a response, each with what it shares with the others: tokens used (by the first), and the server's fingerprint."""
    shared = {name: response[name] for name in ("system_fingerprint", "model") if isinstance(response.get(name), str)}
    usage = response.get("usage")
    found: list[dict[str, Any]] = []
    for choice in response.get("choices") or []:
        first = {"usage": dict(usage)} if isinstance(usage, Mapping) and not found else {}
        found.append({"choice": dict(choice), **first, **shared})
    return found


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
    given: Sequence[Mapping[str, Any]] = [*(token.get("top_logprobs") or []), token]
    found = {str(one["token"]): float(one["logprob"]) for one in given if isinstance(one.get("logprob"), int | float) and "token" in one}
    return list(found.items())


def is_cut(reply: Mapping[str, Any]) -> bool:
    """Whether the reply was longer than it may be."""
    return (reply.get("choice") or {}).get("finish_reason") == "length"


def refusal_of(reply: Mapping[str, Any]) -> str:
    """What the server says of its refusal; "" where it did not refuse."""
    choice = reply.get("choice") or {}
    refusal = (choice.get("message") or {}).get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal
    return "the endpoint's filter kept the reply back" if choice.get("finish_reason") == "content_filter" else ""
