"""Files with error spans: every format is read and written back; hostile files are errors that name their place."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from span_cases import MARKED, TARGETS, annotations, sample, write_texts

from nlgauge import Corpus, spans
from nlgauge.errors import InputError, ParameterError
from nlgauge.spans import Annotation, Span
from nlgauge.spans.reading import FORMATS
from nlgauge.spans.writing import WRITERS, texts_path

# What a sample cannot contain, by its file; `lost.json` of the samples has the same in words.
LOSES: dict[str, set[str]] = {
    "expected.jsonl": set(),
    "appraise.csv": {"source spans"},
    "mqm.tsv": {"score", "seconds"},
    "label_studio.json": {"omissions", "category"},
    "pearmut.jsonl": {"source spans", "seconds"},
    "factgenie.jsonl": {"omissions", "severity", "source spans", "seconds"},
    "mtme.seg.rating": {"omissions", "score", "seconds", "ben"},
    "inline.jsonl": {"omissions", "category", "source spans", "score", "seconds"},
}


def without(record: dict[str, Any], lost: set[str]) -> dict[str, Any]:
    """Return a plain annotation without what a format loses."""
    record = {name: value for name, value in record.items() if name not in lost}
    omitted = [
        span
        for span in record["spans"]
        if not ("omissions" in lost and span["start"] is None)
        and not ("source spans" in lost and span["side"] == "source")
    ]
    record["spans"] = [{name: span[name] for name in span if name not in lost} for span in omitted]
    return record


@pytest.mark.parametrize("name", LOSES)
def test_samples_of_other_tools_are_read(name: str):
    lost = LOSES[name]
    expected = [json.loads(line) for line in Path(sample("expected.jsonl")).read_text("utf-8").splitlines()]
    if name == "mqm.tsv":
        for record in expected:
            record["segment"] = f"doc1:{record['segment'][1]}"
    texts = None if name == "mqm.tsv" else sample("texts.jsonl")
    file = spans.read(sample(name), texts=texts)
    read = {(each.annotator, each.system, each.segment): each.plain() for each in file.annotations}
    kept = [record for record in expected if record["annotator"] not in lost]
    assert len(read) == len(kept)
    for record in kept:
        plain = read[record["annotator"], record["system"], record["segment"]]
        plain.pop("document", None)
        assert without(plain, lost) == without(record, lost)


@pytest.mark.parametrize("name", WRITERS)
def test_annotations_are_written_and_read_back(name: str, tmp_path: Path):
    path = tmp_path / "file"
    lost = spans.write(annotations(), path, name)
    texts: Any = write_texts(tmp_path / "texts.jsonl")
    if name in ("appraise", "pearmut"):
        texts = texts_path(path)
    file = spans.read(path, texts=None if name == "mqm" else texts)
    assert file.report.format == name
    read = {
        (each.annotator, each.system, str(each.segment).removeprefix("document:")): each
        for each in file.annotations
    }
    for each in annotations():
        if name == "mtme" and each.annotator == "ben":
            continue
        other = read[each.annotator, each.system, str(each.segment)]
        assert other.target == each.target and other.source == each.source
        assert other.spans == tuple(_survivors(each, name))
        if "seconds" not in lost and "seconds of one system" not in lost:
            assert other.seconds == each.seconds
        if "scores" not in lost:
            assert other.score == each.score
    # What is lost is named, and nothing else is.
    assert bool(lost) == (name != "nlgauge")


def _survivors(annotation: Annotation, name: str) -> list[Span]:
    """Return the spans that a format can contain."""
    omissions = name in ("nlgauge", "mqm", "appraise", "pearmut")
    sources = name in ("nlgauge", "mqm", "mtme", "label_studio")
    survivors = []
    for span in annotation.spans:
        if (span.start is None and not omissions) or (span.side == "source" and not sources):
            continue
        category = "" if name == "inline" else span.category
        severity = "major" if name == "factgenie" else span.severity
        survivors.append(Span(span.start, span.end, severity, category, span.side))
    return survivors


def test_columns_contain_what_was_read(tmp_path: Path):
    spans.write(annotations(), tmp_path / "file")
    ana, ben = spans.read(tmp_path / "file")
    assert (ana.who, ben.who, ana.kind) == ("ana", "ben", "people")
    for (who, system, segment), marked in MARKED.items():
        assert (ana if who == "ana" else ben).of(system, segment) == marked
    assert ana.looked.all()
    [row] = [row for row in ana.frame("records") if row["category"] == "style"]
    assert (row["text"], row["system"], row["segment"]) == ("ferry", "A", "1")
    second = ana.only("B").take([1])
    assert second.of("B", "2") == MARKED["ana", "B", "2"] and len(second) == 2
    assert second.texts is not None and second.texts.targets.tolist() == [[TARGETS["B", "2"]]]


def test_a_text_without_annotation_differs_from_a_text_without_errors():
    one = [Annotation("1", "A", "ana", ()), Annotation("2", "B", "ana", (Span(0, 1, "minor"),))]
    [ana], _ = spans.building.columns_of(one)
    assert ana.of("A", "1") == [] and ana.of("A", "2") is None
    assert ana.looked.tolist() == [[True, False], [False, True]]


def line(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def row(*marked: dict[str, Any], text: str = "Some words here", **more: Any) -> dict[str, Any]:
    base = {"segment": "1", "system": "A", "annotator": "ana", "target": text}
    return {**base, "spans": [{"severity": "minor", **span} for span in marked], **more}


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ({"start": 4, "end": 17}, "line 1: the span 4 to 17 is past the end of the text (15 characters)."),
        ({"start": 9, "end": 5}, "line 1: the span 9 to 5 ends before it starts."),
        ({"start": -2, "end": 5}, "starts before the text"),
        ({"start": True, "end": 5}, "bool"),
        ({"start": 1.5, "end": 5}, "float"),
        ({"start": "4", "end": 5}, "'missing'"),
        ({"start": 4}, "a start or an end"),
        ({"start": 0, "end": 4, "side": "margin"}, "side must be one of"),
        ({"start": 0, "end": 4, "severity": 3}, "Expected `str`"),
        ({"start": 5, "end": 10, "text": "ords "}, "marks 'words'"),
        ({"start": 0, "end": 2**31}, "past the end"),
        ({"start": 10**30, "end": 10**31}, "line 1"),
    ],
)
def test_wrong_places_are_errors_with_their_line(tmp_path: Path, span: dict[str, Any], message: str):
    with pytest.raises(InputError, match=r"spans\.jsonl") as error:
        spans.read(line(tmp_path, row(span)), format="nlgauge")
    assert message in str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "no spans",
        "[]",
        "{}",
        "[1]",
        '{"spans": 1}',
        "[" * 100_000,
        '{"annotations": [{}]}',
        "a\tb",
        "a,b",
        "\x00",
    ],
)
@pytest.mark.parametrize("name", [None, *FORMATS])
def test_files_without_spans_are_errors(tmp_path: Path, content: str, name: str | None):
    path = tmp_path / "file"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match="file"):
        spans.read(path, format=name)


def test_a_span_that_ends_one_past_the_text_is_cut_and_counted(tmp_path: Path):
    file = spans.read(
        line(tmp_path, row({"start": 11, "end": 16}, {"start": -1, "end": 4}, {"start": 7, "end": 7}))
    )
    assert file.annotations[0].spans == (
        Span(11, 15, "minor"),
        Span(0, 4, "minor"),
        Span(None, None, "minor", note="at 7"),
    )
    assert (file.report.clipped, file.report.omissions, file.report.spans) == (2, 1, 2)
    assert "2 spans ended one character outside the text and were cut." in str(file.report)


def test_spans_move_to_texts_of_another_unicode_form(tmp_path: Path):
    decomposed, composed = "  cafe\u0301 au lait", "caf\u00e9 au lait \n"
    path = line(tmp_path, row({"start": 2, "end": 7}, {"start": 8, "end": 10}, text=decomposed))
    texts = Corpus.read({"A": [composed]}, ids=["1"])
    file = spans.read(path, texts=texts)
    assert [composed[span.start : span.end] for span in file.annotations[0].spans] == ["caf\u00e9", "au"]
    assert file.report.mapped == 2 and file.annotations[0].target == composed


def test_another_text_is_an_error_with_the_first_difference(tmp_path: Path):
    path = line(tmp_path, row({"start": 0, "end": 4}))
    with pytest.raises(InputError, match=r"text of 1/A differs .*first difference at character 5"):
        spans.read(path, texts=Corpus.read({"A": ["Some other words"]}, ids=["1"]))
    with pytest.raises(InputError, match="no segment '1' of the system 'A'"):
        spans.read(path, texts=Corpus.read({"B": ["Some words here"]}, ids=["1"]))


def test_offsets_in_utf16_units_are_read_as_such(tmp_path: Path):
    text = "😀 ab 😀 cd"
    path = line(
        tmp_path, row({"start": 9, "end": 11}, text=text), row({"start": 3, "end": 5}, text=text, segment="2")
    )
    file = spans.read(path, units="utf-16")
    assert [text[each.spans[0].start : each.spans[0].end] for each in file.annotations] == ["cd", "ab"]
    with pytest.raises(InputError, match="inside a character"):
        spans.read(line(tmp_path, row({"start": 1, "end": 5}, text=text)), units="utf-16")


def test_another_meaning_of_ends_is_a_warning(tmp_path: Path):
    rows = [row({"start": 5, "end": 9}, segment=str(k)) for k in range(20)]
    with pytest.warns(
        UserWarning, match="20 of 20 spans of .* end with a word if ends are inclusive, and 0 if"
    ):
        exclusive = spans.read(line(tmp_path, *rows))
    inclusive = spans.read(line(tmp_path, *rows), ends="inclusive")
    assert exclusive.annotations[0].spans == (Span(5, 9, "minor"),)
    assert inclusive.annotations[0].spans == (Span(5, 10, "minor"),)


def test_a_repeated_annotation_replaces_the_first_and_is_counted(tmp_path: Path):
    file = spans.read(line(tmp_path, row({"start": 0, "end": 4}), row({"start": 5, "end": 10})))
    [only] = file.annotations
    assert only.spans == (Span(5, 10, "minor"),)
    assert file.report.left_out == {"annotations that the annotator repeated later": 1}


def test_spans_need_an_annotator(tmp_path: Path):
    path = line(tmp_path, {"segment": "1", "system": "A", "spans": []})
    with pytest.raises(InputError, match="no annotator") as error:
        spans.read(path)
    assert "--annotator" in error.value.for_cli()
    assert spans.read(path, annotator="ana")[0].who == "ana"


MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"


def mqm(tmp_path: Path, *rows: str) -> spans.SpanFile:
    path = tmp_path / "mqm.tsv"
    path.write_text(MQM + "".join(f"A\td\t1\t{text}\t\n" for text in rows), "utf-8")
    return spans.read(path)


def test_mqm_files_have_quotes_and_several_tags(tmp_path: Path):
    file = mqm(
        tmp_path,
        '1\tr1\tSo "quoted"\tSo "<v>a</v> b <v>c</v>"\tAccuracy/Mistranslation\tMajor',
        "2\tr1\tsource\tall wrong\tNon-translation!\tMajor",
        "3\tr1\tsource\ttext\tAccuracy/Omission\tCritical",
        "4\tr1\tsource\tan <v>open tag\tFluency/Grammar\tMinor",
        "5\tr1\tsource\ttext\tNo-error\tNo-error",
        "6\tr1\tsource\ttext\tMissed\tHOTW-test",
    )
    [marked] = file
    assert file.annotations[0].target == 'So "a b c"'
    assert marked.of("A", "d:1") == [
        Span(4, 5, "major", "accuracy/mistranslation"),
        Span(8, 9, "major", "accuracy/mistranslation", continues=True),
    ]
    assert marked.of("A", "d:2") == [Span(0, 9, "major", "non-translation!")]
    assert marked.of("A", "d:3") == [Span(None, None, "critical", "accuracy/omission")]
    assert marked.of("A", "d:4") == [Span(None, None, "minor", "fluency/grammar")]
    assert marked.of("A", "d:5") == [] == marked.of("A", "d:6")
    assert file.report.left_out == {"attention checks": 1}
    assert any("not closed" in remark for remark in file.report.remarks)
    spans.write(file, tmp_path / "again.tsv", "mqm")
    [again] = spans.read(tmp_path / "again.tsv")
    for number in range(1, 7):
        assert again.of("A", f"d:{number}") == marked.of("A", f"d:{number}")


def test_mqm_files_with_two_texts_of_a_segment_are_errors(tmp_path: Path):
    with pytest.raises(InputError, match="the text of d:1/A differs"):
        mqm(tmp_path, "1\tr1\ts\tone\tNo-error\tNo-error", "1\tr1\ts\ttwo\tNo-error\tNo-error")


def test_appraise_documents_have_several_items(tmp_path: Path):
    path = tmp_path / "esa.csv"
    rows = [
        ("ana", "A", item, kind, "eng", "deu", 50, document, False, marked, 10.0, 12.5)
        for item, kind, document, marked in [
            (7, "TGT", "news-3#A", '[{""start_i"":0,""end_i"":0,""severity"":""undecided""}]'),
            (9, "TGT", "news-3#A", '[{""start_i"":0,""end_i"":3,""severity"":""minor""}]'),
            (10, "BAD", "news-3#A", "[]"),
            (11, "TGT", "news-3#A#duplicate", "[]"),
            (12, "TGT", "tutorial-en#A", "[]"),
        ]
    ]
    path.write_text(
        "".join(",".join([*map(str, r[:9]), f'"{r[9]}"', *map(str, r[10:])]) + "\n" for r in rows)
    )
    file = spans.read(path)
    assert {each.segment: each.spans for each in file.annotations} == {
        "news-3:1": (),
        "news-3:2": (Span(0, 4, "minor"),),
    }
    assert file.report.left_out == {"control items and tutorials": 3, "spans of undecided severity": 1}
    assert file.annotations[0].seconds == 2.5


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a <major>b", "<major> at column 3"),
        ("a </minor> b", "</minor> at column 3"),
        ("<minor>a <major>b</minor></major>", "</minor>"),
    ],
)
def test_unclosed_tags_are_errors(tmp_path: Path, text: str, problem: str):
    path = line(tmp_path, {"system": "A", "id": "1", "annotator": "ana", "prediction": text})
    with pytest.raises(InputError, match=problem):
        spans.read(path)


def test_only_named_tags_are_read(tmp_path: Path):
    text = (
        '<b>bold</b> <v>x</v> <span severity="Minor">in <span severity="High">y</span></span> <span>z</span>'
    )
    path = line(tmp_path, {"system": "A", "id": "1", "annotator": "ana", "prediction": text})
    [default] = spans.read(path, severities={"High": "major"}).annotations
    assert default.target == "<b>bold</b> <v>x</v> in y <span>z</span>"
    assert [(default.target[span.start : span.end], span.severity) for span in default.spans] == [
        ("in y", "minor"),
        ("y", "major"),
    ]
    [tagged] = spans.read(path, tags={"v": "major"}).annotations
    assert tagged.target is not None and tagged.target.startswith("<b>bold</b> x <span")
    assert [(tagged.target[span.start : span.end], span.severity) for span in tagged.spans] == [
        ("x", "major")
    ]


def test_label_studio_regions_are_joined(tmp_path: Path):
    def labels(kind: str, *names: str) -> dict[str, Any]:
        value = {"start": 3, "end": 5, "text": "ab", "labels": [*names]}
        return {"id": "r", "from_name": kind, "to_name": "target", "type": "labels", "value": value}

    result = [
        labels("severity", "Minor"),
        labels("category", "Style"),
        {"type": "textarea", "value": {"text": ["x"]}},
    ]
    task = {
        "id": 4,
        "data": {"id": "s", "system": "A", "target": "😀 ab"},
        "annotations": [
            {"completed_by": 5, "result": result},
            {"completed_by": {"email": "x@example.org"}, "result": [], "was_cancelled": True},
        ],
    }
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task]), "utf-8")
    file = spans.read(path)
    [only] = file.annotations
    assert (only.annotator, only.spans) == ("5", (Span(2, 4, "minor", "style"),))
    assert file.report.left_out == {"canceled annotations": 1}


def test_words_of_a_metric_are_searched_for(tmp_path: Path):
    errors = [
        {"text": "left at", "confidence": 0.5, "severity": "minor", "start": 99, "end": 103},
        {"text": "ferry", "confidence": 0.9, "severity": "major", "start": 4, "end": 9},
        {"text": "not in the text", "confidence": 0.4, "severity": "critical", "start": 0, "end": 3},
    ]
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"A.txt": [{"src": "s", "mt": "The ferry left at nine", "COMET": 0.5, "errors": errors}]})
    )
    file = spans.read(path)
    assert (file[0].who, file[0].kind, file[0].systems) == ("xcomet", "metric", ("A",))
    assert [(span.start, span.end, span.note) for span in file.annotations[0].spans] == [
        (10, 17, ""),
        (4, 9, ""),
        (None, None, "not in the text"),
    ]


def test_benchmark_records_have_spans_by_annotator(tmp_path: Path):
    meta = {
        "annotators": ["ana", "ben"],
        "spans": [
            [
                {"start": 0, "end": 4, "severity": "minor"},
                {"start": "missing", "end": "missing", "severity": "major"},
            ],
            [],
        ],
        "seconds": [3.5, 4.0],
        "lp": "en-de",
    }
    record = {
        "segment": "1",
        "system": "A",
        "prediction": "Some text",
        "references": [],
        "human_raw": {"esa": [50.0, 90.0]},
    }
    file = spans.read(line(tmp_path, {**record, "meta": meta}))
    assert [each.score for each in file.annotations] == [50.0, 90.0]
    assert file[0].of("A", "1") == [Span(0, 4, "minor"), Span(None, None, "major")]
    assert file[1].of("A", "1") == [] and file.texts.groups == ["en-de"]


def test_options_are_checked(tmp_path: Path):
    for options in ({"format": "docx"}, {"ends": "last"}, {"units": "bytes"}):
        with pytest.raises(ParameterError):
            spans.read(line(tmp_path, row()), **options)
    with pytest.raises(ParameterError, match="comet"):
        spans.write(annotations(), tmp_path / "x", "comet")
    with pytest.raises(InputError, match="no annotations"):
        spans.write([], tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("values", [(True, 2), (3, 3), (5, 2), (-1, 2), (None, 2), (1, None), (1, 2**31)])
def test_a_span_starts_before_it_ends(values: tuple[Any, Any]):
    with pytest.raises(InputError):
        Span(*values, "minor")


def test_mqm_files_need_their_columns(tmp_path: Path):
    path = tmp_path / "mqm.tsv"
    path.write_text("system\trater\nA\tana\n")
    with pytest.raises(InputError, match="no column 'source'"):
        spans.read(path, format="mqm")


def test_texts_of_one_segment_may_differ_in_outer_white_space(tmp_path: Path):
    file = mqm(
        tmp_path,
        "1\tr1\tsource\ta <v>word</v> here\tOther\tMinor",
        "1\tr1\tsource\t a word <v>here</v>\tOther\tMinor",
        "1\tr2\tsource\t  a word <v>here </v>\tOther\tMajor",
    )
    assert file[0].of("A", "d:1") == [Span(4, 8, "minor", "other"), Span(9, 13, "minor", "other")]
    assert file[1].of("A", "d:1") == [Span(9, 14, "major", "other")]
    assert file.texts.targets.tolist() == [["  a word here "]] and file.report.mapped == 2


def test_two_annotations_of_a_benchmark_record_by_one_annotator_are_both_read(tmp_path: Path):
    meta = {"annotators": ["ana", "ana"], "spans": [[], [{"start": 0, "end": 4, "severity": "minor"}]]}
    file = spans.read(
        line(tmp_path, {"segment": "1", "system": "A", "prediction": "Some text", "meta": meta})
    )
    assert {each.who: len(each) for each in file} == {"ana": 0, "ana (2)": 1}


@pytest.mark.parametrize("form", ["mqm", "appraise", "mtme"])
def test_no_cell_is_a_formula(tmp_path: Path, form: str) -> None:
    """Texts come back as they were; names that would be formulas get an apostrophe, which is reported."""
    texts = ["=1+1", "-- and", "+44", "@home", "'=quoted", "plain"]
    marks = (Span(1, 2, "minor", "=style"),)
    marked = [
        Annotation(f"doc:{number}", "=system\tA", "+ann", marks, 5.0, 1.0, text, text)
        for number, text in enumerate(texts, 1)
    ]
    file = tmp_path / "file"
    assert any("apostrophe" in reason for reason in spans.write(marked, file, form))
    if form == "appraise":
        rows = list(csv.reader(file.read_text("utf-8").splitlines()))
    else:
        rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")]
    if form == "mqm":
        found = spans.read(file).annotations
        assert [each.target for each in found] == [each.source for each in found] == texts
        assert {(span.start, span.end) for each in found for span in each.spans} == {(1, 2)}
        assert {each.system for each in found} == {"'=system A"}
