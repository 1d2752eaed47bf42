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
CATALOG = {card.name: card for card in _CARDS}
_BY_ANY_NAME = {name: card for card in _CARDS for name in (card.name, *card.aliases)}


def names() -> list[str]:
    """Return the names of all known benchmarks, installed or not.

    Returns
    -------
    list of str
        Names.
    """
    return list(CATALOG)


def card(name: str) -> BenchmarkCard:
    """Return the card of a benchmark.

    Parameters
    ----------
    name : str
        Name or alias of the benchmark.

    Returns
    -------
    BenchmarkCard
        Description of the benchmark.

    Raises
    ------
    UnknownNameError
        If there is no such benchmark.
    """
    found = _BY_ANY_NAME.get(str(name).lower())
    if found is None:
        raise UnknownNameError(
            f"unknown benchmark {name!r}{did_you_mean(str(name), _BY_ANY_NAME)}; the benchmarks are"
            f" {', '.join(CATALOG)}."
        )
    return found
