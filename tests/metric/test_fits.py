"""Fits that come from files: whatever a stranger wrote there is refused when the result is loaded, and
never reaches a kernel.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import InputError, ResultError
from nlgauge.estimators import idf
from nlgauge.metric import Stored
from nlgauge.metric.fits import check_fit
from nlgauge.metrics.bertscore import BertScore

PREDICTIONS = {"A": ["the cat sat on the mat", "a dog ran", "x y z w"], "B": ["the cat", "a dog ran off", ""]}
REFERENCES = ["the cat sat on a mat", "the dog ran off", "x y z v w"]
LABELS = ("cider", "nist")

Arrays = dict[str, Array]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return nlgauge.score(PREDICTIONS, REFERENCES, metrics=list(LABELS)).save(
        tmp_path_factory.mktemp("saved") / "out"
    )


@pytest.fixture
def place(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "out"))


def changed(name: str, change: Callable[[Array], Array]) -> Callable[[Arrays], None]:
    """Damage of the arrays whose names begin so, of both metrics."""

    def damage(arrays: Arrays) -> None:
        for key in [key for key in arrays if key.partition("/")[2].startswith(name)]:
            arrays[key] = change(arrays[key])

    return damage


def without(name: str) -> Callable[[Arrays], None]:
    def damage(arrays: Arrays) -> None:
        for key in [key for key in arrays if key.partition("/")[2] == name]:
            del arrays[key]

    return damage


DAMAGES: dict[str, tuple[Callable[[Arrays], None], str]] = {
    "more keys than values": (
        changed("keys1", lambda keys: np.concatenate([keys, keys[-1:] + np.arange(1, 4, dtype=np.uint64)])),
        "lengths must be",
    ),
    "fewer values than keys": (changed("weights2", lambda weights: weights[:1]), "lengths must be"),
    "no values": (changed("information1", lambda values: values[:0]), "lengths must be"),
    "values in two dimensions": (
        changed("weights1", lambda values: values[:, None]),
        "1 dimension of floating-point numbers, got 2 of float64",
    ),
    "keys in two dimensions": (changed("keys1", lambda keys: keys[:, None]), "got 2 of uint64"),
    "keys that are missing": (without("keys2"), "the array 'keys2' .* is missing"),
    "a constant that is missing": (without("unseen"), "the array 'unseen' .* is missing"),
    "an empty constant": (changed("unseen", lambda values: values[:0]), "lengths must be 1"),
    "keys that fall": (changed("keys1", lambda keys: keys[::-1]), "ascending order"),
    "keys twice": (
        changed("keys1", lambda keys: np.where(np.arange(len(keys)) == 1, keys[0], keys)),
        "ascending order",
    ),
    "keys with fractions": (
        changed("keys1", lambda keys: keys.astype(np.float64)),
        "1 dimension of whole numbers, got 1 of float64",
    ),
    "values that are not numbers": (changed("weights1", lambda values: values * np.nan), "not finite"),
    "infinite values": (changed("information2", lambda values: values + np.inf), "not finite"),
    "whole values": (changed("weights1", lambda values: values.astype(np.int64)), "got 1 of int64"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_fit_is_refused_when_the_result_is_loaded(damage, message, place):
    with np.load(place / "fits.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    damage(arrays)
    with (place / "fits.npz").open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    with pytest.raises(ResultError, match=f"is damaged: .*{message}"):
        nlgauge.load(place)


def test_an_undamaged_fit_explains_as_before(place):
    result = nlgauge.load(place)
    for label in LABELS:
        assert result.explain(label, result.corpus.ids[0], "A")


CORPUS = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer").corpus
FREQUENCIES = idf.inverse([idf.document_frequencies(Ragged.of([[1, 2], [2, 5]]))])


def test_inverse_document_frequencies_are_checked():
    metric = BertScore(model="tiny", layer=1, idf=True)
    check_fit("bertscore", metric, "", FREQUENCIES, CORPUS)
    with pytest.raises(InputError, match="lengths must be 3"):
        check_fit("bertscore", metric, "", {**FREQUENCIES, "weights": np.ones(2)}, CORPUS)
    with pytest.raises(InputError, match=r"'ids' .* is missing"):
        check_fit("bertscore", metric, "", {}, CORPUS)


def test_a_fit_of_a_system_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"system.*'ghost'"):
        check_fit("bertscore", BertScore(model="tiny", layer=1, idf=True), "ghost", FREQUENCIES, CORPUS)


def test_rows_of_a_system_must_be_as_many_as_its_predictions(monkeypatch: pytest.MonkeyPatch):
    metric = BertScore(model="tiny", layer=1, idf=True)
    monkeypatch.setattr(
        type(metric.fit()), "layout", lambda fit, rows: {"values": Stored("any", (rows, "seeds"))}
    )
    check_fit("bertscore", metric, "A", {"values": np.zeros((3, 7))}, CORPUS)
    with pytest.raises(InputError, match=r"\(2, 7\).*3"):
        check_fit("bertscore", metric, "A", {"values": np.zeros((2, 7))}, CORPUS)
