"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.parameters import argument, option
from nlgauge.cli.segment_files import check_target

if TYPE_CHECKING:
    from nlgauge.engine.executors import Executor

FORMATS = ("table", "json", "tsv", "csv", "markdown", "latex")
TESTS = ("randomization", "bootstrap", "none")
_INPUTS, _SHOWN, _SURE, _SEGMENTS, _WHERE = (
    "Inputs",
    "What is shown",
    "Intervals and tests",
    "Segment scores",
    "Where chunks are computed",
)

AsJson = Annotated[bool, option("--json", help="Print one JSON document instead of a table.")]
Metrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        "-m",
        help=(
            'Metrics, such as bleu or "chrf(word_order=2)", separated by blanks or commas (default: bleu,'
            " chrf, rouge)."
        ),
        metavar="METRIC...",
    ),
]
Confidence = Annotated[
    float,
    option("--confidence", help="Confidence of the intervals.", metavar="LEVEL", panel=_SURE),
]
Resamples = Annotated[
    int,
    option(
        "--resamples",
        at_least=0,
        help="Resamples for intervals and tests; 0: neither.",
        metavar="N",
        panel=_SURE,
    ),
]


def _american(value: str) -> str:
    """Return the name of a test in American spelling."""
    return "randomization" if value == "randomisation" else value


PairedTest = Annotated[
    str,
    option(
        "--test",
        help=(
            "Test of differences: randomization (approximate randomization), bootstrap (paired bootstrap) or"
            " none."
        ),
        metavar="TEST",
        convert=_american,
        panel=_SURE,
    ),
]
Baseline = Annotated[
    str | None,
    option(
        "--baseline",
        help="System that the others are compared with (default: the first).",
        metavar="NAME",
        panel=_SURE,
    ),
]
Overwrite = Annotated[bool, option("--overwrite", help="Replace a result that exists already.")]
SeedOfAll = Annotated[int, option("--seed", at_least=0, help="Seed of everything random.", metavar="N")]
Seed = Annotated[
    int | None,
    option("--seed", at_least=0, help="Seed of the resampling (default: that of the run).", metavar="N"),
]
Quiet = Annotated[
    bool,
    option("--quiet", "-q", help="Show only scores, warnings and errors: no progress, no signatures."),
]
ResultDirectory = Annotated[
    Path, argument(help="A directory that `nlgauge score -o` wrote.", metavar="RESULT")
]
Where = Annotated[
    list[str] | None,
    option(
        "--where",
        help="Take only segments with this value, such as domain=news; repeat for more.",
        metavar="FIELD=VALUE",
    ),
]
Encoding = Annotated[
    str | None,
    option("--encoding", help="Encoding of the files (default: UTF-8).", metavar="NAME", panel=_INPUTS),
]
Delimiter = Annotated[
    str | None,
    option(
        "--delimiter",
        help="Delimiter of .tsv and .csv files, such as ; or tab.",
        metavar="CHARACTER",
        panel=_INPUTS,
    ),
]
NoCache = Annotated[
    bool,
    option("--no-cache", help="Compute every row, and keep none: do without the cache of statistics."),
]


@dataclass(frozen=True)
class ModelOptions:
    """How models run."""

    device: Annotated[
        str | None, option("--device", help="Where models run: cpu, cuda, ...", metavar="NAME")
    ] = None
    batch_size: Annotated[
        int | None, option("--batch-size", at_least=1, help="Texts that a model reads at once.", metavar="N")
    ] = None
    no_cache: NoCache = False


@dataclass(frozen=True)
class ExecutorOptions:
    """Where the chunks of a corpus are computed."""

    jobs: Annotated[
        int | None,
        option(
            "--jobs",
            at_least=1,
            help="Processes, threads or workers that compute at once.",
            metavar="N",
            panel=_WHERE,
        ),
    ] = None
    executor: Annotated[
        str | None,
        option(
            "--executor",
            help=(
                "serial, threads, processes or ray (default: processes with --jobs over 1, else threads or"
                " serial)."
            ),
            metavar="NAME",
            panel=_WHERE,
        ),
    ] = None
    address: Annotated[
        str | None,
        option(
            "--address",
            help="With ray: the cluster to join (default: RAY_ADDRESS, else this machine).",
            metavar="ADDRESS",
            panel=_WHERE,
        ),
    ] = None
    gpus_per_worker: Annotated[
        float,
        option(
            "--gpus-per-worker",
            at_least=0,
            help="With ray: GPUs of each worker, such as 0.5.",
            metavar="G",
            panel=_WHERE,
        ),
    ] = 0

    def __post_init__(self) -> None:
        if self.executor is not None:
            from nlgauge.engine.executors import EXECUTORS

            one_of(self.executor, list(EXECUTORS), "--executor")
        if self.executor != "ray" and (self.address is not None or self.gpus_per_worker):
            raise click.BadParameter(
                "--address and --gpus-per-worker belong to --executor ray.", param_hint="'--executor'"
            )
        if self.executor == "serial" and self.jobs not in (None, 1):
            raise click.BadParameter(
                f"serial computes one chunk after the other, not {self.jobs} at once.", param_hint="'--jobs'"
            )

    def chosen(self) -> str | Executor | None:
        """What to give as `executor`; how many threads and processes there are is set for all of this
        process.
        """
        if self.executor == "ray":
            from nlgauge.engine.executors.ray import Ray

            return Ray(self.address, self.jobs, self.gpus_per_worker)
        if self.jobs is not None and self.jobs > 1:
            os.environ["NLGAUGE_THREADS"] = str(self.jobs)
            return self.executor or "processes"
        return self.executor


@dataclass(frozen=True)
class InputOptions:
    """What is read beside predictions and references, and how."""

    source: Annotated[
        str | None, option("--source", "-s", help="Sources.", metavar="FILE", panel=_INPUTS)
    ] = None
    ids: Annotated[str | None, option("--ids", help="Segment ids.", metavar="FILE", panel=_INPUTS)] = None
    documents: Annotated[
        str | None,
        option(
            "--documents",
            help="Document that each segment is from; documents are resampled whole.",
            metavar="FILE",
            panel=_INPUTS,
        ),
    ] = None
    weights: Annotated[
        str | None,
        option("--weights", help="Weight of each segment.", metavar="FILE", panel=_INPUTS),
    ] = None
    encoding: Encoding = None
    delimiter: Delimiter = None
    columns: Annotated[
        list[str] | None,
        option(
            "--column",
            help=(
                "Of a file of records: a column that holds one system's predictions, or a system to read;"
                " repeat for more."
            ),
            metavar="NAME",
            panel=_INPUTS,
        ),
    ] = None
    where: Where = None
    skip_missing: Annotated[
        bool,
        option(
            "--skip-missing",
            help="Leave out segments of which a text is missing, and count them.",
            panel=_INPUTS,
        ),
    ] = False
    common: Annotated[
        bool,
        option(
            "--common",
            help="Leave out segments that some system lacks, and count them.",
            panel=_INPUTS,
        ),
    ] = False
    pooled: Annotated[
        bool,
        option(
            "--pooled",
            help="Take every record as a segment of its own, whichever system it is from.",
            panel=_INPUTS,
        ),
    ] = False

    def given(self) -> dict[str, Any]:
        """The arguments of `nlgauge.io.Inputs` that were given."""
        found = {**vars(self), "where": conditions(self.where)}
        return {name: value for name, value in found.items() if value}


@dataclass(frozen=True)
class FormOptions:
    """In which form tables are printed."""

    format: Annotated[
        str,
        option("--format", "-f", help=f"Form: {', '.join(FORMATS)}.", metavar="FORM", panel=_SHOWN),
    ] = "table"
    as_json: Annotated[bool, option("--json", help="Short for --format json.", panel=_SHOWN)] = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        one_of(self.form, FORMATS, "--format")

    @property
    def form(self) -> str:
        """The form in which tables are printed."""
        return "json" if self.as_json else {"text": "table"}.get(self.format, self.format)


@dataclass(frozen=True)
class ShownOptions(FormOptions):
    """What is shown of a result, and in which form."""

    score_only: Annotated[
        bool,
        option(
            "--score-only",
            "-b",
            help="Print numbers alone: one line per system, tabs between metrics.",
            panel=_SHOWN,
        ),
    ] = False
    width: Annotated[
        int | None,
        option("--width", "-w", at_least=0, at_most=15, help="Decimals.", metavar="N", panel=_SHOWN),
    ] = None
    details: Annotated[
        bool,
        option(
            "--details",
            help="All outputs of each metric: BLEU's precisions and brevity penalty, ...",
            panel=_SHOWN,
        ),
    ] = False
    costs: Annotated[
        bool,
        option(
            "--costs",
            help="What the run cost: seconds, memory, and energy and CO2 if tracked.",
            panel=_SHOWN,
        ),
    ] = False
    by: Annotated[
        str | None,
        option(
            "--by",
            help="One table with scores, intervals and tests for each value of a field.",
            metavar="FIELD",
            panel=_SHOWN,
        ),
    ] = None
    caption: Annotated[
        str | None,
        option("--caption", help="Caption of a LaTeX table.", metavar="TEXT", panel=_SHOWN),
    ] = None
    label: Annotated[
        str | None,
        option("--label", help="Label of a LaTeX table.", metavar="LABEL", panel=_SHOWN),
    ] = None
    confidence: Confidence = 0.95
    intervals: Annotated[
        bool,
        option("--intervals/--no-intervals", help="Whether to compute intervals.", panel=_SURE),
    ] = True
    resamples: Resamples = 1000
    test: PairedTest = "randomization"
    baseline: Baseline = None
    segments: Annotated[
        str | None,
        option(
            "--segments",
            help=(
                "Write the score of every segment to this file, .tsv, .csv, .jsonl or .parquet; - is standard"
                " output."
            ),
            metavar="FILE",
            panel=_SEGMENTS,
        ),
    ] = None
    texts: Annotated[bool, option("--texts", help="Write the texts of segments too.", panel=_SEGMENTS)] = (
        False
    )
    wide: Annotated[
        bool,
        option("--wide", help="One row per segment, with every system side by side.", panel=_SEGMENTS),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.test, TESTS, "--test")
        checked_confidence(self.confidence)
        if self.score_only and self.by:
            raise click.BadParameter(
                "-b prints one line per system; groups are shown with --format.", param_hint="'--score-only'"
            )
        if self.form != "latex" and (self.caption is not None or self.label is not None):
            raise click.BadParameter(
                "--caption and --label belong to a LaTeX table; add --format latex.", param_hint="'--format'"
            )
        if self.segments is not None:
            check_target(self.segments)
        elif self.texts or self.wide:
            raise click.BadParameter(
                "--texts and --wide belong to --segments FILE.", param_hint="'--segments'"
            )

    def of_tables(self) -> dict[str, Any]:
        """The options of `TableOptions`."""
        sampled = {"confidence": self.confidence, "resamples": self.resamples} if self.resamples else {}
        tested = {"test": self.test, "baseline": self.baseline} if self.test != "none" else {}
        shown = {
            "intervals": self.intervals and self.resamples > 0,
            "tests": self.test != "none" and self.resamples > 0,
        }
        return {
            **sampled,
            **tested,
            **shown,
            "details": self.details,
            "decimals": self.width,
            "costs": self.costs,
        }


def checked_confidence(value: float) -> float:
    """The confidence, or an error before any work is done."""
    if not 0 < value < 1:
        raise click.BadParameter(
            f"{value} is not between 0 and 1; 0.95 means 95 %.", param_hint="'--confidence'"
        )
    return value


def one_of(value: str, known: Sequence[str], option: str) -> None:
    """Raises where a value is none of those that there are."""
    if value not in known:
        from nlgauge.errors import did_you_mean

        raise click.BadParameter(
            f"{value!r} is not one of {', '.join(known)}{did_you_mean(value, known)}.",
            param_hint=f"'{option}'",
        )


def conditions(given: Sequence[str] | None) -> dict[str, Any]:
    """The conditions of --where by field; of several values of one field any will do."""
    found: dict[str, Any] = {}
    for condition in given or ():
        field, equals, value = condition.partition("=")
        if not equals or not field:
            raise click.BadParameter(
                f"{condition!r} is not FIELD=VALUE, such as domain=news.", param_hint="'--where'"
            )
        found[field] = [*found.get(field, []), value]
    return {field: values[0] if len(values) == 1 else values for field, values in found.items()}
