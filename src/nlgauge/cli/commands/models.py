"""nlgauge models: the weights that model-based metrics need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import click

from nlgauge.cli.command import Command, Group
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.program import FAILURE
from nlgauge.errors import ParameterError

# How many of the things that were left out are named.
_SHOWN = 20


@Command
def list_models(as_json: Annotated[bool, option("--json", help="Print JSON.")] = False) -> None:
    """Lists the known models, those that are on this machine first, and how much room the fetched ones
    take.
    """
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge.models.weights import store
    from nlgauge.models.weights.installing import size_of
    from nlgauge.show.writers.text import Printed

    here, fetched = _here()
    if as_json:
        show_json([{**store.info(name), "here": place is not None} for name, place in here.items()])
        return
    rows = []
    for name, place in here.items():
        entry = store.entry_of(name)
        size = (
            _readable(size_of(place))
            if name in fetched and place is not None
            else entry.size.partition(",")[0]
            if entry
            else ""
        )
        rows.append(
            [
                name,
                entry.kind if entry else "",
                size,
                entry.license if entry else "",
                "no" if place is None else "yes",
            ]
        )
    sheet = Sheet(
        [column(name) for name in ("name", "kind", "size", "license", "here")],
        [[Cell(text) for text in row] for row in rows],
    )
    show(Printed(Page([sheet], notes=["nlgauge models info NAME says more."])))
    total = sum(size_of(place) for place in fetched.values())
    say(
        f"{len(fetched)} fetched models take {_readable(total)} in {store.cache_directory()}; nlgauge models"
        " remove NAME removes one"
    )


def _here() -> tuple[dict[str, Path | None], dict[str, Path]]:
    """Find all known models and those in the cache, each with its place, what is here first; and the ones
    that were fetched.
    """
    from nlgauge.models.weights import store
    from nlgauge.models.weights.catalogue import catalogue

    cache = store.cache_directory()
    fetched: dict[str, Path] = {}
    for path in sorted(cache.iterdir()) if cache.is_dir() else ():
        manifest = None if path.name.startswith(".") else store.manifest_of(path)
        if manifest is not None:
            fetched[manifest.name] = path
    found = {name: store.location(name) for name in catalogue()} | fetched
    return dict(sorted(found.items(), key=lambda item: item[1] is None)), fetched


def _readable(size: int) -> str:
    """Return a number of bytes in the unit that people read it in."""
    return (
        f"{size / 1e9:.1f} GB"
        if size >= 1e9
        else f"{size / 1e6:.0f} MB"
        if size >= 1e6
        else f"{size / 1e3:.0f} kB"
    )


@Command
def verify_models(
    names: Annotated[
        list[str] | None, argument(help="Fetched models to check (default: all).", metavar="NAME")
    ] = None,
) -> None:
    """Reads every file of fetched models again and compares it with what was fetched.

    Exit code 1 if one differs.
    """
    from nlgauge.models.weights import store

    _, fetched = _here()
    chosen = {name: fetched.get(name) or _fetched(name) for name in names} if names else fetched
    bad = 0
    for name, place in chosen.items():
        manifest = store.manifest_of(place)
        changed = store.changed_files(place)
        bad += bool(changed)
        if manifest is None or not manifest.files:
            bad += 1
            say(f"{name}: its files were not recorded when it was fetched; run: nlgauge models get {name}")
        elif changed:
            say(
                f"{name}: not what was fetched: {', '.join(changed)}; remove it and fetch it again, or go on"
                " knowing that scores differ"
            )
        else:
            say(f"{name}: all {len(manifest.files)} files are what was fetched")
    if not chosen:
        say(f"there are no fetched models in {store.cache_directory()}")
    if bad:
        raise click.exceptions.Exit(FAILURE)


@Command
def remove_models(
    names: Annotated[list[str], argument(help="Fetched models to remove.", metavar="NAME")],
    yes: Annotated[bool, option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Removes fetched models from the cache; nothing else can be removed, and nothing that nlgauge did
    not write.
    """
    from nlgauge.models.weights.installing import check_removable, remove, size_of

    places = {name: _fetched(name) for name in names}
    for name, place in places.items():
        check_removable(place)
        if not yes and not click.confirm(
            f"Remove {name} ({_readable(size_of(place))}) from {place}?", err=True
        ):
            say("nothing more is removed")
            raise click.exceptions.Exit(FAILURE)
        size = size_of(place)
        remove(place)
        say(f"removed {name}: {_readable(size)}")


def _fetched(name: str) -> Path:
    """Find a model in the cache."""
    from nlgauge.errors import ModelError, did_you_mean
    from nlgauge.models.weights import store

    place = store.place_of(name)
    if store.manifest_of(place) is None:
        known = list(_here()[1])
        raise ModelError(
            f"{name!r} was not fetched into {store.cache_directory()}{did_you_mean(name, known)}; there are"
            f" {', '.join(known) or 'none'}."
        )
    return place


@Command
def get_models(
    names: Annotated[
        list[str],
        argument(
            help="Models to fetch, by name; NAME@REVISION for another commit, tag or branch of the hub.",
            metavar="NAME",
        ),
    ],
    hub: Annotated[bool, option("--hub", help="Allow downloads from the Hugging Face hub.")] = False,
    file: Annotated[
        Path | None,
        option(
            "--from",
            help="Take word vectors from a file: GloVe's or word2vec's text, fastText's .vec, .npz.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Fetches models into the cache and prints where they are."""
    from nlgauge.models.weights import fetch, store

    if file is not None and len(names) != 1:
        raise ParameterError(
            f"--from gives one model its vectors, {len(names)} were named: {', '.join(names)}."
        )
    for name in names:
        with _waiting(name):
            place = fetch.get(name, hub=hub, file=file)
        if said := store.fetched(name):
            say(said)
        click.echo(place)


@Command
def convert_model(
    file: Annotated[
        Path,
        argument(
            help="A file of weights of another program: .ckpt, .bin, .pth, .pt, or of word vectors.",
            metavar="FILE",
        ),
    ],
    layout: Annotated[
        str,
        option(
            "--as",
            help="What it is: comet, lens, align, bleurt, prism, bart, bin or vectors.",
            metavar="LAYOUT",
        ),
    ],
    base: Annotated[
        str | None,
        option(
            "--base",
            help="Directory or model with config.json and the tokenizer (default: next to FILE).",
            metavar="MODEL",
        ),
    ] = None,
    output: Annotated[
        Path | None, option("-o", "--output", help="The directory to make.", metavar="DIR")
    ] = None,
    name: Annotated[
        str | None, option("--name", help="Install the model in the cache under this name.", metavar="NAME")
    ] = None,
) -> None:
    """Converts weights of another program to a directory that metrics load.

    Nothing that the file says is run, and only tensors and plain values are kept. What was left out is said.
    """
    from nlgauge._core.paths import require_folder
    from nlgauge.errors import ParameterError
    from nlgauge.models.weights import store
    from nlgauge.models.weights.convert import Origin, convert

    if (output is None) == (name is None):
        raise ParameterError("say where the model goes: -o DIR, or --name NAME for the cache.")
    if output is not None:
        require_folder(output)
    target = output if output is not None else store.place_of(str(name))
    made = convert(file, layout, target, base, Origin(name, name, file.name) if name is not None else None)
    for dropped in made.dropped[:_SHOWN]:
        say(f"left out: {dropped}")
    if len(made.dropped) > _SHOWN:
        say(f"... and {len(made.dropped) - _SHOWN} more were left out")
    click.echo(made.place)


@contextmanager
def _waiting(name: str) -> Iterator[None]:
    """Says on a terminal what is being fetched and for how long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from nlgauge._core.safe_text import visible
    from nlgauge.models.weights.store import entry_of

    entry = entry_of(name)
    size = f" ({entry.size})" if entry is not None else ""
    columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True, force_jupyter=False), transient=True) as shown:
        shown.add_task(visible(f"fetching {name}{size}"), total=None)
        yield


@Command
def model_info(
    name: Annotated[str, argument(help="A model, by name.")],
    as_json: Annotated[bool, option("--json", help="Print JSON.")] = False,
) -> None:
    """Says what a model is, where it comes from and where it is."""
    from rich.text import Text

    from nlgauge._core.safe_text import visible
    from nlgauge.models.weights import store

    facts = store.info(name)
    if as_json:
        show_json(facts)
    else:
        show(*(Text(f"{key}: {visible(value)}") for key, value in facts.items()))


app = Group(
    "Lists, fetches, describes, checks and removes the models that metrics need.",
    {
        "list": list_models,
        "get": get_models,
        "info": model_info,
        "convert": convert_model,
        "verify": verify_models,
        "remove": remove_models,
    },
)
