"""nlgauge import: save scores that other tools computed as a result."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from shlex import quote
from typing import Annotated

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
    checked_expressions,
    column_map,
    narrowed,
)
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, OUTPUT, argument, option
from nlgauge.cli.present import present
from nlgauge.cli.program import note_written
from nlgauge.cli.score_fields import ScoreFieldOptions, named_scores, scored_records

# Maximum length of the name of a task's directory.
_LONGEST_NAME = 100


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
    from nlgauge.io.logs.readers import are_logs
    from nlgauge.results.imported.logs import ImportedTask, imported_tasks
    from nlgauge.results.storage.save import check_free

    check_free(output, overwrite)
    if tool is not None or not fields.scores or are_logs(files):
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
        tasks = {name: task._replace(result=narrowed(task.result, where)) for name, task in tasks.items()}
    else:
        reading = {"where": checked_expressions(where), "mapping": column_map(mapping), "encoding": encoding}
        result = scored_records(
            files,
            fields.scores,
            {**reading, "delimiter": delimiter},
            **fields.arguments(),
            lang=lang,
            seed=seed,
        )
        tasks = {"": ImportedTask(result, "", ())}
    directories = _directories(output, list(tasks))
    if len(tasks) > 1:
        output.mkdir(exist_ok=True)
    for directory, (result, heading, notes) in zip(directories, tasks.values(), strict=True):
        result.save(directory, texts=not no_texts, overwrite=overwrite)
        note_written(directory)
        if heading and not shown.quiet:
            say(heading)
        for note in notes:
            say(note)
        present(result, shown)
        if not shown.quiet:
            command = "compare" if len(result.systems) > 1 else "report"
            say(f"saved to {directory}; next: nlgauge {command} {quote(str(directory))}")


def _directories(output: Path, tasks: list[str]) -> list[Path]:
    """Return the directory of each task: the output itself, or one inside it with a name like the task's."""
    from nlgauge._core.paths import within

    if len(tasks) == 1:
        return [output]
    # By the name without case, because some file systems ignore it.
    names: dict[str, str] = {}
    for task in tasks:
        name = re.sub(r"[^\w.-]+", "_", task).strip("._")[:_LONGEST_NAME] or "task"
        numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
        free = next(each for each in numbered if each.lower() not in names)
        names[free.lower()] = free
    return [within(output, name, "a task") for name in names.values()]
