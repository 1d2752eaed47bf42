"""What an analysis found: rows, frames, tables and files."""

from __future__ import annotations

import importlib.util
import math

import pytest

from nlgauge.errors import InputError, UnknownNameError
from nlgauge.meta import Findings
from nlgauge.meta.findings import made

ROWS = [
    {"metric": "a|b<i>", "value": 0.123456, "n": 3, "low": math.nan, "holds": True, "parts": ("x", "y")},
    {"metric": "chrf", "value": -1.0, "n": 4, "low": None, "holds": False, "parts": ()},
]


def test_rows_columns_and_choices() -> None:
    found = Findings(ROWS, {"seed": 3})
    assert len(found) == 2
    assert list(found) == ROWS
    assert found[1]["metric"] == "chrf"
    assert found.column("n") == [3, 4]
    assert found.where(metric="chrf", n=[3, 4]).column("value") == [-1.0]
    assert found.where(metric="chrf").made == {"seed": 3}
    assert len(found.where(metric="none").where(n=3)) == 0
    with pytest.raises(UnknownNameError, match=r"'valeu'.*'value'"):
        found.column("valeu")


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")
def test_a_pandas_frame_carries_how_it_was_made() -> None:
    frame = Findings(ROWS, {"seed": 3}).frame("pandas")
    assert frame.attrs == {"seed": 3}
    assert frame["value"].tolist() == [0.123456, -1.0]


def test_media_escape_what_they_show() -> None:
    found = Findings(ROWS, {"seed": 3, "rule": "midp"}, "A title")
    assert r"a\|b&lt;i&gt;" in found.to_markdown()
    assert "seed: 3, rule: midp" in found.to_markdown()
    assert "<i>" not in found._repr_html_()
    assert "0.1235" in found.to_latex()
    assert found.to_csv().splitlines()[1] == 'a|b<i>,0.123456,3,,True,"[""x"",""y""]"'
    text = found.to_text()
    assert "n/a" in text
    assert "yes" in text
    assert "x, y" in text
    assert "0.1235" in repr(found)


def test_p_values_are_never_shown_as_nothing() -> None:
    found = Findings(
        [{"p": 2e-9, "p_adjusted": 0.00094, "value": 2e-9, "own": 1e-7}], p_values=("p", "p_adjusted", "own")
    )
    assert found.to_text().split()[-4:] == ["<.0001", "0.0009", "0.0000", "<.0001"]
    assert [cell.text for cell in found._page(3).sheets()[0].rows[0]] == ["<.001", "<.001", "0.000", "<.001"]
    assert "2e-09" in found.to_csv()
    assert "&lt;.0001" in found._repr_html_()


def test_how_it_was_made_names_versions_and_leaves_out_what_was_not_given() -> None:
    found = made(seed=1, rule=None)
    assert found["seed"] == 1
    assert "rule" not in found
    assert "numpy " in found["versions"]


def test_a_console_shows_what_says_something() -> None:
    rows = [
        {"metric": name, "level": "system", "value": 0.5, "p": math.nan, "note": "", "n_undefined": 0}
        for name in ("a", "b")
    ]
    shown = str(Findings(rows, {}, "Agreement")).splitlines()
    assert shown[0] == "Agreement: level system"
    assert shown[1].split() == ["metric", "value"]
    one = str(Findings(rows[:1], {}, "Agreement")).splitlines()
    assert one[1].split() == ["metric", "level", "value"]
    counted = [{**row, "n_undefined": i, "wins": 0} for i, row in enumerate(rows)]
    assert str(Findings(counted)).splitlines()[1].split() == ["metric", "value", "n_undefined", "wins"]
    assert "note" in Findings(rows).to_text(), "files have every column"


def test_rows_without_a_plot_say_so() -> None:
    with pytest.raises(InputError, match="no plot"):
        Findings(ROWS).plot()
