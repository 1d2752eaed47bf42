"""What the commands of `nlgauge meta` share: which texts and judgments are studied, by which metrics,
and where that is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from nlgauge.cli.options import FormOptions, ModelOptions
from nlgauge.cli.output import say
from nlgauge.cli.program import WRITTEN

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks import Benchmark
    from nlgauge.meta.benchmarks.scores import MetricScores
    from nlgauge.meta.benchmarks.study import Study
    from nlgauge.meta.judgments import Judgments

_STUDY, _SHOWN = "Texts and judgments", "What is shown"

BenchmarkName = Annotated[
    str,
    typer.Argument(
        help="A benchmark of `nlgauge benchmarks list`, or a file of judged texts.", metavar="BENCHMARK"
    ),
]
StudyDirectory = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Keep scores and what was found in this directory, and go on with it.",
        metavar="DIR",
    ),
]
KeptStudy = Annotated[
    Path,
    typer.Argument(
        exists=True, file_okay=False, help="A directory that `nlgauge meta -o` wrote.", metavar="DIR"
    ),
]
AskedLevel = Annotated[
    str | None,
    typer.Option(
        "--level",
        help=(
            "Level: system, input, global or by_system (default: the first that `nlgauge meta -o` was asked"
            " for)."
        ),
        metavar="LEVEL",
    ),
]
AskedCoefficient = Annotated[
    str | None,
    typer.Option(
        "--coefficient",
        "-c",
        help=(
            "Coefficient: pearson, spearman, kendall, ... (default: the first that `nlgauge meta -o` was"
            " asked for)."
        ),
        metavar="NAME",
    ),
]
KeptMetrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="Metrics, with commas between them (default: all that are kept).",
        metavar="NAME",
    ),
]


@dataclass(frozen=True)
class StudyOptions:
    """Which texts and judgments of a benchmark are used."""

    humans: Annotated[
        list[str] | None,
        typer.Option(
            "--human",
            help="Human dimensions, with commas between them (default: all).",
            metavar="NAME",
            rich_help_panel=_STUDY,
        ),
    ] = None
    group: Annotated[
        str | None,
        typer.Option("--group", help="One language pair alone.", metavar="NAME", rich_help_panel=_STUDY),
    ] = None
    group_field: Annotated[
        str | None,
        typer.Option(
            "--group-by", help="Of a file: the column with groups.", metavar="COLUMN", rich_help_panel=_STUDY
        ),
    ] = None
    segments: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help="So many segments of each group, drawn.",
            metavar="N",
            rich_help_panel=_STUDY,
        ),
    ] = None
    people: Annotated[
        bool,
        typer.Option(
            "--with-people",
            help="Keep texts that people wrote, often the reference itself.",
            rich_help_panel=_STUDY,
        ),
    ] = False
    peers: Annotated[
        bool,
        typer.Option("--peers", help="Add the metric scores that others published.", rich_help_panel=_STUDY),
    ] = False
    every_output: Annotated[
        bool, typer.Option("--all-outputs", help="All outputs of each metric.", rich_help_panel=_STUDY)
    ] = False
    corpus_scores: Annotated[
        bool,
        typer.Option(
            "--corpus-scores",
            help="Systems by the score of all their texts, not by the mean of segments.",
            rich_help_panel=_STUDY,
        ),
    ] = False

    def of(self, benchmark: str, seed: int) -> Study:
        """The study of a benchmark with these options."""
        from nlgauge.meta.benchmarks.study import Study

        return Study(
            benchmark=benchmark,
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


@dataclass(frozen=True)
class FoundOptions(FormOptions):
    """In which form tables are printed, and how much of them."""

    details: Annotated[bool, typer.Option("--details", help="All columns.", rich_help_panel=_SHOWN)] = False

    @property
    def for_readers(self) -> bool:
        """Whether people read what is printed, and not programs."""
        return self.form not in ("json", "csv", "tsv")


class Studied(NamedTuple):
    """The texts of a study, and the scores of metrics on them beside those of people."""

    texts: Benchmark
    scores: dict[str, MetricScores]
    judgments: Judgments


def studied(
    context: typer.Context,
    benchmark: str,
    metrics: Sequence[str] | None,
    study: StudyOptions,
    models: ModelOptions,
    output: Path | None,
    seed: int,
    quiet: bool,
    levels: Sequence[str] | None = None,
    coefficients: Sequence[str] | None = None,
) -> Studied:
    """Reads the texts and scores them; what the directory holds already is taken from there.

    The directory keeps which levels and coefficients were asked for, so that later commands take the same.
    """
    from nlgauge.meta.benchmarks.scores import kept, scored
    from nlgauge.meta.benchmarks.study import SCORES
    from nlgauge.scoring import DEFAULT_METRICS

    chosen = study.of(benchmark, seed)
    texts = chosen.read()
    if output is not None:
        chosen.save(output, levels, coefficients)
        context.meta[WRITTEN] = output
    directory = None if output is None else output / SCORES
    wanted: Sequence[str] = (
        metrics
        or (list(kept(directory)) if directory is not None else [])
        or ([] if chosen.peers else DEFAULT_METRICS)
    )
    scores = scored(
        texts,
        wanted,
        directory=directory,
        seed=seed,
        batch_size=models.batch_size,
        device=models.device,
        cache=not models.no_cache,
        show_progress=False if quiet else None,
        say=None if quiet else say,
    )
    return Studied(texts, scores, chosen.judgments(texts, scores))


def check_one_dimension(judgments: Judgments, option: str) -> None:
    """Raises where what was asked for is of one human dimension and one group, and there are several."""
    if len(judgments.humans) != 1:
        raise typer.BadParameter(
            f"it is of one human dimension, name it with --human; there are {', '.join(judgments.humans)}.",
            param_hint=option,
        )
    if judgments.groups is not None:
        groups = ", ".join(dict.fromkeys(map(str, judgments.groups)))
        raise typer.BadParameter(
            f"it is of one group, name it with --group; there are {groups}.", param_hint=option
        )


def split(given: Sequence[str] | None) -> list[str]:
    """Names that commas separate, or that stand in options of their own.

    >>> split(["system,input", "global"])
    ['system', 'input', 'global']
    """
    return [name.strip() for one in given or () for name in one.split(",") if name.strip()]
