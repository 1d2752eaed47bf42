"""A result as one HTML file that opens from disk and needs no network: which system is best, on which
segments, why, and how sure that is.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nlgauge._core.numbers import counted
from nlgauge._core.paths import require_folder, write_whole
from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.show.page_data.choose import chosen
from nlgauge.show.page_data.data import view_of
from nlgauge.show.page_data.parts import field_parts, json_part, score_parts, text_parts
from nlgauge.show.report.explained import Explained, embedded
from nlgauge.show.report.page import page
from nlgauge.show.writers.html import html_of

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Slow explanations are made for this number of segments.
_FEW = 40
_MEGABYTE = 1_000_000
# Bytes by which the description of a page grows for each explained segment, and for the element of its part.
_ABOUT_SEGMENT = 16


def write_report(
    result: Result,
    path: str | Path,
    *,
    title: str | None = None,
    explain: int | Literal["all"] = 200,
    texts: bool = True,
    max_size: float = 25,
    baseline: str | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int | None = None,
) -> Path:
    """Write the report and return its path.

    `explain` is the number of segments with explanations: those where systems differ most, metrics disagree,
    scores are worst and best, and some drawn. Explanations that take long are made for 40 of them, unless
    `explain` is "all". `max_size` is the size of the file in megabytes, which only scores and the texts of
    explained segments may exceed: further explanations are left out first, then the texts of other segments,
    and the page says so. `texts=False` leaves texts and explanations out, for a report that may be shared.
    `baseline` is the system that the page opens its comparison with and that the tests of its table are
    against, by default the first; its other options are those of `Result.compare`.
    """
    if not (
        explain == "all" or (isinstance(explain, int) and not isinstance(explain, bool) and explain >= 0)
    ):
        raise ParameterError(f"explain must be a number of segments, 0 or more, or 'all'; got {explain!r}.")
    target = Path(path)
    require_folder(target)
    view = view_of(
        result,
        title or target.stem,
        baseline=baseline,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    meta, corpus = view.meta, result.corpus
    parts = dict(score_parts(view, corpus.ids))
    fields: list[dict[str, Any]] = []
    parts |= dict(field_parts(corpus, fields))
    meta |= {"fields": fields, "texts": "none", "why": {}, "explained": {}, "partly": {}, "left_out": []}
    static = html_of(result.page(baseline=baseline, confidence=confidence, resamples=resamples, seed=seed))
    if texts and result.has_texts:
        shell = len(page(meta["title"], static, {"meta": json_part(meta)}, meta["version"]).encode())
        _add_texts(result, view.columns, parts, meta, explain, max_size * _MEGABYTE - shell)
    parts["meta"] = json_part(meta)
    write_whole(target, page(meta["title"], static, parts, meta["version"]))
    return target


def _add_texts(
    result: Result,
    columns: Array,
    parts: dict[str, bytes],
    meta: dict[str, Any],
    explain: int | Literal["all"],
    limit: float,
) -> None:
    """Add texts and explanations within a number of bytes, and to meta what was left out.

    The explanations of the segments that matter most come first, then the texts of all segments, then further
    explanations. The texts of explained segments are always added.
    """
    count = len(result.corpus) if explain == "all" else explain
    segments, few = (
        chosen(meta["outputs"], columns, size, meta["test"]["seed"], meta["pair"])
        for size in (count, min(count, _FEW))
    )
    all_texts = dict(text_parts(result.corpus, result.systems))
    fewer = (
        all_texts
        if len(segments) == len(result.corpus)
        else dict(text_parts(result.corpus, result.systems, segments))
    )
    explained = Explained(result, few, meta["pair"], explain == "all")
    limit -= _ABOUT_SEGMENT * len(segments)
    left = explained.add(few, limit - embedded(parts) - embedded(fewer))
    fits = embedded(parts) + embedded(all_texts) + embedded(explained.parts) <= limit
    shown = all_texts if fits else fewer
    rest = [segment for segment in segments if segment not in set(few)]
    left += len(rest) if left else explained.add(rest, limit - embedded(parts) - embedded(shown))
    meta |= explained.meta() | {
        "texts": "all" if fits else "chosen",
        "blocks": sum(name.startswith("text") for name in shown),
    }
    if not fits:
        meta["kept"] = list(segments)
        meta["left_out"].append(f"the texts of {counted(len(result.corpus) - len(segments), 'segment')}")
    if left:
        meta["left_out"].append(f"the explanations of {counted(left, 'segment')}")
    parts |= shown | explained.parts
