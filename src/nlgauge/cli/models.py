"""nlgauge models: the weights that model-based metrics need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from nlgauge.cli.output import say, show, show_json
from nlgauge.errors import ParameterError

# How many of the things that were left out are named.
_SHOWN = 20

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
    names: Annotated[
        list[str], typer.Argument(help="Models to fetch, by name; NAME@REVISION for another commit, tag or branch of the hub.", metavar="NAME")
    ],
    hub: Annotated[bool, typer.Option("--hub", help="Allow downloads from the Hugging Face hub.")] = False,
    file: Annotated[
        Path | None, typer.Option("--from", help="Take word vectors from a file: GloVe's or word2vec's text, fastText's .vec, .npz.", metavar="FILE")
    ] = None,
) -> None:
    """Fetches models into the cache and prints where they are."""
    from nlgauge.models import fetch, store

    if file is not None and len(names) != 1:
        raise ParameterError(f"--from gives one model its vectors, {len(names)} were named: {', '.join(names)}.")
    for name in names:
        with _waiting(name):
            place = fetch.get(name, hub=hub, file=file)
        if said := store.fetched(name):
            say(said)
        typer.echo(place)


@app.command("convert")
def convert_model(
    file: Annotated[Path, typer.Argument(help="A file of weights of another program: .ckpt, .bin, .pth, .pt, or of word vectors.", metavar="FILE")],
    layout: Annotated[str, typer.Option("--as", help="What it is: comet, lens, align, bleurt, prism, bart, bin or vectors.", metavar="LAYOUT")],
    base: Annotated[
        str | None, typer.Option(help="The directory or model that has config.json and the tokeniser, where they are not beside the file.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The directory to make.", metavar="DIR")] = None,
    name: Annotated[str | None, typer.Option(help="Keep it in the cache under this name instead.")] = None,
) -> None:
    """Converts weights of another program to a directory that metrics load.

    Nothing that the file says is run, and only tensors and plain values are kept. What was left out is said.
    """
    from nlgauge.errors import ParameterError
    from nlgauge.models import store
    from nlgauge.models.convert import Origin, convert

    if (output is None) == (name is None):
        raise ParameterError("say where the model goes: -o DIR, or --name NAME for the cache.")
    target = output if output is not None else store.place_of(str(name))
    made = convert(file, layout, target, base, Origin(name, name, file.name) if name is not None else None)
    for dropped in made.dropped[:_SHOWN]:
        say(f"left out: {dropped}")
    if len(made.dropped) > _SHOWN:
        say(f"... and {len(made.dropped) - _SHOWN} more were left out")
    typer.echo(made.place)


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
