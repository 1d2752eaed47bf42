"""Tables of outcomes, and the page of the documentation."""

from __future__ import annotations

import msgspec

from nlgauge.verification.cases import cases
from nlgauge.verification.reports import accepted, report_of
from nlgauge.verification.running import Outcome, verify
from nlgauge.verification.tables import findings, how_to_get, page
from tools import verified


def test_the_page_is_up_to_date():
    text = verified.PAGE.read_text("utf-8")
    assert verified.written(text) == text, "run: python tools/verified.py"


def test_the_page_lists_every_case_and_escapes_names():
    case = cases()["comet-evaluate"]
    strange = msgspec.structs.replace(case, program="<b>|*x*`")
    outcome = Outcome(case, "equal", 0, 0.0, tuple(case.numbers), None, {"wmt22-comet-da": "a" * 64})
    text = page([strange], [report_of([outcome], "A | <b>Lab</b>")])
    assert "<b>" not in text
    assert "A \\| &lt;b&gt;Lab" in text
    assert "**equal**" in text
    assert text.startswith("1 case with 2 numbers: 1 equal.")
    whole = page(cases().values(), accepted())
    rows = [line for line in whole.splitlines() if line.startswith("| ") and not line.startswith("| weights")]
    assert len(rows) == len(cases())


def test_models_that_are_missing_have_a_command_and_a_size():
    assert how_to_get("bleurt-20") == "nlgauge models get bleurt-20 --hub (2.3 GB)"
    assert how_to_get("glove").startswith("nlgauge models get glove (")
    assert "about 3 GB" in how_to_get("prism")
    assert "size unknown" in how_to_get("albert/albert-base-v1")
    assert "nlgauge models convert" in how_to_get("bartscore-parabank")


def test_findings_have_a_row_per_case():
    case = cases()["bleurt-test-checkpoint"]
    (row,) = findings(verify([case])).rows
    assert (row["verdict"], row["note"], row["numbers"]) == ("not comparable", case.why, 2)
