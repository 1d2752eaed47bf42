"""nlgauge generate: predictions of a language model on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command
from nlgauge.cli.options import Encoding, SeedOfAll
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, RUNNING, argument, option
from nlgauge.cli.program import note_running
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.io.reader import Reader


@Command
def generate_command(
    *,
    sources: Annotated[
        str,
        argument(
            "Sources: a text per line, or records with the field source (.jsonl, .csv ...).",
            metavar="FILE",
            panel=FILES,
        ),
    ],
    model: Annotated[
        str,
        option("--model", "-m", help="Causal language model on this machine.", metavar="NAME", panel=METRICS),
    ],
    output: Annotated[
        Path, option("--output", "-o", help="File to write (JSON Lines).", metavar="FILE", panel=OUTPUT)
    ],
    references: Annotated[
        list[str] | None,
        option(
            "--references", "-r", help="References, one per line; repeatable.", metavar="FILE", panel=FILES
        ),
    ] = None,
    prompt: Annotated[
        str,
        option(
            "--prompt",
            help="Message to the model; {source} stands for the source.",
            metavar="TEXT",
            panel=METRICS,
        ),
    ] = "{source}",
    max_tokens: Annotated[
        int,
        option(
            "--max-tokens", at_least=1, help="Maximum number of tokens of a text.", metavar="N", panel=METRICS
        ),
    ] = 128,
    temperature: Annotated[
        float,
        option(
            "--temperature",
            help="Temperature of sampling; 0 takes the likeliest token.",
            metavar="NUMBER",
            panel=METRICS,
        ),
    ] = 0.0,
    top_p: Annotated[
        float,
        option(
            "--top-p", help="Share of the probability of the sampled tokens.", metavar="NUMBER", panel=METRICS
        ),
    ] = 1.0,
    system: Annotated[
        str,
        option("--system", help="Name of the system (default: the model).", metavar="NAME", panel=OUTPUT),
    ] = "",
    overwrite: Annotated[bool, option("--overwrite", help="Replace an existing file.", panel=OUTPUT)] = False,
    device: Annotated[
        str | None,
        option("--device", help="Device of the model, such as cpu or cuda.", metavar="NAME", panel=RUNNING),
    ] = None,
    encoding: Encoding = None,
    seed: SeedOfAll = 12345,
) -> None:
    """Generate predictions with a causal language model on this machine.

        nlgauge generate in.txt -m smollm2 -o out.jsonl --prompt "Shorten: {source}"
        nlgauge score out.jsonl -m "shannon(model='smollm2')"

    One line is written per source, with its source, references and prediction, as `nlgauge score` reads it. Run
    an interrupted command again to continue it: texts that are finished are not generated again.
    """
    from nlgauge._core.paths import require_folder
    from nlgauge._core.progress import progress
    from nlgauge.candidates.generating import UNFINISHED, Writing, generate_file
    from nlgauge.io.reader import Reader

    require_folder(output)
    if output.exists() and not overwrite:
        raise InputError(f"{output} already exists; use --overwrite to replace it.")
    writing = Writing(model, prompt, max_tokens, temperature, top_p, seed)
    rows = _rows(Reader(encoding), sources, references or [])
    note_running(output.with_name(f"{output.name}{UNFINISHED}"), "run the same command again to continue")
    with progress():
        made = generate_file(rows, output, writing, system, device)
    kept = len(rows) - made
    say(
        f"{output}: {counted(len(rows), 'prediction')}"
        + (f", {kept} of them from the interrupted run" if kept else "")
    )


def _rows(reader: Reader, sources: str, references: list[str]) -> list[dict[str, Any]]:
    """Return one record per source."""
    from nlgauge.corpus.records import ABSENT, FIELD_NAMES
    from nlgauge.io.files import Address

    address = Address.of(sources)
    if address.kind is not None and address.column is None:
        table = reader.table(address)
        if "source" not in table.columns:
            raise InputError(
                f"{sources} has the fields {', '.join(table.columns)}; name the field of the sources: {sources}:FIELD."
            )
        texts = reader.single_texts(f"{sources}:source")
        rows = [
            {
                name: values[at]
                for name, values in table.columns.items()
                if values[at] is not ABSENT and name not in ("prediction", "system")
            }
            for at in range(len(texts.values))
        ]
    else:
        rows = [{"source": text} for text in reader.single_texts(sources).values]
    columns = [reader.single_texts(file) for file in references]
    for column in columns:
        if len(column.values) != len(rows):
            raise InputError(
                f"{column.place} has {counted(len(column.values), 'line')} for {counted(len(rows), 'source')}."
            )
    if columns and any("references" in row for row in rows):
        raise click.UsageError(f"{sources} has references; omit -r.")
    if columns:
        rows = [
            {**row, "references": [column.values[at] for column in columns]} for at, row in enumerate(rows)
        ]
    # Records with a system need the id of the segment.
    if not any(name in row for row in rows for name in FIELD_NAMES["id"]):
        rows = [{"id": str(number), **row} for number, row in enumerate(rows, 1)]
    return rows
