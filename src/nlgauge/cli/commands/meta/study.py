"""What the commands of `nlgauge meta` share: which texts and judgments are studied, by which metrics,
and where that is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from nlgauge.cli.options import FormOptions, ModelOptions
from nlgauge.cli.output import say
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.program import note_written

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks.study import Study
    from nlgauge.meta.judgments import Judgments

_STUDY, _SHOWN = "Texts and judgments", "What is shown"

Data = Annotated[
    str,
    argument(
        help="A benchmark of `nlgauge benchmarks list`, a file of judged texts, or a saved result.",
        metavar="DATA",
    ),
]
StudyDirectory = Annotated[
    Path | None,
    option(
        "--output",
        "-o",
        help="Save the results and the table to this directory, and extend those that it has.",
        metavar="DIR",
    ),
]
KeptStudy = Annotated[
    Path,
    argument(
        existing_directory=True,
        help="A directory that `nlgauge meta -o` or `nlgauge score -o` wrote.",
        metavar="DIR",
    ),
]
AskedLevel = Annotated[
    str | None,
    option(
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
    option(
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
    option(
        "--metric",
        "-m",
        help="Metrics, with commas between them (default: all that were scored).",
        metavar="NAME",
    ),
]


@dataclass(frozen=True)
class StudyOptions:
    """Which texts and judgments of a benchmark are used."""

    humans: Annotated[
        list[str] | None,
        option(
            "--human",
            help=(
                "Human dimensions of a benchmark (default: all); of a file or a result the columns with human"
                " scores. Commas stand between them."
            ),
            metavar="NAME",
            panel=_STUDY,
        ),
    ] = None
    group: Annotated[
        str | None,
        option("--group", help="One language pair alone.", metavar="NAME", panel=_STUDY),
    ] = None
    group_field: Annotated[
        str | None,
        option(
            "--group-by",
            help="Of a file or a result: the column with groups.",
            metavar="COLUMN",
            panel=_STUDY,
        ),
    ] = None
    segments: Annotated[
        int | None,
        option(
            "--sample",
            at_least=1,
            help="So many segments of each group, drawn.",
            metavar="N",
            panel=_STUDY,
        ),
    ] = None
    people: Annotated[
        bool,
        option(
            "--with-people",
            help="Keep texts that people wrote, often the reference itself.",
            panel=_STUDY,
        ),
    ] = False
    peers: Annotated[
        bool,
        option("--peers", help="Add the metric scores that others published.", panel=_STUDY),
    ] = False
    every_output: Annotated[
        bool, option("--all-outputs", help="All outputs of each metric.", panel=_STUDY)
    ] = False
    corpus_scores: Annotated[
        bool,
        option(
            "--corpus-scores",
            help="Systems by the score of all their texts, not by the mean of segments.",
            panel=_STUDY,
        ),
    ] = False

    overwrite: Annotated[
        bool,
        option(
            "--overwrite",
            help="With -o: start again a run that was interrupted, and replace results of other texts.",
            panel=_STUDY,
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

    details: Annotated[bool, option("--details", help="All columns.", panel=_SHOWN)] = False

    @property
    def for_readers(self) -> bool:
        """Whether people read what is printed, and not programs."""
        return self.form not in ("json", "csv", "tsv")


class Studied(NamedTuple):
    """The scores of metrics beside those of people, and the seconds of each metric for 1,000 texts."""

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
    """Read the texts and score them, but for what the directory has already; or read a saved result.

    The directory keeps which levels and coefficients were asked for, so that later commands take the same.
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
        chosen.save(output, levels, coefficients)
        note_written(output)
    directory = None if output is None else output / RESULTS
    wanted = metrics
    if not wanted and directory is not None and not study.overwrite:
        wanted = next((list(result.labels) for result in saved(texts, directory).values()), None)
    results = texts.score(
        *(wanted or ([] if chosen.peers else DEFAULT_METRICS)),
        output=directory,
        overwrite=study.overwrite,
        seed=seed,
        batch_size=models.batch_size,
        device=models.device,
        cache=not models.no_cache,
        show_progress=False if quiet else None,
        say=None if quiet else say,
    )
    return Studied(chosen.judgments(texts, results), seconds_per_thousand(*results.values()))


def _check_options(study: Study, output: Path | None) -> None:
    """Raises if a study is given instead of a result, or a result with an option of benchmarks and files."""
    from nlgauge.meta.benchmarks.study import STUDY

    if (Path(study.benchmark) / STUDY).is_file():
        raise click.BadParameter(
            f"{study.benchmark} is a study, not a result: `nlgauge meta BENCHMARK -o {study.benchmark}` extends"
            f" it, and its results are in {study.benchmark}/results.",
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
            f"{study.benchmark} is a saved result, and {name} is for benchmarks and files of texts.",
            param_hint=f"'{name}'",
        )


def _of_result(study: Study, metrics: Sequence[str] = (), human_needed: bool = True) -> Studied:
    """The judgments of a saved result, of these metrics or of all."""
    from nlgauge.meta.readers.results import seconds_per_thousand
    from nlgauge.results.joined import of_metrics
    from nlgauge.results.storage.load import load

    result = load(study.benchmark)
    result = of_metrics(result, *metrics) if metrics else result
    return Studied(study.of_result(result, human_needed), seconds_per_thousand(result))


def opened(
    directory: Path, human: Sequence[str] | None = None, human_needed: bool = True
) -> tuple[Study, Studied]:
    """Read a directory of `nlgauge meta -o`, or a saved result, whose fields `human` are human scores."""
    from nlgauge.meta.benchmarks.study import STUDY, Study, reopened
    from nlgauge.meta.readers.results import seconds_per_thousand

    if not (directory / STUDY).is_file():
        study = Study(benchmark=str(directory), humans=split(human))
        return study, _of_result(study, human_needed=human_needed)
    study, texts, results = reopened(directory)
    return study, Studied(study.judgments(texts, results), seconds_per_thousand(*results.values()))


def check_one_dimension(judgments: Judgments, option: str) -> None:
    """Raises where what was asked for is of one human dimension and one group, and there are several."""
    if len(judgments.humans) != 1:
        raise click.BadParameter(
            f"it is of one human dimension, name it with --human; there are {', '.join(judgments.humans)}.",
            param_hint=option,
        )
    if judgments.groups is not None:
        groups = ", ".join(dict.fromkeys(map(str, judgments.groups)))
        raise click.BadParameter(
            f"it is of one group, name it with --group; there are {groups}.", param_hint=option
        )


def split(given: Sequence[str] | None) -> list[str]:
    """Names that commas separate, or that stand in options of their own.

    >>> split(["system,input", "global"])
    ['system', 'input', 'global']
    """
    return [name.strip() for one in given or () for name in one.split(",") if name.strip()]
