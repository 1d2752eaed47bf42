"""A result as one HTML file that opens from disk, needs no network, and shows who leads, where, why, and how sure one can be."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nlgauge.errors import ParameterError
from nlgauge.explain import Explanations
from nlgauge.export.html import html_of
from nlgauge.metric import Metric
from nlgauge.paths import require_folder, write_whole
from nlgauge.report.page import page
from nlgauge.terminal.text import visible
from nlgauge.view.choose import chosen
from nlgauge.view.data import view_of
from nlgauge.view.parts import explanation_part, field_parts, json_part, score_parts, text_parts

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Segments in one part of explanations, which a page opens whole.
_BLOCK = 16
# An explanation that takes longer than this (seconds) is made for fewer segments.
_SLOW, _FEW = 0.05, 40
_MEGABYTE = 1_000_000


def write_report(
    result: Result,
    path: str | Path,
    *,
    title: str | None = None,
    explain: int | Literal["all"] = 200,
    texts: bool = True,
    max_size: float = 25,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int | None = None,
) -> Path:
    """Writes the report and returns its path.

    `explain` is for how many segments explanations are kept: those where systems differ most, metrics disagree, scores are worst and best, and some
    drawn. Explanations that take long are made for 40 of them, unless `explain` is "all". `max_size` is in megabytes: where the texts of all segments
    would take more, the page has those of the explained ones. `texts=False` leaves texts and explanations out, for a report that may be shared.
    """
    if not (explain == "all" or (isinstance(explain, int) and not isinstance(explain, bool) and explain >= 0)):
        raise ParameterError(f"explain must be a number of segments, 0 or more, or 'all'; got {explain!r}.")
    target = Path(path)
    require_folder(target)
    view = view_of(result, title or target.stem, confidence=confidence, resamples=resamples, seed=seed)
    meta, corpus = view.meta, result.corpus
    parts = dict(score_parts(view, corpus.ids))
    fields: list[dict[str, Any]] = []
    parts |= dict(field_parts(corpus, fields))
    meta |= {"fields": fields, "texts": "none", "why": {}, "explained": {}}
    if texts and result.has_texts:
        count = len(corpus) if explain == "all" else explain
        segments, few = (chosen(meta["outputs"], view.columns, size, meta["test"]["seed"], meta["order"]) for size in (count, _FEW))
        _explain(result, segments, parts, meta, every=explain == "all", few=set(few))
        meta["texts"], added = _texts(result, segments, max_size * _MEGABYTE - sum(map(len, parts.values())) * 4 / 3)
        parts |= added
        if meta["texts"] == "chosen":
            meta["kept"] = list(segments)
        meta["blocks"] = sum(name.startswith("text") for name in added)
    parts["meta"] = json_part(meta)
    write_whole(target, page(meta["title"], html_of(result.page(confidence=confidence, resamples=resamples, seed=seed)), parts, meta["version"]))
    return target


def _texts(result: Result, segments: Sequence[int], budget: float) -> tuple[str, dict[str, bytes]]:
    """The texts of all segments, or of the chosen ones where all would be too many, and which of the two it is."""
    found = dict(text_parts(result.corpus, result.systems))
    if sum(map(len, found.values())) * 4 / 3 <= budget:
        return "all", found
    return "chosen", dict(text_parts(result.corpus, result.systems, segments))


def _explain(result: Result, segments: Sequence[int], parts: dict[str, bytes], meta: dict[str, Any], *, every: bool, few: set[int]) -> None:
    """Adds the explanations of the segments, some segments to a part, and says in meta what is where."""
    labels = [label for label in result.labels if isinstance(result.job.metrics.get(label), Metric)]
    slow: set[str] = set()
    counts: dict[str, int] = dict.fromkeys(labels, 0)
    for start in range(0, len(segments), _BLOCK):
        block = segments[start : start + _BLOCK]
        found: dict[int, dict[str, dict[str, Explanations]]] = defaultdict(lambda: defaultdict(dict))
        for label in labels:
            wanted = [segment for segment in block if label not in slow or segment in few]
            began = time.perf_counter()
            made = 0
            for (_, system, segment), explanations in result.explain_numbers(wanted, [label]).items():
                if explanations:
                    found[segment][label][system] = explanations
                    made += 1
            counts[label] += len({segment for segment, of_segment in found.items() if label in of_segment})
            if not every and made and (time.perf_counter() - began) / made > _SLOW:
                slow.add(label)
        parts[f"why{start // _BLOCK}"] = explanation_part(found)
        meta["why"] |= {str(segment): start // _BLOCK for segment in found}
    meta["explained"] = {visible(label): count for label, count in counts.items() if count}
