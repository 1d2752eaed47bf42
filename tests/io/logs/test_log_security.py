"""Logs of attackers: nothing is written, executed or unpacked without a limit."""

from __future__ import annotations

import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from log_cases import inspect_header, inspect_sample, write_archive, write_eval, write_json

from nlgauge.errors import InputError
from nlgauge.io.logs import archives, read_logs
from nlgauge.io.logs.decoding import DEEPEST, check_depth

SAMPLE = "samples/a_epoch_1.json"


def changed(path: str, name: str, *, size: int | None = None, offset: int | None = None) -> str:
    """Change the entry of a member in the directory of an archive."""
    data = bytearray(Path(path).read_bytes())
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(name.encode()))
    if size is not None:
        data[entry + 24 : entry + 28] = struct.pack("<I", size)
    if offset is not None:
        data[entry + 42 : entry + 46] = struct.pack("<I", offset)
    Path(path).write_bytes(data)
    return path


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    header = {"header.json": inspect_header()}
    bomb = b'{"id":"' + b" " * 40_000_000
    path = write_archive(tmp_path / "a.eval", {**header, SAMPLE: bomb})
    monkeypatch.setattr(archives, "_RATIO", 500)  # deflate packs at most 1:1032
    monkeypatch.setattr(archives.Archive, "read", lambda *args: pytest.fail("unpacked"))
    with pytest.raises(InputError, match=r"a_epoch_1.json' would unpack from .* to 40,000,007 bytes"):
        read_logs(path)


def test_a_bomb_of_zstandard_is_refused(tmp_path: Path):
    zstandard = pytest.importorskip("zstandard")
    data = b" " * (1 << 26)
    packed = zstandard.compress(data)
    assert len(data) > archives._RATIO * len(packed)
    path = Path(write_archive(tmp_path / "a.eval", {SAMPLE: packed}, zipfile.ZIP_STORED))
    content = bytearray(path.read_bytes())
    for entry, method in ((content.index(b"PK\x03\x04"), 8), (content.index(b"PK\x01\x02"), 10)):
        content[entry + method : entry + method + 2] = struct.pack("<H", 93)
        content[entry + method + 6 : entry + method + 10] = struct.pack("<I", zlib.crc32(data))
        content[entry + method + 14 : entry + method + 18] = struct.pack("<I", len(data))
    path.write_bytes(content)
    with pytest.raises(InputError, match="the maximum is"):
        read_logs(str(path))


def test_a_member_larger_than_a_quarter_of_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write_eval(tmp_path / "a.eval", [inspect_sample("a", "C", filler="x" * 9000)])
    monkeypatch.setattr(archives, "memory", lambda: 20_000)
    with pytest.raises(InputError, match="the maximum is 5,000 bytes"):
        read_logs(path)


@pytest.mark.parametrize("size", [10, 1_000_000])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_directory_that_lies_about_sizes_is_refused(tmp_path: Path, size: int, method: int):
    path = write_eval(tmp_path / "a.eval", [inspect_sample("a", "C")], method=method)
    with pytest.raises(InputError, match="is damaged"):
        read_logs(changed(path, SAMPLE, size=size))


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_directory_that_lies_about_zstandard_is_refused(tmp_path: Path, size: int):
    pytest.importorskip("zstandard")
    from log_cases import sample_log

    name = "samples/q0_epoch_1.json"
    path = tmp_path / "a.eval"
    path.write_bytes(Path(sample_log("inspect/*Y4wy*.eval")).read_bytes())
    with pytest.raises(InputError, match="is damaged"):
        read_logs(changed(str(path), name, size=size))


def test_members_that_overlap_are_refused(tmp_path: Path):
    path = write_eval(tmp_path / "a.eval", [inspect_sample("a", "C"), inspect_sample("b", "C")])
    with zipfile.ZipFile(path) as archive:
        offset = archive.getinfo(SAMPLE).header_offset
    with pytest.raises(InputError, match="overlap"):
        read_logs(changed(path, "samples/b_epoch_1.json", offset=offset))


def test_changed_bytes_of_a_member_are_noticed(tmp_path: Path):
    path = Path(write_eval(tmp_path / "a.eval", [inspect_sample("a", "C")], method=zipfile.ZIP_STORED))
    path.write_bytes(path.read_bytes().replace(b'"value": "C"', b'"value": "I"'))
    with pytest.raises(InputError, match="is damaged"):
        read_logs(str(path))


def test_encrypted_and_unknown_members_are_refused(tmp_path: Path):
    path = write_eval(tmp_path / "a.eval", [inspect_sample("a", "C")], method=zipfile.ZIP_BZIP2)
    with pytest.raises(InputError, match="method 12, which is not supported"):
        read_logs(path)
    data = bytearray(Path(path).read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    Path(path).write_bytes(data)
    with pytest.raises(InputError, match="is encrypted"):
        read_logs(path)


def test_names_of_members_are_never_paths(tmp_path: Path):
    folder = tmp_path / "logs"
    folder.mkdir()
    evil = inspect_sample("../../evil", "C")
    path = write_archive(
        folder / "a.eval", {"header.json": inspect_header(), "samples/../../evil_epoch_1.json": evil}
    )
    before = sorted(tmp_path.rglob("*"))
    [log] = read_logs(path)
    assert log.rows[0].item == "../../evil"
    assert sorted(tmp_path.rglob("*")) == before


def test_nested_json_is_limited():
    def nested(depth: int) -> bytes:
        return b'{"a":' * (depth - 1) + b'["]]}}\\"{"]' + b"}" * (depth - 1)

    assert json.loads(nested(DEEPEST))
    check_depth(nested(DEEPEST), "a")
    with pytest.raises(InputError, match="nested 201 levels deep, more than the maximum of 200"):
        check_depth(nested(DEEPEST + 1), "a")
    # Brackets in texts, after escapes of all kinds, do not count.
    text = json.dumps(["\\", '"', "[" * 300, '\\"' + "{" * 300, "\n[[\t"]).encode()
    check_depth(text, "a")


@pytest.mark.parametrize("depth", [300, 100_000])
@pytest.mark.parametrize("form", ["archive", "document", "lines", "helm", "cut"])
def test_deep_json_is_refused_in_every_form(tmp_path: Path, form: str, depth: int):
    deep = "[" * depth + "]" * depth
    sample = f'{{"id": "a", "doc_id": 1, "resps": [], "filter": "none", "events": {deep}}}'
    if form == "archive":
        path = write_archive(tmp_path / "a.eval", {"header.json": inspect_header(), SAMPLE: sample})
    elif form == "helm":
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "per_instance_stats.json").write_text(deep, "utf-8")
        path = str(tmp_path / "run")
    else:
        text = {
            "document": f'{{"eval": {{}}, "samples": [{sample}]}}',
            "lines": f"{sample}\n{sample}\n",
            "cut": f'{{"eval": {{}}, "samples": [{sample}',
        }[form]
        (tmp_path / "a.json").write_text(text, "utf-8")
        path = str(tmp_path / "a.json")
    with pytest.raises(InputError, match=r"levels deep, more than the maximum of 200"):
        read_logs(path)


def test_nothing_of_a_log_is_executed(tmp_path: Path):
    text = "{{ 7 * 7 }} {% include '/etc/passwd' %} ${HOME} __import__('os').system('true')"
    sample = inspect_sample("a", text, input=text, metadata={"x": text})
    [log] = read_logs(write_eval(tmp_path / "a.eval", [sample]))
    row = log.rows[0]
    assert row.source == row.fields["x"] == row.scores["match"] == text
    imported = [name for name in sys.modules if name.startswith("nlgauge.io.logs.")]
    assert imported
    assert not any(hasattr(sys.modules[name], "pickle") for name in imported)


def test_files_of_other_kinds_are_refused(tmp_path: Path):
    for name, data in {
        "a.pkl": b"\x80\x04\x95",
        "b.json": b"[1, 2]",
        "c.json": b"{}",
        "d.eval": b"",
        "e": b"x",
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match="is not a log of a known tool") as error:
            read_logs(str(tmp_path / name))
        assert "--from" in error.value.for_cli()
        assert "tool" in str(error.value)
    with pytest.raises(InputError, match="is not JSON"):
        write = tmp_path / "f.json"
        write.write_text('{"a": 1} trailing, and more text after it', "utf-8")
        read_logs(str(write))
    with pytest.raises(InputError, match="is a directory and not a run of HELM"):
        read_logs(str(tmp_path))
    with pytest.raises(InputError, match="is not a log of a known tool"):
        read_logs(write_archive(tmp_path / "g.zip", {"word/document.xml": "<x/>"}))


def test_damage_in_the_middle_of_lines_is_an_error(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    line = '{"doc_id": 1, "resps": [], "filter": "none"}'
    path.write_text(f"{line}\n{line[:20]}\n{line}\n", "utf-8")
    with pytest.raises(InputError, match="line 2 is not JSON"):
        read_logs(str(path))


def test_a_compressed_file_that_was_cut_off_is_an_error(tmp_path: Path):
    import gzip

    data = gzip.compress(json.dumps({**inspect_header(), "samples": [inspect_sample("a", "C")]}).encode())
    (tmp_path / "a.json.gz").write_bytes(data[:-20])
    with pytest.raises(InputError, match="not a complete gzip file"):
        read_logs(str(tmp_path / "a.json.gz"))
    (tmp_path / "b.json.gz").write_bytes(data)
    assert read_logs(str(tmp_path / "b.json.gz"))[0].rows


def test_an_unknown_tool_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"unknown tool 'inspekt' \(did you mean 'inspect'\?\)"):
        read_logs(write_json(tmp_path / "a.json", {}), tool="inspekt")


def test_random_damage_is_never_another_error(tmp_path: Path):
    """Bytes of an archive and values of a document change; the log is read, or the error is an InputError."""
    import random

    generator = random.Random(7)
    archive = Path(
        write_eval(tmp_path / "a.eval", [inspect_sample(str(i), "C") for i in range(3)])
    ).read_bytes()
    document = json.dumps(
        {**inspect_header(), "samples": [inspect_sample("a", 0.5), inspect_sample("b", 1.0)]}
    )
    read = 0
    for number in range(300):
        data = bytearray(archive if number % 2 else document.encode())
        for _ in range(generator.choice((1, 5))):
            data[generator.randrange(len(data))] = generator.randrange(256)
        (tmp_path / "b").write_bytes(data)
        try:
            read += bool(read_logs(str(tmp_path / "b")))
        except InputError:
            continue
    assert 20 < read < 280
