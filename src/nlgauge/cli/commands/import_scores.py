"""nlgauge import: save scores that other tools computed as a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Spelled
from nlgauge.cli.complete import complete_files
from nlgauge.cli.options import (
    ColumnMap,
    Delimiter,
    Encoding,
    SeedOfAll,
    ShownOptions,
    Where,
    column_map,
    conditions,
)
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, OUTPUT, argument, option
from nlgauge.cli.present import present
from nlgauge.cli.program import note_written
from nlgauge.cli.score_fields import ScoreFieldOptions, named_scores, scored_records


@Spelled
def import_command(
    *,
    files: Annotated[
        list[str],
        argument(
            "Evaluation logs, or files of records: FILE or NAME=FILE.",
            metavar="FILE...",
            panel=FILES,
            complete=complete_files,
        ),
    ],
    output: Annotated[
        Path,
        option("--output", "-o", help="Save the result to this directory.", metavar="RESULT", panel=OUTPUT),
    ],
    tool: Annotated[
        str | None,
        option(
            "--from",
            help="Tool that wrote the logs, such as inspect or lm_eval (default: by content).",
            metavar="TOOL",
            panel=FILES,
        ),
    ] = None,
    fields: ScoreFieldOptions,
    repeats: Annotated[
        bool,
        option("--repeats", help="Several logs of a system are repeats of the same segments.", panel=FILES),
    ] = False,
    references: Annotated[
        str | None,
        option(
            "--references",
            help="Variable of promptfoo that contains the reference.",
            metavar="NAME",
            panel=FILES,
        ),
    ] = None,
    passes: Annotated[
        bool,
        option("--passes", help="Also import whether metrics of deepeval passed.", panel=FILES),
    ] = False,
    lang: Annotated[
        str | None,
        option(
            "--lang", "-l", help="Language of the texts, such as de or pt-BR.", metavar="CODE", panel=FILES
        ),
    ] = None,
    no_texts: Annotated[
        bool, option("--no-texts", help="Save hashes instead of texts.", panel=OUTPUT)
    ] = False,
    overwrite: Annotated[bool, option("--overwrite", help="Replace the result in -o.", panel=OUTPUT)] = False,
    mapping: ColumnMap = None,
    where: Where = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    seed: SeedOfAll = SEED,
    shown: ShownOptions,
) -> None:
    """Import scores of other tools: evaluation logs, or columns of files.

        nlgauge import logs/*.eval -o out/
        nlgauge import runs.jsonl --scores faithfulness:0..1,latency:lower -o out/

    Logs of Inspect, lm-evaluation-harness, promptfoo, deepeval, ragas, MLflow, HELM and Every Eval Ever are
    recognized by their content. In other files each record is one answer of a system to a segment. compare,
    check, report, serve and meta then work as on any result, and nlgauge add computes further metrics on its
    texts. Several answers of a system to a segment are averaged.
    """
    from nlgauge._core.paths import within
    from nlgauge.io.logs.readers import are_logs
    from nlgauge.results.imported.logs import ImportedTask, imported_tasks
    from nlgauge.results.storage.save import check_free

    check_free(output, overwrite)
    if tool is not None or are_logs(files):
        tasks = imported_tasks(
            files,
            tool,
            scores=named_scores(fields.scores) or None,
            repeats=repeats,
            references=references,
            passes=passes,
            lang=lang,
            seed=seed,
        )
    elif fields.scores:
        reading = {"where": conditions(where), "mapping": column_map(mapping), "encoding": encoding}
        result = scored_records(
            files,
            fields.scores,
            {**reading, "delimiter": delimiter},
            **fields.arguments(),
            lang=lang,
            seed=seed,
        )
        tasks = {"": ImportedTask(result, "", ())}
    else:
        raise click.UsageError(
            f"{files[0]} is not a log of a known tool; name the columns that contain scores: --scores NAME."
        )
    for task, (result, title, notes) in tasks.items():
        directory = output
        if len(tasks) > 1:
            output.mkdir(exist_ok=True)
            directory = within(output, re.sub(r"[^\w.-]+", "_", task).strip("._"), "a task")
        result.save(directory, texts=not no_texts, overwrite=overwrite)
        note_written(directory)
        if title and not shown.quiet:
            say(f"{title}{f', task {task}' if task else ''}: {len(result.corpus)} segments")
        for note in notes:
            say(note)
        present(result, shown)
        if not shown.quiet:
            say(f"saved to {directory}; next: nlgauge compare {directory}")
