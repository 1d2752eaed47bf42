"""Judges made up for tests: clients that answer as they are told, and remember what they were asked."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import nlgauge
from nlgauge.judges import Client, Request
from nlgauge.metric import AnyMetric

_NUMBERS = count()
Weights = Mapping[str, float]


class Scripted:
    """Answers each request by a function of it and of its number."""

    def __init__(self, answer: Callable[[Request, int], dict[str, Any]]) -> None:
        self.answer = answer
        self.seen: list[Request] = []
        self._lock = threading.Lock()

    def complete(self, request: Request) -> dict[str, Any]:
        with self._lock:
            self.seen.append(request)
            return {
                "choices": [self.answer(request, len(self.seen) - 1)],
                "usage": {"prompt_tokens": 10, "completion_tokens": 2},
            }


def client(answer: Callable[[Request, int], dict[str, Any]]) -> Client:
    """A client whose replies no other one shares in the cache."""
    return Client(Scripted(answer), name=f"scripted-{next(_NUMBERS)}")


def choice(text: str, tokens: Sequence[Weights] | None = None, finish: str = "stop") -> dict[str, Any]:
    found: dict[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    if tokens is not None:
        found["logprobs"] = {"content": [_token(weights) for weights in tokens]}
    return found


def _token(weights: Weights) -> dict[str, Any]:
    top = [{"token": token, "logprob": math.log(weight)} for token, weight in weights.items()]
    return {**max(top, key=lambda one: one["logprob"]), "top_logprobs": top}


def answering(*replies: str) -> Client:
    """A client that gives these replies in turn, the last one for ever."""
    return client(lambda request, number: choice(replies[min(number, len(replies) - 1)]))


def weighed(weights: Weights | Callable[[str], Weights]) -> Client:
    """A client whose reply is one token with these probabilities, which may hang on the words that it is
    asked.
    """

    def answer(request: Request, number: int) -> dict[str, Any]:
        found = weights(request.messages[-1][1]) if callable(weights) else weights
        return choice(max(found, key=found.__getitem__), [found])

    return client(answer)


def spoken(tokens: Sequence[Weights]) -> Client:
    """A client whose reply is made of these tokens."""
    return client(
        lambda request, number: choice(
            "".join(max(weights, key=weights.__getitem__) for weights in tokens), tokens
        )
    )


def scored_by(metric: AnyMetric, prediction: str = "a prediction") -> dict[str, float]:
    """The scores of one segment."""
    result = nlgauge.score([prediction], ["a reference"], ["a source"], metrics=metric)
    return dict(result[result.labels[0]])
