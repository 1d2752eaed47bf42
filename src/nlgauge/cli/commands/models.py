"""nlgauge models: the weights that model-based metrics need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.numbers import counted, part_of
from nlgauge.cli.command import Command, Group
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import confirmed, say, show, show_json
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.program import FAILURE

# Number of skipped items that are listed.
_SHOWN = 20


def _complete_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    from nlgauge.models.weights.catalog import catalog

    return [name for name in catalog() if name.startswith(start)]


@Command
def list_models(as_json: AsJson = False) -> None:
    """List known models and show which are installed.

    Installed models are listed first. The command prints the size of all downloaded models.
    """
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge.models.weights import store
    from nlgauge.models.weights.installing import size_of
    from nlgauge.show.writers.text import Printed

    places, downloaded = _installed()
    if as_json:
        show_json([{**store.info(name), "installed": place is not None} for name, place in places.items()])
        return
    rows = []
    for name, place in places.items():
        entry = store.entry_of(name)
        size = (
            _readable(size_of(place))
            if name in downloaded and place is not None
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
        [column(name) for name in ("name", "kind", "size", "license", "installed")],
        [[Cell(text) for text in row] for row in rows],
    )
    show(Printed(Page([sheet], notes=["`nlgauge models info NAME` describes a model."])))
    total = sum(size_of(place) for place in downloaded.values())
    say(
        f"downloaded models: {len(downloaded)}, {_readable(total)} in {store.cache_directory()}; remove a model"
        " with: nlgauge models remove NAME"
    )


def _installed() -> tuple[dict[str, Path | None], dict[str, Path]]:
    """Return the directory of every known model (None if it is not installed; installed models first), and
    of every downloaded model.
    """
    from nlgauge.models.weights import store
    from nlgauge.models.weights.catalog import catalog

    cache = store.cache_directory()
    downloaded: dict[str, Path] = {}
    for path in sorted(cache.iterdir()) if cache.is_dir() else ():
        manifest = None if path.name.startswith(".") else store.manifest_of(path)
        if manifest is not None:
            downloaded[manifest.name] = path
    places = {name: store.location(name) for name in catalog()} | downloaded
    return dict(sorted(places.items(), key=lambda item: item[1] is None)), downloaded


def _readable(size: int) -> str:
    """Return a number of bytes in GB, MB or kB."""
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
        list[str] | None,
        argument("Downloaded models to check (default: all).", metavar="[NAME]...", complete=_complete_names),
    ] = None,
) -> None:
    """Compare the files of downloaded models with their checksums.

    Exit with code 1 if a file differs, or if the checksums of a model were not recorded.
    """
    from nlgauge.models.weights import store

    _, downloaded = _installed()
    chosen = {name: downloaded.get(name) or _place_of(name) for name in names} if names else downloaded
    bad = 0
    for name, place in chosen.items():
        manifest = store.manifest_of(place)
        changed = store.changed_files(place)
        bad += bool(changed)
        if manifest is None or not manifest.files:
            bad += 1
            say(f"{name}: no checksums were recorded at the download; run: nlgauge models get {name}")
        elif changed:
            say(
                f"{name}: changed since the download: {', '.join(changed)}; scores may differ. Run: nlgauge"
                f" models remove {name}, then: nlgauge models get {name}"
            )
        else:
            say(f"{name}: {part_of(len(manifest.files), len(manifest.files), 'file', 'are unchanged')}")
    if not chosen:
        say(f"no downloaded models in {store.cache_directory()}")
    if bad:
        raise click.exceptions.Exit(FAILURE)


@Command
def remove_models(
    names: Annotated[
        list[str], argument("Downloaded models to remove.", metavar="NAME...", complete=_complete_names)
    ],
    yes: Annotated[bool, option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove downloaded models from the cache.

    Only directories that nlgauge has written can be removed.
    """
    from nlgauge.models.weights.installing import check_removable, remove, size_of

    places = {name: _place_of(name) for name in names}
    sizes = {name: _readable(size_of(place)) for name, place in places.items()}
    for name, place in places.items():
        check_removable(place)
        if not yes and not confirmed(f"Remove {name} ({sizes[name]}) from {place}?"):
            say("nothing was removed")
            raise click.exceptions.Exit(FAILURE)
    for name, place in places.items():
        remove(place)
        say(f"removed {name}: {sizes[name]}")


def _place_of(name: str) -> Path:
    """Return the directory of a downloaded model."""
    from nlgauge.errors import ModelError, did_you_mean
    from nlgauge.models.weights import store

    place = store.place_of(name)
    if store.manifest_of(place) is None:
        names = list(_installed()[1])
        raise ModelError(
            f"{name!r} is not downloaded{did_you_mean(name, names)}; {store.cache_directory()} contains"
            f" {', '.join(names) or 'no models'}."
        )
    return place


@Command
def get_models(
    names: Annotated[
        list[str],
        argument(
            "Models to download; NAME@REVISION selects a commit, tag or branch of the hub.",
            metavar="NAME...",
            complete=_complete_names,
        ),
    ],
    hub: Annotated[bool, option("--hub", help="Allow downloads from the Hugging Face hub.")] = False,
    file: Annotated[
        Path | None,
        option(
            "--from",
            help="Install word vectors from a file: GloVe or word2vec text, .vec or .npz.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Download models into the cache and print their paths."""
    from nlgauge.models.weights import fetch, store

    if file is not None and len(names) != 1:
        raise click.UsageError(
            f"--from installs one model, got {len(names)}: {', '.join(names)}; use one command for each."
        )
    for name in names:
        with _waiting(name):
            place = fetch.get(name, hub=hub, file=file)
        if message := store.fetched(name):
            say(message)
        click.echo(place)


@Command
def convert_model(
    file: Annotated[
        Path,
        argument("Weights of another program (.ckpt, .bin, .pth, .pt), or word vectors.", metavar="FILE"),
    ],
    layout: Annotated[
        str,
        option(
            "--as",
            help="Layout: comet, lens, align, bleurt, prism, bart, bin or vectors.",
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
        Path | None, option("-o", "--output", help="Directory to create.", metavar="DIR")
    ] = None,
    name: Annotated[
        str | None, option("--name", help="Install the model in the cache under this name.", metavar="NAME")
    ] = None,
) -> None:
    """Convert weights of another program to a directory that metrics can load.

    Read a checkpoint without executing anything it contains: only tensors and plain values are converted, and
    skipped items are listed.
    """
    from nlgauge._core.paths import require_folder
    from nlgauge.models.weights import store
    from nlgauge.models.weights.convert import Origin, convert

    if (output is None) == (name is None):
        number = "no destination" if output is None else "two destinations"
        raise click.UsageError(
            f"{number}; use either -o DIR, or --name NAME to install the model in the cache."
        )
    if output is not None:
        require_folder(output)
    target = output if output is not None else store.place_of(str(name))
    converted = convert(
        file, layout, target, base, Origin(name, name, file.name) if name is not None else None
    )
    for dropped in converted.dropped[:_SHOWN]:
        say(f"skipped: {dropped}")
    if len(converted.dropped) > _SHOWN:
        say(f"skipped: {counted(len(converted.dropped) - _SHOWN, 'more item')}")
    click.echo(converted.place)


@contextmanager
def _waiting(name: str) -> Iterator[None]:
    """Show on a terminal which model is being downloaded, and for how long."""
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
        shown.add_task(visible(f"downloading {name}{size}"), total=None)
        yield


@Command
def model_info(
    name: Annotated[str, argument("Name of a model.", metavar="NAME", complete=_complete_names)],
    as_json: AsJson = False,
) -> None:
    """Describe a model: source, license, size, and location."""
    from rich.text import Text

    from nlgauge._core.safe_text import visible
    from nlgauge.models.weights import store

    facts = store.info(name)
    if as_json:
        show_json(facts)
    else:
        show(*(Text(f"{key}: {visible(value)}") for key, value in facts.items()))


app = Group(
    "Download, convert and describe models.",
    {
        "list": list_models,
        "get": get_models,
        "info": model_info,
        "convert": convert_model,
        "verify": verify_models,
        "remove": remove_models,
    },
)
