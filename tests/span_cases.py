"""Files of error spans that tests read: made-up annotations, and the samples and vectors in shared/ next to the repository.

Samples are looked for in the directory NLGAUGE_SPANS, else in shared/spec/people next to the repository; tests that need
one are skipped without it.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from human_judgments import path_of

from nlgauge.spans import Annotation, Span, Spans, read
from nlgauge.spans.combining import first_of

FOLDER = Path(
    os.environ.get("NLGAUGE_SPANS") or Path(__file__).resolve().parents[2] / "shared" / "spec" / "people"
)
TARGETS = {
    ("A", "1"): "The ferry 😀 left at nine.",
    ("B", "1"): "A ferry left.",
    ("A", "2"): "She paid ten euros.",
    ("B", "2"): "She has paid 10 euro.",
}
SOURCES = {"1": "La barca è partita alle nove.", "2": "Ha pagato dieci euro."}
# Spans by annotator and text. The emoji is before the second span of the first text.
MARKED = {
    ("ana", "A", "1"): [Span(4, 9, "minor", "style"), Span(17, 24, "major", "accuracy/addition")],
    ("ben", "A", "1"): [Span(4, 16, "major", "accuracy/mistranslation")],
    ("ana", "B", "1"): [Span(None, None, "major", "accuracy/omission")],
    ("ben", "B", "1"): [Span(9, 13, "minor", "accuracy/omission", "source")],
    ("ana", "A", "2"): [],
    ("ben", "A", "2"): [],
    ("ana", "B", "2"): [Span(8, 12, "minor", "fluency/grammar"), Span(13, 20, "major", "locale")],
    ("ben", "B", "2"): [Span(13, 20, "minor", "locale"), Span(16, 20, "critical", "fluency/grammar")],
}
SCORES = {"ana": 70.0, "ben": 62.5}


def annotations() -> list[Annotation]:
    return [
        Annotation(
            segment, system, who, tuple(spans), SCORES[who], 12.5, SOURCES[segment], TARGETS[system, segment]
        )
        for (who, system, segment), spans in MARKED.items()
    ]


def sample(name: str) -> str:
    """Return the path of a sample, or skip the test."""
    path = FOLDER / "samples" / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {FOLDER}; set NLGAUGE_SPANS to the directory that has the samples")
    return str(path)


def vectors(name: str) -> Any:
    """Return the content of a file of vectors, or skip the test."""
    path = FOLDER / "vectors" / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {FOLDER}; set NLGAUGE_SPANS to the directory that has the vectors")
    return json.loads(path.read_text("utf-8"))


@functools.cache
def wmt24_people() -> Spans:
    """Return the first annotations of WMT24 ESA, English to Czech and to Hindi, without the human translation."""
    path = path_of("wmt24_esa")
    with gzip.open(path, "rt", encoding="utf-8") as lines, tempfile.TemporaryDirectory() as folder:
        some = Path(folder) / "some.jsonl"
        groups = ('{"segment": "en-cs:', '{"segment": "en-hi:')
        some.write_text("".join(line for line in lines if line.startswith(groups)), "utf-8")
        file = read(some)
    people = first_of(file)
    assert people.texts is not None and people.texts.unreferenced == {"refA"}
    return people.only(*(system for system in people.systems if system != "refA"))


def write_texts(path: Path) -> str:
    """Write the texts of the made-up annotations as records."""
    rows = [
        {"system": system, "id": segment, "source": SOURCES[segment], "prediction": text}
        for (system, segment), text in TARGETS.items()
    ]
    # In the order of the segments, as files that number segments need them.
    rows.sort(key=lambda row: row["id"])
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return str(path)
