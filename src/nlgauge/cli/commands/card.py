"""nlgauge card: the card of a metric."""

from __future__ import annotations

from typing import Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.commands.list import front_matter
from nlgauge.cli.complete import complete_metrics
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import argument, option


@Command
def card(
    name: Annotated[str, argument("Name or alias of a metric.", metavar="METRIC", complete=complete_metrics)],
    as_json: Annotated[bool, option("--json", help="Print the fields of the card as JSON.")] = False,
) -> None:
    """Show how a metric works, how to read it and when it misleads.

    Print the card of a metric: definition, scale, failure cases, parameters, example, references and citation.
    """
    from nlgauge.metric.card import card as find_card

    described = find_card(name)
    if as_json:
        show_json(front_matter(described))
        return
    # Lines of code that are wider than the terminal are not cropped, so that they can be copied.
    show(described)
