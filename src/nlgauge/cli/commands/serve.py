"""nlgauge serve: the pages of saved results in the browser, with every segment explained when it is
looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    directories: Annotated[
        list[Path], typer.Argument(help="Directories of saved results.", metavar="DIR...")
    ],
    *,
    host: Annotated[
        str, typer.Option(help="Address to listen at; another than this machine needs --token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    token: Annotated[
        str | None, typer.Option(help="What the address must hold (default: made anew each time).")
    ] = None,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
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
            typer.echo(
                "Whoever can reach this machine and knows the token can read the texts; nothing that is sent"
                " is encrypted.",
                err=True,
            )
        typer.echo(f"Open {address}\nCtrl C ends it.", err=True)

    serve_results(results, host=host, port=port, token=token, browser=browser, ready=ready)
