"""nlgauge benchmarks: the human judgments that metrics are held against."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from nlgauge.cli.command import Command, Group
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import argument, option


@Command
def list_benchmarks(as_json: AsJson = False) -> None:
    """Lists the known benchmarks and says which of them are on this machine."""
    from nlgauge._core.page import Cell, Page, Sheet, column
    from nlgauge.meta.benchmarks.catalogue import CATALOGUE
    from nlgauge.meta.benchmarks.places import folder
    from nlgauge.show.writers.text import Printed

    if as_json:
        show_json([_document(name) for name in CATALOGUE])
        return
    rows = [
        [name, known.task, _shortened(known.languages), "yes" if _is_here(name) else "no"]
        for name, known in CATALOGUE.items()
    ]
    sheet = Sheet(
        [column(name) for name in ("name", "task", "languages", "here")],
        [[Cell(text) for text in row] for row in rows],
    )
    show(
        Printed(
            Page(
                [sheet],
                notes=["nlgauge benchmarks info NAME says where to get one, and under which license."],
            )
        )
    )
    say(f"benchmarks are kept in {folder()}")


@Command
def benchmark_info(
    name: Annotated[str, argument(help="A benchmark, by name.", metavar="NAME")],
    as_json: AsJson = False,
) -> None:
    """Says what a benchmark is, under which license, where to get it, and what of it is on this machine."""
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
def import_benchmark(
    paths: Annotated[
        list[Path],
        argument(help="Original files or folders, as their authors release them.", metavar="PATH..."),
    ],
    name: Annotated[
        str | None, option("--name", help="The benchmark, where the files do not say.", metavar="NAME")
    ] = None,
    overwrite: Annotated[
        bool, option("--overwrite", help="Replace a benchmark that is there already.")
    ] = False,
) -> None:
    """Reads the original files of a benchmark and puts them into the folder of benchmarks, so that its name
    is enough.

    nlgauge benchmarks import model_annotations.aligned.jsonl

    Files are read as their authors release them; `nlgauge benchmarks info NAME` says which. Pickles are never
    opened.
    """
    from nlgauge.meta.benchmarks import imported

    benchmark, place = imported(*paths, name=name, overwrite=overwrite)
    click.echo(place)
    judged = f"{len(benchmark.pairs)} pairs" if benchmark.pairs else ", ".join(benchmark.dimensions)
    say(
        f"{benchmark.name}: {len(benchmark.rows)} texts, {len(benchmark.segments)} segments,"
        f" {len(benchmark.systems)} systems; judged: {judged}"
    )
    say(f"license: {benchmark.card.license}")


def _is_here(name: str) -> bool:
    from nlgauge.meta.benchmarks.places import place_of

    return name == "sample" or place_of(name) is not None


def _document(name: str) -> dict[str, Any]:
    """The card, and what is here of the benchmark."""
    from nlgauge.meta.benchmarks.catalogue import card
    from nlgauge.meta.benchmarks.places import folder, place_of

    known = card(name)
    place = place_of(known.name)
    here = (
        "part of the package"
        if known.name == "sample"
        else f"not in {folder()}"
        if place is None
        else str(place)
    )
    return {**known.facts(), "here": here}


def _shortened(languages: tuple[str, ...]) -> str:
    return (
        ", ".join(languages)
        if len(languages) <= 3
        else f"{', '.join(languages[:2])} and {len(languages) - 2} more"
    )


app = Group(
    "Lists, describes and imports benchmarks of human judgments.",
    {"list": list_benchmarks, "info": benchmark_info, "import": import_benchmark},
)
