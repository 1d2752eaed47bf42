"""Error spans of a corpus: saved with a result, sliced with its segments, and read without trust."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import spans
from nlgauge.errors import InputError, ResultError
from nlgauge.results.storage.layout import SPANS
from nlgauge.spans import Annotation, Span, Spans, spans_of_corpus, with_spans
from nlgauge.spans.building import columns_of

TEXTS = {"A": ["one wrong word", "all right", "a third text"], "B": ["two wrong words", "fine", "third"]}
REFERENCES = ["one right word", "all right", "a third text"]


def people() -> list[Spans]:
    marked = [
        Annotation("1", "A", "ana", (Span(4, 9, "major", "style", note="wrong?"),), target="one wrong word"),
        Annotation("2", "A", "ana", (), target="all right"),
        Annotation(
            "1",
            "B",
            "ben",
            (Span(4, 9, "minor", confidence=0.5), Span(None, None, "High")),
            target="two wrong words",
        ),
    ]
    return columns_of(marked)[0]


def result() -> nlgauge.Result:
    return nlgauge.score(TEXTS, REFERENCES, ids=["1", "2", "3"], metrics=["wer", "ter"]).with_spans(people())


def checked(corpus: nlgauge.Corpus) -> None:
    ana, ben = spans_of_corpus(corpus)
    assert (ana.who, ben.who, ana.segments) == ("ana", "ben", ("1", "2", "3"))
    assert ana.of("A", "1") == [Span(4, 9, "major", "style", note="wrong?")]
    assert ana.of("A", "2") == [] and ana.of("B", "1") is None and ana.of("A", "3") is None
    assert ben.of("B", "1") == [Span(4, 9, "minor", confidence=0.5), Span(None, None, "High")]
    assert ana.frame("records")[0]["text"] == "wrong"


def test_spans_are_saved_with_a_result_and_loaded(tmp_path: Path):
    saved = result()
    checked(saved.corpus)
    saved.save(tmp_path / "out")
    loaded = nlgauge.load(tmp_path / "out")
    checked(loaded.corpus)
    # Saved again from disk, and with another metric.
    loaded.save(tmp_path / "again")
    checked(nlgauge.load(tmp_path / "again").corpus)
    loaded.add("cer").save(tmp_path / "more")
    checked(nlgauge.load(tmp_path / "more").corpus)


def test_results_without_spans_have_no_file(tmp_path: Path):
    nlgauge.score(TEXTS, REFERENCES, metrics=["wer"]).save(tmp_path / "out")
    assert not (tmp_path / "out" / SPANS).exists()
    loaded = nlgauge.load(tmp_path / "out")
    assert loaded.corpus.spans == {} and spans_of_corpus(loaded.corpus) == []


def test_spans_follow_their_segments_and_systems():
    corpus = result().corpus.take(np.array([2, 0]))
    ana, ben = spans_of_corpus(corpus)
    assert ana.segments == ("3", "1") and len(ana.of("A", "1") or []) == 1 and ana.of("A", "3") is None
    [_, only] = spans_of_corpus(corpus.only("B"))
    assert only.systems == ("B",) and only.of("B", "1") == ben.of("B", "1")


def test_without_texts_notes_are_not_saved(tmp_path: Path):
    result().save(tmp_path / "out", texts=False)
    assert b"wrong?" not in (tmp_path / "out" / SPANS).read_bytes()


def test_spans_of_other_texts_are_an_error():
    corpus = nlgauge.score(TEXTS, REFERENCES, ids=["1", "2", "4"], metrics=["wer"]).corpus
    [other] = columns_of([Annotation("1", "A", "cem", (), target="another text")])[0]
    with pytest.raises(InputError, match="marked another text of 1/A"):
        with_spans(corpus, [other])
    [unknown] = columns_of([Annotation("9", "A", "cem", ())])[0]
    with pytest.raises(InputError, match="no system and segment in common"):
        with_spans(corpus, [unknown])


@pytest.mark.parametrize(
    "name", ["severity", "category", "side", "start", "end", "offsets", "looked", "continues"]
)
@pytest.mark.parametrize("damage", ["float", "huge", "short", "negative"])
def test_damaged_spans_are_an_error_of_the_result(tmp_path: Path, name: str, damage: str):
    result().save(tmp_path / "out")
    path = tmp_path / "out" / SPANS
    arrays = dict(np.load(path))
    array = arrays[f"1/{name}"]
    arrays[f"1/{name}"] = {
        "float": array.astype(float) + 0.5,
        "huge": array.astype(np.int64) + 1_000,
        "short": array[:-1],
        "negative": array.astype(np.int64) - 1_000,
    }[damage]
    np.savez(path, **arrays)
    if (name, damage) == ("end", "huge"):
        # Still a span; the end of the text is checked when a text is read.
        return
    with pytest.raises(ResultError, match="is damaged"):
        nlgauge.load(tmp_path / "out")


def test_spans_of_metrics_come_from_their_explanations():
    found = nlgauge.meta.metric_spans(result(), ["ter", "wer"])
    assert found["wer"].of("A", "1") == [Span(4, 9, "minor")] == found["ter"].of("A", "1")
    assert found["wer"].of("A", "2") == [] and found["wer"].kind == "metric"
    missing = nlgauge.score(["a text"], ["a longer text"], metrics=["wer", "chrf"])
    [omitted] = nlgauge.meta.metric_spans(missing)["wer"].at(0, 0) or []
    assert omitted == Span(None, None, "minor", note="longer")
    with pytest.raises(InputError, match="chrf marks no errors"):
        nlgauge.meta.metric_spans(missing, ["chrf"])
    assert set(nlgauge.meta.metric_spans(missing)) == {"wer"}


def test_files_are_read_with_the_texts_of_a_corpus(tmp_path: Path):
    corpus = result().corpus
    spans.write(people(), tmp_path / "file")
    file = spans.read(tmp_path / "file", texts=corpus)
    checked(with_spans(corpus, file))
