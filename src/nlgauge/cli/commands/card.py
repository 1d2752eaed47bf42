"""nlgauge card: what a metric measures, how to read it, when it misleads."""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.commands.list import front_matter
from nlgauge.cli.output import show, show_json


def card(
    name: Annotated[str, typer.Argument(help="A metric's name or alias.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the card's fields as JSON.")] = False,
) -> None:
    """Shows the card of a metric."""
    from nlgauge.metric.card import card as find_card

    found = find_card(name)
    if as_json:
        show_json(front_matter(found))
        return
    # Nothing is cropped: a line of code that is wider than the terminal is printed whole, so that it can be
    # copied.
    show(found)
