"""nlgauge annotate serve and tokens: the pages of annotators and of the organizer."""

from __future__ import annotations

from typing import Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.commands.annotate.creating import CampaignDirectory
from nlgauge.cli.commands.meta.study import split
from nlgauge.cli.output import say
from nlgauge.cli.parameters import option


@Command
def serve(
    directory: CampaignDirectory,
    *,
    host: Annotated[str, option("--host", help="Address of this machine.", metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[
        int | None,
        option(
            "--port",
            at_least=0,
            at_most=65535,
            help="Port; 0 selects a free port (default: the port of the last time).",
            metavar="N",
        ),
    ] = None,
    origin: Annotated[
        str | None,
        option("--origin", help="Address of a proxy that encrypts, https://HOST.", metavar="URL"),
    ] = None,
    insecure: Annotated[
        bool, option("--insecure", help="Let other machines connect without encryption.")
    ] = False,
    browser: Annotated[bool, option("--open", help="Open the page of the organizer in the browser.")] = False,
) -> None:
    """Let annotators rate in the browser.

    Print one address per annotator and one for the organizer, each with a secret token. Each rating is on disk
    before the page shows it as saved. Stop the server with Ctrl-C, and start it again at any time: the
    addresses stay valid.

    The server accepts connections from this machine only. For other machines, run a proxy with HTTPS and name
    its address with --origin.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.creating import ORGANIZER
    from nlgauge.annotate.server import serve as serve_campaign

    campaign = Campaign.open(directory)
    if insecure and origin is None:
        say("warning: texts, ratings and tokens can be read by everyone on the network.")

    def ready(addresses: dict[str, str]) -> None:
        for role, address in addresses.items():
            label = "Open as organizer" if role == ORGANIZER else f"Give to {role}"
            click.echo(f"{label:<20} {address}", err=True)
        if any(address.startswith("as before") for address in addresses.values()):
            click.echo(f"A new address: nlgauge annotate tokens {directory} --new CODE", err=True)
        click.echo(
            f"Ratings are saved in {directory / 'ratings.jsonl'}. Stop the server with Ctrl-C.", err=True
        )

    serve_campaign(
        campaign, host=host, port=port, origin=origin, insecure=insecure, browser=browser, ready=ready
    )


@Command
def tokens(
    directory: CampaignDirectory,
    *,
    fresh: Annotated[
        list[str],
        option("--new", help="Annotators, or organizer, who get a new token.", metavar="CODE,..."),
    ],
) -> None:
    """Replace the token in the address of an annotator or the organizer.

    The earlier address is no longer valid, also if the server is running.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.creating import ORGANIZER
    from nlgauge.annotate.tokens import Tokens
    from nlgauge.errors import UnknownNameError, no_such

    campaign, codes = Campaign.open(directory), split(fresh)
    roles = [ORGANIZER, *campaign.plan.annotators]
    for code in codes:
        if code not in roles:
            raise UnknownNameError(no_such("annotator", code, roles))
    saved = Tokens(campaign.directory)
    for code in codes:
        where = f"http://127.0.0.1:{saved.port}/" if saved.port else ""
        click.echo(f"{code}\t{where}?token={saved.new(code)}")
