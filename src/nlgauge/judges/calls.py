"""Settings for calls to an endpoint, which a metric stores as one line of text.

None of them changes a score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote, unquote

from nlgauge.errors import ParameterError, did_you_mean


@dataclass(frozen=True)
class Calls:
    """Settings for calls to an endpoint: key, limits, prices, and the cache of replies.

    Parameters
    ----------
    key_env : str
        Environment variable with the key. Only its name is ever printed or saved.
    concurrency : int
        Maximum number of requests at the same time.
    requests_per_minute, tokens_per_minute : float, optional
        Rates that the endpoint allows.
    timeout : float
        Seconds for a whole request.
    tries : int
        How often a request is sent before it counts as failed.
    first_wait : float
        Maximum number of seconds of the first wait between two tries; it doubles with each try. A waiting
        time that the server requests has priority.
    prices : tuple of two floats, optional
        Prices of a million tokens of prompt and of reply.
    max_requests : int, optional
        Nothing is sent if more requests than this would be needed; every try counts.
    max_cost : float, optional
        Nothing is sent if it would cost more than this; every try counts. Requires `prices`.
    dry_run : bool
        Send nothing, and count what would be sent.
    offline : bool
        Answer only from the cache.
    cache : str
        File of the cache; "" is the common file, and "off" disables the cache.
    limit_field : str
        Name that the endpoint uses for the maximum number of tokens of a reply.

    Examples
    --------
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
            "a whole number from 0",
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
        _require(priced, "prices", "two numbers: the prices of a million tokens of prompt and of reply", self)
        _require(
            isinstance(self.cache, str) and "\0" not in self.cache,
            "cache",
            "the name of a file, or 'off'",
            self,
        )
        if self.max_cost is not None and self.prices is None:
            raise ParameterError(
                "calls: max_cost needs prices=IN,OUT, the prices of a million tokens of prompt and of reply at"
                " your endpoint."
            )

    def text(self) -> str:
        """Return the settings that differ from the default, as text that `of` reads."""
        changed = (
            (field.name, getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )
        return " ".join(f"{name}={_written(value)}" for name, value in changed)

    @classmethod
    def of(cls, settings: Any) -> Calls:
        """Return the settings of a line such as "max_cost=2 prices=0.15,0.6"; return a Calls unchanged."""
        if isinstance(settings, Calls):
            return settings
        if not isinstance(settings, str):
            raise ParameterError(
                "calls must be words such as 'max_requests=100', or nlgauge.judges.Calls(...); got"
                f" {settings!r:.60}."
            )
        defaults = {field.name: field.default for field in fields(cls)}
        values: dict[str, Any] = {}
        for word in settings.split():
            name, equals, value = word.partition("=")
            if name not in defaults or not equals:
                near = did_you_mean(name, defaults) if name not in defaults else ""
                raise ParameterError(
                    f"calls: cannot read {word!r:.60}{near}; write NAME=VALUE, such as offline=yes, with one of the names"
                    f" {', '.join(defaults)}."
                )
            values[name] = _read(name, unquote(value), defaults[name])
        return cls(**values)


def _require(is_valid: bool, name: str, domain: str, calls: Calls) -> None:
    if not is_valid:
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
        domain = "two numbers with a comma between them" if name == "prices" else "a number"
        raise ParameterError(f"calls: {name} must be {domain}, got {word!r:.60}.") from None
