"""nlgauge card: what a metric measures, how to read it, when it misleads."""

from __future__ import annotations

from typing import Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.commands.list import front_matter
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import argument, option


@Command
def card(
    name: Annotated[str, argument(help="A metric's name or alias.")],
    as_json: Annotated[bool, option("--json", help="Print the card's fields as JSON.")] = False,
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
