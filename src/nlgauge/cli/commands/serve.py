"""nlgauge serve: the pages of saved results in the browser, with every segment explained when it is
looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.parameters import argument, option


@Command
def serve(
    directories: Annotated[list[Path], argument(help="Directories of saved results.", metavar="DIR...")],
    *,
    host: Annotated[
        str,
        option(
            "--host", help="Address to listen on; requires --token unless it is local.", metavar="ADDRESS"
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, option("--port", at_least=0, at_most=65535, help="Port; 0 selects a free port.", metavar="N")
    ] = 0,
    token: Annotated[
        str | None, option("--token", help="Access token in the URL (default: random).", metavar="TEXT")
    ] = None,
    browser: Annotated[bool, option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Shows saved results in the browser: scores, comparisons, agreement, and why each segment got its score.

    Nothing is written.
    """
    from nlgauge.results.storage.load import load
    from nlgauge.show.explorer import is_loopback
    from nlgauge.show.explorer import serve as serve_results

    results = {str(directory): load(directory) for directory in directories}

    def ready(address: str) -> None:
        if not is_loopback(host):
            click.echo(
                "Whoever can reach this machine and knows the token can read the texts; nothing that is sent"
                " is encrypted.",
                err=True,
            )
        click.echo(f"Open {address}\nCtrl C ends it.", err=True)

    serve_results(results, host=host, port=port, token=token, browser=browser, ready=ready)
