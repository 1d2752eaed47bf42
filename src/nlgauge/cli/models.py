"""nlgauge models: the weights that model-based metrics need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from nlgauge.cli.output import say, show, show_json

app = typer.Typer(help="Lists, fetches and describes the models that metrics need.")


@app.command("list")
def list_models(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Lists the known models and says which of them are on this machine."""
    from nlgauge.export.model import Cell, Page, Sheet, column
    from nlgauge.models import store
    from nlgauge.models.catalogue import CATALOGUE
    from nlgauge.terminal.pages import Printed

    here = {name: store.location(name) for name in CATALOGUE}
    if as_json:
        show_json([{**store.info(name), "here": here[name] is not None} for name in CATALOGUE])
        return
    rows = [[name, e.kind, e.size.partition(",")[0], e.licence, "no" if here[name] is None else "yes"] for name, e in CATALOGUE.items()]
    sheet = Sheet([column(name) for name in ("name", "kind", "size", "licence", "here")], [[Cell(text) for text in row] for row in rows])
    show(Printed(Page([sheet], notes=["nlgauge models info NAME says more."])))
    say(f"fetched models are kept in {store.cache_directory()}")


@app.command("get")
def get_models(
    names: Annotated[list[str], typer.Argument(help="Models to fetch, by name; NAME@REVISION for a commit or tag of the hub.", metavar="NAME")],
    hub: Annotated[bool, typer.Option("--hub", help="Allow downloads from the Hugging Face hub.")] = False,
) -> None:
    """Fetches models into the cache and prints where they are."""
    from nlgauge.models import fetch

    for name in names:
        with _waiting(name):
            place = fetch.get(name, hub=hub)
        typer.echo(place)


@contextmanager
def _waiting(name: str) -> Iterator[None]:
    """Says on a terminal what is being fetched and for how long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from nlgauge.models.store import entry_of
    from nlgauge.terminal.text import visible

    entry = entry_of(name)
    size = f" ({entry.size})" if entry is not None else ""
    columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(visible(f"fetching {name}{size}"), total=None)
        yield


@app.command("info")
def model_info(
    name: Annotated[str, typer.Argument(help="A model, by name.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Says what a model is, where it comes from and where it is."""
    from rich.text import Text

    from nlgauge.models import store
    from nlgauge.terminal.text import visible

    facts = store.info(name)
    if as_json:
        show_json(facts)
    else:
        show(*(Text(f"{key}: {visible(value)}") for key, value in facts.items()))
