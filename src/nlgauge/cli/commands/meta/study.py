"""Options of `nlgauge meta` and its subcommands, and how they read texts, judgments and scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from nlgauge.cli.complete import complete_metrics, complete_results
from nlgauge.cli.options import FormOptions, ModelOptions, checked_expressions
from nlgauge.cli.output import say
from nlgauge.cli.parameters import BENCHMARK, METRICS, OUTPUT, STATISTICS, Options, argument, option
from nlgauge.cli.program import note_running, note_written

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from nlgauge.engine.prepare import MetricSpec
    from nlgauge.meta.benchmarks.parts import Part
    from nlgauge.meta.benchmarks.study import Study
    from nlgauge.meta.judgments import Judgments
    from nlgauge.results.result import Result


def complete_data(
    context: click.Context, parameter: click.Parameter, start: str
) -> list[CompletionItem | str]:
    """Return benchmarks; if none matches, saved results."""
    from nlgauge.meta.benchmarks.catalog import CATALOG

    names: list[CompletionItem | str] = [name for name in CATALOG if name.startswith(start)]
    return names or complete_results(context, parameter, start)


Data = Annotated[
    str,
    argument("Benchmark, file of judged texts, or saved result.", metavar="DATA", complete=complete_data),
]
StudyDirectory = Annotated[
    Path | None,
    option(
        "--output",
        "-o",
        help="Save scores and findings here; later runs reuse them.",
        metavar="DIR",
        panel=OUTPUT,
    ),
]
SavedStudy = Annotated[
    Path,
    argument("Directory of `nlgauge meta -o` or `nlgauge score -o`.", metavar="DIR", existing_directory=True),
]
SavedLevel = Annotated[
    str | None,
    option(
        "--level",
        help="Level: system, input, global or by_system (default: as in the study).",
        metavar="LEVEL",
        panel=STATISTICS,
    ),
]
SavedCoefficient = Annotated[
    str | None,
    option(
        "--coefficient",
        "-c",
        help="Coefficient, such as pearson or kendall (default: as in the study).",
        metavar="NAME",
        panel=STATISTICS,
    ),
]
SavedMetrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        "-m",
        help="Saved metrics, separated by commas (default: all).",
        metavar="METRIC",
        panel=METRICS,
    ),
]
StudyMetrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        "-m",
        help="Metrics (default: all saved metrics, else bleu chrf rouge).",
        metavar="METRIC...",
        panel=METRICS,
        complete=complete_metrics,
    ),
]


class PartOptions(Options):
    """Part of the texts."""

    systems: Annotated[
        list[str] | None,
        option(
            "--systems",
            help="Use only these systems, separated by commas.",
            metavar="NAME,...",
            panel=BENCHMARK,
        ),
    ] = None
    without: Annotated[
        list[str] | None,
        option("--without", help="Leave out these systems.", metavar="NAME,...", panel=BENCHMARK),
    ] = None
    where: Annotated[
        list[str] | None,
        option(
            "--where",
            help="Use only texts that meet an expression, such as 'domain = news'; repeatable.",
            metavar="EXPR",
            panel=BENCHMARK,
        ),
    ] = None

    @property
    def part(self) -> Part:
        """The part that the options select."""
        from nlgauge.meta.benchmarks.parts import Part

        return Part(split(self.systems), split(self.without), checked_expressions(self.where))


class StudyOptions(PartOptions):
    """Texts and judgments of a benchmark."""

    humans: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Human dimensions or columns, separated by commas (default for benchmarks: all).",
            metavar="NAME",
            panel=BENCHMARK,
        ),
    ] = None
    group: Annotated[
        str | None,
        option(
            "--group", help="Use only this group, such as a language pair.", metavar="NAME", panel=BENCHMARK
        ),
    ] = None
    group_field: Annotated[
        str | None,
        option(
            "--group-by",
            help="Column that contains the group (files and results only).",
            metavar="COLUMN",
            panel=BENCHMARK,
        ),
    ] = None
    segments: Annotated[
        int | None,
        option(
            "--sample",
            at_least=1,
            help="Draw a random sample of N segments per group.",
            metavar="N",
            panel=BENCHMARK,
        ),
    ] = None
    people: Annotated[
        bool,
        option(
            "--with-people",
            help="Include texts written by people, which are often the references.",
            panel=BENCHMARK,
        ),
    ] = False
    peers: Annotated[
        bool,
        option("--peers", help="Add metric scores that other authors have published.", panel=BENCHMARK),
    ] = False
    every_output: Annotated[
        bool,
        option("--all-outputs", help="Use all outputs of each metric, not only the first.", panel=BENCHMARK),
    ] = False
    corpus_scores: Annotated[
        bool,
        option(
            "--corpus-scores",
            help="Score systems on the whole corpus, not by the mean of segment scores.",
            panel=BENCHMARK,
        ),
    ] = False

    overwrite: Annotated[
        bool,
        option(
            "--overwrite",
            help="Restart an unfinished run in -o and replace results of other texts.",
            panel=BENCHMARK,
        ),
    ] = False

    def of(self, benchmark: str, seed: int) -> Study:
        """Return the study of a benchmark with these options."""
        from nlgauge.meta.benchmarks.study import Study

        part = self.part
        return Study(
            benchmark=benchmark,
            systems=list(part.systems),
            without=list(part.without),
            where=list(part.where),
            humans=split(self.humans),
            group=self.group,
            group_field=self.group_field,
            segments=self.segments,
            seed=seed,
            people=self.people,
            peers=self.peers,
            outputs="all" if self.every_output else "first",
            corpus_scores=self.corpus_scores,
        )


class FindingOptions(FormOptions):
    """Format and columns of tables of findings."""

    details: Annotated[bool, option("--details", help="Show all columns.", panel=OUTPUT)] = False

    @property
    def for_readers(self) -> bool:
        """True if people read the format, not programs."""
        return self.form not in ("json", "csv", "tsv")


class Studied(NamedTuple):
    """Judgments with metric scores, and the seconds of each metric per 1,000 texts."""

    judgments: Judgments
    seconds: dict[str, float]


def studied(
    data: str,
    metrics: Sequence[str] | None,
    study: StudyOptions,
    models: ModelOptions,
    output: Path | None,
    seed: int,
    quiet: bool,
    levels: Sequence[str] | None = None,
    coefficients: Sequence[str] | None = None,
) -> Studied:
    """Read the texts and compute the scores that the directory lacks; or read a saved result.

    The directory stores the levels and coefficients, which are the defaults of later commands.
    """
    from nlgauge.meta.benchmarks.scoring import saved
    from nlgauge.meta.benchmarks.study import RESULTS
    from nlgauge.meta.readers.results import seconds_per_thousand
    from nlgauge.scoring import DEFAULT_METRICS

    chosen = study.of(data, seed)
    if chosen.is_result:
        _check_options(chosen, output)
        return _of_result(chosen, metrics or ())
    texts = chosen.read()
    if output is not None:
        only_global = ["global"] if texts.graded or len(texts.systems) == 1 else None
        chosen.save(output, levels or only_global, coefficients)
        note_running(output, "run the same command to continue")
    directory = None if output is None else output / RESULTS
    specs: list[MetricSpec] = list(metrics or ())
    if not specs and directory is not None and not study.overwrite:
        specs = _specs(list(saved(texts, directory).values()))
    results = texts.score(
        *(specs or ([] if chosen.peers else DEFAULT_METRICS)),
        output=directory,
        overwrite=study.overwrite,
        seed=seed,
        batch_size=models.batch_size,
        device=models.device,
        cache=not models.no_cache,
        show_progress=False if quiet else None,
        say=None if quiet else say,
    )
    note_written(output)
    return Studied(chosen.judgments(texts, results), seconds_per_thousand(*results.values()))


def _specs(results: Sequence[Result]) -> list[MetricSpec]:
    """Return the metrics of saved results; a metric that depends on the language has only its label."""
    from nlgauge.engine.prepare import as_spec
    from nlgauge.metric.saved import can_be_made_again

    return [
        as_spec(label, metric)
        if can_be_made_again(metric) and all(other._metrics[label] == metric for other in results)
        else label
        for label, metric in (results[0]._metrics.items() if results else ())
    ]


def _check_options(study: Study, output: Path | None) -> None:
    """Raise if the data are a study instead of a result, or if an option requires a benchmark or a file."""
    from nlgauge.meta.benchmarks.study import STUDY

    if (Path(study.benchmark) / STUDY).is_file():
        raise click.BadParameter(
            f"{study.benchmark} is a study, not a result; name its benchmark and add -o {study.benchmark} to"
            f" use its scores, or name a result in {study.benchmark}/results.",
            param_hint="'DATA'",
        )
    refused = {
        "-o": output,
        "--sample": study.segments,
        "--with-people": study.people,
        "--peers": study.peers,
    }
    for name in (name for name, value in refused.items() if value):
        raise click.BadParameter(
            f"{study.benchmark} is a saved result, but {name} requires a benchmark or a file of texts; omit {name}.",
            param_hint=f"'{name}'",
        )


def _of_result(study: Study, metrics: Sequence[str] = (), human_needed: bool = True) -> Studied:
    """Return the judgments of a saved result with these metrics, or all."""
    from nlgauge.meta.readers.results import seconds_per_thousand
    from nlgauge.results.joined import of_metrics
    from nlgauge.results.storage.load import load

    result = load(study.benchmark)
    if metrics:
        # Human scores may be imported scores of the result.
        humans = [name for name in study.humans if name in result.labels and name not in metrics]
        result = of_metrics(result, *metrics, *humans)
    return Studied(study.of_result(result, human_needed), seconds_per_thousand(result))


def opened(
    directory: Path,
    human: Sequence[str] | None = None,
    human_needed: bool = True,
    part: Part | None = None,
    quiet: bool = False,
) -> tuple[Study, Studied]:
    """Read a directory of `nlgauge meta -o` with these human dimensions, or a saved result, whose fields
    `human` are human scores; `part` selects some of their texts.
    """
    from nlgauge.meta.benchmarks.parts import Part, results_of_part
    from nlgauge.meta.benchmarks.study import STUDY, Study, reopened
    from nlgauge.meta.readers.results import seconds_per_thousand

    if not (directory / STUDY).is_file():
        chosen = part or Part()
        study = Study(
            benchmark=str(directory),
            humans=split(human),
            systems=list(chosen.systems),
            without=list(chosen.without),
            where=list(chosen.where),
        )
        return study, _of_result(study, human_needed=human_needed)
    study, texts, results = reopened(directory)
    if part:
        whole, texts = texts, part.of(texts)
        results = results_of_part(results, whole, texts, None if quiet else say)
    judgments = study.judgments(texts, results)
    judgments = judgments.only(human=split(human)) if human else judgments
    return study, Studied(judgments, seconds_per_thousand(*results.values()))


def check_one_dimension(judgments: Judgments, subject: str) -> None:
    """Raise if the judgments have several human dimensions or several groups; `subject` needs one."""
    if len(judgments.humans) != 1:
        raise click.UsageError(
            f"{subject} needs exactly one human dimension; choose one with --human:"
            f" {', '.join(judgments.humans)}."
        )
    if judgments.groups is not None:
        groups = ", ".join(dict.fromkeys(map(str, judgments.groups)))
        raise click.UsageError(f"{subject} needs exactly one group; choose one with --group: {groups}.")


def split(values: Sequence[str] | None) -> list[str]:
    """Return the names in values that are separated by commas.

    >>> split(["system,input", "global"])
    ['system', 'input', 'global']
    """
    return [name.strip() for value in values or () for name in value.split(",") if name.strip()]
