"""Files that are read piece by piece: the corpus and the numbers of files that are read whole, for every
form of file and every option.
"""

from __future__ import annotations

import bz2
import csv
import gc
import gzip
import importlib
import io
import json
import lzma
import os
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from cli_cases import enter, refused, run
from hypothesis import given
from hypothesis import strategies as st
from messages import mentions
from pyarrow import parquet
from strategies import WORDS

import nlgauge
from nlgauge._core import ragged as column_module
from nlgauge.corpus import records as record_module
from nlgauge.corpus.store import join as joining
from nlgauge.corpus.store.layout import is_stored
from nlgauge.corpus.store.lazy_values import StoredLabels, StoredLines
from nlgauge.errors import InputError, ResultError
from nlgauge.io import Inputs, blocks, inputs, tables, watched
from nlgauge.io.quoting import QuotedRows, csv_rows, tsv_rows
from nlgauge.metrics.bleu import Bleu
from nlgauge.results.result import Result

ODD = ["", " ", "café — ünïcode", "\u2028 inside", 'a "quote" within', "comma, and; more", "x" * 300]
COUNT = 60


def texts(seed: int, count: int = COUNT) -> list[str]:
    rng = random.Random(seed)
    return [
        ODD[i % len(ODD)] if i % 11 == 0 else " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 9)))
        for i in range(count)
    ]


def records(seed: int = 3) -> list[dict[str, Any]]:
    columns = zip(texts(seed), texts(1), texts(2), strict=True)
    return [
        {
            "id": f"s{i}",
            "prediction": p,
            "reference": r,
            "source": s,
            "weight": i % 4,
            "doc_id": f"d{i * 3 % 7}",
            "domain": ["news", "ted", None][i % 3],
        }
        for i, (p, r, s) in enumerate(columns)
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small blocks, so that a few segments are many of them."""
    enter(tmp_path, monkeypatch)
    monkeypatch.setattr(column_module, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(blocks, "_BYTES", 300)
    monkeypatch.setattr(tables, "_FEW_ROWS", 3)
    monkeypatch.setattr(tables, "_ROWS", 8)
    monkeypatch.setattr(joining, "_ROWS", 24)
    return tmp_path


def write_jsonl(path: str, rows: list[dict[str, Any]]) -> str:
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    Path(path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)
    return path


def write_table(
    path: str, rows: list[dict[str, Any]], delimiter: str, encoding: str = "utf-8", **options: Any
) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n", **options)
    writer.writerow(rows[0])
    writer.writerows([["" if value is None else value for value in row.values()] for row in rows])
    Path(path).write_bytes(stream.getvalue().encode(encoding))
    return path


def write_all() -> None:
    """The same segments in every form, and columns of them as plain lines."""
    rows = records()
    write_jsonl("r.jsonl", rows)
    write_jsonl("r.jsonl.gz", rows)
    parquet.write_table(pyarrow.Table.from_pylist(rows), "r.parquet", row_group_size=17)
    write_table("plain.tsv", rows, "\t", quoting=csv.QUOTE_NONE, quotechar=None, escapechar=None)
    broken = [
        {**row, "prediction": row["prediction"] + "\nnext line" if i % 5 == 0 else row["prediction"]}
        for i, row in enumerate(rows)
    ]
    write_table("quoted.tsv", broken, "\t")
    write_table("quoted.csv", broken, ",")
    write_table("semicolons.csv", rows, ";")
    write_table(
        "latin.csv",
        [{**row, "source": "naïve"} for row in rows if "—" not in row["prediction"] + row["reference"]],
        ",",
        "utf-16",
    )
    for name, column in {
        "p.txt": "prediction",
        "q.txt": "source",
        "r.txt": "reference",
        "ids.txt": "id",
        "w.txt": "weight",
        "d.txt": "doc_id",
    }.items():
        Path(name).write_text(
            "".join(f"{row[column]}\n" for row in rows).replace("\u2028", " "), encoding="utf-8"
        )
    Path("bare.tsv").write_text(
        "".join(f"{i} x\t{row['prediction']}\n" for i, row in enumerate(rows)), encoding="utf-8"
    )
    several = [
        {**row, "system": name, "prediction": f"{name} {row['prediction']}", "rated": [name, i]}
        for name in "AB"
        for i, row in enumerate(rows)
    ]
    write_jsonl("by_system.jsonl", several)
    write_jsonl("by_segment.jsonl", sorted(several, key=lambda row: (row["id"], row["system"])))
    mixed = [*several[:COUNT], *random.Random(1).sample(several[COUNT:], COUNT)]
    write_jsonl("mixed.jsonl", mixed)
    write_jsonl(
        "uneven.jsonl", [row for row in mixed if row["id"] not in ("s3", "s50") or row["system"] == "B"]
    )
    write_jsonl(
        "gaps.jsonl",
        [{**row, "prediction": None if i in (4, 99) else row["prediction"]} for i, row in enumerate(several)],
    )
    write_jsonl(
        "one_gap.jsonl",
        [
            {**row, "reference": None if i in (0, 1, 2, 30) else row["reference"]}
            for i, row in enumerate(rows)
        ],
    )
    write_jsonl(
        "A.jsonl",
        [{name: value for name, value in row.items() if name not in ("id", "doc_id")} for row in records(3)],
    )
    write_jsonl(
        "B.jsonl",
        [{name: value for name, value in row.items() if name not in ("id", "doc_id")} for row in records(4)],
    )
    write_jsonl(
        "wide.jsonl",
        [
            {"id": i, "one": row["prediction"], "two": row["source"], "ref": row["reference"]}
            for i, row in enumerate(rows)
        ],
    )
    write_jsonl(
        "objects.jsonl",
        [{"prediction": row["prediction"], "meta": {"lp": "en-de", "n": i}} for i, row in enumerate(rows)],
    )
    write_jsonl(
        "late_gap.jsonl",
        [{"prediction": None if i == 50 else row["prediction"]} for i, row in enumerate(rows)],
    )
    long = [
        {"prediction": row["prediction"], "document": "long " * 30 + str(i) if i < 40 else f"short{i}"}
        for i, row in enumerate(rows)
    ]
    write_jsonl("long_then_short.jsonl", long)
    write_jsonl(
        "sources.jsonl",
        [{"prediction": row["prediction"], "document": "long " * 30 + row["source"]} for row in rows],
    )


ALL = [
    ["r.jsonl"],
    ["r.jsonl.gz"],
    ["r.parquet"],
    ["plain.tsv"],
    ["quoted.tsv"],
    ["quoted.csv"],
    ["semicolons.csv"],
    ["latin.csv"],
    ["NAME=r.jsonl"],
    ["r.jsonl", "--where", "domain=news"],
    ["r.jsonl", "--where", "doc_id = d3 or doc_id = d4"],
    ["one_gap.jsonl", "--skip-missing"],
    ["p.txt", "-r", "r.txt", "-s", "q.txt", "--ids", "ids.txt", "--weights", "w.txt", "--documents", "d.txt"],
    ["r.jsonl:prediction", "-r", "r.jsonl:reference", "-s", "r.parquet:source", "--ids", "quoted.csv:id"],
    ["r.jsonl:prediction", "-r", "r.jsonl:reference", "--where", "domain=ted"],
    ["one_gap.jsonl:prediction", "-r", "one_gap.jsonl:reference", "--skip-missing"],
    [
        "one_gap.jsonl:prediction",
        "-r",
        "one_gap.jsonl:reference",
        "--skip-missing",
        "--ids",
        "one_gap.jsonl:id",
    ],
    ["bare.tsv:2", "-r", "r.txt"],
    ["X=quoted.tsv:prediction", "-r", "r.txt", "-r", "quoted.tsv:source"],
    ["latin.csv", "--encoding", "utf-16"],
    ["by_system.jsonl"],
    ["by_segment.jsonl"],
    ["mixed.jsonl"],
    ["mixed.jsonl", "--where", "domain=news"],
    ["mixed.jsonl", "--column", "B"],
    ["uneven.jsonl", "--common"],
    ["gaps.jsonl", "--skip-missing"],
    ["by_system.jsonl", "--pooled"],
    ["A.jsonl", "B.jsonl"],
    ["A.jsonl", "B.jsonl", "--pooled"],
    ["X=A.jsonl", "Y=B.jsonl"],
    ["wide.jsonl", "--column", "one", "--column", "two"],
    ["objects.jsonl", "-m", "repetitiveness"],
    ["sources.jsonl", "-m", "coverage"],
    ["long_then_short.jsonl", "-m", "coverage"],
    ["late_gap.jsonl", "-m", "repetitiveness", "--skip-missing"],
]


def scored(arguments: list[str], out: str, *more: str) -> tuple[Result, list[str]]:
    metrics = [] if "-m" in arguments else ["-m", "bleu", "cider"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = run("score", *arguments, *metrics, "-o", out, "-q", "--no-intervals", *more)
    assert found.exit_code == 0, found.stderr
    return nlgauge.load(out), sorted(
        {line for line in found.stderr.splitlines() if line} | {str(one.message) for one in said}
    )


@pytest.mark.parametrize("arguments", ALL, ids=" ".join)
def test_every_form_is_read_piece_by_piece_as_it_is_read_whole(arguments: list[str]) -> None:
    write_all()
    (whole, told), (pieces, told_too) = scored(arguments, "whole"), scored(arguments, "pieces", "--stream")
    assert is_stored(pieces.corpus) and is_stored(whole.corpus)
    assert pieces.corpus.records() == whole.corpus.records()
    assert pieces.corpus.system_fields.keys() == whole.corpus.system_fields.keys()
    assert pieces.signatures == whole.signatures
    assert told == told_too
    for key, table in whole._tables.items():
        assert table.scores() == pytest.approx(pieces._tables[key].scores(), rel=1e-12, nan_ok=True)
    ours, theirs = (
        [[row["score"], row["low"], row["high"]] for row in found.scores("records", resamples=20)]
        for found in (pieces, whole)
    )
    for one, other in zip(ours, theirs, strict=True):
        assert one == pytest.approx(other, rel=1e-9, nan_ok=True)
    assert not Path("pieces.unfinished").exists() and not Path("pieces/rows").exists()


WHOLE: list[dict[str, Any]] = [
    *(
        {"systems": [name]}
        for name in ("r.jsonl.gz", "r.parquet", "plain.tsv", "quoted.tsv", "objects.jsonl")
    ),
    {"systems": ["semicolons.csv"], "delimiter": ";"},
    {"systems": ["A.jsonl", "B.jsonl"]},
    {"systems": ["mixed.jsonl"], "where": "domain = news"},
    {"systems": ["bare.tsv:2"], "references": ["r.txt", "quoted.csv:reference"], "ids": "ids.txt"},
]


@pytest.mark.parametrize("options", WHOLE, ids=lambda options: " ".join(options["systems"]))
def test_a_file_read_whole_is_its_blocks_joined(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all()
    in_many_blocks = Inputs(**options).read()
    monkeypatch.setattr(blocks, "_BYTES", 1 << 21)
    monkeypatch.setattr(tables, "_ROWS", 20_000)
    assert in_many_blocks.records() == Inputs(**options).read().records()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_an_encoding_that_was_named_needs_no_mark(encoding: str) -> None:
    text = "".join(f"line {i} naïve\n" for i in range(100))
    unmarked = {"utf-16": f"utf-16-{sys.byteorder[0]}e", "utf-32": f"utf-32-{sys.byteorder[0]}e"}
    Path("p.txt").write_bytes(text.encode(unmarked.get(encoding, encoding)))
    files = Inputs(["p.txt"], encoding=encoding)
    pieces = list(files.pieces(Path("rows")))
    assert len(pieces) > 1
    for corpora in (pieces, [files.read()]):
        rows = [record["predictions"]["p"] for corpus in corpora for record in corpus.records()]
        assert rows == [[line] for line in text.splitlines()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_byte_that_cannot_be_decoded_is_found_in_any_block(encoding: str) -> None:
    lines = "".join(f"line {i}\n" for i in range(100)).encode(encoding)
    Path("p.txt").write_bytes(lines + b"ab\xff" if encoding == "utf-8" else lines + b"a\0b")
    byte = "line 101, byte 3 is 0xFF" if encoding == "utf-8" else "line 101, byte 4 is 0x62"
    for read in (lambda files: files.read(), lambda files: list(files.pieces(Path("rows")))):
        with pytest.raises(InputError, match=f"p.txt.*{encoding}: {byte}".replace("utf-8", "UTF-8")):
            read(Inputs(["p.txt"], encoding=encoding))


def test_a_file_that_is_not_there_is_no_damaged_one() -> None:
    for files in (Inputs(["missing.txt.gz"]), Inputs(["missing.tsv"]), Inputs(["missing.parquet"])):
        for read in (lambda files: files.read(), lambda files: list(files.pieces(Path("rows")))):
            with pytest.raises(InputError, match=r"file.*missing"):
                read(files)


def test_a_table_without_rows_says_which_columns_it_has() -> None:
    Path("p.tsv").write_text("first\tsecond\n", encoding="utf-8")
    Path("r.txt").write_text("a line\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.tsv.*columns"):
        Inputs(["r.txt"], ["p.tsv"]).read()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["r.jsonl", "-r", "r.txt"], "r.jsonl ... records"),
        (["r.jsonl:prediction", "-r", "r.jsonl:nothing"], "r.jsonl ... 'nothing'"),
        (["r.jsonl:prediction", "-r", "short.txt"], "short.txt ... 50 ... r.jsonl ... 60"),
        (["r.jsonl", "--where", "domain=sports"], "record ... 'sports'"),
        (["p.txt", "-r", "r.txt", "--ids", "d.txt"], "ids must ... 'd0'"),
        (["r.jsonl", "--where", "color=red"], "unknown column color"),
        (
            ["one_gap.jsonl"],
            ("one_gap.jsonl, line 1: 'reference' ... '' ... --skip-missing"),
        ),
        (
            ["uneven.jsonl"],
            ("'s50' ... 'B' ... 'A' ... --common ... 2 of 60"),
        ),
        (["mixed.jsonl", "--column", "C"], "'C' ... system"),
        (["twice.jsonl"], "segment 's5' ... twice ... system 'A'"),
        (["nothing_shared.jsonl"], "2 ... systems"),
        (["other_reference.jsonl"], "'s7' ... 'B' ... 'A'"),
        (["later.jsonl"], "later.jsonl, line 1 ... 'source' ... later.jsonl, line 41"),
        (["earlier.jsonl"], "earlier.jsonl, line 41 ... 'reference'"),
        (
            ["padded.jsonl"],
            ("padded.jsonl, line 41 ... 'reference'"),
        ),
        (
            ["p.txt", "-r", "r.txt", "--ids", "again.txt"],
            "ids ... 's0' ... 1 and 60",
        ),
        (["bad.jsonl"], "bad.jsonl, line 60 ... JSON"),
        (["bytes.jsonl"], "bytes.jsonl ... UTF-8: line 61, byte 17 is 0xFF"),
        (["open.csv"], "open.csv, line 61 ... CSV"),
        (["short.csv"], "short.csv, line 61 ... 1 ... 7"),
        (["both.tsv"], "quotes ... text"),
        (["no_weight.jsonl"], "weights ... 0"),
        (["negative.jsonl"], "weights ... finite"),
        (["not.parquet"], "not.parquet ... Parquet"),
        (["empty.jsonl"], "empty.jsonl has no rows"),
        (["empty.tsv"], "empty.tsv is empty"),
        (["p.txt", "--column", "x"], "p.txt ... columns ... .parquet"),
        (["all_gaps.jsonl", "--skip-missing"], "text ... 60"),
        (["A.jsonl", "by_system.jsonl"], "by_system.jsonl ... system field"),
        (["no_ids.jsonl"], "records ... 'id'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(arguments: list[str], message: str) -> None:
    write_all()
    rows = records()
    several = [{**row, "system": name} for name in "AB" for row in rows]
    Path("short.txt").write_text("x\n" * 50, encoding="utf-8")
    write_jsonl("twice.jsonl", [*several, {**rows[5], "system": "A"}])
    write_jsonl("nothing_shared.jsonl", [{**row, "id": row["system"] + row["id"]} for row in several])
    write_jsonl(
        "other_reference.jsonl",
        [{**row, "reference": "other"} if i == COUNT + 7 else row for i, row in enumerate(several)],
    )
    write_jsonl(
        "later.jsonl",
        [
            {name: row[name] for name in ("prediction", "reference", *(["source"] if i >= 40 else []))}
            for i, row in enumerate(rows)
        ],
    )
    write_jsonl(
        "earlier.jsonl",
        [
            {name: row[name] for name in ("prediction", *(["reference"] if i < 40 else []))}
            for i, row in enumerate(rows)
        ],
    )
    write_jsonl(
        "padded.jsonl",
        [{"prediction": "x" * 400, **({"reference": "y"} if i < 40 else {})} for i in range(COUNT)],
    )
    Path("again.txt").write_text("".join(f"s{i % 59}\n" for i in range(COUNT)), encoding="utf-8")
    Path("bad.jsonl").write_bytes(Path("r.jsonl").read_bytes()[:-9])
    Path("bytes.jsonl").write_bytes(Path("r.jsonl").read_bytes() + b'{"prediction": "\xff"}\n')
    plain = write_table(
        "plain.csv", [{**row, "prediction": row["prediction"].replace("\n", " ")} for row in rows], ","
    )
    Path("open.csv").write_bytes(
        Path(plain).read_bytes()[: Path(plain).read_bytes().rindex(b"s59")] + b'"s59,never closed\n'
    )
    Path("short.csv").write_bytes(
        Path(plain).read_bytes()[: Path(plain).read_bytes().rindex(b"s59")] + b"s59\n"
    )
    Path("both.tsv").write_text("prediction\n" + "a b\n" * 40 + '"c, d"\n', encoding="utf-8")
    write_jsonl("no_weight.jsonl", [{**row, "weight": 0} for row in rows])
    write_jsonl("negative.jsonl", [{**row, "weight": 40 - i} for i, row in enumerate(rows)])
    Path("not.parquet").write_bytes(b"PAR1 not")
    Path("empty.jsonl").write_bytes(b"\n\n")
    Path("empty.tsv").write_bytes(b"")
    write_jsonl("all_gaps.jsonl", [{**row, "prediction": None} for row in rows])
    write_jsonl(
        "no_ids.jsonl", [{"system": row["system"], "prediction": row["prediction"]} for row in several]
    )
    error = refused("score", *arguments, "-m", "repetitiveness", "-o", "out", "--stream", "-q")
    assert mentions(error.replace("\n", " "), message)
    assert not Path("out").exists() and not Path("out.unfinished").exists()


def test_a_stored_corpus_keeps_ids_weights_documents_and_fields() -> None:
    write_all()
    found, _ = scored(["mixed.jsonl"], "out", "--stream")
    corpus = found.corpus
    assert isinstance(corpus.ids, StoredLines) and isinstance(corpus.documents, StoredLabels)
    assert corpus.ids[3] == "s3" and corpus.number("s42") == 42 and corpus.number("nobody") is None
    assert corpus.ids.index("s7") == 7
    with pytest.raises(ValueError, match="'x'"):
        corpus.ids.index("x")
    assert corpus.system_fields["rated"]["A"][5] == ("A", 5) and corpus.fields["domain"][:3] == [
        "news",
        "ted",
        None,
    ]
    news = found.where(domain="news")
    assert [str(segment) for segment in news.corpus.ids] == [f"s{i}" for i in range(0, COUNT, 3)]
    assert {str(value): len(part.corpus) for value, part in found.by("domain").items()} == {
        "news": 20,
        "ted": 20,
        "None": 20,
    }
    assert found.explain("bleu", "s5", system="A")
    frame = found.segments(frame="records", texts=True)
    assert (
        frame[5]["segment"] == "s5" and frame[5]["domain"] is None and frame[5]["prediction"].startswith("A ")
    )
    assert found.worst("bleu", 1)[0]["segment"] in corpus.ids


def test_fields_that_come_and_go_are_none_where_they_are_not() -> None:
    rows: list[dict[str, Any]] = [
        {"prediction": f"p {i}", **({"early": i} if i < 30 else {"late": {"deep": i}})} for i in range(COUNT)
    ]
    write_jsonl("r.jsonl", rows)
    found, _ = scored(["r.jsonl", "-m", "repetitiveness"], "out", "--stream")
    assert list(found.corpus.fields["early"]) == [*range(30), *[None] * 30]
    assert list(found.corpus.fields["late.deep"]) == [*[None] * 30, *range(30, COUNT)]


def test_a_field_that_differs_between_systems_from_some_segment_on_has_values_for_each() -> None:
    write_jsonl(
        "r.jsonl",
        [
            {"id": i, "system": name, "prediction": "p", "rated": i if i < 30 else f"{name}{i}"}
            for name in "AB"
            for i in range(COUNT)
        ],
    )
    found, _ = scored(["r.jsonl", "-m", "repetitiveness"], "out", "--stream")
    assert found.corpus.ids == range(COUNT) and not found.corpus.fields
    assert list(found.corpus.system_fields["rated"]["B"]) == [
        *range(30),
        *(f"B{i}" for i in range(30, COUNT)),
    ]
    assert sorted(path.name for path in Path("out").glob("fields*")) == [
        "fields-0-0.ends",
        "fields-0-0.jsonl",
        "fields-0-1.ends",
        "fields-0-1.jsonl",
    ]


def test_without_texts_those_in_fields_are_hashed_too() -> None:
    write_all()
    (whole, _), (pieces, _) = (
        scored(["mixed.jsonl"], "whole", "--no-texts"),
        scored(["mixed.jsonl"], "pieces", "--stream", "--no-texts"),
    )
    assert pieces.corpus.records() == whole.corpus.records()
    written = b"".join(path.read_bytes() for path in Path("pieces").glob("*.jsonl"))
    assert b"news" not in written and b"the" not in written and b"s3" in written


def test_files_with_other_options_are_not_taken_for_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    write_all()
    command = ["score", "r.jsonl", "-m", "bleu", "-o", "out", "--stream"]
    with monkeypatch.context() as patch:
        patch.setattr(Bleu, "statistics", _interrupted)
        assert run(*command).exit_code != 0
    assert "different source" in run(*command, "--resume", "--where", "domain=news").stderr
    assert run(*command, "--resume").exit_code == 0


def _interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


def test_a_pipe_of_records_is_read_as_it_comes_and_one_of_columns_in_quotes_whole() -> None:
    write_all()
    for name, size in (("r.jsonl", True), ("plain.tsv", False)):
        os.mkfifo(f"pipe-{name}")
        writer = threading.Thread(
            target=lambda name=name: Path(f"pipe-{name}").write_bytes(Path(name).read_bytes())
        )
        assert Inputs([f"pipe-{name}"]).possible() is size
        writer.start()
        if size:
            assert len(scored([f"pipe-{name}"], f"out-{name}", "--stream")[0].corpus) == COUNT
        else:
            assert len(Inputs([f"pipe-{name}"]).read()) == COUNT
        writer.join()


def test_a_dataset_that_is_read_as_it_goes_is_scored_from_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets")

    monkeypatch.setattr(record_module, "_BLOCK", 7)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    rows = [{name: value for name, value in row.items() if name != "weight"} for row in records()]
    dataset = datasets.Dataset.from_list(rows).to_iterable_dataset()
    found, expected = (
        nlgauge.score(dataset, metrics=["bleu", "cider"]),
        nlgauge.score(rows, metrics=["bleu", "cider"]),
    )
    assert is_stored(found.corpus) and found.corpus.records() == expected.corpus.records()
    assert found["bleu"] == pytest.approx(expected["bleu"], rel=1e-12)
    kept = nlgauge.score(dataset, metrics="bleu", output="out")
    assert nlgauge.load("out")["bleu"] == kept["bleu"] == found["bleu"]
    part = found.where(domain="news")
    (left,) = tmp_path.glob("nlgauge-*")
    del found
    gc.collect()
    assert not left.exists() and part.segments(frame="records", texts=True)[0]["segment"] == "s0"
    with pytest.raises(InputError, match="needs sources"):
        nlgauge.score(dataset.remove_columns("source"), metrics="coverage")
    assert not list(tmp_path.glob("nlgauge-*"))


ROWS = st.lists(
    st.lists(st.text(st.sampled_from('ab",\t\r\n ')), min_size=1, max_size=3), min_size=1, max_size=6
)


@given(rows=ROWS, cuts=st.lists(st.integers(0, 60)), newline=st.booleans())
def test_quoted_rows_are_the_same_however_the_text_is_cut(
    rows: list[list[str]], cuts: list[int], newline: bool
) -> None:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    text = stream.getvalue() if newline else stream.getvalue().removesuffix("\n")
    _assert_same_rows(text, cuts)


@given(text=st.text(st.sampled_from('ab",\r\n')), cuts=st.lists(st.integers(0, 30)))
def test_any_text_has_the_same_rows_or_the_same_mistake_however_it_is_cut(text: str, cuts: list[int]) -> None:
    _assert_same_rows(text, cuts)


def _assert_same_rows(text: str, cuts: list[int]) -> None:
    quoted = QuotedRows(",")
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    found = [row for start, stop in pairwise(bounds) for row in quoted.feed(text[start:stop], last=False)]
    found += quoted.feed("", last=True)
    try:
        expected = csv_rows(text, "here")
    except InputError as error:
        assert f"line {quoted.unclosed} is not CSV" in str(error)
        return
    assert quoted.unclosed is None and found == expected


@given(text=st.text(st.sampled_from('ab",\t\n1')), size=st.integers(1, 9))
def test_a_tsv_file_is_read_in_pieces_as_it_is_read_whole(text: str, size: int) -> None:
    Path("t.tsv").write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_BYTES", size)
        found: Any = _attempt(
            lambda: [
                row for rows in blocks._split(blocks.Address("t.tsv"), blocks.FileOptions()) for row in rows
            ]
        )
    assert found == _attempt(lambda: tsv_rows(text, "t.tsv"))


def _attempt(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except InputError as error:
        return str(error)


@pytest.mark.parametrize(("encoding", "mark"), [(None, b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")])
def test_a_byte_order_mark_is_no_part_of_the_first_line(encoding: str | None, mark: bytes) -> None:
    lines = "".join(f"line {i} with some words\n" for i in range(40)).encode(encoding or "utf-8")
    Path("marked.txt").write_bytes(mark + lines)
    Path("plain.txt").write_bytes(lines)
    for pair in (("marked.txt", "plain.txt"), ("plain.txt", "marked.txt")):
        pieces = list(Inputs([pair[0]], [pair[1]], encoding=encoding).pieces(Path("rows")))
        assert len(pieces) > 1
        for piece in pieces:
            assert piece.texts.strings == [text for text in piece.texts.strings if text.startswith("line")]


def test_an_error_in_a_later_block_of_a_parquet_file_names_its_row() -> None:
    parquet.write_table(
        pyarrow.table(
            {"prediction": [None if i == 11 else f"text {i}" for i in range(20)], "reference": ["x"] * 20}
        ),
        "r.parquet",
    )
    with pytest.raises(InputError, match=r"r\.parquet, row 12\b"):
        list(Inputs(["r.parquet"]).pieces(Path("rows")))


CHANGES: dict[str, Callable[[Path], Any]] = {
    "overwritten at its end": lambda path: path.write_bytes(path.read_bytes()[:-8] + b"CHANGED\n"),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"more\n"),
    "shorter": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "exchanged": lambda path: Path("p.new").write_bytes(b"other\n" * COUNT) and Path("p.new").replace(path),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        *(("p.txt", change) for change in CHANGES),
        *((name, "exchanged") for name in ("r.jsonl", "r.jsonl.gz", "plain.tsv:prediction", "r.parquet")),
    ],
)
def test_a_file_that_changes_while_it_is_read_is_an_error_and_no_result(
    name: str, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all()
    path = Path(name.partition(":")[0])
    monkeypatch.setattr(inputs, "LARGE", 0)
    begin = Inputs._read

    def changing(self: Inputs, *given: Any) -> Any:
        for number, piece in enumerate(begin(self, *given)):
            if not number:
                CHANGES[change](path)
            yield piece

    monkeypatch.setattr(Inputs, "_read", changing)
    words = [
        "score",
        "-m",
        "exact_match",
        *(["-r", "r.txt"] if "j" not in name and "parquet" not in name else []),
        name,
        "-o",
        "out",
    ]
    result = run(*words)
    assert result.exit_code == 2, result.stderr
    assert not Path("out").exists() and not Path("out.unfinished").exists()
    if path.suffix in (".txt", ".parquet"):
        assert str(path) in result.stderr


def test_a_copy_with_the_same_size_and_time_must_hold_what_was_read() -> None:
    for content, is_same in ((b"a line\n" * 100, True), (b"a lime\n" * 100, False)):
        Path("p.txt").write_bytes(b"a line\n" * 100)
        before = Path("p.txt").stat()
        pieces = Inputs(["p.txt"]).pieces(Path("rows"))
        next(pieces)
        Path("copy").write_bytes(content)
        os.utime("copy", ns=(before.st_atime_ns, before.st_mtime_ns))
        Path("copy").replace("p.txt")
        if is_same:
            assert sum(map(len, pieces)) > 0
        else:
            with pytest.raises(InputError, match=r"p\.txt.*changed"):
                list(pieces)


def test_a_file_overwritten_before_its_end_was_read_is_an_error() -> None:
    """What was read is then what the file holds now, but not what it held when the run began."""
    Path("p.txt").write_bytes(b"a line\n" * 300_000)
    pieces = Inputs(["p.txt"]).pieces(Path("rows"))
    next(pieces)
    with Path("p.txt").open("r+b") as stream:
        stream.seek(1_999_999)
        stream.write(b"CHANGED")
    os.utime("p.txt", ns=(1, 1))
    with pytest.raises(InputError, match="changed"):
        for _ in pieces:
            pass


def test_how_far_reading_is_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    write_all()
    said: list[tuple[str, int, int]] = []
    monkeypatch.setattr(watched, "report", lambda *given: said.append(given))
    monkeypatch.setattr(watched, "_MEGABYTE", 1)
    list(Inputs(["p.txt"], ["r.txt"]).pieces(Path("rows")))
    size = Path("p.txt").stat().st_size + Path("r.txt").stat().st_size
    assert said[-1] == ("reading (MB)", size, size)


def test_packed_files_are_large_by_what_they_unpack_to(monkeypatch: pytest.MonkeyPatch) -> None:
    zstandard = pytest.importorskip("zstandard")
    lines = b"the same line again\n" * 5000
    packed = {
        "gz": gzip.compress(lines),
        "bz2": bz2.compress(lines),
        "xz": lzma.compress(lines),
        "zst": zstandard.compress(lines),
    }
    monkeypatch.setattr(inputs, "LARGE", 50_000)
    for suffix, data in packed.items():
        assert len(data) < 5_000
        Path(f"p.txt.{suffix}").write_bytes(data)
        assert Inputs([f"p.txt.{suffix}"]).large()
    Path("small.txt.gz").write_bytes(gzip.compress(lines[:40_000]))
    assert not Inputs(["small.txt.gz"]).large()
    assert Inputs(["small.txt.gz"], ["small.txt.gz", "p.txt.xz"]).large()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_what_unpacks_to_more_than_the_memory_is_refused(
    suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("zstandard")
    pack = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": importlib.import_module("zstandard").compress,
    }[suffix]
    Path(f"p.txt{suffix}").write_bytes(pack(b"a line\n" * 300_000))
    monkeypatch.setattr(blocks, "memory", lambda: 1 << 20)
    with pytest.raises(InputError, match=r"memory.*parts"):
        Inputs([f"p.txt{suffix}"]).read()


def test_one_long_text_in_many_rows_of_a_parquet_file_is_refused_or_read_bit_by_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "_FEW_ROWS", 256)
    monkeypatch.setattr(tables, "_ROWS", 20_000)
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 3000, pyarrow.int32()), ["x" * 100_000])
    parquet.write_table(pyarrow.table({"prediction": column}), "bomb.parquet")
    assert Path("bomb.parquet").stat().st_size < 20_000
    with tables.parquet_file("bomb.parquet", "bomb.parquet") as file:
        assert max(table.nbytes for table in tables.parquet_tables(file)) < 60_000_000
    monkeypatch.setattr(blocks, "memory", lambda: 1 << 28)
    with pytest.raises(InputError, match="memory"):
        Inputs(["bomb.parquet"]).read()


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_LONGEST_LINE", 1000)
    Path("p.txt.gz").write_bytes(gzip.compress(b"first\n" + b"x" * 10_000))
    with pytest.raises(InputError, match=r"p\.txt\.gz, line 2.*1,000"):
        list(Inputs(["p.txt.gz"]).pieces(Path("rows")))


def test_a_quote_that_is_never_closed_does_not_hold_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.io import quoting

    monkeypatch.setattr(quoting, "_LONGEST", 50)
    quoted = QuotedRows("\t")
    assert quoted.feed('a\n"b' + "x" * 100, last=False)[0].fields == ["a"]
    assert quoted.unclosed == 2


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs /proc to see how much memory a process had"
)
def test_memory_does_not_grow_with_the_file() -> None:
    """Read whole, 70 MB of records would take 700 MB."""
    row = (
        json.dumps(
            {
                "prediction": "the cat sat on the mat " * 4,
                "reference": "the cat sat on a mat " * 4,
                "domain": "news",
            }
        )
        + "\n"
    )
    with Path("big.jsonl").open("w", encoding="utf-8") as stream:
        for i in range(70_000_000 // len(row)):
            stream.write(row.replace("news", f"n{i}"))
    # What the system calls the highest resident size of a child may be that of its parent, from which it was
    # split off.
    program = (
        "import atexit, sys; atexit.register(lambda: print(open('/proc/self/status').read())); from"
        " nlgauge.cli.commands import app; app(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, "score", "-m", "wer", "big.jsonl", "-o", "out", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split("VmHWM:")[1].split()[0]) < 300_000


def test_segment_scores_are_written_block_by_block() -> None:
    write_all()
    (whole, _), (pieces, _) = scored(["mixed.jsonl"], "whole"), scored(["mixed.jsonl"], "pieces", "--stream")
    for options in ({"texts": True}, {"wide": True}, {"wide": True, "texts": True}):
        one, other = (
            [list(row.items()) for row in found.segments(frame="records", **options)]
            for found in (pieces, whole)
        )
        assert json.dumps(one) == json.dumps(other)  # NaN is NaN
    scores = [(row["segment"], row["system"], row["bleu"]) for row in pieces.segments(frame="records")]
    assert scores == [(row["segment"], row["system"], row["bleu"]) for row in whole.segments("records")]
    for form in ("tsv", "jsonl", "parquet"):
        for name in ("whole", "pieces"):
            assert run("segments", name, "-o", f"{name}.{form}", "--texts").exit_code == 0
        if form != "parquet":
            assert Path(f"whole.{form}").read_bytes() == Path(f"pieces.{form}").read_bytes()
    assert parquet.read_table("whole.parquet").to_pylist() == parquet.read_table("pieces.parquet").to_pylist()
    worst = [
        (row["segment"], row["system"], row["bleu"], row["prediction"]) for row in pieces.worst("bleu", 5)
    ]
    assert worst == [
        (row["segment"], row["system"], row["bleu"], row["prediction"]) for row in whole.worst("bleu", 5)
    ]
    assert [row["segment"] for row in pieces.disagreements("bleu", "cider", 9)] == [
        row["segment"] for row in whole.disagreements("bleu", "cider", 9)
    ]


def test_columns_of_several_kinds_are_text_in_a_parquet_file_whatever_block_they_are_in() -> None:
    kinds: list[Any] = [*[None] * 20, *range(20), *["a"] * 20]
    write_jsonl(
        "r.jsonl",
        [
            {"prediction": "a b", "empty": None, "mixed": kind, "numbers": i if i > 20 else None}
            for i, kind in enumerate(kinds)
        ],
    )
    scored(["r.jsonl", "-m", "repetitiveness"], "out", "--stream")
    assert run("segments", "out", "-o", "s.parquet").exit_code == 0
    found = parquet.read_table("s.parquet").to_pydict()
    assert found["mixed"] == [None if kind is None else str(kind) for kind in kinds]
    assert found["numbers"] == [*[None] * 21, *range(21, 60)] and found["empty"] == [None] * 60


def write_something(path: str, data: bytes) -> Callable[[], Any]:
    return lambda: Path("out", path).write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            write_something("weights.f64", b"\xff" * 8 * COUNT),
            "weights.f64.*numbers",
        ),
        (write_something("weights.f64", b"\0" * 8), "weights.f64.*8.*480"),
        (
            write_something("documents.ids", b"\x09" * 8 * COUNT),
            "documents.ids.*texts",
        ),
        (write_something("ids.ends", b"\0" * 8 * COUNT), "ids.ends ends at 0"),
        (write_something("fields-0.ends", b"\0" * 8), "fields-0.ends.*8.*480"),
        (lambda: Path("out", "fields-0.jsonl").unlink(), "fields-0.jsonl is missing"),
    ],
)
def test_damaged_columns_are_refused(damage: Callable[[], Any], message: str) -> None:
    write_all()
    scored(["r.jsonl"], "out", "--stream")
    damage()
    with pytest.raises(ResultError, match=message):
        nlgauge.load("out")
