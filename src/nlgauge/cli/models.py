"""nlgauge models: the weights that model-based metrics need."""

from __future__ import annotations

from typing import Annotated

import typer

from nlgauge.cli.output import say, show, show_json, table

app = typer.Typer(help="Lists, fetches and describes the models that metrics need.")


@app.command("list")
def list_models(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Lists the known models and says which of them are on this machine."""
    from nlgauge.models import store
    from nlgauge.models.catalogue import CATALOGUE

    here = {name: store.location(name) for name in CATALOGUE}
    if as_json:
        show_json([{**store.info(name), "here": here[name] is not None} for name in CATALOGUE])
        return
    rows = [[name, e.title, e.kind, e.size, e.licence, "no" if here[name] is None else "yes"] for name, e in CATALOGUE.items()]
    show(table(["name", "model", "kind", "size", "licence", "here"], rows))
    say(f"fetched models are kept in {store.cache_directory()}")


@app.command("get")
def get_models(
    names: Annotated[list[str], typer.Argument(help="Models to fetch, by name; NAME@REVISION for a commit or tag of the hub.", metavar="NAME")],
    hub: Annotated[bool, typer.Option("--hub", help="Allow downloads from the Hugging Face hub.")] = False,
) -> None:
    """Fetches models into the cache and prints where they are."""
    from nlgauge.models import fetch

    for name in names:
        typer.echo(fetch.get(name, hub=hub))


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
