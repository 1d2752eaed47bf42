"""nlgauge version: the version of nlgauge."""

from __future__ import annotations

import click

from nlgauge.cli.command import Command


@Command
def version() -> None:
    """Shows the version."""
    click.echo(version_line())


def version_line() -> str:
    """The version, and which kernels run."""
    from importlib.metadata import version as installed

    from nlgauge._core.backend import chosen

    return f"nlgauge {installed('nlgauge')} ({chosen()} kernels)"
