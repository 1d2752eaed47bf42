"""nlgauge meta spans and nlgauge meta agreement: how well metrics, and people, agree on error spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.commands.meta.outputs import draw_map
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import FindingOptions, PartOptions, StudyOptions, split
from nlgauge.cli.complete import complete_files, complete_metrics
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import Confidence, ModelOptions, SeedOfAll, checked_confidence, one_of
from nlgauge.cli.output import show
from nlgauge.cli.parameters import FILES, METRICS, STATISTICS, Options, argument, option
from nlgauge.cli.span_files import SpanFileOptions, pairs, rules_of

if TYPE_CHECKING:
    from nlgauge.meta.findings import Findings
    from nlgauge.spans.reading import SpanFile

_RATINGS = ("system", "dimension", "coefficient", "value", "low", "high", "annotators", "n", "reason")
_AGREEMENT = ("annotators", "measure", "value", "low", "high", "chance", "n_texts")
_COMPARED = ("human", "group", "metric", "other", "delta", "low", "high", "p", "p_adjusted", "better")
PeopleFile = Annotated[
    str, argument("File with error spans of people.", metavar="FILE", panel=FILES, complete=complete_files)
]


class MeasureOptions(Options):
    """Measures of error spans and their rules."""

    measures: Annotated[
        list[str] | None,
        option(
            "--measure",
            help="Measures, separated by commas: em, mp, mpp, char, char23.",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None
    average: Annotated[
        str,
        option(
            "--average",
            help="micro (default, sum over texts) or macro (mean over texts; rewards silence).",
            metavar="RULE",
            panel=STATISTICS,
        ),
    ] = "micro"
    penalty: Annotated[
        float,
        option(
            "--penalty",
            at_least=0,
            at_most=1,
            help="Loss of credit for a wrong severity.",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = 0.5
    severity: Annotated[
        str,
        option(
            "--severities",
            help="penalty (default; critical counts as major), exact, or ignore.",
            metavar="RULE",
            panel=STATISTICS,
        ),
    ] = "penalty"
    category: Annotated[
        str,
        option(
            "--category",
            help="Levels of categories that must be equal: ignore (default), first or all.",
            metavar="RULE",
            panel=STATISTICS,
        ),
    ] = "ignore"
    omissions: Annotated[
        str,
        option(
            "--omissions",
            help="Errors without a place: drop (default) or match.",
            metavar="RULE",
            panel=STATISTICS,
        ),
    ] = "drop"
    resamples: Annotated[
        int,
        option("--resamples", at_least=2, help="Number of resamples.", metavar="N", panel=STATISTICS),
    ] = 1000
    confidence: Confidence = 0.95

    def check(self) -> None:
        checked_confidence(self.confidence)

    def arguments(self, seed: int) -> dict[str, Any]:
        """Return the arguments of the functions of `nlgauge.meta`."""
        common = {"average": self.average, "resamples": self.resamples, "confidence": self.confidence}
        measures = split(self.measures)
        return {**common, **rules_of(self), "seed": seed, **({"measures": measures} if measures else {})}


@Spelled
def spans(
    *,
    file: PeopleFile,
    metrics: Annotated[
        list[str] | None,
        option(
            "--metric",
            "-m",
            help="Metrics that mark errors (xcomet, gemba) or count edits (ter, wer).",
            metavar="METRIC...",
            panel=METRICS,
            complete=complete_metrics,
        ),
    ] = None,
    marked: Annotated[
        list[str] | None,
        option("--spans", help="File with the spans of a metric.", metavar="NAME=FILE", panel=METRICS),
    ] = None,
    by: Annotated[
        str | None,
        option("--by", help="Also by severity, system or group.", metavar="WHAT", panel=STATISTICS),
    ] = None,
    gold: Annotated[
        str,
        option(
            "--gold",
            help="Several annotators: each (default, mean of counts), first, or union.",
            metavar="RULE",
            panel=STATISTICS,
        ),
    ] = "each",
    documents: Annotated[
        bool, option("--by-document", help="Resample documents instead of inputs.", panel=STATISTICS)
    ] = False,
    compare: Annotated[
        bool, option("--compare", help="Print the tests of all pairs of metrics.", panel=STATISTICS)
    ] = False,
    measures: MeasureOptions,
    seed: SeedOfAll = 12345,
    part: PartOptions,
    reading: SpanFileOptions,
    models: ModelOptions,
    shown: FindingOptions,
) -> None:
    """Measure how well metrics find the errors that people mark.

        nlgauge meta spans wmt24_esa.jsonl -m ter --measure mpp
        nlgauge meta spans esa.csv --texts texts.jsonl --spans xcomet=xcomet.json

    Print precision, recall and F of each metric with intervals over inputs, next to the agreement of annotators
    and to sentinels: detectors that mark nothing, everything, or unknown words. A metric finds errors only if
    its interval is above all of them. FILE is in any format of `nlgauge spans convert`.
    """
    from nlgauge.meta.error_spans.of_metrics import spans_on
    from nlgauge.meta.error_spans.scores import span_scores
    from nlgauge.spans.reading import SpanFile, read

    whole = reading.read(file, shown.quiet)
    people = _part(whole, part)
    texts = {(each.segment, each.system) for each in people.annotations}
    if any(each.kind != "people" for each in people):
        raise click.UsageError(f"`nlgauge meta spans` needs spans of people; {file} has spans of a metric.")
    predicted = {}
    for name, path in pairs(marked, "--spans").items():
        from_file = read(path, texts=whole.texts)
        if part.part:
            inside = [each for each in from_file.annotations if (each.segment, each.system) in texts]
            from_file = SpanFile(inside, from_file.report, "metric")
        if len(from_file) != 1:
            raise click.UsageError(
                f"{path} has spans of {len(from_file)} voices; --spans needs a file with one."
            )
        predicted[name] = from_file[0]
    if metrics:
        options = {"device": models.device, "batch_size": models.batch_size, "cache": not models.no_cache}
        given = {name: value for name, value in options.items() if value is not None}
        predicted |= spans_on(people.texts, metrics, seed=seed, **given)
    scores = span_scores(
        list(people),
        predicted,
        **{"measures": ("mpp",), **measures.arguments(seed)},
        by=by,
        gold=gold,
        units="documents" if documents else "inputs",
    )
    if compare:
        show_findings(scores.compare(), _COMPARED, shown)
    elif shown.form == "table" and not shown.details:
        show(scores.__rich__())
    else:
        show_findings(scores, scores.names, shown)


@Spelled
def agreement(
    *,
    file: PeopleFile,
    on_spans: Annotated[bool, option("--spans", help="Agreement on error spans.", panel=STATISTICS)] = False,
    humans: Annotated[
        list[str] | None,
        option("--human", help="Human dimensions, separated by commas (default: all).", metavar="NAME"),
    ] = None,
    scale: Annotated[
        str,
        option(
            "--scale",
            help="Scale of the ratings: nominal, ordinal, interval or ratio.",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = "interval",
    by: Annotated[
        str | None,
        option(
            "--by",
            help="system: ratings of each system, and the mean of the dimensions.",
            metavar="system",
            panel=STATISTICS,
        ),
    ] = None,
    chance: Annotated[
        int,
        option(
            "--chance",
            at_least=0,
            help="Number of random placements for the level of chance.",
            metavar="N",
            panel=STATISTICS,
        ),
    ] = 20,
    measures: MeasureOptions,
    seed: SeedOfAll = 12345,
    part: PartOptions,
    reading: SpanFileOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Measure how well annotators agree: on ratings, or with --spans on error spans.

        nlgauge meta agreement summeval --human coherence
        nlgauge meta agreement ratings.jsonl --human esa --by system
        nlgauge meta agreement ratings.jsonl --spans

    FILE is a benchmark or a file with ratings. For ratings, print Krippendorff's alpha and the other coefficients
    of the scale, with intervals over segments.

    With --spans, print F of each pair of annotators and of all pairs, with intervals over inputs, F of spans at
    random places, and Krippendorff's alpha over characters. No value depends on the order of annotators or spans.
    """
    checked_plot(plot)
    if by is not None:
        one_of(by, ("system",), "--by")
    if not on_spans:
        findings = _of_ratings(file, split(humans), scale, by is not None, measures, seed, part)
        show_findings(findings, _RATINGS, shown, by=("system",) if by else ())
        values: dict[str, dict[str, float]] = {}
        for row in findings:
            name = " ".join(filter(None, [row.get("system"), row["dimension"]]))
            values.setdefault(name, {})[row["coefficient"]] = row["value"]
        draw_map(values, plot, "Agreement of annotators")
        return
    from nlgauge.meta.error_spans.agreement import span_agreement

    people = _part(reading.read(file, shown.quiet), part)
    found = span_agreement(people, chance=chance, **measures.arguments(seed))
    show_findings(found, _AGREEMENT, shown)
    if plot is not None:
        found.plot(plot)


def _part(file: SpanFile, part: PartOptions) -> SpanFile:
    """Return the annotations of the texts that the options select."""
    from nlgauge.spans.reading import SpanFile

    if not part.part:
        return file
    return SpanFile(
        part.part.of_annotations(file.annotations), file.report, file[0].kind if file else "people"
    )


def _of_ratings(
    file: str,
    humans: Sequence[str],
    scale: Any,
    by_system: bool,
    options: MeasureOptions,
    seed: int,
    part: PartOptions,
) -> Findings:
    """Return the agreement of annotators on the ratings of a benchmark or a file, of all systems or of each."""
    from nlgauge.errors import InputError
    from nlgauge.meta.diagnostics.annotators import agreement_by_system

    study = StudyOptions(**{**vars(part), "humans": humans}).of(file, seed)
    judgments = study.judgments(study.read(), {})
    if not judgments.ratings:
        raise InputError(f"{file} has no ratings of several annotators; it needs a field human_raw.")
    given: dict[str, Any] = {"resamples": options.resamples, "confidence": options.confidence, "seed": seed}
    if by_system:
        return agreement_by_system(judgments, scale, **given)
    return judgments.agreement(scale, **given)
