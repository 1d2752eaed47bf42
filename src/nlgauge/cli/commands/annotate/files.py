"""nlgauge annotate export, import, page and merge: ratings as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command
from nlgauge.cli.commands.annotate.creating import CampaignDirectory
from nlgauge.cli.commands.meta.study import split
from nlgauge.cli.output import say
from nlgauge.cli.parameters import argument, option

_FORMATS = ("nlgauge", "pairs", "mqm", "appraise", "label-studio", "pearmut", "factgenie", "mtme", "inline")


def _complete_formats(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    return [name for name in _FORMATS if name.startswith(start)]


@Command
def export(
    directory: CampaignDirectory,
    *,
    output: Annotated[Path, option("--output", "-o", help="File to write.", metavar="FILE")],
    form: Annotated[
        str,
        option("--format", "-f", help=f"{', '.join(_FORMATS)}.", metavar="NAME", complete=_complete_formats),
    ] = "nlgauge",
    exclude_failed: Annotated[
        bool,
        option("--exclude-failed", help="Leave out annotators who do not rate damaged texts lower."),
    ] = False,
) -> None:
    """Write the ratings of a campaign as a file.

        nlgauge annotate export campaign -o ratings.jsonl
        nlgauge meta ratings.jsonl --human esa -m chrf bleu

    The format nlgauge has one record per segment and system, as `nlgauge meta` reads it, and pairs has one verdict
    per pair of texts, as `nlgauge rank` reads it. Other formats are for other tools; what they cannot contain is
    printed. Repeated, damaged and gold items are not in the scores, and skipped texts have no score.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.checks import failed
    from nlgauge.annotate.files.formats import left_out, write_ratings
    from nlgauge.annotate.responses import responses_of, skip_warning, skips_by_system

    campaign = Campaign.open(directory)
    without = failed(campaign, campaign.records()) if exclude_failed else []
    responses = responses_of(campaign, without)
    lost = write_ratings(campaign, output, form, without)
    if without:
        say(left_out(without))
    for each in lost:
        say(f"the format {form} does not contain: {each}")
    if campaign.plan.proposals is not None:
        say(
            "warning: metrics proposed segments, so means of this file are biased; `nlgauge annotate status` weights them."
        )
    if warning := skip_warning(skips_by_system(campaign, responses)):
        say(f"warning: {warning}")
    say(f"{counted(len(responses), 'rating')} read, checks and skips included")
    click.echo(output)


@Command
def import_ratings(
    files: Annotated[list[Path], argument("Files of ratings.", metavar="FILE...")],
    *,
    output: Annotated[
        Path, option("--output", "-o", help="Campaign, or a file .jsonl to write.", metavar="CAMPAIGN|FILE")
    ],
    form: Annotated[
        str | None,
        option(
            "--format", "-f", help="Format (default: detected).", metavar="NAME", complete=_complete_formats
        ),
    ] = None,
    texts: Annotated[
        Path | None,
        option(
            "--texts", help="File of texts, for formats without them.", metavar="FILE", existing_file=True
        ),
    ] = None,
    severities: Annotated[
        list[str] | None,
        option(
            "--severity", help="Other names of severities, such as High=major.", metavar="NAME=SEVERITY,..."
        ),
    ] = None,
    weights: Annotated[
        str, option("--weights", help="Compute scores from the marks: mqm, sqm25, ...", metavar="NAME")
    ] = "",
) -> None:
    """Read ratings of other tools.

        nlgauge annotate import esa.csv --texts texts.jsonl -o ratings.jsonl

    With -o CAMPAIGN the ratings are added to a campaign that has the same annotators, segments, systems and
    texts. All of them are added, or none.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.files.formats import write_rows
    from nlgauge.annotate.files.merging import add_annotations
    from nlgauge.spans import SpanFile, read

    named = dict(each.split("=", 1) for each in split(severities) if "=" in each)
    if len(named) < len(split(severities)):
        raise click.UsageError("--severity must be NAME=SEVERITY, such as High=major.")
    parts = [
        read(file, None if form is None else form.replace("-", "_"), texts, severities=named or None)
        for file in files
    ]
    read_in = (
        parts[0]
        if len(parts) == 1
        else SpanFile([each for part in parts for each in part.annotations], parts[0].report)
    )
    if output.is_dir():
        count = add_annotations(Campaign.open(output), read_in, ", ".join(file.name for file in files))
        say(f"{counted(count, 'rating')} added")
    else:
        say(f"{counted(write_rows(read_in, output, weights), 'record')} written")
    for part in parts:
        for line in str(part.report).splitlines():
            say(line)
    click.echo(output)


@Command
def page(
    directory: CampaignDirectory,
    *,
    annotator: Annotated[str, option("--annotator", help="Code of the annotator.", metavar="CODE")],
    output: Annotated[Path, option("--output", "-o", help="HTML file to write.", metavar="FILE")],
) -> None:
    """Write an annotator's items as one HTML file that needs no server.

        nlgauge annotate page campaign --annotator a2 -o a2.html
        nlgauge annotate merge campaign a2-ratings.jsonl

    The page saves the ratings as a file, which merge adds to the campaign.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.pages import offline_page

    click.echo(offline_page(Campaign.open(directory), annotator, output))


@Command
def merge(
    directory: CampaignDirectory,
    files: Annotated[
        list[Path], argument("Files that pages of `nlgauge annotate page` saved.", metavar="FILE...")
    ],
) -> None:
    """Add ratings and skips of offline pages to a campaign.

    A file that is merged twice adds nothing the second time. The log names the file of each rating.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.files.merging import merge as merge_file

    campaign = Campaign.open(directory)
    for file in files:
        say(f"{file}: {counted(merge_file(campaign, file), 'rating')} added")
