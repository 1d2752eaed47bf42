"""nlgauge annotate status: progress, agreement and estimates of a campaign."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command
from nlgauge.cli.commands.annotate.creating import CampaignDirectory
from nlgauge.cli.output import say, show, show_json
from nlgauge.cli.parameters import option

if TYPE_CHECKING:
    from nlgauge._core.page import Sheet
    from nlgauge.annotate.state import State

_WIDE = 3


@Command
def status(
    directory: CampaignDirectory,
    *,
    form: Annotated[str, option("--format", "-f", help="table or json.", metavar="FORMAT")] = "table",
    until: Annotated[
        float,
        option("--until", help="Exit with code 3 if an interval is wider.", metavar="WIDTH"),
    ] = 0.0,
    repair: Annotated[
        bool, option("--repair", help="Move damaged lines of the log to a file next to it.")
    ] = False,
) -> None:
    """Show progress, checks, agreement and estimates of a campaign.

    Estimates use whole segments of finished blocks, which are a random sample, and the metrics of the result.
    Only a campaign that was created with --until or --until-sure gets the advice to stop, and this advice uses
    only ratings.
    """
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.state import state_of
    from nlgauge.cli.options import one_of

    one_of(form, ("table", "json"), "--format")
    campaign = Campaign.open(directory)
    if repair:
        count = campaign.repair()
        say(
            f"{counted(count, 'damaged line was', 'damaged lines were')} moved to a file next to ratings.jsonl"
        )
    state = state_of(campaign, campaign.records(), until)
    if form == "json":
        show_json(state.plain())
    else:
        _print(state, directory)
    if until and _widest(state) > until:
        sys.exit(_WIDE)


def _widest(state: State) -> float:
    """Return the width of the widest interval of a mean; infinite if there is none."""
    widths = [row["high"] - row["low"] for row in state.estimates]
    return max((math.inf if math.isnan(width) else width for width in widths), default=math.inf)


def _print(state: State, directory: Path) -> None:
    from nlgauge._core.page import Page
    from nlgauge.show.writers.text import Printed

    sheets = [_sheet("annotators", [_person(row) for row in state.annotators])]
    if state.estimates:
        sheets.append(_sheet("estimates", [_mean(row) for row in state.estimates]))
    if state.differences:
        sheets.append(
            _sheet("differences, intervals for all pairs together", [_pair(row) for row in state.differences])
        )
    if state.agreement:
        sheets.append(_sheet("agreement of annotators", [_coefficient(row) for row in state.agreement]))
    if state.decision is not None:
        sheets.append(
            _sheet("only ratings, valid at every look", [_look(row) for row in state.decision.rows])
        )
    show(Printed(Page(sheets, notes=list(sentences(state)))))
    if not state.estimates:
        say(
            f"estimates appear when a block of segments is finished; start with: nlgauge annotate serve {directory}"
        )


def sentences(state: State) -> Sequence[str]:
    """Return what the numbers mean."""
    found = [
        f"{state.finished} of {counted(state.segments, 'segment')} finished, in whole blocks."
        " Estimates are about"
        f" {counted(state.population, 'segment')} like these; their intervals are for a number of ratings that was fixed in advance."
    ]
    if state.selected:
        found.append(state.selected)
    if state.metrics:
        found.append(f"Metrics that help to estimate: {', '.join(state.metrics)}.")
    for dimension in dict.fromkeys(row["dimension"] for row in state.needed):
        rows = [row for row in state.needed if row["dimension"] == dimension]
        if all(row["needed"] is not None for row in rows):
            more = max(0, *(math.ceil(row["needed"]) - row["labels"] for row in rows))
            found.append(
                f"Intervals of width {rows[0]['width']:g} for {dimension} need about"
                f" {counted(more, 'more segment')}."
            )
        else:
            found.append(
                f"Intervals of width {rows[0]['width']:g} for {dimension} need more segments than there are."
            )
    if state.decision is not None:
        words = "Enough: you can stop." if state.decision.enough else "Not enough yet."
        found.append(
            f"{words} {state.decision.units} of {state.decision.of} units in the planned order are finished."
        )
    return found


def _person(row: Mapping[str, Any]) -> dict[str, str]:
    checks = {
        "repeats differ by": _number(row["repeat_difference"]) if row["repeats"] else "",
        "damaged lower": f"{row['damaged_lower']} of {row['damaged']}" if row["damaged"] else "",
        "p": _number(row["damaged_p"]) if row["damaged"] else "",
        "gold passed": f"{row['gold_passed']} of {row['gold']}" if row["gold"] else "",
    }
    return {
        "annotator": row["annotator"],
        "done": f"{row['done']} of {row['of']}",
        "skipped": _skipped(row),
        "page opened": str(row["opened"] or ""),
        "seconds": _number(row["median_seconds"]),
        "hours left": _number(row["hours_left"]),
        **checks,
    }


def _skipped(row: Mapping[str, Any]) -> str:
    checks = f" ({counted(row['checks_skipped'], 'check')})" if row["checks_skipped"] else ""
    return f"{row['skipped']}{checks}" if row["skipped"] else ""


def _mean(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "dimension": row["dimension"],
        "system": row["system"],
        "mean": _number(row["estimate"]),
        "95% interval": _range(row["low"], row["high"]),
        "only ratings": _range(row["classical_low"], row["classical_high"]),
        "rated": f"{row['labels']} of {row['of']}",
        "worth": _number(row["effective_labels"]),
    }


def _pair(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "dimension": row["dimension"],
        "system": row["system"],
        "other": row["other"],
        "difference": _number(row["estimate"]),
        "interval": _range(row["low"], row["high"]),
        "better": row["better"] or "not decided",
    }


def _coefficient(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "dimension": row["dimension"],
        "coefficient": row["coefficient"],
        "value": _number(row["value"]),
        "95% interval": _range(row["low"], row["high"]),
        "outputs": str(row["n"]),
    }


def _look(row: Mapping[str, Any]) -> dict[str, str]:
    if "other" not in row:
        return {
            "system": row["system"],
            "mean": _number(row["mean"]),
            "interval": _range(row["low"], row["high"]),
            "units": str(row["units"]),
        }
    return {
        "system": row["system"],
        "other": row["other"],
        "difference": _number(row["difference"]),
        "p": _number(row["p"]),
        "limit": _number(row["alpha"]),
        "looks": f"{row['looks']} of {row['of']}",
        "better": row["better"] or "open",
    }


def _sheet(title: str, rows: Sequence[Mapping[str, str]]) -> Sheet:
    """Return a table; columns without a value are left out."""
    from nlgauge._core.page import Cell, Sheet, column

    names = [name for name in rows[0] if any(row[name] for row in rows)]
    return Sheet(
        [column(name) for name in names], [[Cell(row[name]) for name in names] for row in rows], title=title
    )


def _number(value: float | None) -> str:
    return "n/a" if value is None or math.isnan(value) else f"{value:.4g}"


def _range(low: float | None, high: float | None) -> str:
    text = _number(low)
    return text if text == "n/a" else f"{text} to {_number(high)}"
