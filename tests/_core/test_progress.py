"""The progress bar: it counts segments, also while they are read."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge._core import progress
from nlgauge.corpus import Corpus
from nlgauge.engine import engine
from nlgauge.engine.run_options import run_options
from nlgauge.io import Inputs
from nlgauge.results.storage import resume as to_disk
from nlgauge.scoring import Scorer


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int | None]]:
    calls: list[tuple[str, int, int | None]] = []
    for module in (engine, to_disk):
        monkeypatch.setattr(module, "report", lambda *call: calls.append(call))
    return calls


def test_segments_are_counted_not_chunks(reports, monkeypatch):
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: np.array_split(np.arange(len(self)), 3))
    nlgauge.score(["a b"] * 10, ["a c"] * 10, metrics="wer", executor="serial")
    assert reports == [("scoring segments", 4, 10), ("scoring segments", 7, 10), ("scoring segments", 10, 10)]


def test_segments_are_counted_while_they_are_read(reports, tmp_path):
    for name in ("a", "r"):
        (tmp_path / f"{name}.txt").write_text("a b\n" * 5)
    files = Inputs([str(tmp_path / "a.txt")], [str(tmp_path / "r.txt")])
    Scorer("wer", output=tmp_path / "out").score_pieces(files.pieces, files.origin(), None, run_options())
    assert reports == [("reading segments", 5, None), ("scoring segments", 5, 5)]


def test_the_bar_shows_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.progress(True):
        progress.report("reading segments", 12000, None)
        progress.report("scoring segments", 1500, 12000)
    shown = capsys.readouterr().err
    assert "12,000 " in shown
    assert "1,500/12,000" in shown
