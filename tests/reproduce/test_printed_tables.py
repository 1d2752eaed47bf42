"""The printed numbers: all files load, and relations that must hold inside them do."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import reproduce
from nlgauge.errors import UnknownNameError
from nlgauge.reproduce.planning import document
from nlgauge.reproduce.printed_tables import names

KEPT = Path(__file__).resolve().parents[2] / "docs" / "results" / "reproduce"


@pytest.mark.parametrize("name", names())
def test_every_table_is_rectangular(name: str) -> None:
    table = reproduce.printed(name)
    assert table.id == name
    assert name.startswith(f"{table.document}-")
    assert len(table.names) == len(set(table.names)) == len(table.values)
    assert {len(row) for row in table.values} == {len(table.columns)}
    assert len(table.findings()) == len(table.rows)


def test_there_are_24() -> None:
    assert len(names()) == 24
    assert len(names("thesis")) == 9


def test_every_printed_table_is_in_one_document() -> None:
    shown = [name for each in reproduce.documents() for name in document(each).tables]
    assert sorted(shown) == names()


@pytest.mark.parametrize("name", reproduce.documents())
def test_every_printed_number_is_shown_or_its_absence_explained(name: str) -> None:
    """A kept page has each number of each table, in a cell with a verdict or in a row."""
    found = reproduce.Reproduction.load(KEPT / name)
    shown = {table.id: table for table in found.tables}
    for wanted in document(name).tables:
        table, printed = shown[wanted], reproduce.printed(wanted)
        numbers = [
            (row, column, printed.value(row, column))
            for row in printed.names
            for column in printed.columns
            if isinstance(printed.value(row, column), int | float)
        ]
        if table.cells:
            cells = {(cell.row, cell.column): cell for cell in table.cells}
            for row, column, value in numbers:
                assert cells[row, column].printed == value, (wanted, row, column)
            assert all(cell.why or cell.value is not None for cell in table.cells), wanted
            assert all(cell.why for cell in table.cells if cell.verdict in ("differs", "not computed"))
        else:
            texts = [str(value) for row in table.rows for value in row.values()]
            for row, column, value in numbers:
                assert str(value) in texts, (wanted, row, column)


def test_the_first_rows_of_shannons_tables_agree() -> None:
    first = reproduce.printed("shannon-table-1")
    fourth, fifth = reproduce.printed("shannon-table-4"), reproduce.printed("shannon-table-5")
    for row, name in enumerate(("Shannon Score", "Information Difference")):
        for column, value in zip(first.columns, first.values[row], strict=True):
            assert value == fourth.value(f"{name}, GPT-2 S", column) == fifth.value(f"{name}, 0", column)


def test_shared_cells_of_cosmics_tables_agree() -> None:
    first, fourth = reproduce.printed("cosmic-table-1"), reproduce.printed("cosmic-table-4")
    shared = {
        "GPT detector": "GPT detector",
        "Emotion": "Emotion classification",
        "Sentiment": "Sentiment analysis",
    }
    shared |= {"Policy": "Policy classification", "Paraphrase embedding": "Emb. Paraphrase"}
    compared = 0
    for column, row in shared.items():
        for metric in first.names:
            here, there = first.value(metric, column), fourth.value(row, metric)
            if here is not None and there is not None:
                assert here == there, (metric, column)
                compared += 1
    assert compared == 16


@pytest.mark.parametrize("name", ["shannon-table-1", "shannon-table-4", "shannon-table-5"])
def test_kendall_of_17_systems_is_possible(name: str) -> None:
    """Without ties tau-b is a multiple of 2/136; fluency has one tie among people."""
    table = reproduce.printed(name)
    for row in table.values:
        for column, value in zip(table.columns, row, strict=True):
            if value is not None:
                scale = 136 / 2 if column != "fluency" else (136 * 135) ** 0.5 / 2
                offset = 0 if column != "fluency" else 0.5
                assert abs((value * scale - offset) - round(value * scale - offset)) < 0.01, (column, value)


HUMAN = {"Correct": "correctness", "DataC": "datacoverage", "Fluency": "fluency"} | {
    "Relev": "relevance",
    "TextS": "textstructure",
}


def test_misprints_of_infolm_are_the_impossible_cells() -> None:
    """All cells are impossible or contradict a cell with the same meaning if and only if they are listed."""
    table = reproduce.printed("infolm-table-2")
    listed = {(each.row, each.column): each for each in table.misprints}
    assert len(listed) == len(table.misprints) == 18
    # Kendall of 16 systems without ties in tenths of a point, rounded or cut.
    possible = {near(1000 - swaps * 50 / 3) for swaps in range(121) for near in (round, int)}
    expected = {
        (row, column)
        for row in table.names
        for column in table.columns
        if column.endswith("kendall") and round(10 * table.value(row, column)) not in possible
    }
    assert len(expected) == 8
    for row in table.names:
        for human in HUMAN.values():
            # Daniels: |3 n tau - 2 (n + 1) rho| <= n - 2 without ties; printed numbers are up to .001 off.
            tau, rho = (table.value(row, f"{human} {name}") / 100 for name in ("kendall", "spearman"))
            if abs(3 * 16 * tau - 2 * 17 * rho) > 14 + 0.1:
                expected.add((row, f"{human} spearman"))
    assert expected - {cell for cell in expected if cell[1].endswith("kendall")} == {
        ("D_beta", "correctness spearman"),
        ("L_1", "correctness spearman"),
    }
    for one, other in [(one, other) for one in HUMAN for other in HUMAN if one < other]:
        for name in ("pearson", "spearman", "kendall"):
            upper = (one, f"{HUMAN[other]} {name}")
            lower = (other, f"{HUMAN[one]} {name}")
            if table.value(*upper) != table.value(*lower):
                assert one == "Correct"
                assert listed[lower].corrected == table.value(*upper)
                expected.add(lower)
    assert set(listed) == expected


@pytest.mark.parametrize("name", [name for name in names() if name != "infolm-table-2"])
def test_other_tables_do_not_contradict_themselves(name: str) -> None:
    """The mirrored cells of a table are equal, and so are the cells of a metric with itself."""
    table = reproduce.printed(name)
    assert table.misprints == []
    both = [each for each in table.names if each in table.columns]
    for one in both:
        assert table.value(one, one) in (None, 1)
        for other in both:
            values = {table.value(one, other), table.value(other, one)} - {None}
            assert len(values) <= 1, (one, other)


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(UnknownNameError, match="shannon-table-1"):
        reproduce.printed("shannon-table-11")
    with pytest.raises(UnknownNameError, match="rouge-1"):
        reproduce.printed("shannon-table-1").value("rouge1", "coherence")
