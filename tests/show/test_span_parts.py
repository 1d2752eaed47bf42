"""Error spans as parts of a page: in blocks of segments, small, and the same in the explorer."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.results.joined import of_systems
from nlgauge.results.result import Result
from nlgauge.show.explorer.served import Served
from nlgauge.show.page_data.spans import SEGMENTS, span_parts, span_table
from nlgauge.spans import Annotation, Span
from nlgauge.spans.building import columns_of

COUNT = 40


def result(per_text: int = 1) -> Result:
    texts = {system: [f"one wrong word of {n} in a text" for n in range(COUNT)] for system in ("A", "B")}
    scored = nlgauge.score(texts, ["one right word"] * COUNT, metrics=["wer"])
    marked = [
        Annotation(
            n,
            system,
            "ana\x1b",
            tuple(Span(k, k + 3, "minor", "style") for k in range(per_text)),
            target=texts[system][n],
        )
        for n in range(COUNT)
        if n != 20
        for system in ("A", "B")
    ]
    return scored.with_spans(columns_of(marked)[0])


def opened(part: bytes) -> Any:
    return json.loads(gzip.decompress(part))


def test_marks_are_in_blocks_of_segments():
    described, parts = span_parts(result())
    assert described is not None
    # Control characters of names could fool a reader.
    assert described["voices"] == [{"name": "ana\\x1b", "kind": "people"}]
    assert [name for name in parts if name != "span_columns"] == ["spans0", "spans1", "spans2"]
    block = opened(parts["spans1"])
    assert sorted(block, key=int) == [str(n) for n in range(SEGMENTS, 2 * SEGMENTS) if n != 20]
    assert block["17"]["1"]["0"] == [[0, 3, "minor", "style", "target", ""]]
    assert described["columns"] == ["spans.ana\\x1b"]
    rows = {row["name"] for row in described["scores"]["rows"]}
    assert rows == {"nothing", "everything", "not in the reference", "at random"}


def test_the_explorer_has_the_parts_of_a_report():
    marked = result()
    described, parts = span_parts(marked)
    served = Served(marked, "marked").parts
    assert opened(served["meta"])["spans"] == json.loads(json.dumps(described))
    assert {name: served[name] for name in parts} == parts


def test_a_result_without_spans_has_no_parts():
    assert span_parts(nlgauge.score(["a"], ["b"], metrics=["wer"])) == (None, {})


def test_marks_are_small():
    _, parts = span_parts(result(per_text=10))
    spans = COUNT * 2 * 10
    assert (
        sum(len(gzip.decompress(part)) for name, part in parts.items() if name != "span_columns") < 60 * spans
    )


def test_the_explorer_scores_the_spans_of_a_selection():
    marked = result()
    where = 'id ~ "^1?.$"'  # the first 20
    table = Served(marked, "marked").spans(where, (1,))
    expected = span_table(of_systems(marked.where(where), "B"))
    assert table == expected != span_table(marked)
    assert table["notes"][0].startswith("20 texts, 20 spans")
    with pytest.raises(ParameterError, match="use a wider one"):
        Served(marked, "marked").spans("id = 20", ())
