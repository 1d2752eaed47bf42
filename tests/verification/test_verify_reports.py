"""Reports of other people are read with no trust."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from nlgauge.errors import InputError
from nlgauge.verification.cases import cases
from nlgauge.verification.reports import accepted, encoded, fingerprint, load, report_of
from nlgauge.verification.running import Outcome

CASE = cases()["comet-evaluate"]


def report(**changes: Any) -> dict[str, Any]:
    """A good report as plain data, with changes to its fields or to its entry."""
    outcome = Outcome(CASE, "equal", 0, 0.0, tuple(CASE.numbers), None, {"wmt22-comet-da": "a" * 64})
    plain = msgspec.json.decode(encoded(report_of([outcome], "Example Lab")))
    entry = plain["entries"][0]
    for name, value in changes.items():
        (entry if name in entry else plain)[name] = value
    return plain


def saved(folder: Path, content: Any) -> Path:
    file = folder / "report.json"
    file.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return file


def test_a_report_is_judged_again(tmp_path: Path):
    (outcome,) = load(saved(tmp_path, report())).outcomes()
    assert (outcome.case.id, outcome.word) == (CASE.id, "equal")
    numbers = [CASE.numbers[0], CASE.numbers[1] + 0.1]
    (outcome,) = load(saved(tmp_path, report(numbers=numbers))).outcomes()
    assert outcome.word == "different"
    (outcome,) = load(saved(tmp_path, report(numbers=[None, 0.9]))).outcomes()
    assert outcome.word == "different"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"by": "a\nb"}, "printable"),
        ({"by": ""}, "printable"),
        ({"by": "x" * 81}, "printable"),
        ({"by": "\u202eevil"}, "printable"),
        ({"date": "yesterday"}, "2026-11-19"),
        ({"format": 2}, "format 2"),
        ({"versions": {"torch": "<script>"}}, "version"),
        ({"versions": {"evil": "1"}}, "version"),
        ({"case": "unknown"}, "does not know"),
        ({"texts": "0" * 16}, "other texts"),
        ({"numbers": [0.1]}, "1 numbers"),
        ({"mode": 7}, "mode 7"),
        ({"weights": {"wmt22-comet-da": "short"}}, "sha256"),
        ({"weights": {"other": "a" * 64}}, "sha256"),
        ({"numbers": ["1", "2"]}, "not a report"),
        ({"verdict": "equal"}, "not a report"),
    ],
)
def test_fields_that_are_wrong_are_refused(tmp_path: Path, changes: dict[str, Any], words: str):
    with pytest.raises(InputError, match=words):
        load(saved(tmp_path, report(**changes)))


def test_other_files_are_refused(tmp_path: Path):
    with pytest.raises(InputError, match="not a file"):
        load(tmp_path / "none.json")
    with pytest.raises(InputError, match="not a report"):
        load(saved(tmp_path, b"\x80\x04pickle"))
    with pytest.raises(InputError, match="2,000,000 bytes"):
        load(saved(tmp_path, b" " * 2_000_001))
    twice = report()
    twice["entries"] *= 2
    with pytest.raises(InputError, match="twice"):
        load(saved(tmp_path, twice))


def test_the_hash_of_a_case_changes_with_what_decides_its_numbers():
    changed = msgspec.structs.replace(CASE, predictions=["other", *CASE.predictions[1:]])
    assert fingerprint(changed) != fingerprint(CASE)
    assert fingerprint(msgspec.structs.replace(CASE, note="other")) == fingerprint(CASE)


def test_accepted_reports_are_good_and_equal():
    outcomes = [outcome for one in accepted() for outcome in one.outcomes()]
    assert len(outcomes) >= 21
    assert {outcome.word for outcome in outcomes} == {"equal"}
