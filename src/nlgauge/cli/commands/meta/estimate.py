"""nlgauge meta estimate: mean human scores if few texts are judged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.commands.meta.study import (
    Data,
    FindingOptions,
    StudyDirectory,
    StudyMetrics,
    StudyOptions,
    check_one_dimension,
    studied,
)
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import Confidence, ModelOptions, SeedOfAll, checked_confidence, one_of
from nlgauge.cli.parameters import STATISTICS, option
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

_SHOWN = (
    "system",
    "other",
    "estimate",
    "low",
    "high",
    "classical_low",
    "classical_high",
    "labels",
    "of",
    "effective_labels",
)


@Spelled
def estimate(
    *,
    data: Data,
    metrics: StudyMetrics = None,
    differences: Annotated[
        bool,
        option(
            "--differences",
            help="Estimate differences between systems instead of means.",
            panel=STATISTICS,
        ),
    ] = False,
    drawn: Annotated[
        str | None,
        option(
            "--drawn",
            help="Sampling unit of the human labels: segments or cells (default: detected).",
            metavar="UNIT",
            panel=STATISTICS,
        ),
    ] = None,
    generalize_to: Annotated[
        str,
        option(
            "--generalize-to",
            help="Scope of the claim: new inputs like these (inputs), or only these texts (none).",
            metavar="WHAT",
            panel=STATISTICS,
            aliases=("--generalise-to",),
        ),
    ] = "inputs",
    probabilities: Annotated[
        Path | None,
        option(
            "--probabilities",
            help="CSV file of --next, if it selected the judged segments.",
            metavar="FILE",
            panel=STATISTICS,
            existing_file=True,
        ),
    ] = None,
    width: Annotated[
        float | None,
        option(
            "--width",
            help="Print the number of labels that intervals of this width need.",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = None,
    count: Annotated[
        int | None,
        option(
            "--next",
            at_least=1,
            help="Select the N segments to judge next.",
            metavar="N",
            panel=STATISTICS,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    models: ModelOptions,
    shown: FindingOptions,
) -> None:
    """Estimate mean human scores if only some texts were judged.

        nlgauge meta estimate d.jsonl --human adequacy -m chrf bleu

    Combine human scores of a random sample of texts with metric scores of all texts. Unjudged texts have null
    or an empty field as their human score. The estimate is valid only if the judged texts were drawn at
    random; poor metrics widen the interval but do not bias it.

        nlgauge meta estimate d.jsonl --human adequacy --next 30 -f csv > next.csv

    Judge these segments for all systems, then pass the file with --probabilities next.csv.
    """
    checked_confidence(confidence)
    one_of(generalize_to, ("inputs", "none"), "--generalize-to")
    if drawn is not None:
        one_of(drawn, ("segments", "cells"), "--drawn")
    if width is not None and count is not None:
        raise click.UsageError("--width and --next cannot be combined.")
    judged = studied(data, metrics, study, models, output, seed, shown.quiet).judgments
    check_one_dimension(judged, "nlgauge meta estimate")
    of: Any = "differences" if differences else "means"
    if count is not None:
        proposed = judged.segments_to_label(count, of=of, seed=seed)
        show_findings(
            proposed if shown.form in ("csv", "tsv", "json") else proposed.where(proposed=True),
            ("segment", "stratum", "probability"),
            shown,
        )
        return
    chances = None if probabilities is None else _probabilities(probabilities, judged)
    estimates = judged.estimate(
        of=of,
        drawn=drawn,
        generalize_to=generalize_to,
        probabilities=chances,
        confidence=confidence,
        seed=seed,
    )
    if width is not None:
        show_findings(
            estimates.labels_needed(width),
            ("system", "other", "labels", "of", "needed", "needed_classical"),
            shown,
        )
        return
    show_findings(estimates, _SHOWN, shown)


def _probabilities(path: Path, judged: Judgments) -> list[float]:
    """Read the probability of each segment from a file with the columns segment and probability."""
    from nlgauge.io.files import decoded, read_bytes
    from nlgauge.io.quoting import csv_rows

    header, *rows = (row.fields for row in csv_rows(decoded(read_bytes(str(path)), str(path)), str(path)))
    if not {"segment", "probability"} <= set(header):
        raise InputError(
            f"{path} lacks the columns segment and probability; use a file of `nlgauge meta estimate --next N"
            " -f csv`."
        )
    places = header.index("segment"), header.index("probability")
    by_segment = {row[places[0]]: float(row[places[1]] or math.nan) for row in rows}
    missing = [segment for segment in judged.segments if str(segment) not in by_segment]
    if missing:
        raise InputError(
            f"{path} lacks the probability of segment {missing[0]!r}; use the unchanged file of --next."
        )
    return [by_segment[str(segment)] for segment in judged.segments]
