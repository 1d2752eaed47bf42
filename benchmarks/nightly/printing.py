"""The command line of a module of simulations: its parts, each printed as a table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping


def print_parts(
    description: str | None, parts: Mapping[str, Callable[[int], Iterator[str]]], runs: int
) -> None:
    """Print the tables of the parts that the command names, by default of all; `runs` is the default size."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("parts", nargs="*", choices=[[], *parts], default=[])
    options = parser.parse_args()
    for name in options.parts or parts:
        print(f"\n{name}, {options.runs} runs\n")
        for line in parts[name](options.runs):
            print(line, flush=True)
