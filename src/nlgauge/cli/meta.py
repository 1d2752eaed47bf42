"""nlgauge meta: how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from nlgauge.cli.command import Spelled, with_options
from nlgauge.cli.found import show_found
from nlgauge.cli.meta_compare import compare
from nlgauge.cli.options import FORMATS, Confidence, Metrics, Quiet, checked_confidence, one_of
from nlgauge.cli.output import say
from nlgauge.cli.program import WRITTEN

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nlgauge.meta.found import Found

_RUN = "run"
_DRAWN = ("systems", "inputs", "both", "fisher", "none")
# What a terminal shows of a row; --details shows all.
_SHOWN = ("metric", "human", "group", "level", "coefficient", "value", "low", "high", "p", "n", "ceiling")
_STUDY, _AGREEMENT = "Texts and judgements", "Agreement"


class _Defaulting(TyperGroup):
    """Takes what is not the name of a command for a benchmark."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if args and args[0] in self.commands else [_RUN, *(args or ["--help"])])


app = typer.Typer(cls=_Defaulting, help="Says how well metrics agree with people: nlgauge meta BENCHMARK --human DIMENSION -m METRIC...")


@dataclass(frozen=True)
class StudyOptions:
    """Which texts and judgements of a benchmark are used."""

    humans: Annotated[
        list[str] | None,
        typer.Option("--human", help="Human dimensions, with commas between them (default: all).", metavar="NAME", rich_help_panel=_STUDY),
    ] = None
    group: Annotated[str | None, typer.Option("--group", help="One language pair alone.", metavar="NAME", rich_help_panel=_STUDY)] = None
    group_field: Annotated[
        str | None, typer.Option("--group-by", help="Of a file: the column with groups.", metavar="COLUMN", rich_help_panel=_STUDY)
    ] = None
    segments: Annotated[
        int | None, typer.Option("--sample", min=1, help="So many segments of each group, drawn.", metavar="N", rich_help_panel=_STUDY)
    ] = None
    people: Annotated[
        bool, typer.Option("--with-people", help="Keep texts that people wrote, often the reference itself.", rich_help_panel=_STUDY)
    ] = False
    peers: Annotated[bool, typer.Option("--peers", help="Add the metric scores that others published.", rich_help_panel=_STUDY)] = False
    every_output: Annotated[bool, typer.Option("--all-outputs", help="All outputs of each metric.", rich_help_panel=_STUDY)] = False
    corpus_scores: Annotated[
        bool,
        typer.Option("--corpus-scores", help="Systems by the score of all their texts, not by the mean of segments.", rich_help_panel=_STUDY),
    ] = False


@dataclass(frozen=True)
class AgreementOptions:
    """What is computed and shown."""

    levels: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            help="Levels: system, input, global, by_system (default: system,input,global).",
            metavar="LEVEL",
            rich_help_panel=_AGREEMENT,
        ),
    ] = None
    coefficients: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            "-c",
            help="Coefficients: pearson, spearman, kendall, acc_eq, spa, darr, ... (default: the first three).",
            metavar="NAME",
            rich_help_panel=_AGREEMENT,
        ),
    ] = None
    interval: Annotated[
        str, typer.Option("--interval", help=f"What intervals are drawn over: {', '.join(_DRAWN)}.", metavar="OVER", rich_help_panel=_AGREEMENT)
    ] = "both"
    draws: Annotated[int, typer.Option("--draws", min=2, help="Draws for intervals.", metavar="N", rich_help_panel=_AGREEMENT)] = 1000
    confidence: Confidence = 0.95
    form: Annotated[str, typer.Option("--format", "-f", help=f"Form: {', '.join(FORMATS)}.", metavar="FORM", rich_help_panel=_AGREEMENT)] = "table"
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=_AGREEMENT)] = False
    details: Annotated[bool, typer.Option("--details", help="All columns.", rich_help_panel=_AGREEMENT)] = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        one_of(self.form, FORMATS, "--format")
        one_of(self.interval, _DRAWN, "--interval")
        checked_confidence(self.confidence)

    def of_correlate(self, pairs: bool) -> dict[str, Any]:
        """The arguments of `correlate` that were given; of judged pairs DARR is what can be said."""
        found: dict[str, Any] = {"interval": None if self.interval == "none" else self.interval, "draws": self.draws, "confidence": self.confidence}
        given = {"levels": split(self.levels), "coefficients": split(self.coefficients)}
        usual = {"levels": ["input"], "coefficients": ["darr"]} if pairs else {}
        return {**found, **usual, **{name: values for name, values in given.items() if values}}


@app.command(_RUN, cls=Spelled)
@with_options
def run(
    context: typer.Context,
    *,
    benchmark: Annotated[str, typer.Argument(help="A benchmark of `nlgauge benchmarks list`, or a file of judged texts.", metavar="BENCHMARK")],
    metrics: Metrics = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Keep scores and correlations in this directory, and go on with it.", metavar="DIR")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.", metavar="N")] = 12345,
    device: Annotated[str | None, typer.Option("--device", help="Where models run: cpu, cuda, ...", metavar="NAME")] = None,
    batch_size: Annotated[int | None, typer.Option("--batch-size", min=1, help="Texts that a model reads at once.", metavar="N")] = None,
    study: StudyOptions,
    agreement: AgreementOptions,
) -> None:
    """Scores the texts of a benchmark and says how well each metric agrees with people.

    nlgauge meta summeval --human relevance -m chrf rouge -o summeval/

    BENCHMARK is a name of `nlgauge benchmarks list`, or a file: original files of a known benchmark, JSON lines with "human" scores, or records as
    `nlgauge score` reads them, of which --human names the columns with human scores.

    With -o each metric's scores are kept as numbers, without texts: the next run computes only those that are missing, and without -m it takes the
    metrics that are kept. `nlgauge meta compare DIR` then tests whether one metric is better than another.
    """
    from nlgauge.meta.benchmarks.scores import kept, scored
    from nlgauge.meta.benchmarks.study import CORRELATIONS, SCORES, Study
    from nlgauge.meta.correlate import correlate
    from nlgauge.scorer import DEFAULT_METRICS

    chosen = Study(
        benchmark=benchmark,
        humans=split(study.humans),
        group=study.group,
        group_field=study.group_field,
        segments=study.segments,
        seed=seed,
        people=study.people,
        peers=study.peers,
        outputs="all" if study.every_output else "first",
        corpus_scores=study.corpus_scores,
    )
    texts = chosen.read()
    if output is not None:
        chosen.save(output)
        context.meta[WRITTEN] = output
    directory = None if output is None else output / SCORES
    wanted: Sequence[str] = metrics or (list(kept(directory)) if directory is not None else []) or ([] if chosen.peers else DEFAULT_METRICS)
    quiet = agreement.quiet
    scores = scored(
        texts,
        wanted,
        directory=directory,
        seed=seed,
        batch_size=batch_size,
        device=device,
        show_progress=False if quiet else None,
        say=None if quiet else say,
    )
    found = correlate(chosen.judgements(texts, scores), seed=seed, **agreement.of_correlate(bool(texts.pairs)))
    if output is not None:
        found.to_csv(output / CORRELATIONS)
    brief = found if agreement.details else replace(found, rows=[_brief(row, found.rows) for row in found.rows])
    show_found(found, brief, lambda: _table(found, agreement.details), "json" if agreement.as_json else agreement.form, quiet=quiet)
    if output is not None and not quiet:
        say(f"saved to {output}; nlgauge meta compare {output} tests whether one metric is better than another")


app.command()(compare)


def _table(found: Found, details: bool) -> RenderableType:
    """One table for each human dimension; what is the same in all rows of it stands in its title, reasons stand below."""
    from nlgauge.export.model import Page
    from nlgauge.terminal.pages import Printed

    sheets = []
    for human in dict.fromkeys(row["human"] for row in found.rows):
        rows = [dict(row) for row in found.rows if row["human"] == human]
        same = [name for name in ("human", "group", "level", "coefficient") if name in rows[0] and len({row[name] for row in rows}) == 1]
        told = [{name: value for name, value in (row if details else _brief(row, rows)).items() if name not in same} for row in rows]
        part = replace(found, rows=told, made={}, notes=(), title=", ".join(str(rows[0][name]) for name in same))
        sheets += part.page(4 if details else 3).sheets()
    reasons = [f"{row['metric']} ({row['level']}): {row['reason']}" for row in found.rows if row.get("reason") and isnan(row["value"])]
    return Printed(Page(sheets, (), (*found.notes, *dict.fromkeys(reasons))))


def _brief(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns that are shown, without those that say nothing in any row."""
    told = [name for name in _SHOWN if name in row and any(one.get(name) not in ("", None) and one.get(name) == one.get(name) for one in rows)]
    return {name: row[name] for name in told}


def split(given: Sequence[str] | None) -> list[str]:
    """Names that commas separate, or that stand in options of their own.

    >>> split(["system,input", "global"])
    ['system', 'input', 'global']
    """
    return [name.strip() for one in given or () for name in one.split(",") if name.strip()]
