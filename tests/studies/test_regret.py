"""The study of the regret of `nlgauge choose`, on made-up translations."""

from __future__ import annotations

import gzip
import json
import math

import pytest

import nlgauge
from studies import regret
from studies.leaderboard.boards import Board, Scored
from studies.leaderboard.tables import Value

REFERENCES = ("der Hund schläft im Garten", "das Haus hat ein rotes Dach", "wir fahren morgen nach Berlin")


def written(path, group):
    """Write three systems of which each is worse than the one before, on three segments."""
    rows = [
        {
            "segment": f"{group}:{number}",
            "system": system,
            "prediction": text,
            "references": [reference],
            "human": {"esa": score},
            "meta": {"lp": group},
        }
        for number, reference in enumerate(REFERENCES)
        for system, text, score in (
            ("good", reference, 90),
            ("fair", reference[:-4], 60),
            ("bad", reference[9:15], 10),
        )
    ]
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def test_the_table_has_the_regret_of_each_language_pair(monkeypatch, tmp_path):
    board = Board("translation", "esa", {"input": "kendall"}, {}, year=2024)
    speech = Board("speech", "esa", {"input": "kendall"}, {}, year=2024)
    monkeypatch.setattr(regret, "HELD_OUT", {"made": board, "spoken": speech})
    monkeypatch.setattr(regret, "METRICS", {"chrf": Scored(), "eed": Scored(), "exact_match": Scored()})
    monkeypatch.setattr(regret, "has_weights", lambda _: False)
    written(tmp_path / "made.jsonl.gz", "en-de")
    written(tmp_path / "spoken.jsonl.gz", "en-fr")
    lines = regret.report(tmp_path).splitlines()
    assert lines[2].startswith("| made en-de, 9 texts | `eed` | 1.000 [")
    assert "| 0.000 | 0.000 | n/a | n/a |" in lines[2]
    assert lines[3].startswith("| spoken en-fr, 9 texts | refused |")
    assert lines[-1] == "1 of 2 questions answered; mean regret 0.000, largest 0.000."


def test_regret_is_the_distance_to_the_best():
    values = {"chrf": Value(0.3), "eed": Value(0.2), "wip": Value(0.25)}
    trial = regret.Trial("made", 10, nlgauge.choose("translation", "de"), values)
    assert (trial.first, trial.best, trial.place("eed")) == ("eed", "chrf", "3 of 3")
    assert trial.regret("eed") == pytest.approx(0.1) and math.isnan(trial.regret("wer"))
