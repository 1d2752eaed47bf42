"""nlgauge serve: saved results in the browser, with every segment explained on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_results
from nlgauge.cli.options import Against, HumanFields, Pairs, Ratings, Where, narrowed, older_run, pairs_of
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.ratings import rated


@Command
def serve(
    directories: Annotated[
        list[Path],
        argument("Directories of saved results.", metavar="RESULT...", complete=complete_results),
    ],
    *,
    host: Annotated[
        str,
        option(
            "--host",
            help="Address of this machine; if other machines can reach it, --token is required.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, option("--port", at_least=0, at_most=65535, help="Port; 0 selects a free port.", metavar="N")
    ] = 0,
    token: Annotated[
        str | None,
        option(
            "--token", help="Access token in the URL, 8 characters or more (default: random).", metavar="TEXT"
        ),
    ] = None,
    human: HumanFields = None,
    ratings: Ratings = None,
    against: Against = None,
    pair: Pairs = None,
    where: Where = None,
    browser: Annotated[bool, option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Explore saved results in the browser.

    Start a local server and print its address. The page explains every segment on demand and scores texts
    that you type. The command writes no files. The server accepts connections from this machine only, unless
    you set --host and --token.

    With --against the page begins with what changed since an older run. The page compares any two of several
    results:

        nlgauge serve new/ --against old/
        nlgauge serve new/ old/
    """
    from nlgauge.results.storage.load import load
    from nlgauge.show.explorer import serve as serve_results
    from nlgauge.show.explorer.hosts import is_loopback

    if pair and against is None:
        raise click.UsageError("--pair names systems of an older run; add --against.")
    if against is not None and where and len(directories) > 1:
        raise click.UsageError("--against with --where takes one result; omit the others.")
    whole = {str(directory): rated(load(directory), ratings) for directory in directories}
    results = {name: narrowed(result, where) for name, result in whole.items()}
    first = str(directories[0])
    older = older_run(against, whole[first], results[first])
    old = None if older is None else (str(against), older)

    def ready(address: str) -> None:
        if not is_loopback(host):
            click.echo(
                "Anyone who can reach this machine and knows the token can read the texts; the connection is"
                " not encrypted.",
                err=True,
            )
        click.echo(f"Open {address}\nStop the server with Ctrl-C.", err=True)

    serve_results(
        results,
        human=human,
        against=old,
        pairs=pairs_of(pair),
        host=host,
        port=port,
        token=token,
        browser=browser,
        ready=ready,
    )
