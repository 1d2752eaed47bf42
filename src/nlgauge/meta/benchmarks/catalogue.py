"""The benchmarks that are known by name."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import msgspec

from nlgauge.errors import UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.card import BenchmarkCard

_CARDS = msgspec.convert(
    tomllib.loads((files("nlgauge") / "data" / "benchmarks.toml").read_text("utf-8"))["benchmark"],
    list[BenchmarkCard],
)
CATALOGUE = {card.name: card for card in _CARDS}
_BY_ANY_NAME = {name: card for card in _CARDS for name in (card.name, *card.aliases)}


def names() -> list[str]:
    """The names of all benchmarks that are known, whether or not they are on this machine."""
    return list(CATALOGUE)


def card(name: str) -> BenchmarkCard:
    """The card of a benchmark, by its name or another name of it."""
    found = _BY_ANY_NAME.get(str(name).lower())
    if found is None:
        raise UnknownNameError(
            f"unknown benchmark {name!r}{did_you_mean(str(name), _BY_ANY_NAME)}; the benchmarks are"
            f" {', '.join(CATALOGUE)}."
        )
    return found
