"""Clients: objects of the user that answer requests, such as openai.OpenAI() or litellm.completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from nlgauge.errors import JudgeError
from nlgauge.judges.requests import Request


@runtime_checkable
class Completes(Protocol):
    """Object that answers a request with a dictionary in the format of OpenAI's chat completions."""

    def complete(self, request: Request) -> Mapping[str, Any]:
        """Return the response."""


@dataclass(frozen=True, eq=False)
class Client:
    """Object of the user that answers requests instead of an endpoint.

    Parameters
    ----------
    client : object
        An object with `complete(request)`, an object like openai.OpenAI()
        (`client.chat.completions.create`), or a function like litellm.completion that takes model, messages
        and the other fields of a chat completion by name.
    model : str
        Name of the model that is passed to the client.
    name : str
        Name of the client in labels, signatures and the cache. Replies are cached under the name and the
        model: use another name for a client with another model.
    """

    client: Any = field(repr=False)
    model: str = ""
    name: str = "own"

    def __repr__(self) -> str:
        return repr(f"own:{self.name}/{self.model}" if self.model else f"own:{self.name}")

    def respond(self, request: Request, limit_field: str) -> dict[str, Any]:
        """Return the response as a dictionary."""
        if isinstance(self.client, Completes):
            return _plain(self.client.complete(request))
        body = request.body(self.model, limit_field)
        chat = getattr(self.client, "chat", None)
        create = getattr(getattr(chat, "completions", None), "create", None)
        if callable(create):
            return _plain(create(**body))
        if callable(self.client):
            return _plain(self.client(**body))
        raise JudgeError(
            f"the client {self.name!r} is of type {type(self.client).__name__}; pass a function, or an object that has"
            " complete(request) or chat.completions.create(...)."
        )


def _plain(response: Any) -> dict[str, Any]:
    for method in ("model_dump", "to_dict", "dict"):
        if callable(getattr(response, method, None)):
            response = getattr(response, method)()
            break
    if not isinstance(response, Mapping):
        raise JudgeError(
            f"the client returned {type(response).__name__}; it must return a chat completion, such as a dictionary"
            " with 'choices'."
        )
    return dict(response)
