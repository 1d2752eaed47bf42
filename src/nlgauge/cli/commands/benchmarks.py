"""nlgauge benchmarks: the human judgments that metrics are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command, Group
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import argument, option

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks import Benchmark


def _complete_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    from nlgauge.meta.benchmarks.catalog import CATALOG

    return [name for name in CATALOG if name.startswith(start)]


@Command
def list_benchmarks(as_json: AsJson = False) -> None:
    """List known benchmarks and show which are installed."""
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge.meta.benchmarks.catalog import CATALOG
    from nlgauge.meta.benchmarks.places import folder
    from nlgauge.show.writers.text import Printed

    if as_json:
        show_json([_document(name) for name in CATALOG])
        return
    rows = [
        [name, entry.task, _shortened(entry.languages), "yes" if _is_installed(name) else "no"]
        for name, entry in CATALOG.items()
    ]
    sheet = Sheet(
        [column(name) for name in ("name", "task", "languages", "installed")],
        [[Cell(text) for text in row] for row in rows],
    )
    show(
        Printed(
            Page(
                [sheet],
                notes=["`nlgauge benchmarks info NAME` shows the source and the license."],
            )
        )
    )
    say(f"directory of benchmarks: {folder()}")


@Command
def benchmark_info(
    name: Annotated[str, argument("Name of a benchmark.", metavar="NAME", complete=_complete_names)],
    as_json: AsJson = False,
) -> None:
    """Describe a benchmark: content, license, source, and installed files."""
    from rich.text import Text

    from nlgauge._core.safe_text import visible

    document = _document(name)
    if as_json:
        show_json(document)
        return
    for fact, value in document.items():
        if isinstance(value, dict):
            show(
                Text(f"{fact}:"),
                *(Text(f"  {visible(inner)}: {visible(str(text))}") for inner, text in value.items()),
            )
        elif value not in ("", None):
            show(Text(f"{fact}: {visible(str(value))}"))


@Command
def get_benchmark(
    name: Annotated[str, argument("Name of a benchmark.", metavar="NAME", complete=_complete_names)],
    download: Annotated[
        bool, option("--download", help="Use the network; without it, only show what would be downloaded.")
    ] = False,
    overwrite: Annotated[bool, option("--overwrite", help="Replace an installed benchmark.")] = False,
) -> None:
    """Download the released files of a benchmark, and install it.

        nlgauge benchmarks get cdsr_cogito
        nlgauge benchmarks get cdsr_cogito --download

    Without --download, print the addresses, sizes and hashes of the files and the license, and use no network.
    Files with another size or hash are refused.
    """
    from nlgauge._core.progress import progress
    from nlgauge.meta.benchmarks.catalog import card
    from nlgauge.meta.benchmarks.downloading import check, described, get

    if not download:
        known = card(name)
        check(known)
        for line in described(known):
            say(line)
        raise click.UsageError(f"nothing was downloaded; run: nlgauge benchmarks get {known.name} --download")
    with progress():
        benchmark, place = get(name, overwrite=overwrite, say=say)
    _say_installed(benchmark, place)


@Command
def import_benchmark(
    paths: Annotated[
        list[Path],
        argument("Original files or directories, as released by their authors.", metavar="PATH..."),
    ],
    name: Annotated[
        str | None,
        option("--name", help="Name of the benchmark if the files do not identify it.", metavar="NAME"),
    ] = None,
    overwrite: Annotated[bool, option("--overwrite", help="Replace an installed benchmark.")] = False,
) -> None:
    """Convert the original files of a benchmark so that it can be used by name.

        nlgauge benchmarks import model_annotations.aligned.jsonl

    `nlgauge benchmarks info NAME` lists the files that are read. Pickle files are never opened.
    """
    from nlgauge.meta.benchmarks import imported

    benchmark, place = imported(*paths, name=name, overwrite=overwrite)
    _say_installed(benchmark, place)


def _say_installed(benchmark: Benchmark, place: Path) -> None:
    click.echo(place)
    judged = counted(len(benchmark.pairs), "pair") if benchmark.pairs else ", ".join(benchmark.dimensions)
    say(
        f"{benchmark.name}: {counted(len(benchmark.rows), 'text')}, {counted(len(benchmark.segments), 'segment')},"
        f" {counted(len(benchmark.systems), 'system')}; judged: {judged}"
    )
    say(f"license: {benchmark.card.license}")


def _is_installed(name: str) -> bool:
    from nlgauge.meta.benchmarks.places import SHIPPED, place_of

    return name in SHIPPED or place_of(name) is not None


def _document(name: str) -> dict[str, Any]:
    """Return the card, and the location of the installed benchmark."""
    from nlgauge.meta.benchmarks.catalog import card
    from nlgauge.meta.benchmarks.places import SHIPPED, folder, place_of

    described = card(name)
    place = place_of(described.name)
    installed = f"no (not in {folder()})" if place is None else str(place)
    if described.name in SHIPPED:
        installed = "part of the package"
    return {**described.facts(), "installed": installed}


def _shortened(languages: tuple[str, ...]) -> str:
    return (
        ", ".join(languages)
        if len(languages) <= 3
        else f"{', '.join(languages[:2])} and {len(languages) - 2} more"
    )


app = Group(
    "List, describe, download and import benchmarks of human judgments.",
    {
        "list": list_benchmarks,
        "info": benchmark_info,
        "get": get_benchmark,
        "import": import_benchmark,
    },
)
