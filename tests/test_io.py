"""The readers: every shape of file, and every mistake with its message."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import polars
import pytest

from nlgauge.errors import InputError
from nlgauge.io import Reader, read_corpus
from nlgauge.io.files import Address, lines_of
from nlgauge.io.rows import rows_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, content: str | bytes) -> str:
    Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def texts(given: str) -> list[object]:
    return Reader().texts(given).values


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\u2028b\x0bc\x0cd\x85e\rf\n", ["a\u2028b\x0bc\x0cd\x85e\rf"]),
    ],
)
def test_only_a_line_feed_ends_a_line(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


@pytest.mark.parametrize(
    ("given", "path", "column"),
    [
        ("refs.txt", "refs.txt", None),
        ("data.tsv:ref", "data.tsv", "ref"),
        ("data.TSV:ref", "data.TSV", "ref"),
        ("data.csv.gz:a:b", "data.csv.gz", "a:b"),
        ("C:\\data\\wmt.tsv:ref", "C:\\data\\wmt.tsv", "ref"),
        ("C:\\data\\wmt.txt", "C:\\data\\wmt.txt", None),
        ("C:/wmt.jsonl", "C:/wmt.jsonl", None),
        ("-", "-", None),
    ],
)
def test_path_and_column(given: str, path: str, column: str | None) -> None:
    assert Address.of(given) == Address(path, column)


@pytest.mark.parametrize(
    ("given", "name"),
    [("a/sys.A.txt", "sys.A"), ("a/sysA.txt.gz", "sysA"), ("d.tsv:sysB", "sysB"), ("d.tsv:2", "d:2"), ("d.jsonl:2", "2"), ("-", "stdin")],
)
def test_a_system_is_called_after_its_file_or_column(given: str, name: str) -> None:
    assert Address.of(given).name == name


def test_a_file_whose_own_name_has_a_colon_is_read_whole(folder: Path) -> None:
    assert texts(write("d.tsv:ref", "one\n")) == ["one"]


def test_byte_order_mark_and_gzip(folder: Path) -> None:
    assert texts(write("a.txt", b"\xef\xbb\xbfone\ntwo\n")) == ["one", "two"]
    assert texts(write("a.txt.gz", gzip.compress("één\n".encode()))) == ["één"]
    assert texts(write("a.tsv.gz", gzip.compress(b"ref\nx\n")) + ":ref") == ["x"]


def test_columns_of_tsv_csv_and_jsonl(folder: Path) -> None:
    write("d.tsv", 'src\tref\r\na "b\tc\u2028d\r\n\t\r\n')
    assert texts("d.tsv:ref") == ["c\u2028d", ""]
    assert texts("d.tsv:src") == ['a "b', ""]
    write("d.csv", 'src,ref\r\n"a ""b"", c","two\r\nlines"\r\nx,y\r\n')
    assert texts("d.csv:src") == ['a "b", c', "x"]
    assert texts("d.csv:ref") == ["two\r\nlines", "y"]
    write("one.csv", "ref\nx\n\ny\n")
    assert texts("one.csv:ref") == ["x", "", "y"]
    write("d.jsonl", '{"ref": ["a", "b"]}\n\n{"ref": "c"}\n')
    assert texts("d.jsonl:ref") == [["a", "b"], "c"]


def test_a_csv_field_may_hold_a_whole_document(folder: Path) -> None:
    long = "word " * 40_000
    write("d.csv", f'a,b\n"{long}",x\n')
    assert texts("d.csv:a") == [long]


def test_reading_csv_never_touches_the_global_limit_of_the_csv_module(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x" * (csv.field_size_limit() + 1)
    monkeypatch.setattr(csv, "field_size_limit", lambda *_: pytest.fail("the limit belongs to the caller"))
    assert rows_of(f'a\n"{text}"\n', "csv", "d.csv", named=True).rows == [{"a": text}]


SPECIAL = ["plain", 'he said "no" to me', "a\ttab", "two\nlines", '"all of it"', "", "one, two", '"', "x"]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize(("kind", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_what_pandas_and_spreadsheets_quote_is_read_as_it_was(folder: Path, quoting: Any, kind: str, separator: str) -> None:
    frame = pandas.DataFrame({"ref": SPECIAL, "mt": SPECIAL[::-1], "n": range(len(SPECIAL))})
    write(f"d.{kind}", frame.to_csv(sep=separator, index=False, quoting=quoting))
    assert texts(f"d.{kind}:ref") == SPECIAL
    assert texts(f"d.{kind}:mt") == SPECIAL[::-1]
    plain = pandas.DataFrame({"ref": ["no quote", "at all"], "mt": ["in", "here"]})
    write(f"e.{kind}", plain.to_csv(sep=separator, index=False, quoting=quoting))
    assert texts(f"e.{kind}:ref") == ["no quote", "at all"]


def test_what_polars_writes_is_read_as_it_was(folder: Path) -> None:
    write("d.tsv", polars.DataFrame({"ref": ["a", "", "b"], "mt": ["c", "d", "e"]}).write_csv(separator="\t"))
    assert texts("d.tsv:ref") == ["a", "", "b"]


@pytest.mark.parametrize(
    "values",
    [
        ['a "b" c', "d"],
        ['"No," he said.', "d"],
        ['"No', "d"],
        ['"No', 'more"', 'one " two'],
        ['"I will go."', "d, e"],
        ['"I will go."', "d"],
        ['"', "d"],
        ['""quoted twice""', "d"],
    ],
)
def test_quotes_of_a_text_in_a_plain_tsv_stay(folder: Path, values: list[str]) -> None:
    write("d.tsv", "src\tref\n" + "".join(f"x, y\t{value}\n" for value in values))
    assert texts("d.tsv:ref") == values


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('src\tref\na\tx "y"\nb\t"x ""y"""\n', "d.tsv, line 3 doubles the quotes inside a quoted field, line 2 has quotes as they stand"),
        ('src\tref\nc\td\n"a\tb\ne\tf"\tg\n', None),
        ('src\tref\n"a\tb\nf"\tg\n', "d.tsv, line 2: a field with line breaks begins here, or a text that begins with a quote"),
        ('src\tref\na\tb\nc\t"d, e"\n', "d.tsv, line 3: the quotes may be part of the text, or put there by a spreadsheet"),
    ],
)
def test_a_tsv_whose_quotes_may_mean_two_things_is_refused(folder: Path, content: str, message: str | None) -> None:
    write("d.tsv", content)
    if message is None:  # its lines have other numbers of columns than the header, so only quoting explains it
        assert texts("d.tsv:src") == ["c", "a\tb\ne\tf"]
        return
    with pytest.raises(InputError, match=message + ".*Save it as .csv or .jsonl"):
        texts("d.tsv:ref")


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("The cat sat.\tDie Katze\nA dog.\tEin Hund\n", ["Die Katze", "Ein Hund"]),
        ("cat\tKatze\ndog\tHund\nto go\tgehen\n", ["Katze", "Hund", "gehen"]),
        ("Hello.\tHallo!\nA dog.\tEin Hund\n", ["Hallo!", "Ein Hund"]),
        ("one\ttwo\n", ["two"]),
    ],
)
def test_a_column_by_number_of_a_file_without_header(folder: Path, content: str, values: list[str]) -> None:
    write("d.tsv", content)
    assert texts("d.tsv:2") == values


@pytest.mark.parametrize(
    "header",
    ["mt\tReference", "one two\tDocument", "first text\treference ", "sysA\tsysB", "en\tde", '"mt"\t"ref"'],
    ids=["known", "document", "spaces", "words", "codes", "quoted"],
)
def test_a_header_is_never_scored(folder: Path, header: str) -> None:
    quote = '"' if header.startswith('"') else ""
    write("d.tsv", f"{header}\n{quote}The cat sat.{quote}\t{quote}Die Katze sitzt.{quote}\n")
    with pytest.raises(InputError, match=r"its first row looks like a header .*give the column's name, such as d\.tsv:"):
        texts("d.tsv:2")


def test_columns_by_name_and_by_number_of_one_file(folder: Path) -> None:
    write("d.tsv", "some words\tmore words\na b\tc d\n")
    for systems in (["d.tsv:some words", "d.tsv:2"], ["d.tsv:1", "d.tsv:more words"]):
        with pytest.raises(InputError, match=r"d\.tsv is asked for columns by name and by number"):
            read_corpus(systems)


@pytest.mark.parametrize(
    ("name", "content", "given", "message"),
    [
        ("refs.txt", "a\n", "ref.txt", r"no file ref.txt \(did you mean 'refs.txt'\?\)"),
        ("refs.txt", "a\n", "nowhere/ref.txt", "no folder nowhere either"),
        ("refs.txt", "a\n", "refs.txt:2", "columns are taken from .tsv, .csv and .jsonl files"),
        ("refs.txt", "a\n", ".", "is a directory"),
        ("a.json", "[]", "a.json", "one object per line into a .jsonl"),
        ("a.txt", b"ok\nna\xefve\n", "a.txt", "a.txt is not UTF-8: line 2, byte 3 is 0xEF.*iconv -f WINDOWS-1252"),
        ("a.txt", "ok".encode("utf-16"), "a.txt", "line 1, byte 1 is 0xFF.*iconv -f UTF-16"),
        ("a.txt", b"\xef\xbb\xbf\xff", "a.txt", "line 1, byte 1 is 0xFF.*WINDOWS-1252"),
        ("a.zst", b"\x28\xb5\x2f\xfd\x00", "a.zst", "a.zst is a Zstandard file; unpack it, or export it as UTF-8 text"),
        ("a.xlsx", b"PK\x03\x04\xff", "a.xlsx", "a.xlsx is a zip or .xlsx file"),
        ("a.txt.gz", b"plain", "a.txt.gz", "not a complete gzip file"),
        ("a.txt.gz", gzip.compress(b"text" * 100, mtime=0)[:-9], "a.txt.gz", "not a complete gzip file"),
        ("d.tsv", "src\tref\na\tb\n", "d.tsv:refs", r"no column 'refs' \(did you mean 'ref'\?\); it has src, ref"),
        ("d.tsv", "a\tb\n", "d.tsv:3", "no column '3'; it has 1, 2"),
        ("d.tsv", "a\tb\n", "d.tsv:0", "no column '0'; it has 1, 2"),
        ("d.tsv", "src\tref\na\tb\nc\n", "d.tsv:ref", "line 3 has 1 field where the first row has 2; put fields that hold tabs"),
        ("d.csv", "src,ref\na,b,c\n", "d.csv:ref", "line 2 has 3 fields where the first row has 2; put fields that hold commas"),
        ("d.csv", 'src,ref\n"a" x,b\n', "d.csv:ref", "line 2 is not CSV"),
        ("d.csv", 'src,ref\n"a,b\nc,d\n', "d.csv:ref", "line 2 is not CSV: a field begins with a quote, and no quote"),
        ("d.csv", "src;ref\na;b, c\n", "d.csv:ref", "d.csv is separated by semicolons; save it with commas"),
        ("d.csv", "ref,ref\na,b\n", "d.csv:ref", "two columns called 'ref'"),
        ("d.csv", "", "d.csv:ref", "d.csv is empty"),
        ("d.csv", "ref\n", "d.csv:ref", "d.csv has no rows"),
        ("d.tsv", "src\tref\na\tb\n", "d.tsv", "d.tsv holds columns; name one, d.tsv:COLUMN .there are src, ref"),
        ("d.jsonl", '{"ref": "a"}\n{"ref"\n', "d.jsonl:ref", "line 2 is not JSON"),
        ("d.jsonl", '{"ref": "a"}\n["a"]\n', "d.jsonl:ref", "line 2 is a JSON list"),
        ("d.jsonl", '{"ref": "a"}\n{"src": "b"}\n', "d.jsonl:ref", "line 2 has no 'ref'"),
        ("d.jsonl", '{"ref": "a"}\n{"ref": null}\n', "d.jsonl:ref", "d.jsonl:ref, line 2 is null; a text or a list of texts"),
        ("d.jsonl", '{"ref": ["a", 3]}\n', "d.jsonl:ref", "a text or a list of texts is needed"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(folder: Path, name: str, content: str | bytes, given: str, message: str) -> None:
    write(name, content)
    with pytest.raises(InputError, match=message):
        Reader().texts(given)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"one\ntwo\n")
    reader = Reader()
    assert reader.texts("-").values == ["one", "two"]
    with pytest.raises(InputError, match="asked for twice"):
        reader.texts("-")


def test_standard_input_of_a_wrong_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"\xff")
    with pytest.raises(InputError, match="standard input is not UTF-8"):
        Reader().texts("-")


def test_labels_and_numbers(folder: Path) -> None:
    write("d.jsonl", '{"id": 7, "w": 0.5}\n{"id": "x", "w": 2}\n')
    assert Reader().labels("d.jsonl:id").values == ["7", "x"]
    assert Reader().numbers("d.jsonl:w").values == [0.5, 2.0]
    with pytest.raises(InputError, match=r"d\.jsonl:id, line 2 is 'x'; a number is needed"):
        Reader().numbers("d.jsonl:id")
    write("bad.jsonl", '{"id": null, "src": ["a"]}\n')
    with pytest.raises(InputError, match="line 1 is null; a name is needed"):
        Reader().labels("bad.jsonl:id")
    with pytest.raises(InputError, match="one text is needed"):
        Reader().single_texts("bad.jsonl:src")


def test_several_reference_files_are_ragged(folder: Path) -> None:
    write("a.txt", "p\nq\nr\n")
    write("one.txt", "1\n\n3\n")
    write("two.txt", "\nB\n  \n")
    write("three.jsonl", '{"r": ["x", ""]}\n{"r": "y"}\n{"r": []}\n')
    corpus = read_corpus(["a.txt"], ["one.txt", "two.txt", "three.jsonl:r"])
    assert [record["references"] for record in corpus.records()] == [["1", "x", ""], ["", "B", "y"], ["3"]]
    assert [record["references"] for record in read_corpus(["a.txt"], ["one.txt"]).records()] == [["1"], [""], ["3"]]


def test_everything_that_belongs_to_a_segment(folder: Path) -> None:
    write("d.tsv", "id\tdoc\tw\tsrc\tref\tA\tB\n1\tx\t1\ts\tr\ta\tb\n2\ty\t3\tt\tr\tc\td\n")
    columns = {name: f"d.tsv:{name}" for name in ("id", "doc", "w", "src", "ref", "A", "B")}
    corpus = read_corpus(
        [columns["A"], f"other={columns['B']}"],
        [columns["ref"]],
        columns["src"],
        ids=columns["id"],
        documents=columns["doc"],
        weights=columns["w"],
        lang="en",
    )
    assert corpus.records()[1] == {
        "id": "2",
        "source": "t",
        "references": ["r"],
        "predictions": {"A": ["c"], "other": ["d"]},
        "weight": 3.0,
        "document": "y",
    }
    assert corpus.lang == "en"


def test_several_predictions_a_segment(folder: Path) -> None:
    write("d.jsonl", '{"p": ["a", "b"]}\n{"p": "c"}\n')
    assert [record["predictions"] for record in read_corpus(["d.jsonl:p"]).records()] == [{"p": ["a", "b"]}, {"p": ["c"]}]


def test_the_document_of_a_summary_is_its_source(folder: Path) -> None:
    article = "Shares rose on Monday. " * 20
    write("d.jsonl", json.dumps({"summary_id": 1, "prediction": "p", "document": article}) + "\n")
    assert read_corpus(["d.jsonl"]).records()[0]["source"] == article
    write("d.tsv", "prediction\tdocument\np\tThe cat sat.\n")
    with pytest.raises(InputError, match=r"d\.tsv: the records have a field 'document' .*rename it to 'source' or to 'doc_id'"):
        read_corpus(["d.tsv"])


def test_records_carry_everything(folder: Path) -> None:
    write("d.jsonl", '{"id": 1, "system": "A", "mt": "a", "ref": "r"}\n{"id": 1, "system": "B", "mt": "b", "ref": "r"}\n')
    corpus = read_corpus(["d.jsonl"])
    assert corpus.systems == ("A", "B")
    write("d.csv", "prediction,reference,weight\na,r,2\nb,r,1\n")
    corpus = read_corpus(["d.csv"])
    assert corpus.weights is not None
    assert corpus.weights.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"systems": ["a.txt"], "references": ["b.txt"]}, "b.txt has 1 entry, a.txt has 2 entries"),
        ({"systems": ["a.txt", "b.txt"]}, "b.txt has 1 entry, a.txt has 2 entries"),
        ({"systems": ["a.txt"], "source": "b.txt"}, "b.txt has 1 entry, a.txt has 2 entries"),
        ({"systems": ["a.txt"], "ids": "b.txt"}, "b.txt has 1 entry, a.txt has 2 entries"),
        ({"systems": ["a.txt", "x/a.txt"]}, "would both be system 'a'; name them: A=a.txt B=x/a.txt"),
        ({"systems": ["empty.txt"]}, "empty.txt is empty"),
        ({"systems": ["d.jsonl"], "references": ["a.txt"]}, r"d.jsonl holds records, which carry their own references .-r."),
        ({"systems": ["bad.jsonl"]}, "bad.jsonl: the records have no prediction"),
    ],
)
def test_files_that_do_not_fit_together(folder: Path, arguments: dict[str, object], message: str) -> None:
    write("a.txt", "one\ntwo\n")
    write("b.txt", "one\n")
    write("empty.txt", "")
    write("d.jsonl", '{"prediction": "a"}\n')
    write("bad.jsonl", '{"text": "a"}\n')
    with pytest.raises(InputError, match=message):
        read_corpus(**arguments)  # type: ignore[arg-type]
