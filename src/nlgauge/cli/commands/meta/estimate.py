"""nlgauge meta estimate: human scores of all outputs from the few that are judged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge.cli.command import Spelled
from nlgauge.cli.commands.meta.study import (
    Data,
    FoundOptions,
    StudyDirectory,
    StudyOptions,
    check_one_dimension,
    studied,
)
from nlgauge.cli.found import show_found
from nlgauge.cli.options import Confidence, Metrics, ModelOptions, SeedOfAll, checked_confidence, one_of
from nlgauge.cli.parameters import option
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments

_ESTIMATE = "Estimates"
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
    metrics: Metrics = None,
    differences: Annotated[
        bool,
        option("--differences", help="Differences between systems, not their means.", panel=_ESTIMATE),
    ] = False,
    drawn: Annotated[
        str | None,
        option(
            "--drawn",
            help="What was drawn to be judged: segments or cells (default: what it looks like).",
            panel=_ESTIMATE,
        ),
    ] = None,
    generalise_to: Annotated[
        str,
        option(
            "--generalise-to",
            help="New inputs like these (inputs), or these texts alone (none).",
            panel=_ESTIMATE,
        ),
    ] = "inputs",
    probabilities: Annotated[
        Path | None,
        option(
            "--probabilities",
            help="The CSV file of --next, if it chose what was judged.",
            existing_file=True,
            metavar="FILE",
            panel=_ESTIMATE,
        ),
    ] = None,
    width: Annotated[
        float | None,
        option(
            "--width",
            help="Say how many labels intervals of this width need.",
            metavar="NUMBER",
            panel=_ESTIMATE,
        ),
    ] = None,
    count: Annotated[
        int | None,
        option(
            "--next",
            at_least=1,
            help="Say which N segments to judge next.",
            metavar="N",
            panel=_ESTIMATE,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    output: StudyDirectory = None,
    seed: SeedOfAll = 12345,
    study: StudyOptions,
    models: ModelOptions,
    shown: FoundOptions,
) -> None:
    """Estimates the systems' mean human scores where people judged a random part of the texts, with the help
    of metrics that score all of them.

    nlgauge meta estimate data.jsonl --human adequacy -m chrf bleu

    Texts that nobody judged have null, or nothing, as their human score. Labels that were not drawn at random
    make it wrong; bad metrics do not.

    nlgauge meta estimate data.jsonl --human adequacy -m chrf --next 30 -f csv > next.csv

    Once these are judged, with all systems, give the file back: --probabilities next.csv.
    """
    checked_confidence(confidence)
    one_of(generalise_to, ("inputs", "none"), "--generalise-to")
    if width is not None and count is not None:
        raise click.BadParameter("ask for --width or --next, one at a time.", param_hint="'--next'")
    judged = studied(data, metrics, study, models, output, seed, shown.quiet).judgments
    check_one_dimension(judged, "'DATA'")
    of: Any = "differences" if differences else "means"
    if count is not None:
        proposed = judged.segments_to_label(count, of=of, seed=seed)
        show_found(
            proposed if shown.form in ("csv", "tsv", "json") else proposed.where(proposed=True),
            ("segment", "stratum", "probability"),
            shown,
        )
        return
    chances = None if probabilities is None else _probabilities(probabilities, judged)
    found = judged.estimate(
        of=of,
        drawn=drawn,
        generalise_to=generalise_to,
        probabilities=chances,
        confidence=confidence,
        seed=seed,
    )
    if width is not None:
        show_found(
            found.labels_needed(width),
            ("system", "other", "labels", "of", "needed", "needed_classical"),
            shown,
        )
        return
    show_found(found, _SHOWN, shown)


def _probabilities(path: Path, judged: Judgments) -> list[float]:
    """The probability of each segment, of a file with the columns segment and probability."""
    from nlgauge.io.files import decoded, read_bytes
    from nlgauge.io.quoting import csv_rows

    header, *rows = (row.fields for row in csv_rows(decoded(read_bytes(str(path)), str(path)), str(path)))
    if not {"segment", "probability"} <= set(header):
        raise InputError(
            f"{path} needs the columns segment and probability, as `nlgauge meta estimate --next N -f csv`"
            " writes them."
        )
    places = header.index("segment"), header.index("probability")
    known = {row[places[0]]: float(row[places[1]] or math.nan) for row in rows}
    missing = [segment for segment in judged.segments if str(segment) not in known]
    if missing:
        raise InputError(f"{path} has no probability of segment {missing[0]!r}.")
    return [known[str(segment)] for segment in judged.segments]
