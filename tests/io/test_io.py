"""The readers: every shape of file, and every mistake with its message."""

from __future__ import annotations

import bz2
import csv
import gc
import gzip
import io
import json
import lzma
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import polars
import pytest
from human_judgments import path_of, rows_of
from messages import mentions

from nlgauge.corpus import Corpus
from nlgauge.corpus.records import ABSENT
from nlgauge.errors import InputError, MissingExtraError, ParameterError
from nlgauge.io import Inputs, Reader
from nlgauge.io.blocks import whole_file
from nlgauge.io.files import Address, lines_of
from nlgauge.io.quoting import QuotedRow
from nlgauge.io.tables import names_of_columns


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
    [
        ("a/sys.A.txt", "sys.A"),
        ("a/sysA.txt.gz", "sysA"),
        ("d.tsv:sysB", "sysB"),
        ("d.tsv:2", "d:2"),
        ("d.jsonl:2", "2"),
        ("-", "stdin"),
    ],
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


def test_reading_csv_never_touches_the_global_limit_of_the_csv_module(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "x" * (csv.field_size_limit() + 1)
    monkeypatch.setattr(csv, "field_size_limit", lambda *_: pytest.fail("the limit belongs to the caller"))
    write("d.csv", f'a\n"{text}"\n')
    assert whole_file(Address("d.csv")).columns == {"a": [text]}


SPECIAL = ["plain", 'he said "no" to me', "a\ttab", "two\nlines", '"all of it"', "", "one, two", '"', "x"]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize(("kind", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_what_pandas_and_spreadsheets_quote_is_read_as_it_was(
    folder: Path, quoting: Any, kind: str, separator: str
) -> None:
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
        (
            'src\tref\na\tx "y"\nb\t"x ""y"""\n',
            "d.tsv, line 3.*line 2",
        ),
        ('src\tref\nc\td\n"a\tb\ne\tf"\tg\n', None),
        (
            'src\tref\n"a\tb\nf"\tg\n',
            "d.tsv, line 2.*field",
        ),
        (
            'src\tref\na\tb\nc\t"d, e"\n',
            "d.tsv, line 3.*text",
        ),
    ],
)
def test_a_tsv_whose_quotes_may_mean_two_things_is_refused(
    folder: Path, content: str, message: str | None
) -> None:
    write("d.tsv", content)
    if (
        message is None
    ):  # its lines have other numbers of columns than the header, so only quoting explains it
        assert texts("d.tsv:src") == ["c", "a\tb\ne\tf"]
        return
    with pytest.raises(InputError, match=message + r".*Save.*\.csv"):
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
    with pytest.raises(InputError, match=r"row.*d\.tsv"):
        texts("d.tsv:2")


def test_columns_by_name_and_by_number_of_one_file(folder: Path) -> None:
    write("d.tsv", "some words\tmore words\na b\tc d\n")
    for systems in (["d.tsv:some words", "d.tsv:2"], ["d.tsv:1", "d.tsv:more words"]):
        with pytest.raises(InputError, match=r"columns of d\.tsv"):
            Inputs(systems).read()


@pytest.mark.parametrize(
    ("name", "content", "given", "message"),
    [
        ("refs.txt", "a\n", "ref.txt", "ref.txt.*'refs.txt'"),
        ("refs.txt", "a\n", "nowhere/ref.txt", "directory nowhere"),
        (
            "refs.txt",
            "a\n",
            "refs.txt:2",
            "refs.txt:2.*parquet",
        ),
        ("refs.txt", "a\n", ".", "is a directory"),
        (
            "a.json",
            '{"a"',
            "a.json",
            "a.json.*JSON",
        ),
        ("a.json", '{"a": 1}\n{"a": 2}\n', "a.json:a", "a.json.*JSON"),
        (
            "a.json",
            '{"a": ["x"], "b": []}',
            "a.json:a",
            "a.json.*texts",
        ),
        ("a.json", '"x"', "a.json", "a.json.*text"),
        ("a.json", '[{"a": "x"}, "y"]', "a.json:a", "a.json, item 2.*text"),
        (
            "a.json",
            '[{"a": "x"}, {"a": null}]',
            "a.json:a",
            "a.json:a, item 2.*text",
        ),
        ("a.json", b'["\xff"]', "a.json", "a.json.*UTF-8: line 1, byte 3 is 0xFF"),
        (
            "a.txt",
            b"ok\nna\xefve\n",
            "a.txt",
            "a.txt.*UTF-8: line 2, byte 3 is 0xEF.*encoding='cp1252'",
        ),
        (
            "a.txt",
            "good".encode("utf-16-le"),
            "a.txt",
            "0.*UTF-16.*encoding='utf-16-le'",
        ),
        ("a.txt", "good".encode("utf-16-be"), "a.txt", "encoding='utf-16-be'"),
        ("a.txt", b"\xef\xbb\xbf\xff", "a.txt", "line 1, byte 1 is 0xFF"),
        (
            "d.jsonl",
            b'{"a": "x"}\n{"a": "\xff"}\n',
            "d.jsonl:a",
            "d.jsonl.*UTF-8: line 2, byte 8 is 0xFF",
        ),
        ("a.txt", b"\x28\xb5\x2f\xfd\x00", "a.txt", "a.txt.*Zstandard"),
        ("a.txt", b"BZh91AY", "a.txt", "a.txt.*bzip2.*.bz2"),
        ("a.jsonl", b"PAR1", "a.jsonl:a", "a.jsonl.*Parquet"),
        (
            "a.xlsx",
            b"PK\x03\x04\xff",
            "a.xlsx",
            "a.xlsx.*UTF-8",
        ),
        ("a.txt.bz2", b"plain", "a.txt.bz2", "not a complete bzip2 file"),
        ("a.txt.bz2", bz2.compress(b"text" * 100)[:-9], "a.txt.bz2", "not a complete bzip2 file"),
        ("a.txt.xz", b"plain", "a.txt.xz", "not a complete xz file"),
        ("a.txt.xz", lzma.compress(b"text" * 100)[:-9], "a.txt.xz", "not a complete xz file"),
        ("a.txt.gz", b"plain", "a.txt.gz", "not a complete gzip file"),
        ("a.txt.gz", gzip.compress(b"text" * 100, mtime=0)[:-9], "a.txt.gz", "not a complete gzip file"),
        (
            "d.tsv",
            "src\tref\na\tb\n",
            "d.tsv:refs",
            "'refs'.*'ref'",
        ),
        ("d.tsv", "a\tb\n", "d.tsv:3", "column.*'3'.*1, 2"),
        ("d.tsv", "a\tb\n", "d.tsv:0", "column.*'0'.*1, 2"),
        (
            "d.tsv",
            "src\tref\na\tb\nc\n",
            "d.tsv:ref",
            "line 3.*1.*2",
        ),
        (
            "d.csv",
            "src,ref\na,b,c\n",
            "d.csv:ref",
            "line 2.*3.*2",
        ),
        ("d.csv", 'src,ref\n"a" x,b\n', "d.csv:ref", "line 2 is not CSV"),
        (
            "d.csv",
            'src,ref\n"a,b\nc,d\n',
            "d.csv:ref",
            "line 2.*CSV",
        ),
        (
            "d.csv",
            "src;ref\na;b;c\n",
            "d.csv:ref",
            "semicolons.*rows.*delimiter",
        ),
        ("d.csv", 'src;ref\n"a;b\n', "d.csv:ref", "seems.*separated"),
        ("d.csv", "ref,ref\na,b\n", "d.csv:ref", "two columns called 'ref'"),
        ("d.csv", "", "d.csv:ref", "d.csv is empty"),
        ("d.csv", "ref\n", "d.csv:ref", "d.csv has no rows"),
        (
            "d.tsv",
            "src\tref\na\tb\n",
            "d.tsv",
            "d.tsv.*d.tsv:COLUMN",
        ),
        (
            "d.tsv",
            f"{'a long line ' * 9}\tb\na\tb\n",
            "d.tsv",
            "without a header.*d.tsv:1",
        ),
        ("d.jsonl", '{"ref": "a"}\n{"ref"\n', "d.jsonl:ref", "line 2 is not JSON"),
        ("d.jsonl", '{"ref": "a"}\n["a"]\n', "d.jsonl:ref", "line 2 is an array"),
        ("d.jsonl", '{"ref": "a"}\n{"src": "b"}\n', "d.jsonl:ref", "line 2 has no 'ref'"),
        (
            "d.jsonl",
            '{"ref": "a"}\n{"ref": null}\n',
            "d.jsonl:ref",
            "d.jsonl:ref, line 2.*text",
        ),
        ("d.jsonl", '{"ref": ["a", 3]}\n', "d.jsonl:ref", "text.*list"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    folder: Path, name: str, content: str | bytes, given: str, message: str
) -> None:
    write(name, content)
    with pytest.raises(InputError, match=message):
        Reader().texts(given)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"one\ntwo\n")
    assert Reader().texts("-").values == ["one", "two"]
    with pytest.raises(InputError, match=r"standard input.*twice"):
        Inputs(["-"], ["-"]).read()


def test_standard_input_of_a_wrong_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"\xff")
    with pytest.raises(InputError, match=r"standard.*UTF-8"):
        Reader().texts("-")


def test_labels_and_numbers(folder: Path) -> None:
    write("d.jsonl", '{"id": 7, "w": 0.5}\n{"id": "x", "w": 2}\n')
    assert Reader().labels("d.jsonl:id").values == [7, "x"]
    assert Reader().numbers("d.jsonl:w").values == [0.5, 2.0]
    with pytest.raises(InputError, match=r"d\.jsonl:id, line 2 is 'x'.*number"):
        Reader().numbers("d.jsonl:id")
    write("bad.jsonl", '{"id": null, "src": ["a"]}\n')
    with pytest.raises(InputError, match=r"line 1.*null"):
        Reader().labels("bad.jsonl:id")
    with pytest.raises(InputError, match="one text"):
        Reader().single_texts("bad.jsonl:src")


def test_several_reference_files_are_ragged(folder: Path) -> None:
    write("a.txt", "p\nq\nr\n")
    write("one.txt", "1\n\n3\n")
    write("two.txt", "\nB\n  \n")
    write("three.jsonl", '{"r": ["x", ""]}\n{"r": "y"}\n{"r": []}\n')
    corpus = Inputs(["a.txt"], ["one.txt", "two.txt", "three.jsonl:r"]).read()
    assert [record["references"] for record in corpus.records()] == [["1", "x", ""], ["", "B", "y"], ["3"]]
    assert [record["references"] for record in Inputs(["a.txt"], ["one.txt"]).read().records()] == [
        ["1"],
        [""],
        ["3"],
    ]


def test_everything_that_belongs_to_a_segment(folder: Path) -> None:
    write("d.tsv", "id\tdoc\tw\tsrc\tref\tA\tB\n1\tx\t1\ts\tr\ta\tb\n2\ty\t3\tt\tr\tc\td\n")
    columns = {name: f"d.tsv:{name}" for name in ("id", "doc", "w", "src", "ref", "A", "B")}
    corpus = Inputs(
        [columns["A"], f"other={columns['B']}"],
        [columns["ref"]],
        columns["src"],
        ids=columns["id"],
        documents=columns["doc"],
        weights=columns["w"],
        lang="en",
    ).read()
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
    assert [record["predictions"] for record in Inputs(["d.jsonl:p"]).read().records()] == [
        {"p": ["a", "b"]},
        {"p": ["c"]},
    ]


def test_the_document_of_a_summary_is_its_source(folder: Path) -> None:
    article = "Shares rose on Monday. " * 20
    write("d.jsonl", json.dumps({"summary_id": 1, "prediction": "p", "document": article}) + "\n")
    assert Inputs(["d.jsonl"]).read().records()[0]["source"] == article
    write("d.tsv", "prediction\tdocument\np\tThe cat sat.\n")
    with pytest.raises(
        InputError,
        match=r"d\.tsv.*'document'.*'source'.*'document': 'document'",
    ):
        Inputs(["d.tsv"]).read()


def test_records_carry_everything(folder: Path) -> None:
    write(
        "d.jsonl",
        '{"id": 1, "system": "A", "mt": "a", "ref": "r"}\n{"id": 1, "system": "B", "mt": "b", "ref": "r"}\n',
    )
    corpus = Inputs(["d.jsonl"]).read()
    assert corpus.systems == ("A", "B")
    write("d.csv", "prediction,reference,weight\na,r,2\nb,r,1\n")
    corpus = Inputs(["d.csv"]).read()
    assert corpus.weights is not None
    assert corpus.weights.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"systems": ["a.txt"], "references": ["b.txt"]}, "b.txt.*1.*a.txt.*2"),
        ({"systems": ["a.txt", "b.txt"]}, "b.txt.*1.*a.txt.*2"),
        ({"systems": ["a.txt"], "source": "b.txt"}, "b.txt.*1.*a.txt.*2"),
        ({"systems": ["a.txt"], "ids": "b.txt"}, "b.txt.*1.*a.txt.*2"),
        ({"systems": ["a.txt", "x/a.txt"]}, "'a'.*A=a.txt B=x/a.txt"),
        ({"systems": ["empty.txt"]}, "empty.txt is empty"),
        (
            {"systems": ["d.jsonl"], "references": ["a.txt"]},
            "d.jsonl.*records",
        ),
        ({"systems": ["bad.jsonl"]}, "bad.jsonl.*records"),
    ],
)
def test_files_that_do_not_fit_together(folder: Path, arguments: dict[str, object], message: str) -> None:
    write("a.txt", "one\ntwo\n")
    write("b.txt", "one\n")
    write("empty.txt", "")
    write("d.jsonl", '{"prediction": "a"}\n')
    write("bad.jsonl", '{"text": "a"}\n')
    with pytest.raises(InputError, match=message):
        Inputs(**arguments).read()  # type: ignore[arg-type]


RECORDS = [
    {
        "id": i,
        "system": system,
        "prediction": f"{system}{i}",
        "reference": f"r {i}",
        "domain": domain,
        "meta": {"lp": "en-de", "ok": i > 0},
    }
    for system in "AB"
    for i, domain in enumerate(["news", "ted", "news"])
]


def jsonl(path: str, records: list[dict[str, Any]]) -> str:
    return write(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def as_texts(corpus: Corpus) -> dict[str, Any]:
    return {
        "ids": list(corpus.ids),
        **{system: [corpus.texts[i] for i in column.values] for system, column in corpus.predictions.items()},
    }


def zstd(data: bytes) -> bytes:
    packer = pytest.importorskip("zstandard", reason="zstandard is not installed")
    half = len(data) // 2  # two frames, as joined files have them
    return bytes(packer.compress(data[:half]) + packer.compress(data[half:]))


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("BZ2", bz2.compress), ("xz", lzma.compress), ("zst", zstd)]
)
def test_packed_files(folder: Path, suffix: str, pack: Any) -> None:
    assert texts(write(f"a.txt.{suffix}", pack("één\ntwee\n".encode()))) == ["één", "twee"]
    assert texts(write(f"d.tsv.{suffix}", pack(b"ref\tx\na\tb\n")) + ":ref") == ["a"]
    corpus = Inputs(
        [write(f"d.jsonl.{suffix}", pack("".join(json.dumps(record) + "\n" for record in RECORDS).encode()))]
    ).read()
    assert corpus.systems == ("A", "B")
    assert Address.of(f"x/sysA.txt.{suffix}").name == "sysA"


def test_a_damaged_zst_file(folder: Path) -> None:
    for content in (b"plain", zstd(b"text" * 1000)[:-6]):
        with pytest.raises(InputError, match=r"a\.txt\.zst.*Zstandard"):
            texts(write("a.txt.zst", content))


@pytest.mark.parametrize(
    ("name", "package", "message"),
    [
        ("a.txt.zst", "zstandard", r'files.*"nlgauge\[zstd\]"'),
        (
            "a.parquet",
            "pyarrow",
            r'Parquet.*"nlgauge\[parquet\]"',
        ),
    ],
)
def test_what_is_not_installed_is_named_with_its_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str, message: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=message):
        Inputs([write(name, b"x")]).read()


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RECORDS),
        json.dumps({name: [record[name] for record in RECORDS] for name in RECORDS[0]}),
    ],
    ids=["array of objects", "object of arrays"],
)
def test_json_documents(folder: Path, content: str) -> None:
    corpus = Inputs([write("d.json", content)]).read()
    assert as_texts(corpus) == {"ids": [0, 1, 2], "A": ["A0", "A1", "A2"], "B": ["B0", "B1", "B2"]}
    assert corpus.fields == {
        "domain": ("news", "ted", "news"),
        "meta.lp": ("en-de",) * 3,
        "meta.ok": (False, True, True),
    }
    assert texts("d.json:prediction") == [record["prediction"] for record in RECORDS]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_json_that_is_nested_too_deep_is_refused(folder: Path, name: str) -> None:
    for depth in (2000, 5000, 100_000):
        Path(name).write_text('{"prediction": ' + "[" * depth + "]" * depth + "}\n")
        with pytest.raises(InputError, match="deep"):
            Inputs([name]).read()


def test_many_columns_are_looked_at_once(folder: Path) -> None:
    names = [f"c{i}" for i in range(60_000)]
    assert names_of_columns([QuotedRow(names, 1)], "wide.csv", True) == names
    with pytest.raises(InputError, match="two columns called 'c7'"):
        names_of_columns([QuotedRow([*names, "c7"], 1)], "wide.csv", True)


def test_a_json_array_of_texts_is_a_file_of_texts(folder: Path) -> None:
    write("a.json", '["p", "q"]')
    write("r.json", '[["r", "s"], ["t"]]')
    corpus = Inputs(["a.json"], ["r.json"]).read()
    assert as_texts(corpus) == {"ids": [0, 1], "a": ["p", "q"]}
    assert [record["references"] for record in corpus.records()] == [["r", "s"], ["t"]]
    with pytest.raises(InputError, match=r"a\.json has no rows"):
        Inputs([write("a.json", "[]")]).read()


def test_parquet(folder: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(
        arrow.Table.from_pylist([*RECORDS[:5], {**RECORDS[5], "prediction": None}]), "d.parquet"
    )
    with pytest.raises(
        InputError,
        match=r"d\.parquet, row 6: 'prediction'.*''.*skip_missing=True",
    ):
        Inputs(["d.parquet"]).read()
    with pytest.warns(UserWarning, match="1 of 3.*segments"):
        corpus = Inputs(["d.parquet"], skip_missing=True).read()
    assert as_texts(corpus) == {"ids": [0, 1], "A": ["A0", "A1"], "B": ["B0", "B1"]}
    assert texts("d.parquet:domain") == ["news", "ted", "news"] * 2
    with pytest.raises(InputError, match=r"e\.parquet.*Parquet"):
        Inputs([write("e.parquet", b"PAR1")]).read()


def test_jsonl_is_read_in_blocks_as_it_is_read_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"prediction": f"p{i}", **({"late": i} if i > 5 else {})}) for i in range(9)]
    write("d.jsonl", "\n".join([*lines[:4], "", "  ", *lines[4:]]))
    whole = whole_file(Address("d.jsonl"))
    monkeypatch.setattr("nlgauge.io.blocks._BYTES", 30)
    blocks = whole_file(Address("d.jsonl"))
    assert (
        whole.columns
        == blocks.columns
        == {
            "prediction": [f"p{i}" for i in range(9)],
            "late": [ABSENT] * 6 + [6, 7, 8],
        }
    )
    assert (
        [whole.place(i) for i in range(9)]
        == [blocks.place(i) for i in range(9)]
        == [f"d.jsonl, line {n}" for n in (1, 2, 3, 4, 7, 8, 9, 10, 11)]
    )
    write("d.jsonl", '{"prediction": "a"}\n{"prediction": "b"}\n{"prediction"\n')
    with pytest.raises(InputError, match=r"d\.jsonl, line 3.*JSON"):
        Inputs(["d.jsonl"]).read()


@pytest.mark.parametrize("content", ['{"a": "x"} {"a": "y"}\n', '{"a":\n"x"}\n'])
def test_a_line_of_jsonl_is_one_object(folder: Path, content: str) -> None:
    with pytest.raises(InputError, match="line 1 is not JSON"):
        texts(write("d.jsonl", content) + ":a")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_an_encoding_that_marks_itself_is_read_and_that_is_said(folder: Path, encoding: str) -> None:
    write("a.txt", "één\ntwee\n".encode(encoding))
    write("d.csv", "ref,x\r\né,b\r\n".encode(encoding))
    jsonl("d.jsonl", [{"ref": "é"}])
    write("d.jsonl", Path("d.jsonl").read_text().encode(encoding))
    message = f".*{encoding.upper()}.*byte order mark"
    with pytest.warns(UserWarning, match=f"a.txt {message}"):
        assert texts("a.txt") == ["één", "twee"]
    with pytest.warns(UserWarning, match=f"d.csv {message}"):
        assert texts("d.csv:ref") == ["é"]
    with pytest.warns(UserWarning, match=f"d.jsonl {message}"):
        assert texts("d.jsonl:ref") == ["é"]


def test_an_encoding_that_was_named(folder: Path) -> None:
    write("a.txt", "naïve\nœuvre\n".encode("cp1252"))
    assert as_texts(Inputs(["a.txt"], encoding="cp1252").read())["a"] == ["naïve", "œuvre"]
    write("d.jsonl", '{"prediction": "naïve"}\n'.encode("cp1252"))
    assert as_texts(Inputs(["d.jsonl"], encoding="cp1252").read())["system"] == ["naïve"]
    write("b.txt", b"\xef\xbb\xbfone\n")
    assert as_texts(Inputs(["b.txt"], encoding="utf-8").read())["b"] == ["one"]
    for encoding in ("klingon", "base64", "rot13"):
        with pytest.raises(InputError, match=f"encoding.*'{encoding}'"):
            Inputs(["a.txt"], encoding=encoding).read()
    with pytest.raises(
        InputError,
        match=r"a\.txt.*line 1, byte 3 is 0xEF.*encoding",
    ):
        Inputs(["a.txt"], encoding="ascii").read()


@pytest.mark.parametrize(
    ("delimiter", "spelt"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")]
)
def test_a_csv_of_another_delimiter_is_read_and_that_is_said(
    folder: Path, delimiter: str, spelt: str
) -> None:
    frame = pandas.DataFrame({"ref": SPECIAL, "mt": SPECIAL[::-1]})
    write("d.csv", frame.to_csv(sep=delimiter, index=False))
    with pytest.warns(UserWarning, match=f"d.csv.*{spelt}"):
        assert texts("d.csv:ref") == SPECIAL
    assert Reader(delimiter=delimiter).texts("d.csv:mt").values == SPECIAL[::-1]


@pytest.mark.parametrize(
    ("name", "delimiter", "given"),
    [("d.csv", "|", "|"), ("d.tsv", "|", "pipe"), ("d.csv", "\t", "tab"), ("d.csv", "^", "^")],
)
def test_a_delimiter_that_was_named(folder: Path, name: str, delimiter: str, given: str) -> None:
    write(name, f'ref{delimiter}mt\n"a{delimiter}b"{delimiter}c, d\n')
    assert as_texts(Inputs([f"{name}:ref", f"{name}:mt"], delimiter=given).read()) == {
        "ids": [0],
        "ref": [f"a{delimiter}b"],
        "mt": ["c, d"],
    }
    with pytest.raises(InputError, match=r"'::'.*character"):
        Inputs([f"{name}:ref"], delimiter="::").read()


def test_a_csv_with_one_column_is_not_guessed_at(folder: Path) -> None:
    assert texts(write("d.csv", "ref\na;b\n") + ":ref") == ["a;b"]
    assert texts(write("d.csv", "ref,x;y\na;b,c\n") + ":ref") == ["a;b"]


def test_records_that_are_chosen(folder: Path) -> None:
    jsonl("d.jsonl", RECORDS)
    assert as_texts(Inputs(["d.jsonl"], where="domain = news").read()) == {
        "ids": [0, 2],
        "A": ["A0", "A2"],
        "B": ["B0", "B2"],
    }
    assert as_texts(Inputs(["d.jsonl"], where=["lp = en-de and meta.ok = true", "system = B"]).read()) == {
        "ids": [1, 2],
        "B": ["B1", "B2"],
    }
    assert as_texts(Inputs(["d.jsonl"], columns=["B"]).read())["B"] == ["B0", "B1", "B2"]
    with pytest.raises(InputError, match=r"d\.jsonl.*'sport'.*'news', 'ted'"):
        Inputs(["d.jsonl"], where="domain = sport").read()
    with pytest.raises(ParameterError, match="unknown column doman; did you mean domain"):
        Inputs(["d.jsonl"], where="doman = news").read()
    with pytest.raises(InputError, match=r"d\.jsonl: .*'C'.*A, B"):
        Inputs(["d.jsonl"], columns=["C"]).read()


def test_columns_that_are_chosen(folder: Path) -> None:
    write("d.tsv", "domain\tA\tB\tref\tn\nnews\ta0\tb0\tr0\t5\nted\ta1\tb1\tr1\t6\nnews\ta2\tb2\tr2\t7\n")
    corpus = Inputs(["d.tsv:A", "d.tsv:B"], ["d.tsv:ref"], where="domain = news").read()
    assert as_texts(corpus) == {"ids": [0, 2], "A": ["a0", "a2"], "B": ["b0", "b2"]}
    assert corpus.fields == {"domain": ("news", "news"), "n": ("5", "7")}
    assert Inputs(["d.tsv:A"], ids="d.tsv:n", where="id = 6").read().ids == ("6",)
    with pytest.raises(
        ParameterError, match="unknown column topic; the columns are 'id', 'domain', 'B', 'ref', 'n'"
    ):
        Inputs(["d.tsv:A"], where="topic = x").read()


def test_a_column_per_system(folder: Path) -> None:
    write("d.tsv", "id\tfirst one\tB\tref\n1\ta a\tb b\tr\n2\tc c\td d\ts\n")
    corpus = Inputs(["d.tsv"], columns=["first one", "B"]).read()
    assert as_texts(corpus) == {"ids": ["1", "2"], "first one": ["a a", "c c"], "B": ["b b", "d d"]}
    assert corpus.references is not None
    with pytest.raises(InputError) as caught:
        Inputs(["d.tsv"]).read()
    assert mentions(
        caught.value.for_cli(),
        "d.tsv: ... prediction ... 'id', 'first one', 'B', 'ref'"
        " ... nlgauge score 'd.tsv:first one' d.tsv:B -r d.tsv:ref",
    )
    assert mentions(str(caught.value), "'prediction' ... systems=['first one', 'B']")
    write("a.txt", "x\n")
    with pytest.raises(InputError, match=r"a\.txt.*columns.*parquet"):
        Inputs(["a.txt"], columns=["A"]).read()


@pytest.mark.parametrize(
    ("record", "advice"),
    [
        (
            {"Question": "q ?", "gpt": "a b", "llama": "c d", "ground_truth": "e f"},
            "qa.jsonl:gpt qa.jsonl:llama -r qa.jsonl:ground_truth -s qa.jsonl:Question",
        ),
        ({"question": "q ?", "contexts": ["c d"]}, "qa.jsonl:COLUMN -s qa.jsonl:question"),
    ],
)
def test_a_question_is_never_advised_as_a_system(folder: Path, record: dict[str, Any], advice: str) -> None:
    jsonl("qa.jsonl", [record, record])
    with pytest.raises(InputError) as caught:
        Inputs(["qa.jsonl"]).read()
    assert caught.value.for_cli().endswith(f"nlgauge score {advice}.")


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (
            {"question": "q ?", "context": "c d", "answer": "a b", "expected": "e f"},
            ("answer", "expected", "question", ["context"]),
        ),
        (
            {"article": "long text", "summary": "short", "relevance": 3},
            ("summary", None, "article", ["relevance"]),
        ),
        ({"prediction": "p", "answer": "a", "query": "q"}, ("prediction", None, "query", ["answer"])),
        ({"output": "p", "question": "q", "prompt": "r"}, ("output", None, None, ["question", "prompt"])),
    ],
)
def test_usual_names_of_language_models_are_known(
    folder: Path, record: dict[str, Any], names: tuple[Any, ...]
) -> None:
    jsonl("qa.jsonl", [record, record])
    corpus = Inputs(["qa.jsonl"]).read()
    prediction, reference, source, fields = names
    assert corpus.texts[corpus.predictions["system"].values[0]] == record[prediction]
    assert (corpus.references is None) == (reference is None)
    if corpus.references is not None:
        assert corpus.texts[corpus.references.values[0]] == record[reference]
    assert (None if corpus.sources is None else corpus.texts[corpus.sources[0]]) == (
        source and record[source]
    )
    assert list(corpus.fields) == fields


def test_the_field_model_names_systems_if_ids_repeat(folder: Path) -> None:
    rows = [
        {"id": f"q{i}", "model": model, "answer": f"{model} {i}", "expected": "e"}
        for model in "AB"
        for i in range(3)
    ]
    jsonl("chat.jsonl", rows)
    for corpus in (Inputs(["chat.jsonl"]).read(), Corpus.read(rows)):
        assert tuple(corpus.systems) == ("A", "B")
        assert corpus.texts.many(corpus.predictions["B"].values) == ["B 0", "B 1", "B 2"]
        assert "model" not in corpus.fields
    both = Corpus.read([{**row, "system": f"system {row['model']}"} for row in rows])
    assert tuple(both.systems) == ("system A", "system B")
    corpus = Corpus.read([{**row, "id": i} for i, row in enumerate(rows)])
    assert tuple(corpus.systems) == ("system",)
    assert list(corpus.fields["model"]) == ["A", "A", "A", "B", "B", "B"]
    for repeated in ([*rows, rows[0]], [{**row, "model": "A"} for row in rows]):
        with pytest.raises(InputError, match="repeats segment 'q0'") as error:
            Corpus.read(repeated)
    assert "mapping={'system': FIELD}" in str(error.value)


def test_columns_can_be_mapped(folder: Path) -> None:
    record = {"answer": "gold", "response": "p", "q": "question ?", "key": 7}
    jsonl("qa.jsonl", [record, {**record, "key": 8}])
    mapping = {"prediction": "response", "reference": "answer", "source": "q", "id": "key"}
    for corpus in (Inputs(["qa.jsonl"], mapping=mapping).read(), Corpus.read([record], mapping=mapping)):
        assert corpus.references is not None
        assert corpus.sources is not None
        assert corpus.texts.many(corpus.predictions["system"].values)[0] == "p"
        assert corpus.texts[corpus.references.values[0]] == "gold"
        assert corpus.texts[corpus.sources[0]] == "question ?"
        assert corpus.ids[0] == 7
    with pytest.raises(InputError, match=r"both|ambiguous|no prediction"):
        Inputs(["qa.jsonl"]).read()
    for wrong, message in (
        ({"prediction": "respons"}, "did you mean 'response'"),
        ({"predictoin": "response"}, "did you mean 'prediction'"),
    ):
        with pytest.raises(InputError, match=message):
            Inputs(["qa.jsonl"], mapping=wrong).read()
    with pytest.raises(InputError, match="'id'"):
        Corpus.read([{**record, "id": 1}], mapping={"id": "key", "prediction": "response"})


def test_a_file_of_records_per_system(folder: Path) -> None:
    for system in "AB":
        jsonl(
            f"{system}.jsonl",
            [without(record, "system") for record in RECORDS if record["system"] == system][
                :: 1 if system == "A" else -1
            ],
        )
    assert as_texts(Inputs(["A.jsonl", "other=B.jsonl"]).read()) == {
        "ids": [0, 1, 2],
        "A": ["A0", "A1", "A2"],
        "other": ["B0", "B1", "B2"],
    }
    jsonl(
        "C.jsonl",
        [
            {"id": 1, "prediction": "C1", "reference": "r 1"},
            {"id": 7, "prediction": "C7", "reference": "r 7"},
        ],
    )
    with pytest.warns(UserWarning, match=r"3 of 4 segments.* 2 systems"):
        assert as_texts(Inputs(["A.jsonl", "C.jsonl"], common=True).read()) == {
            "ids": [1],
            "A": ["A1"],
            "C": ["C1"],
        }
    jsonl("D.jsonl", [{"id": i, "prediction": None if i else "D", "reference": f"r {i}"} for i in range(3)])
    with pytest.raises(InputError, match=r"^D\.jsonl, line 2: 'prediction' is null"):
        Inputs(["A.jsonl", "D.jsonl"]).read()
    for name in "EF":
        jsonl(f"{name}.jsonl", [{"prediction": name * 2}, {"prediction": name}])
    assert as_texts(Inputs(["E.jsonl", "F.jsonl"]).read()) == {
        "ids": [0, 1],
        "E": ["EE", "E"],
        "F": ["FF", "F"],
    }
    jsonl("all.jsonl", RECORDS)
    with pytest.raises(InputError, match=r"all\.jsonl.*system"):
        Inputs(["A.jsonl", "all.jsonl"]).read()


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}


def test_missing_texts_are_refused_with_their_line_or_left_out(folder: Path) -> None:
    jsonl("d.jsonl", [*RECORDS[:4], {**RECORDS[4], "reference": None}, RECORDS[5]])
    with pytest.raises(
        InputError,
        match=r"^d\.jsonl, line 5: 'reference' is null.*''.*skip_missing=True",
    ):
        Inputs(["d.jsonl"], where="system = B").read()
    with pytest.warns(UserWarning, match="1 of 3.*segments"):
        assert as_texts(Inputs(["d.jsonl"], where="system = B", skip_missing=True).read()) == {
            "ids": [0, 2],
            "B": ["B0", "B2"],
        }
    jsonl("d.jsonl", [*RECORDS[:5], without(RECORDS[5], "reference")])
    with pytest.raises(InputError, match=r"^d\.jsonl, line 6.*'reference'.*d\.jsonl, line 1"):
        Inputs(["d.jsonl"]).read()
    write(
        "w.jsonl",
        '{"A": "a", "B": null, "r": ["x"], "s": "s"}\n{"A": "b", "B": "c", "r": ["y"], "s": "t"}\n{"A": "b",'
        ' "B": "", "r": null, "s": null}\n',
    )
    with pytest.raises(InputError, match=r"w\.jsonl:B, line 1.*skip_missing=True"):
        Inputs(["w.jsonl:A", "w.jsonl:B"]).read()
    with pytest.raises(
        InputError,
        match=r"w\.jsonl:s, line 3.*skip_missing=True",
    ):
        Inputs(["w.jsonl:A"], source="w.jsonl:s").read()
    with pytest.warns(UserWarning, match="2 of 3.*segments"):
        corpus = Inputs(
            ["w.jsonl:A", "w.jsonl:B"], ["w.jsonl:r", "w.jsonl:A"], "w.jsonl:s", skip_missing=True
        ).read()
    assert as_texts(corpus) == {"ids": [1], "A": ["b"], "B": ["c"]}
    write("u.jsonl", '{"A": "a", "r": "x"}\n{"r": "y"}\n')
    with pytest.raises(InputError, match=r"u\.jsonl, line 2.*'A'.*skip_missing=True"):
        Inputs(["u.jsonl:A"], ["u.jsonl:r"]).read()
    with pytest.warns(UserWarning, match="1 of 2.*segments"):
        assert as_texts(Inputs(["u.jsonl:A"], skip_missing=True).read()) == {"ids": [0], "A": ["a"]}
    write("v.jsonl", '{"A": "a", "r": "x", "s": null}\n{"A": "b", "r": "y", "s": "z"}\n')
    with pytest.warns(UserWarning, match="1 of 2.*segments"):
        assert Inputs(["v.jsonl:A"], ["v.jsonl:r", "v.jsonl:s"], skip_missing=True).read().records()[0][
            "references"
        ] == ["y", "z"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (
            [*RECORDS, RECORDS[1]],
            "d.jsonl, line 7 ... segment 1 ... 'A' ... d.jsonl, line 2",
        ),
        (
            RECORDS[:5],
            ("segment 2 ... 'A' ... 'B' ... --common ... 1 of 3"),
        ),
        (
            [{**RECORDS[0], "target": "x"}],
            ("'reference' and 'target' ... -r d.jsonl"),
        ),
        (
            [*RECORDS[:2], {**RECORDS[3], "reference": "x"}, RECORDS[4]],
            "segment 0 ... 'B' (d.jsonl, line 3 ... 'A'",
        ),
        (
            [{"id": 1, "prediction": "a"}] * 2,
            "d.jsonl, line 2 ... segment 1 ... d.jsonl, line 1 ... --map system=FIELD",
        ),
        ([{"id": None, "prediction": "a"}], "d.jsonl, line 1: 'id' is None ... number"),
    ],
)
def test_mistakes_in_records_are_named_with_their_line(
    folder: Path, records: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        Inputs([jsonl("d.jsonl", records)]).read()
    assert mentions(caught.value.for_cli(), message)


def test_common_and_pooled_records(folder: Path) -> None:
    jsonl("d.jsonl", RECORDS[:5])
    with pytest.warns(UserWarning, match=r"1 of 3 segments.* 2 systems"):
        assert as_texts(Inputs(["d.jsonl"], common=True).read()) == {
            "ids": [0, 1],
            "A": ["A0", "A1"],
            "B": ["B0", "B1"],
        }
    pooled = Inputs(["d.jsonl"], pooled=True).read()
    assert as_texts(pooled) == {
        "ids": ["0/A", "1/A", "2/A", "0/B", "1/B"],
        "system": ["A0", "A1", "A2", "B0", "B1"],
    }
    assert list(pooled.groups("system")) == ["A", "B"]
    jsonl("d.jsonl", [RECORDS[0], RECORDS[4]])
    with pytest.raises(InputError, match=r"2 systems.*pooled=True"):
        Inputs(["d.jsonl"], common=True).read()


def test_files_that_differ_in_their_suffix_alone_are_called_by_it(folder: Path) -> None:
    write("news.sysA", "a\n")
    write("news.sysB", "b\n")
    assert Inputs(["news.sysA", "news.sysB"]).read().systems == ("news.sysA", "news.sysB")
    assert Inputs(["news.sysA", "X=news.sysB"]).read().systems == ("news", "X")
    assert Address.of("/dev/fd/62").name == "pipe62"


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_left_as_it_was(folder: Path, on: bool) -> None:
    write("a.txt", "one\n")
    was_on = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        Inputs(["a.txt"]).read()
        with pytest.raises(InputError):
            Inputs(["b.txt"]).read()
        assert gc.isenabled() == on
    finally:
        (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize(
    ("name", "options", "said", "segments", "systems"),
    [
        (
            "webnlg2020_en",
            {"common": True},
            "1 of 178 segments is left out: not all 16 systems have them",
            177,
            16,
        ),
        ("webnlg2020_en", {"common": True, "where": 'domain = "unseen category"'}, None, None, 16),
        ("wmt21_mqm_news", {"where": ["lp = en-de", "human_reference = false"]}, None, 527, 8),
        ("wmt21_mqm_news", {"where": "meta.lp = zh-en"}, None, 650, 8),
        ("wmt17_da_seg", {"pooled": True}, None, 3920, 1),
        ("wmt17_da_seg", {"pooled": True, "where": "lp = cs-en"}, None, 560, 1),
        ("wmt17_da_seg", {"where": "lp = cs-en", "columns": ["online-A.0"]}, None, 131, 1),
    ],
)
def test_human_judgments_are_read_as_they_are(
    name: str, options: Any, said: str | None, segments: int | None, systems: int
) -> None:
    path = str(path_of(name))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corpus = Inputs([path], **options).read()
    assert said is None or [str(one.message) for one in caught] == [said + "."]
    assert len(corpus.systems) == systems
    assert segments is None or len(corpus) == segments
    rows = rows_of(name)
    number = {segment: i for i, segment in enumerate(corpus.ids)}
    human = {
        **{field: dict.fromkeys(corpus.systems, values) for field, values in corpus.fields.items()},
        **corpus.system_fields,
    }
    matched = 0
    for row in rows:
        system = row["system"] if "pooled" not in options else "system"
        i = number.get(row["segment"], number.get(f"{row['segment']}/{row['system']}"))
        if i is None or system not in corpus.systems:
            continue
        if "pooled" in options and corpus.fields["system"][i] != row["system"]:
            continue
        matched += 1
        assert corpus.texts[corpus.predictions[system].values[i]] == row["prediction"]
        assert [corpus.texts[text] for text in corpus.references[i]] == row["references"]  # type: ignore[index]
        assert {
            field.removeprefix("human."): human[field][system][i]
            for field in human
            if field.startswith("human.")
        } == row["human"]
    assert matched == len(corpus) * systems


@pytest.mark.parametrize(
    ("name", "options", "advice"),
    [
        ("webnlg2020_en", {}, "--common ... 1 of 178"),
        (
            "wmt17_da_seg",
            {},
            "129 ... EXPRESSION ... --pooled",
        ),
        (
            "wmt17_da_seg",
            {"common": True},
            "129 ... --pooled",
        ),
        (
            "wmt21_mqm_news",
            {"where": "lp = en-de"},
            "'ref-A' ... --column SYSTEM ... --pooled",
        ),
    ],
)
def test_judgments_that_do_not_fit_say_what_to_do(name: str, options: Any, advice: str) -> None:
    path = path_of(name)
    with pytest.raises(InputError) as caught:
        Inputs([str(path)], **options).read()
    assert mentions(caught.value.for_cli(), advice)
