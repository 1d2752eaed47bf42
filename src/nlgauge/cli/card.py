"""nlgauge card: what a metric measures, how to read it, when it misleads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nlgauge.cli.list import front_matter
from nlgauge.cli.output import show, show_json

if TYPE_CHECKING:
    from rich.markdown import Markdown


def card(
    name: Annotated[str, typer.Argument(help="A metric's name or alias.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the card's fields as JSON.")] = False,
) -> None:
    """Shows the card of a metric."""
    from rich.console import Console
    from rich.text import Text

    from nlgauge.metric.card import card as find_card

    found = find_card(name)
    if as_json:
        show_json(front_matter(found))
        return
    facts = [f"{found.title} ({found.year})", f"name: {found.name}", f"paper: {found.paper}", f"licence: {found.licence}"]
    if found.default_model:
        facts.append(f"default model: {found.default_model}")
    if found.tested_against:
        facts.append(f"tested against: {found.tested_against}")
    show(*(Text(fact) for fact in facts))
    # Nothing is cropped: a line of code that is wider than the terminal is printed whole, so that it can be copied.
    Console(markup=False, highlight=False, emoji=False).print(_markdown(found.text), crop=False)


def _markdown(text: str) -> Markdown:
    """Markdown whose paragraphs are wrapped and whose code is not."""
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Markdown
    from rich.text import Text

    class Unwrapped(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Text(str(self.text).rstrip(), style="cyan", no_wrap=True, overflow="ignore")

    class Card(Markdown):
        elements = {**Markdown.elements, "fence": Unwrapped, "code_block": Unwrapped}  # noqa: RUF012

    return Card(text)
