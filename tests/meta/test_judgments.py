"""Judgments from every kind of input, and what is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nlgauge
from nlgauge.errors import InputError, UnknownNameError
from nlgauge.features import RunOptions
from nlgauge.meta import Judgments

ROWS = [
    {
        "system": system,
        "segment": segment,
        "lp": "de",
        "adequacy": float(i + segment),
        "chrf": 0.1 * i,
        "ter": -0.5 * i,
        "w": segment + 1,
    }
    for i, system in enumerate(["A", "B", "C"])
    for segment in range(2)
]


@pytest.mark.parametrize(
    "make",
    [list, pd.DataFrame, pl.DataFrame, lambda rows: {name: [row[name] for row in rows] for name in rows[0]}],
)
def test_tidy_rows_of_every_kind(make) -> None:
    judged = Judgments.from_frame(
        make(ROWS), "adequacy", ["chrf", "ter"], weight="w", higher_is_better={"ter": False}
    )
    assert judged.systems == ("A", "B", "C")
    assert judged.segments == (0, 1)
    assert judged.human().tolist() == [[0, 1], [1, 2], [2, 3]]
    assert judged.oriented("ter").tolist() == [[0, 0], [0.5, 0.5], [1, 1]]
    assert judged.weights.tolist() == [1, 2]


def test_missing_rows_and_values_are_nan() -> None:
    rows = [dict(row) for row in ROWS[:-1]]
    rows[0]["chrf"], rows[1]["adequacy"] = None, "None"
    judged = Judgments.from_frame(rows, "adequacy", "chrf")
    assert np.isnan(judged.metrics["chrf"]).tolist() == [[True, False], [False, False], [False, True]]
    assert math.isnan(judged.human()[0, 1])
    common = judged.complete()
    assert common.segments == (0, 1)
    assert (
        np.isnan(common.human()).tolist()
        == np.isnan(common.metrics["chrf"]).tolist()
        == [[True, True], [False, False], [False, True]]
    )


def test_several_annotators() -> None:
    rows = [
        {**row, "who": who, "adequacy": row["adequacy"] + extra}
        for row in ROWS
        for who, extra in (("x", 0), ("y", 1))
    ]
    judged = Judgments.from_frame(rows, "adequacy", "chrf", annotator="who")
    assert judged.ratings["adequacy"].shape == (3, 2, 2)
    assert judged.human()[0].tolist() == [0.5, 1.5]
    lists = Judgments.from_frame([{**row, "adequacy": [1, None, 3]} for row in ROWS], "adequacy", "chrf")
    assert lists.human().tolist() == [[2, 2]] * 3
    with pytest.raises(InputError, match=r"'x'.*twice"):
        Judgments.from_frame([*rows, rows[0]], "adequacy", "chrf", annotator="who")
    rows[0]["chrf"] = 9.0
    with pytest.raises(InputError, match=r"scores.*output"):
        Judgments.from_frame(rows, "adequacy", "chrf", annotator="who")


def test_groups_keep_their_own_systems() -> None:
    other = [{**row, "lp": "fr", "system": row["system"] + "2"} for row in ROWS]
    judged = Judgments.from_frame([*ROWS, *other], "adequacy", "chrf", group="lp")
    assert judged.segments == (("de", 0), ("de", 1), ("fr", 0), ("fr", 1))
    parts = judged.by_group()
    assert parts["de"].systems == ("A", "B", "C")
    assert parts["fr"].systems == ("A2", "B2", "C2")
    assert parts["fr"].human().tolist() == parts["de"].human().tolist()
    empty = Judgments.from_arrays([[1, math.nan]], [[1, math.nan]], groups=["de", "fr"])
    assert empty.by_group()["fr"].systems == ("system1",)
    again = Judgments.joined(parts)
    assert again.groups == judged.groups
    np.testing.assert_array_equal(again.human("adequacy"), judged.human("adequacy"))


def test_arrays_with_annotators_and_bare_names() -> None:
    judged = Judgments.from_arrays(np.arange(12).reshape(2, 3, 2), np.ones((2, 3)))
    assert judged.systems == ("system1", "system2")
    assert judged.human("human").tolist() == [[0.5, 2.5, 4.5], [6.5, 8.5, 10.5]]
    assert judged.labels == ("metric",)
    assert judged.stacked().shape == (1, 2, 3)


def test_a_part_of_systems_metrics_and_humans() -> None:
    judged = Judgments.from_frame(ROWS, ["adequacy", "w"], ["chrf", "ter"], higher_is_better={"ter": False})
    part = judged.only(systems=["C", "A"], metrics=["ter"], human=["w"])
    assert part.systems == ("C", "A")
    assert part.labels == ("ter",)
    assert list(part.humans) == ["w"]
    assert part.oriented("ter").tolist() == [[1, 1], [0, 0]]


def test_from_pairs() -> None:
    pairs = [{"segment": 1, "better": "A", "worse": "B"}, {"segment": 2, "better": "B", "worse": "C"}]
    judged = Judgments.from_pairs(pairs, {"chrf": {"A": {1: 3}, "B": {1: 2, 2: 5}}})
    assert judged.pairs.tolist() == [[0, 0, 1], [1, 1, 2]]
    assert judged.only(systems=["C", "B"]).pairs.tolist() == [[1, 1, 0]]
    assert np.isnan(judged.metrics["chrf"][2]).all()
    joined = Judgments.joined({"x": judged, "y": judged})
    assert [len(part.pairs) for part in joined.by_group().values()] == [2, 2]
    assert joined.pairs.tolist() == [[0, 0, 1], [1, 1, 2], [2, 0, 1], [3, 1, 2]]


def result(**fields):
    corpus = nlgauge.Corpus.read(
        {"A": ["the cat sat"] * 3, "B": ["a dog", "the cat", "the"]},
        ["the cat sat"] * 3,
        ids=["s0", "s1", "s2"],
    )
    return nlgauge.Scorer(["bleu", "ter"]).score_corpus(replace(corpus, **fields), None, RunOptions())


def test_from_a_result_and_fields_of_its_records() -> None:
    own = {
        "adequacy": {"A": (5, 4, None), "B": (1, 2, 3)},
        "human.x": {"A": ((1, 2), (3, 4), (5, 6)), "B": ((1, 2),) * 3},
    }
    scored = result(system_fields=own, fields={"domain": ("news", "news", "ted")})
    judged = Judgments.from_result(scored, ["adequacy", "human"], group="domain")
    assert judged.humans["adequacy"][1].tolist() == [1, 2, 3]
    assert math.isnan(judged.humans["adequacy"][0, 2])
    assert judged.ratings["x"].shape == (2, 3, 2)
    assert judged.groups == ("news", "news", "ted")
    assert judged.higher_is_better == {"bleu": True, "ter": False}
    assert judged.oriented("ter")[0].tolist() == [0, 0, 0]
    assert (judged.oriented("ter")[1] < 0).all()
    assert not judged.system_scores
    whole = Judgments.from_result(scored, "adequacy", corpus_scores=True)
    assert whole.system_scores["bleu"][0] == scored["A"]["bleu"]["score"]
    assert len(Judgments.from_result(scored, "adequacy", outputs="all").labels) > 2
    with pytest.raises(InputError, match="no field 'fluency'"):
        Judgments.from_result(scored, "fluency")
    with pytest.raises(InputError, match="one value for all systems"):
        Judgments.from_result(scored, "domain")


def test_from_a_result_of_records_that_several_annotators_judged() -> None:
    records = [
        {
            "id": i,
            "system": system,
            "prediction": f"{system} sat {i}",
            "reference": "it sat",
            "adequacy": [i, i + extra, None if i else 5],
        }
        for system, extra in (("A", 1), ("B", 2))
        for i in range(3)
    ]
    judged = Judgments.from_result(nlgauge.score(records, metrics=["chrf"]), "adequacy")
    assert judged.human().tolist() == [[2, 1.5, 2.5], [7 / 3, 2, 3]]
    assert judged.ratings["adequacy"].shape == (2, 3, 3)


def test_from_a_result_and_a_file(tmp_path: Path) -> None:
    rows = [{"system": system, "segment": f"s{i}", "adequacy": i} for system in "AB" for i in range(3)]
    path = tmp_path / "human.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    table = tmp_path / "human.csv"
    table.write_text(
        "system,segment,adequacy\n"
        + "\n".join(f"{row['system']},{row['segment']},{row['adequacy']}" for row in rows)
    )
    for given in (path, str(path), table, rows, pd.DataFrame(rows)):
        assert Judgments.from_result(result(), given).human().tolist() == [[0, 1, 2]] * 2
    with pytest.raises(InputError, match="segments or systems s9"):
        Judgments.from_result(result(), [*rows, {"system": "A", "segment": "s9", "adequacy": 1}])


def test_from_the_layout_of_mt_metrics_eval(tmp_path: Path) -> None:
    (tmp_path / "human-scores").mkdir()
    (tmp_path / "metric-scores" / "en-de").mkdir(parents=True)
    (tmp_path / "human-scores" / "en-de.mqm.seg.score").write_text(
        "A\t1\nA\t2\nB\t3\nB\tNone\nref\tNone\nref\tNone\n"
    )
    (tmp_path / "metric-scores" / "en-de" / "chrF-refA.seg.score").write_text(
        "A\t.1\nA\t.2\nB\t.3\nB\t.4\nref\t1\nref\t1\n"
    )
    (tmp_path / "metric-scores" / "en-de" / "chrF-refA.sys.score").write_text("A\t.7\nB\t.8\n")
    judged = Judgments.from_mtme(tmp_path, "en-de", corpus_scores=True)
    assert judged.systems == ("A", "B")
    assert judged.human("mqm")[0].tolist() == [1, 2]
    assert judged.metrics["chrF-refA"].tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert judged.system_scores["chrF-refA"].tolist() == [0.7, 0.8]
    assert Judgments.from_mtme(tmp_path, ["en-de"]).groups == ("en-de", "en-de")
    with pytest.raises(InputError, match=r"human.*scores"):
        Judgments.from_mtme(tmp_path, "en-fr")
    with pytest.raises(InputError, match="human-scores"):
        Judgments.from_mtme(tmp_path / "none", "en-de")


def test_what_is_refused() -> None:
    good = np.ones((2, 3))
    with pytest.raises(InputError, match=r"shape \(2, 2\).*2 x 3"):
        Judgments.from_arrays(good, {"m": np.ones((2, 2))})
    with pytest.raises(InputError, match=r"systems.*'A'.*2"):
        Judgments.from_arrays(good, good, systems=["A", "A"])
    with pytest.raises(InputError, match="groups has 2 values"):
        Judgments.from_arrays(good, good, groups=[1, 2])
    with pytest.raises(InputError, match="weights must be"):
        Judgments.from_arrays(good, good, weights=[0, 0, 0])
    with pytest.raises(UnknownNameError, match=r"higher_is_better.*'ter'"):
        Judgments.from_arrays(good, good, higher_is_better={"ter": False})
    with pytest.raises(InputError, match=r"'adequcy'.*'adequacy'"):
        Judgments.from_frame(ROWS, "adequcy", "chrf")
    with pytest.raises(InputError, match=r"number.*'good'"):
        Judgments.from_frame([{**ROWS[0], "chrf": "good"}], "adequacy", "chrf")
    with pytest.raises(InputError, match="several rows"):
        Judgments.from_frame([*ROWS, ROWS[0]], "adequacy", "chrf")
    with pytest.raises(InputError, match="rows are needed"):
        Judgments.from_frame([], "adequacy", "chrf")
    with pytest.raises(UnknownNameError, match="metric 'bleo'"):
        Judgments.from_arrays(good, {"bleu": good}).oriented("bleo")
    with pytest.raises(InputError, match="human dimension"):
        Judgments.from_arrays({"a": good, "b": good}, good).human()
    with pytest.raises(UnknownNameError, match="human dimension 'c'"):
        Judgments.from_arrays({"a": good, "b": good}, good).human("c")
    with pytest.raises(InputError, match="not a file of columns"):
        Judgments.from_frame("x.txt", "a", "b")


def test_infinite_scores_are_missing_and_that_is_said() -> None:
    with pytest.warns(UserWarning, match=r"\['ppl'\].*1"):
        judged = Judgments.from_arrays([[1, 2]], {"ppl": [[math.inf, 3]]})
    assert math.isnan(judged.metrics["ppl"][0, 0])
