"""The data of an annotator's page, from the server or inside one file for a machine without a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.safe_text import visible
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.log import SKIP, Record, stacks
from nlgauge.errors import ParameterError

BODY = """<body class="rate">
<main id="main" tabindex="-1"><noscript><h1>Rate texts</h1><p>This page needs JavaScript.</p></noscript></main>
<div id="said" class="sr" role="status" aria-live="polite"></div>"""


def work_of(campaign: Campaign, annotator: str, records: Sequence[Record]) -> dict[str, Any]:
    """Return an annotator's items with this annotator's ratings and skips, and the questions; nothing else.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    annotator : str
        Code of the annotator.
    records : sequence of dict
        Events of the log.

    Returns
    -------
    dict
        Plain data for the page.
    """
    responses = stacks([record for record in records if record["annotator"] == annotator])
    items = [
        {"key": key, **texts, "responses": [_response(each) for each in responses.get((annotator, key), [])]}
        for key, texts in campaign.work(annotator).items()
    ]
    return {
        "title": visible(campaign.plan.title or "Rate texts"),
        "annotator": annotator,
        "protocol": _shown(campaign),
        "items": items,
    }


def _response(record: Record) -> dict[str, Any]:
    if record["kind"] == SKIP:
        return {"kind": SKIP, "reason": record["reason"]}
    return {"kind": record["kind"], "answers": record["answers"], "spans": record.get("spans", [])}


def _shown(campaign: Campaign) -> dict[str, Any]:
    """Return the protocol with all defaults, as the page needs it."""
    protocol = campaign.plan.protocol
    questions = [
        {name: getattr(question, name) for name in question.__struct_fields__}
        for question in protocol.questions
    ]
    rules = protocol.spans
    spans = None if rules is None else {name: getattr(rules, name) for name in rules.__struct_fields__}
    return {
        "name": protocol.name,
        "instructions": protocol.instructions,
        "side_by_side": protocol.side_by_side,
        "warn_below": protocol.warn_below,
        "questions": questions,
        "spans": spans,
    }


def offline_page(campaign: Campaign, annotator: str, path: str | Path) -> Path:
    """Write an annotator's items as one HTML file that needs no server; the page saves ratings as a file.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    annotator : str
        Code of the annotator.
    path : str or Path
        File to write.

    Returns
    -------
    Path
        The file, whose ratings `merge` reads.

    Raises
    ------
    ParameterError
        If the campaign needs the server.
    """
    from nlgauge._core.paths import write_whole
    from nlgauge.show.report.page import single_file

    if campaign.plan.proposals is not None:
        raise ParameterError(
            "metrics propose the segments of this campaign after each block, which needs the server."
        )
    work = work_of(campaign, annotator, campaign.records())
    work["offline"] = f"{campaign.plan.items[:12]}-{annotator}"
    data = msgspec.json.encode(work)
    target = Path(path)
    write_whole(
        target,
        single_file(work["title"], BODY, {"work": data}, "rate/rate.js", ("base.css", "rate/rate.css")),
    )
    return target
