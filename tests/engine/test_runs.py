"""Steps of an alignment as runs."""

from __future__ import annotations

from nlgauge.kernels.edits.distances import runs


def test_neighbors_of_one_kind_become_one_run():
    steps = [
        ("equal", 0, 1, 0, 1),
        ("equal", 1, 2, 1, 2),
        ("delete", 2, 3, 2, 2),
        ("delete", 3, 4, 2, 2),
        ("equal", 4, 5, 2, 3),
    ]
    assert runs(steps) == [("equal", 0, 2, 0, 2), ("delete", 2, 4, 2, 2), ("equal", 4, 5, 2, 3)]
    assert runs([]) == []


def test_every_jump_stays_alone():
    steps = [("equal", 0, 1, 0, 1), ("jump", 1, 1, 1, 4), ("jump", 1, 1, 4, 2), ("equal", 1, 2, 2, 3)]
    assert runs(steps) == steps
