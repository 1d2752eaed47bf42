"""Client: the user's own way to a model, such as an openai.OpenAI object, litellm.completion, or anything
that has `complete`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from nlgauge.errors import JudgeError
from nlgauge.judges.requests import Request


@runtime_checkable
class Completes(Protocol):
    """What can answer a request: it gives a response in the shape of OpenAI's chat completions, as a
    dictionary.
    """

    def complete(self, request: Request) -> Mapping[str, Any]:
        """The response."""


@dataclass(frozen=True, eq=False)
class Client:
    """An object of the user's own that is asked instead of an endpoint, under a name that labels, signatures
    and the cache show.

    client: an object with `complete(request)`, one like openai.OpenAI() (`client.chat.completions.create`),
    or a function like litellm.completion that takes model, messages and the other fields of a chat completion
    by name. model: what the client calls the model. Replies are cached under the name and the model: give
    another name to another model.
    """

    client: Any = field(repr=False)
    model: str = ""
    name: str = "own"

    def __repr__(self) -> str:
        return repr(f"own:{self.name}/{self.model}" if self.model else f"own:{self.name}")

    def respond(self, request: Request, limit_field: str) -> dict[str, Any]:
        """The response as plain data."""
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
            f"{self!r} has neither complete(request) nor chat.completions.create(...), and is not a function."
        )


def _plain(response: Any) -> dict[str, Any]:
    for method in ("model_dump", "to_dict", "dict"):
        if callable(getattr(response, method, None)):
            response = getattr(response, method)()
            break
    if not isinstance(response, Mapping):
        raise JudgeError(
            f"the client returned {type(response).__name__} instead of a chat completion with choices."
        )
    return dict(response)
