"""nlgauge benchmarks: list, info, import."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from nlgauge.cli.commands import app
from nlgauge.meta.benchmarks import names


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "kept"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "kept"


def test_list_names_all_and_says_what_is_here(folder):
    code, out, err = run("benchmarks", "list")
    assert code == 0
    lines = {
        line.split()[0]: line.split()[-1] for line in out.splitlines() if line and line.split()[0] in names()
    }
    assert list(lines) == names()
    assert [name for name, here in lines.items() if here == "yes"] == ["sample", "mlqe_sample"]
    assert str(folder) in err


def test_list_as_json():
    _, out, _ = run("benchmarks", "list", "--json")
    cards = json.loads(out)
    assert [card["name"] for card in cards] == names()
    assert all(card["license"] and card["source"] for card in cards)


def test_info_says_license_source_and_place(folder):
    code, out, _ = run("benchmarks", "info", "WMT17")
    assert code == 0
    assert "name: wmt17_da_seg" in out
    assert "license: WMT data may be used freely for research" in out
    assert f"installed: no (not in {folder}" in out
    assert "  da_z: adequacy" in out


def test_import_puts_a_benchmark_where_its_name_finds_it(tmp_path, folder):
    record = {
        "text": "long",
        "summary": "short",
        "map_quality_scores": {"Fluent": {"annotators_ids": [1, 2], "scores": [2, 4]}},
    }
    path = tmp_path / "DailyNews_300_aspects.json"
    path.write_text(json.dumps([record]), "utf-8")
    code, out, err = run("benchmarks", "import", str(path))
    assert (code, out.strip()) == (0, str(folder / "primer_dailynews300.jsonl.gz"))
    assert "primer_dailynews300: 1 text, 1 segment, 1 system; judged: fluent" in err
    assert "license: Copyright 2020 Primer AI" in err
    code, _, err = run("benchmarks", "import", str(path))
    assert code == 2
    assert "--overwrite" in err
    assert run("benchmarks", "import", str(path), "--overwrite")[0] == 0


def test_import_refuses_pickles(tmp_path, folder):
    (tmp_path / "abs.pkl").write_bytes(b"\x80\x04.")
    code, _, err = run("benchmarks", "import", str(tmp_path / "abs.pkl"))
    assert code == 2
    assert "pickle" in err
    assert not folder.exists()
