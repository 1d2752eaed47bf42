"""compare, report and serve with an older run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import enter, refused, run

import nlgauge


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)
    references = [f"the cat number {i} sat on the mat" for i in range(30)]
    for name, ending, systems, extra in (("old", "mat", "AB", 0), ("new", "rug", "AC", 1)):
        nlgauge.score(
            [
                {
                    "id": f"s{i + extra}",
                    "system": system,
                    "prediction": f"the cat number {i + extra} sat on the {ending}",
                    "references": [references[i + extra]],
                }
                for i in range(29)
                for system in systems
            ],
            metrics=["bleu", "chrf"],
        ).save(name)


def test_compare_prints_what_changed_and_the_tests() -> None:
    result = run("compare", "new", "--against", "old", "--json")
    assert result.exit_code == 0
    assert result.stdout.count('"A (old)"') >= 2
    assert json.loads(result.stdout)
    assert (
        "The new run is significantly worse on 2 (bleu, chrf) of 2 scores and better on none."
        in result.stderr
    )
    assert "28 of 29 segments are compared; 1 is new; 1 is missing." in result.stderr
    assert "Systems of the new run only: C" in result.stderr
    named = run("compare", "new", "--against", "old", "--pair", "C=B", "--pair", "A=A")
    assert "C against B is significantly worse" in named.stderr


def test_options_of_runs_are_checked() -> None:
    assert "add --against" in refused("compare", "new", "--pair", "A=B")
    assert "add --against" in refused("report", "new", "--pair", "A=B")
    assert "add --against" in refused("serve", "new", "--pair", "A=B")
    assert "omit --baseline" in refused("compare", "new", "--against", "old", "--baseline", "A")
    assert "NEW=OLD" in refused("compare", "new", "--against", "old", "--pair", "A")
    assert "the old run has no system 'x'" in refused("compare", "new", "--against", "old", "--pair", "A=x")


def test_a_report_of_two_runs_names_both_and_what_it_leaves_out() -> None:
    result = run("report", "new", "--against", "old", "-o", "r.html", "--resamples", "20")
    assert result.exit_code == 0
    assert "left out" not in result.stderr
    assert Path("r.html").stat().st_size > 100_000
    small = run("report", "new", "-o", "s.html", "--resamples", "20", "--max-size", "0")
    assert "left out to stay below 0 MB: the explanations of 29 segments" in small.stderr
