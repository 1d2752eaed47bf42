"""nlgauge run: a whole evaluation from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Command
from nlgauge.cli.commands.score import score
from nlgauge.cli.gate import Annotations, GateOptions, Summary, decide, read_conditions
from nlgauge.cli.options import AskingOptions, ExecutorOptions, InputOptions, ModelOptions, ShownOptions
from nlgauge.cli.output import say
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.sacrebleu.options import SacrebleuOptions
from nlgauge.cli.score_fields import ScoreFieldOptions

if TYPE_CHECKING:
    from nlgauge.cli.run_file import CheckTable, RunFile


@Command
def run(
    path: Annotated[Path | None, argument("Run file in TOML.", metavar="[FILE]", existing_file=True)] = None,
    *,
    example: Annotated[
        bool, option("--example", help="Print an example of a run file with comments.")
    ] = False,
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", help="Save the result to this directory, not to the file's.", metavar="RESULT"
        ),
    ] = None,
    overwrite: Annotated[bool, option("--overwrite", help="Replace the result of an earlier run.")] = False,
    resume: Annotated[
        bool, option("--resume", help="Resume an unfinished run; start it if there is none.")
    ] = False,
    summary: Summary = None,
    annotations: Annotations = False,
    quiet: Annotated[bool, option("--quiet", "-q", help="Print only tables, warnings and errors.")] = False,
) -> None:
    """Score, save and check as a run file describes.

        nlgauge run --example > eval.toml
        nlgauge run eval.toml

    A run file has the inputs, columns, metrics, judges, conditions and outputs of an evaluation. The command
    does the same as nlgauge score and nlgauge check with these options, and has their exit codes.
    """
    if example:
        from nlgauge._core.package_data import data_text

        click.echo(data_text("run.toml"), nl=False)
        return
    if path is None:
        raise click.UsageError("missing run file; nlgauge run --example prints an example.")
    from nlgauge.cli.run_file import read_run_file

    file, folder = read_run_file(path), path.parent
    gate = None if file.check is None else _gate(file, file.check, folder, summary, annotations)
    if gate is None and (summary is not None or annotations):
        raise click.UsageError(
            f"--summary and --annotations require conditions; add the table [check] to {path}."
        )
    report = _report(file, folder, overwrite)
    arguments = _scoring(file, folder, quiet)
    if output is not None:
        arguments["output"] = output
    result = score.function(**arguments, overwrite=overwrite or file.output.overwrite, resume=resume)
    if report is not None:
        say(f"wrote {result.report(report, title=path.stem)}")
    if gate is not None:
        decide(result, gate)


def _scoring(file: RunFile, folder: Path, quiet: bool) -> dict[str, Any]:
    """Return the arguments of `nlgauge score`."""
    from nlgauge.cli.run_file import at, texts_of

    inputs, statistics, running = file.inputs, file.statistics, file.running
    check = file.check
    tested = {} if check is None else {"baseline": check.baseline}
    seed = {} if statistics.seed is None else {"seed": statistics.seed}
    return {
        "systems": inputs.words(folder),
        "metrics": file.specs() or None,
        "references": [at(folder, word) for word in texts_of(inputs.references)],
        "lang": inputs.lang,
        "reduce": inputs.reduce,
        "offline": running.offline,
        "output": None if file.output.result is None else folder / file.output.result,
        "no_texts": not file.output.texts,
        "fields": ScoreFieldOptions(
            scores=inputs.scores,
            item=inputs.item,
            system_field=inputs.system_field,
            repeat=inputs.repeat_field,
            document=inputs.document_field,
            ignore_inputs=inputs.ignore_inputs,
        ),
        "models": ModelOptions(
            device=running.device, batch_size=running.batch_size, no_cache=not running.cache
        ),
        "computing": ExecutorOptions(executor=running.executor, jobs=running.jobs),
        "asking": AskingOptions(),
        "read": InputOptions(
            **{name: at(folder, getattr(inputs, name)) for name in ("source", "ids", "documents", "weights")},
            **{
                name: getattr(inputs, name)
                for name in ("encoding", "delimiter", "columns", "where", "skip_missing", "common", "pooled")
            },
            mapping=inputs.map,
        ),
        "shown": ShownOptions(
            quiet=quiet,
            segments=at(folder, file.output.segments),
            confidence=statistics.confidence,
            resamples=statistics.resamples,
            test=statistics.test,
            **tested,
        ),
        "as_sacrebleu": SacrebleuOptions(),
        **seed,
    }


def _gate(
    file: RunFile, table: CheckTable, folder: Path, summary: Path | None, annotations: bool
) -> GateOptions:
    """Return the options of `nlgauge check`; raise an error of usage if a condition cannot be read."""
    from nlgauge.cli.run_file import texts_of

    if table.baseline is not None and table.baseline_result is not None:
        raise click.UsageError(
            "check.baseline is a system and check.baseline_result the directory of a result; omit one of them."
        )
    if not any((table.baseline, table.baseline_result, table.fail_under, table.fail_over)):
        raise click.UsageError(
            "the table [check] has no condition; add baseline, baseline_result, fail_under or fail_over."
        )
    if table.baseline_result is not None and not (folder / table.baseline_result).is_dir():
        raise click.UsageError(
            f"the directory {folder / table.baseline_result} of check.baseline_result does not exist; save a result"
            " there, or use another directory."
        )
    options = GateOptions(
        baseline=table.baseline if table.baseline_result is None else table.baseline_path(folder),
        baseline_system=table.baseline_system,
        systems=table.systems,
        fail_if=texts_of(table.fail_if),
        fail_under=_pairs(table.fail_under),
        fail_over=_pairs(table.fail_over),
        margin=table.margins(),
        inconclusive=table.inconclusive,
        max_missing=table.max_missing,
        alpha=table.alpha,
        summary=summary,
        annotations=annotations,
        confidence=file.statistics.confidence,
        resamples=file.statistics.resamples,
        test=file.statistics.test,
    )
    read_conditions(options)
    return options


def _pairs(numbers: dict[str, float]) -> list[str]:
    """Return conditions such as "bleu=30"."""
    return [f"{name}={value!r}" for name, value in numbers.items()]


def _report(file: RunFile, folder: Path, overwrite: bool) -> Path | None:
    """Return the file of the report; raise an error of usage if it exists and must not be replaced."""
    if file.output.report is None:
        return None
    report = folder / file.output.report
    if report.exists() and not (overwrite or file.output.overwrite):
        raise click.UsageError(f"{report} already exists; use --overwrite to replace it.")
    return report
