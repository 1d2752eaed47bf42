"""Calls: how an endpoint is called.

None of it changes a number, and a metric keeps it as one line of words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote, unquote

from nlgauge.errors import ParameterError, did_you_mean


@dataclass(frozen=True)
class Calls:
    """How an endpoint is called: the variable that holds the key, limits, prices, and where replies are kept.

    key_env: the environment variable with the key; only its name is ever printed or saved. concurrency:
    requests at a time. requests_per_minute, tokens_per_minute: what the endpoint allows. timeout: seconds for
    a whole request. tries: how often a request is sent before it counts as failed; first_wait: seconds of the
    first wait between two, which doubles. prices: what a million tokens of prompt and of reply cost.
    max_requests, max_cost: nothing is sent once more than this would be needed; every attempt counts.
    dry_run: send nothing, count what would be sent. offline: answer from the cache alone. cache: a file; ""
    is the common one, "off" none. limit_field: what the endpoint calls the limit of a reply's tokens.

    >>> Calls(max_cost=2, prices=(0.15, 0.6)).text()
    'prices=0.15,0.6 max_cost=2'
    >>> Calls.of("max_requests=100 offline=True").offline
    True
    """

    key_env: str = "OPENAI_API_KEY"
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 120.0
    tries: int = 6
    first_wait: float = 1.0
    prices: tuple[float, float] | None = None
    max_requests: int | None = None
    max_cost: float | None = None
    dry_run: bool = False
    offline: bool = False
    cache: str = ""
    limit_field: str = "max_tokens"

    def __post_init__(self) -> None:
        _require(
            isinstance(self.key_env, str) and self.key_env.isidentifier(),
            "key_env",
            "the name of an environment variable",
            self,
        )
        _require(
            isinstance(self.limit_field, str) and self.limit_field.isidentifier(),
            "limit_field",
            "the name of a field",
            self,
        )
        for name in ("concurrency", "tries"):
            _require(
                _is_number(getattr(self, name), int) and 1 <= getattr(self, name) <= 1000,
                name,
                "a whole number from 1 to 1000",
                self,
            )
        for name in ("timeout", "first_wait"):
            _require(
                _is_number(getattr(self, name)) and getattr(self, name) > 0,
                name,
                "a number of seconds above 0",
                self,
            )
        for name in ("requests_per_minute", "tokens_per_minute"):
            _require(
                getattr(self, name) is None or (_is_number(getattr(self, name)) and getattr(self, name) > 0),
                name,
                "a number above 0",
                self,
            )
        _require(
            self.max_requests is None or (_is_number(self.max_requests, int) and self.max_requests >= 0),
            "max_requests",
            "a whole number",
            self,
        )
        _require(
            self.max_cost is None or (_is_number(self.max_cost) and self.max_cost >= 0),
            "max_cost",
            "a number from 0",
            self,
        )
        priced = self.prices is None or (
            isinstance(self.prices, tuple)
            and len(self.prices) == 2
            and all(_is_number(price) and price >= 0 for price in self.prices)
        )
        _require(priced, "prices", "two numbers: what a million tokens of prompt and of reply cost", self)
        _require(
            isinstance(self.cache, str) and "\0" not in self.cache,
            "cache",
            "the name of a file, or 'off'",
            self,
        )
        if self.max_cost is not None and self.prices is None:
            raise ParameterError(
                "calls: max_cost needs prices=IN,OUT, what a million tokens of prompt and of reply cost at"
                " your endpoint."
            )

    def text(self) -> str:
        """The settings that are not the default, in words that `of` reads."""
        given = (
            (field.name, getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )
        return " ".join(f"{name}={_written(value)}" for name, value in given)

    @classmethod
    def of(cls, given: Any) -> Calls:
        """The settings of a line such as "max_cost=2 prices=0.15,0.6"; a Calls stays itself."""
        if isinstance(given, Calls):
            return given
        if not isinstance(given, str):
            raise ParameterError(
                "calls must be words such as 'max_requests=100', or nlgauge.judges.Calls(...); got"
                f" {given!r:.60}."
            )
        known = {field.name: field.default for field in fields(cls)}
        found: dict[str, Any] = {}
        for word in given.split():
            name, equals, value = word.partition("=")
            if name not in known or not equals:
                raise ParameterError(
                    f"calls: {word!r:.60}{did_you_mean(name, known)} is not one of"
                    f" {', '.join(f'{one}=' for one in known)}."
                )
            found[name] = _read(name, unquote(value), known[name])
        return cls(**found)


def _require(holds: bool, name: str, domain: str, calls: Calls) -> None:
    if not holds:
        raise ParameterError(f"calls: {name} must be {domain}, got {getattr(calls, name)!r:.60}.")


def _is_number(value: Any, kind: type = object) -> bool:
    return (
        isinstance(value, int | float)
        and isinstance(value, kind)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(_written(item) for item in value)
    return (
        f"{value:g}"
        if isinstance(value, float) and float(f"{value:g}") == value
        else quote(str(value), safe="/:,.+-_~@\\")
    )


def _read(name: str, word: str, default: Any) -> Any:
    if isinstance(default, str):
        return word
    if isinstance(default, bool):
        if word.lower() not in ("true", "false", "yes", "no"):
            raise ParameterError(f"calls: {name} must be True or False, got {word!r:.60}.")
        return word.lower() in ("true", "yes")
    try:
        if name == "prices":
            return tuple(float(part) for part in word.split(","))
        return int(word) if name in ("concurrency", "tries", "max_requests") else float(word)
    except ValueError:
        raise ParameterError(
            f"calls: {name} must be a number{' and a second one, with a comma between' * (name == 'prices')},"
            f" got {word!r:.60}."
        ) from None
