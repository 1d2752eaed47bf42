"""Options that several commands share."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.complete import complete_metrics, complete_results, complete_systems
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, RUNNING, STATISTICS, Options, argument, option

if TYPE_CHECKING:
    from nlgauge.engine.executors import Executor
    from nlgauge.results.asking import Sure
    from nlgauge.results.result import Result

FORMATS = ("table", "json", "tsv", "csv", "markdown", "latex")
TESTS = ("randomization", "bootstrap", "none")

AsJson = Annotated[bool, option("--json", help="Print JSON.")]
Metrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        "-m",
        help='Metrics, such as bleu or "plus=chrf(word_order=2)" (default: bleu chrf rouge).',
        metavar="METRIC...",
        panel=METRICS,
        complete=complete_metrics,
    ),
]
Confidence = Annotated[
    float,
    option(
        "--confidence",
        help="Confidence of the intervals, between 0 and 1.",
        metavar="NUMBER",
        panel=STATISTICS,
    ),
]
Resamples = Annotated[
    int,
    option(
        "--resamples",
        at_least=1,
        help="Number of resamples for intervals and tests.",
        metavar="N",
        panel=STATISTICS,
    ),
]


def _american(value: str) -> str:
    """Return the name of a test in American spelling."""
    return "randomization" if value == "randomisation" else value


PairedTest = Annotated[
    str,
    option(
        "--test",
        help="Paired test of differences: randomization or bootstrap.",
        metavar="TEST",
        convert=_american,
        panel=STATISTICS,
    ),
]
HumanFields = Annotated[
    list[str] | None,
    option(
        "--human",
        help="Fields with human scores; NAME:lower if lower is better (default: all).",
        metavar="FIELD...",
    ),
]
Ratings = Annotated[
    Path | None,
    option(
        "--ratings",
        help="Human ratings: a campaign of `nlgauge annotate`, or a file that it exported.",
        metavar="PATH",
    ),
]
Baseline = Annotated[
    str | None,
    option(
        "--baseline",
        help="System that the others are compared with (default: the first).",
        metavar="SYSTEM",
        panel=STATISTICS,
        complete=complete_systems,
    ),
]
SeedOfAll = Annotated[
    int, option("--seed", at_least=0, help="Seed of all random numbers.", metavar="N", panel=STATISTICS)
]
Seed = Annotated[
    int | None,
    option(
        "--seed",
        at_least=0,
        help="Seed of the resampling (default: seed of the run).",
        metavar="N",
        panel=STATISTICS,
    ),
]
ResultDirectory = Annotated[
    Path,
    argument(
        "Directory of a saved result (`nlgauge score -o`).", metavar="RESULT", complete=complete_results
    ),
]
ResultDirectories = Annotated[
    list[Path],
    argument(
        "Directory of a saved result (`nlgauge score -o`).", metavar="RESULT...", complete=complete_results
    ),
]
Against = Annotated[
    Path | None,
    option(
        "--against",
        help="Older run of the same test set: show what changed since.",
        metavar="RESULT",
        complete=complete_results,
    ),
]
Pairs = Annotated[
    list[str] | None,
    option(
        "--pair",
        help="System with its system of the older run (default: same name); repeatable.",
        metavar="NEW=OLD",
    ),
]
Where = Annotated[
    list[str] | None,
    option(
        "--where",
        help="Use only segments that meet an expression, such as 'domain = news'; repeatable.",
        metavar="EXPR",
        panel=STATISTICS,
    ),
]
Encoding = Annotated[
    str | None,
    option("--encoding", help="Encoding of the files (default: UTF-8).", metavar="NAME", panel=RUNNING),
]
Delimiter = Annotated[
    str | None,
    option(
        "--delimiter",
        help="Delimiter of .tsv and .csv files, such as ; or tab.",
        metavar="CHARACTER",
        panel=RUNNING,
    ),
]
NoCache = Annotated[bool, option("--no-cache", help="Do not use the statistics cache.", panel=RUNNING)]


class ModelOptions(Options):
    """Options of models."""

    device: Annotated[
        str | None,
        option("--device", help="Device of models, such as cpu or cuda.", metavar="NAME", panel=RUNNING),
    ] = None
    batch_size: Annotated[
        int | None,
        option(
            "--batch-size",
            at_least=1,
            help="Number of texts that a model reads at once.",
            metavar="N",
            panel=RUNNING,
        ),
    ] = None
    no_cache: NoCache = False


class ExecutorOptions(Options):
    """Executor of the chunks of a corpus."""

    jobs: Annotated[
        int | None,
        option(
            "--jobs",
            at_least=1,
            help="Number of processes, threads or Ray workers.",
            metavar="N",
            panel=RUNNING,
        ),
    ] = None
    executor: Annotated[
        str | None,
        option(
            "--executor",
            help="serial, threads, processes or ray (default: processes if --jobs exceeds 1).",
            metavar="NAME",
            panel=RUNNING,
        ),
    ] = None
    address: Annotated[
        str | None,
        option(
            "--address",
            help="Ray cluster to join (default: RAY_ADDRESS, else this machine).",
            metavar="ADDRESS",
            panel=RUNNING,
        ),
    ] = None
    gpus_per_worker: Annotated[
        float,
        option(
            "--gpus-per-worker",
            at_least=0,
            help="GPUs per Ray worker, such as 0.5.",
            metavar="NUMBER",
            panel=RUNNING,
        ),
    ] = 0

    def check(self) -> None:
        if self.executor is not None:
            from nlgauge.engine.executors import EXECUTORS

            one_of(self.executor, list(EXECUTORS), "--executor")
        if self.executor != "ray" and (self.address is not None or self.gpus_per_worker):
            raise click.UsageError("--address and --gpus-per-worker require --executor ray; add it.")
        if self.executor == "serial" and self.jobs not in (None, 1):
            raise click.UsageError(
                f"--executor serial runs one job, not --jobs {self.jobs}; use --executor threads or"
                " --executor processes."
            )

    def chosen(self) -> "str | Executor | None":
        """Return the value of `executor`, and set the number of threads and processes of this process."""
        if self.executor == "ray":
            from nlgauge.engine.executors.ray import Ray

            return Ray(self.address, self.jobs, self.gpus_per_worker)
        if self.jobs is None or (self.jobs == 1 and self.executor in (None, "serial")):
            return self.executor
        os.environ["NLGAUGE_THREADS"] = str(self.jobs)
        return self.executor or "processes"


ColumnMap = Annotated[
    list[str] | None,
    option(
        "--map",
        help="Columns of records, such as prediction=answer,reference=expected; repeatable.",
        metavar="FIELD=COLUMN",
        panel=FILES,
    ),
]


def column_map(words: Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    """Return the columns by field, from words such as "prediction=answer,reference=expected", or a mapping."""
    if isinstance(words, Mapping):
        return dict(words)
    pairs = [pair.partition("=") for word in words or () for pair in word.split(",")]
    for field, _, column in pairs:
        if not field or not column:
            raise click.UsageError(
                f"cannot read --map {field}; write FIELD=COLUMN, such as prediction=answer."
            )
    return {field: column for field, _, column in pairs}


class InputOptions(Options):
    """Files besides predictions and references, and how all files are read."""

    source: Annotated[
        str | None, option("--source", "-s", help="Source texts.", metavar="FILE", panel=FILES)
    ] = None
    ids: Annotated[str | None, option("--ids", help="Segment ids.", metavar="FILE", panel=FILES)] = None
    documents: Annotated[
        str | None,
        option(
            "--documents",
            help="Document of each segment; documents are resampled as a whole.",
            metavar="FILE",
            panel=STATISTICS,
        ),
    ] = None
    weights: Annotated[
        str | None, option("--weights", help="Weight of each segment.", metavar="FILE", panel=STATISTICS)
    ] = None
    encoding: Encoding = None
    delimiter: Delimiter = None
    columns: Annotated[
        list[str] | None,
        option(
            "--column",
            help="Column or system to read from a file of records; repeatable.",
            metavar="NAME",
            panel=FILES,
        ),
    ] = None
    mapping: ColumnMap = None
    where: Where = None
    skip_missing: Annotated[
        bool,
        option("--skip-missing", help="Skip segments with a missing text and report how many.", panel=FILES),
    ] = False
    common: Annotated[
        bool,
        option("--common", help="Skip segments that a system lacks and report how many.", panel=STATISTICS),
    ] = False
    pooled: Annotated[
        bool,
        option(
            "--pooled",
            help="Treat every record as a separate segment, whatever its system.",
            panel=STATISTICS,
        ),
    ] = False

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `nlgauge.io.Inputs` that the options set."""
        values = {**vars(self), "where": checked_expressions(self.where), "mapping": column_map(self.mapping)}
        return {name: value for name, value in values.items() if value}


Budget = Annotated[
    float | None,
    option(
        "--budget",
        help="Stop before this cost, in the unit of the judge's prices; with --until-sure.",
        metavar="MONEY",
        panel=STATISTICS,
    ),
]


class AskingOptions(Options):
    """When to stop asking judges."""

    until_sure: Annotated[
        bool,
        option(
            "--until-sure",
            help="Ask judges about random segments until the first two systems differ.",
            panel=STATISTICS,
        ),
    ] = False
    budget: Budget = None
    alpha: Annotated[
        float | None,
        option(
            "--alpha",
            help="Significance level of --until-sure (default: 0.05).",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = None
    looks: Annotated[
        int,
        option(
            "--looks",
            help="Largest number of looks of --until-sure.",
            metavar="N",
            at_least=1,
            panel=STATISTICS,
        ),
    ] = 20
    decide_on: Annotated[
        str | None,
        option(
            "--decide-on",
            help="Metric that decides --until-sure (default: the first judge).",
            metavar="METRIC",
            panel=STATISTICS,
        ),
    ] = None

    def check(self) -> None:
        changed = {"--budget": self.budget is not None, "--decide-on": self.decide_on is not None}
        changed["--alpha"] = self.alpha is not None
        alone = next((name for name, is_set in changed.items() if is_set), None)
        if alone and not self.until_sure:
            raise click.UsageError(f"{alone} is an option of --until-sure; add --until-sure.")

    def sure(self) -> "Sure":
        """Return when to stop."""
        from nlgauge.results.asking import Sure

        alpha = Sure.alpha if self.alpha is None else self.alpha
        return Sure(alpha, self.looks, budget=self.budget, decide_on=self.decide_on)


class FormOptions(Options):
    """Format of tables."""

    format: Annotated[
        str,
        option(
            "--format",
            "-f",
            help=f"Output format: {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
            metavar="FORMAT",
            panel=OUTPUT,
        ),
    ] = "table"
    as_json: Annotated[bool, option("--json", help="Short for --format json.", panel=OUTPUT)] = False
    quiet: Annotated[
        bool, option("--quiet", "-q", help="Print only tables, warnings and errors.", panel=OUTPUT)
    ] = False

    def check(self) -> None:
        one_of(self.form, FORMATS, "--format")

    @property
    def form(self) -> str:
        """The name of the format."""
        return "json" if self.as_json else {"text": "table"}.get(self.format, self.format)


class ShownOptions(FormOptions):
    """Contents and format of the tables of a result."""

    score_only: Annotated[
        bool,
        option(
            "--score-only",
            "-b",
            help="Print only the scores: one line per system, tabs between metrics.",
            panel=OUTPUT,
        ),
    ] = False
    width: Annotated[
        int | None,
        option(
            "--width",
            "-w",
            at_least=0,
            at_most=15,
            help="Number of decimals (default: depends on the metric).",
            metavar="N",
            panel=OUTPUT,
        ),
    ] = None
    details: Annotated[
        bool,
        option(
            "--details",
            help="Show all outputs of each metric, such as BLEU's brevity penalty.",
            panel=OUTPUT,
        ),
    ] = False
    costs: Annotated[
        bool,
        option(
            "--costs", help="Show time and memory of the run, and energy and CO2 if tracked.", panel=OUTPUT
        ),
    ] = False
    by: Annotated[
        str | None,
        option("--by", help="Print one table for each value of this field.", metavar="FIELD", panel=OUTPUT),
    ] = None
    caption: Annotated[
        str | None, option("--caption", help="Caption of a LaTeX table.", metavar="TEXT", panel=OUTPUT)
    ] = None
    label: Annotated[
        str | None, option("--label", help="Label of a LaTeX table.", metavar="TEXT", panel=OUTPUT)
    ] = None
    confidence: Confidence = 0.95
    intervals: Annotated[
        bool,
        option("--intervals/--no-intervals", help="Compute confidence intervals.", panel=STATISTICS),
    ] = True
    resamples: Annotated[
        int,
        option(
            "--resamples",
            at_least=0,
            help="Number of resamples for intervals and tests; 0 disables both.",
            metavar="N",
            panel=STATISTICS,
        ),
    ] = 1000
    test: Annotated[
        str,
        option(
            "--test",
            help="Paired test of differences: randomization, bootstrap or none.",
            metavar="TEST",
            convert=_american,
            panel=STATISTICS,
        ),
    ] = "randomization"
    baseline: Baseline = None
    segments: Annotated[
        str | None,
        option(
            "--segments",
            help="Write segment scores to .tsv, .csv, .jsonl or .parquet; - is standard output.",
            metavar="FILE",
            panel=OUTPUT,
        ),
    ] = None
    texts: Annotated[bool, option("--texts", help="Include the texts in --segments.", panel=OUTPUT)] = False
    wide: Annotated[
        bool,
        option("--wide", help="In --segments, write one row per segment, not per system.", panel=OUTPUT),
    ] = False

    def check(self) -> None:
        super().check()
        one_of(self.test, TESTS, "--test")
        checked_confidence(self.confidence)
        if self.score_only and self.by:
            raise click.UsageError("-b cannot be combined with --by; use --format tsv --by FIELD.")
        if self.form != "latex" and (self.caption is not None or self.label is not None):
            raise click.UsageError("--caption and --label require a LaTeX table; add --format latex.")
        if self.segments is not None:
            from nlgauge.cli.segment_files import check_target

            check_target(self.segments)
        elif self.texts or self.wide:
            raise click.UsageError("--texts and --wide require --segments FILE; add it.")

    def of_tables(self) -> dict[str, Any]:
        """Return the arguments of `TableOptions`."""
        sampled = {"confidence": self.confidence, "resamples": self.resamples} if self.resamples else {}
        tested = {"test": self.test, "baseline": self.baseline} if self.test != "none" else {}
        return {
            **sampled,
            **tested,
            "intervals": self.intervals and self.resamples > 0,
            "tests": self.test != "none" and self.resamples > 0,
            "details": self.details,
            "decimals": self.width,
            "costs": self.costs,
        }


def checked_confidence(value: float) -> float:
    """Return the confidence; raise BadParameter before any work is done if it is not a probability."""
    if not 0 < value < 1:
        raise click.BadParameter(
            f"{value} is not between 0 and 1; 0.95 means 95%.", param_hint="'--confidence'"
        )
    return value


def one_of(value: str, names: Sequence[str], option: str) -> None:
    """Raise BadParameter if a value is not one of the names."""
    if value not in names:
        from nlgauge.errors import did_you_mean

        raise click.BadParameter(
            f"{value!r} is not one of {', '.join(names)}{did_you_mean(value, names)}.",
            param_hint=f"'{option}'",
        )


def pairs_of(texts: Sequence[str] | None) -> dict[str, str] | None:
    """Return the pairs of --pair: for a system the system of the older run."""
    pairs = {}
    for text in texts or ():
        new, equals, old = text.partition("=")
        if not (new and equals and old):
            raise click.BadParameter(
                f"{text!r} is not NEW=OLD, such as mine=baseline.", param_hint="'--pair'"
            )
        pairs[new] = old
    return pairs or None


def older_run(directory: Path | None, whole: "Result", part: "Result") -> "Result | None":
    """Return the saved older run without the segments that --where leaves out of the new run."""
    if directory is None:
        return None
    import numpy as np

    from nlgauge.results.groups import taken
    from nlgauge.results.storage.load import load

    old = load(directory)
    if part is whole:
        return old
    excluded = {str(segment) for segment in whole.corpus.ids} - {str(segment) for segment in part.corpus.ids}
    return taken(old, np.flatnonzero([str(segment) not in excluded for segment in old.corpus.ids]))


def narrowed(result: "Result", expressions: Sequence[str] | None) -> "Result":
    """Return the result on the segments that meet every expression of --where."""
    for expression in checked_expressions(expressions):
        result = result.where(expression)
    return result


def checked_expressions(texts: Sequence[str] | str | None) -> list[str]:
    """Return the expressions of --where, or of a run file; raise an error of usage if one has a mistake."""
    if not texts:
        return []
    from nlgauge._core.expression import ExpressionError, parse

    expressions = [texts] if isinstance(texts, str) else list(texts)
    for text in expressions:
        try:
            if parse(text) is None:
                raise click.BadParameter("the expression is empty.", param_hint="'--where'")
        except ExpressionError as error:
            field, equals, value = text.partition("=")
            # An unquoted value with spaces or brackets is the most frequent mistake.
            quoted = value.strip().replace("\\", "\\\\").replace('"', '\\"')
            is_field = equals and re.fullmatch(r"[\w.]+", field.strip()) and value.strip()
            advice = f' Write {field.strip()} = "{quoted}".' if is_field else ""
            raise click.BadParameter(
                f"{text!r:.200}: {error.message}{advice}", param_hint="'--where'"
            ) from None
    return expressions
