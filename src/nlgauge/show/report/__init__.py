"""A result as one HTML file that opens from disk and needs no network: which system is best, on which
segments, why, and how sure that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from nlgauge._core.numbers import counted
from nlgauge._core.options import completed
from nlgauge._core.paths import require_folder, write_whole
from nlgauge.errors import ParameterError
from nlgauge.results.imported.human import with_human_scores
from nlgauge.results.runs.alignment import aligned
from nlgauge.results.runs.testing import compare_runs
from nlgauge.results.table_options import REPORT_DEFAULTS, ReportOptions
from nlgauge.show.page_data.choose import chosen as chosen_segments
from nlgauge.show.page_data.data import PageData, view_of
from nlgauge.show.page_data.parts import field_parts, json_part, score_parts, text_parts, unit_parts, unstored
from nlgauge.show.page_data.runs import run_parts
from nlgauge.show.page_data.spans import span_parts
from nlgauge.show.page_data.sums import sums_of
from nlgauge.show.page_data.trust import trust_of
from nlgauge.show.report.explained import Explained, embedded
from nlgauge.show.report.page import page
from nlgauge.show.writers.html import html_of
from nlgauge.spans.named_numbers import with_span_fields

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# The share of max_size that the sums for scores of some segments may take.
_SUMS = 0.15
# Bytes of the element of a part.
_ELEMENT = 56
# Slow explanations are made for this number of segments.
_FEW = 40
_MEGABYTE = 1_000_000
# Bytes by which the description of a page grows for each explained segment, and for the element of its part.
_ABOUT_SEGMENT = 16


class WrittenReport(type(Path())):  # type: ignore[misc]
    """The path of a written report; `left_out` names the parts that did not fit into `max_size`."""

    left_out: tuple[str, ...] = ()


def write_report(
    result: Result,
    path: str | Path,
    *,
    title: str | None = None,
    **options: Unpack[ReportOptions],
) -> WrittenReport:
    """Write the report and return its path; see `Result.report`."""
    chosen = completed("report", ReportOptions, REPORT_DEFAULTS, options)
    explain = chosen["explain"]
    drawn = {name: chosen[name] for name in ("baseline", "confidence", "resamples", "seed")}
    if not (
        explain == "all" or (isinstance(explain, int) and not isinstance(explain, bool) and explain >= 0)
    ):
        raise ParameterError(f"explain must be a number of segments, 0 or more, or 'all'; got {explain!r}.")
    target = Path(path)
    require_folder(target)
    human = with_human_scores(result, chosen["human"])
    view = view_of(result, title or target.stem, human=human, **drawn)
    meta, corpus = view.meta, result.corpus
    parts = dict(score_parts(view, corpus.ids))
    fields: list[dict[str, Any]] = []
    parts |= dict(field_parts(with_span_fields(corpus), fields, human.fields))
    trust = trust_of(human, confidence=chosen["confidence"], seed=chosen["seed"])
    meta["trust"] = None if trust is None else trust.described()
    if trust is not None:
        parts["trust"] = json_part(trust.tables())
    meta["spans"], marks = span_parts(result)
    parts |= marks if chosen["texts"] else {name: marks[name] for name in ("span_columns",) if name in marks}
    sums = sums_of(human.result)
    left = sums.within(_SUMS * chosen["max_size"] * _MEGABYTE)
    sums.describe(meta["outputs"])
    parts |= sums.parts | dict(unit_parts(corpus, meta))
    meta |= {"sums": sums.labels, "unstored": unstored(corpus, fields, human.fields)}
    meta |= {"fields": fields, "texts": "none", "why": {}, "explained": {}, "partly": [], "left_out": []}
    if left:
        meta["left_out"].append(f"the sums of {', '.join(left)}")
    static = html_of(human.result._page(**drawn))
    if chosen["against"] is not None:
        parts |= _runs(result, meta, chosen, drawn)
    if chosen["texts"] and result.has_texts:
        shell = len(page(meta["title"], static, {"meta": json_part(meta)}, meta["version"]).encode())
        _add_texts(
            result, view, parts, explain, chosen["max_size"] * _MEGABYTE - shell - _ELEMENT * len(parts)
        )
    parts["meta"] = json_part(meta)
    write_whole(target, page(meta["title"], static, parts, meta["version"]))
    written = WrittenReport(target)
    written.left_out = tuple(meta["left_out"])
    return written


def _runs(
    result: Result, meta: dict[str, Any], chosen: dict[str, Any], drawn: dict[str, Any]
) -> dict[str, bytes]:
    """Compare the result with an older run: add the comparison to meta, and return its parts."""
    runs = aligned(result, chosen["against"], chosen["pairs"], chosen["human"])
    tests = compare_runs(runs, **{name: drawn[name] for name in ("confidence", "resamples", "seed")})
    names = chosen["run_names"] or (meta["title"], "the old run")
    meta["runs"], parts = run_parts(runs, tests, names, chosen["texts"])
    return parts


def _add_texts(
    result: Result,
    view: PageData,
    parts: dict[str, bytes],
    explain: int | Literal["all"],
    limit: float,
) -> None:
    """Add texts and explanations within a number of bytes, and the omitted parts to meta.

    The explanations of the segments that matter most come first, then the texts of all segments, then further
    explanations. The texts of explained segments are always added.
    """
    meta = view.meta
    count = len(result.corpus) if explain == "all" else explain
    segments, few = (
        chosen_segments(meta["outputs"], view.columns, size, meta["test"]["seed"])
        for size in (count, min(count, _FEW))
    )
    all_texts = within(text_parts(result.corpus, result.systems), limit - embedded(parts))
    fewer = (
        all_texts
        if all_texts is not None and len(segments) == len(result.corpus)
        else dict(text_parts(result.corpus, result.systems, segments))
    )
    explained = Explained(result, view, few, explain == "all")
    limit -= _ABOUT_SEGMENT * len(segments)
    left = explained.add(few, limit - embedded(parts) - embedded(fewer))
    fits = (
        all_texts is not None and embedded(parts) + embedded(all_texts) + embedded(explained.parts) <= limit
    )
    shown = all_texts if all_texts is not None and fits else fewer
    rest = [segment for segment in segments if segment not in set(few)]
    left += len(rest) if left else explained.add(rest, limit - embedded(parts) - embedded(shown))
    meta |= explained.meta() | {
        "texts": "all" if fits else "chosen",
        "blocks": sum(name.startswith("text") for name in shown),
    }
    if explained.narrow:
        meta["left_out"].append("the explanations of systems that the page does not show first")
    if not fits:
        meta["kept"] = list(segments)
        meta["left_out"].append(f"the texts of {counted(len(result.corpus) - len(segments), 'segment')}")
    if left:
        meta["left_out"].append(f"the explanations of {counted(left, 'segment')}")
    parts |= shown | explained.parts


def within(parts: Iterator[tuple[str, bytes]], room: float) -> dict[str, bytes] | None:
    """Return the parts if they take no more than `room` bytes in a page, else None without making the rest."""
    made: dict[str, bytes] = {}
    for name, content in parts:
        made[name] = content
        room -= embedded({name: content})
        if room < 0:
            return None
    return made
