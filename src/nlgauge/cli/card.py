"""nlgauge card: what a metric measures, how to read it, when it misleads."""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.list import front_matter
from nlgauge.cli.output import show, show_json


def card(
    name: Annotated[str, typer.Argument(help="A metric's name or alias.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the card's fields as JSON.")] = False,
) -> None:
    """Shows the card of a metric."""
    from rich.markdown import Markdown
    from rich.text import Text

    from nlgauge.metric.card import card as find_card

    found = find_card(name)
    if as_json:
        show_json(front_matter(found))
        return
    facts = [f"{found.title} ({found.year})", f"name: {found.name}", f"paper: {found.paper}", f"licence: {found.licence}"]
    if found.default_model:
        facts.append(f"default model: {found.default_model}")
    show(*(Text(fact) for fact in facts), Markdown(found.text))
