"""The printed numbers: all files load, and relations that must hold inside them do."""

from __future__ import annotations

import pytest

from nlgauge import reproduce
from nlgauge.errors import UnknownNameError
from nlgauge.reproduce.printed_tables import names


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


def test_the_first_rows_of_shannons_tables_agree() -> None:
    first = reproduce.printed("shannon-table-1")
    fifth = reproduce.printed("shannon-table-5")
    assert first.values[0] == fifth.values[0]


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


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(UnknownNameError, match="shannon-table-1"):
        reproduce.printed("shannon-table-11")
    with pytest.raises(UnknownNameError, match="rouge-1"):
        reproduce.printed("shannon-table-1").value("rouge1", "coherence")
