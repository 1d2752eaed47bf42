"""Result: a mapping by label or by system, frames, reasons, explanations, and messages that name what is
there.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping

import pandas
import polars
import pytest
from messages import mentions

import nlgauge
from nlgauge.errors import ParameterError, UnknownMetricError
from nlgauge.metrics.bleu import Bleu

ONE = (["the cat", "a dog ran"], ["the cat", "a dog sat"])
TWO = ({"A": ["the cat", "a dog ran"], "B": ["cat", "a dog sat"]}, ["the cat", "a dog sat"])


def test_one_system_is_a_mapping_from_labels():
    result = nlgauge.score(*ONE, metrics=["wer", "rouge"])
    assert isinstance(result, Mapping)
    assert list(result) == ["wer", "rouge"]
    assert len(result) == 2
    assert "wer" in result
    assert "bleu" not in result
    assert (
        dict(result)["wer"]
        == result["wer"]
        == {"score": 0.2, "wer": 0.2, "substitutions": 1, "deletions": 0, "insertions": 0, "hits": 4}
    )
    assert next(iter(result["rouge"])) == "score"
    assert result["rouge"]["score"] == result["rouge"]["rougeL"]
    assert result["system"]["wer"] == result["wer"]
    assert all(type(value) is float for value in result["rouge"].values())


def test_several_systems_are_a_mapping_from_systems():
    result = nlgauge.score(*TWO, metrics=["wer", "chrf"])
    assert list(result) == ["A", "B"] == list(result.systems)
    assert result["B"]["wer"]["score"] == 0.2
    with pytest.raises(KeyError, match=r"\(A, B\).*\[system\]\['wer'\]"):
        result["wer"]
    with pytest.raises(KeyError, match="several systems"):
        result["chrf(char_order=6)"]
    with pytest.raises(KeyError, match=r"system 'C'.*A, B"):
        result["C"]
    assert result.get("wer") is None


def test_one_named_system_reads_either_way():
    result = nlgauge.score({"A": ONE[0]}, ONE[1], metrics="wer")
    assert result["wer"]["score"] == result["A"]["wer"]["score"] == 0.2


def test_bare_names_and_aliases_where_unique():
    result = nlgauge.score(*ONE, metrics=["chrf(word_order=2)", "bleu", "wer(lowercase=True)"])
    assert list(result) == ["chrf(word_order=2)", "bleu", "wer(lowercase=True)"]
    assert (
        result["chrf"]
        == result["chrf++"]
        == result["chrf(char_order=6, word_order=2)"]
        == result["chrf(word_order=2)"]
    )
    assert result["sacrebleu"] == result["bleu"]
    both = nlgauge.score(*ONE, metrics=["chrf(word_order=2)", "chrf(beta=3)"])
    with pytest.raises(KeyError, match=r"'chrf'.*'chrf\(word_order=2\)' or 'chrf\(beta=3\)'"):
        both["chrf"]
    with pytest.raises(KeyError, match=r"'bluu'.*'bleu'"):
        result["bluu"]
    with pytest.raises(KeyError, match=r"metric.*'rouge'"):
        result["rouge"]


def test_the_plain_one_wins_over_its_variants():
    result = nlgauge.score(*ONE, metrics=["chrf", "chrf(word_order=2)"])
    assert result["chrf"] == nlgauge.score(*ONE, metrics="chrf")["chrf"]


def test_labels_from_resulting_names():
    spec = {"path": "bleu", "resulting_name": "bleu_1", "task": None, "compute_kwargs": {"max_order": 1}}
    result = nlgauge.score(*ONE, metrics=[spec, "bleu", {"path": "rouge", "use_stemmer": True}])
    assert list(result) == ["bleu_1", "bleu", "rouge(stem=True)"]
    assert result["bleu_1"] == nlgauge.score(*ONE, metrics=Bleu(max_order=1))["bleu"]
    assert "bleu_1" not in result.signatures["bleu_1"]


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["bleu", "sacrebleu"], "'bleu' ... NAME=bleu"),
        (["bleu", {"path": "wer", "resulting_name": "bleu"}], "metrics ... 'bleu'"),
        ([], "metrics"),
        ([3], "Metric ... 'path' ... 3"),
        ([{"name": "bleu"}], "Metric ... 'path'"),
        (["chrf(nothing=1)"], "chrf ... 'nothing'"),
        (
            [{"path": "bleu", "compute_kwargs": {"max_oder": 1}}],
            "bleu ... 'max_oder' ... 'max_order'",
        ),
    ],
)
def test_metrics_that_cannot_be_had(metrics, message):
    with pytest.raises(ParameterError) as caught:
        nlgauge.score(*ONE, metrics=metrics)
    assert mentions(str(caught.value), message)


def test_an_unknown_metric_is_an_error_before_scoring():
    with pytest.raises(UnknownMetricError, match="did you mean 'rouge'"):
        nlgauge.Scorer(["rogue"])


@pytest.mark.parametrize(
    ("name", "value"), [("seed", -1), ("seed", 1.5), ("seed", True), ("batch_size", 0), ("batch_size", "8")]
)
def test_run_options_outside_their_domain(name, value):
    with pytest.raises(ParameterError, match=f"{name}.*number"):
        nlgauge.score(*ONE, metrics="wer", **{name: value})


def test_the_default_metrics_and_a_reusable_scorer():
    assert list(nlgauge.score(*ONE)) == ["bleu", "chrf", "rouge"]
    scorer = nlgauge.Scorer(["wer", "chrf"])
    assert scorer(*ONE)["wer"] == nlgauge.score(*ONE, metrics="wer")["wer"]
    assert list(scorer(*TWO)) == ["A", "B"]


def test_segments_in_every_frame():
    result = nlgauge.score(*TWO, ids=["s1", "s2"], metrics=["wer", "exact_match", "distinct"])
    records = result.segments("records")
    columns = [
        "segment",
        "system",
        "wer",
        "wer.substitutions",
        "wer.deletions",
        "wer.insertions",
        "wer.hits",
        "exact_match",
    ]
    assert [list(record) for record in records] == [columns] * 4
    assert [(record["segment"], record["system"], record["exact_match"]) for record in records] == [
        ("s1", "A", 1),
        ("s2", "A", 0),
        ("s1", "B", 0),
        ("s2", "B", 1),
    ]
    frame = result.segments("pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("records") == records
    other = result.segments("polars")
    assert isinstance(other, polars.DataFrame)
    assert other.to_dicts() == records
    assert isinstance(result.segments(), pandas.DataFrame)
    with pytest.raises(ParameterError, match=r"frame.*'pandas', 'polars' or 'records'.*'arrow'"):
        result.segments("arrow")


@pytest.mark.parametrize(
    ("installed", "kind"), [({"polars"}, polars.DataFrame), (set(), list), ({"pandas"}, pandas.DataFrame)]
)
def test_segments_in_the_frame_that_is_installed(installed, kind, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name in {"pandas", "polars"} - installed else found(name),
    )
    assert isinstance(nlgauge.score(*ONE, metrics="wer").segments(), kind)


def test_comparison_frames():
    compared = nlgauge.score(*TWO, metrics="wer").compare(resamples=10)
    assert compared.frame("pandas").to_dict("records")[0]["metric"] == "wer"
    assert compared.frame("polars").to_dicts() == compared.frame("records") == compared.records()


def test_segments_without_any_segment_scores_still_have_their_ids():
    assert nlgauge.score(["a", "b"], metrics="distinct").segments("records") == [
        {"segment": 0, "system": "system"},
        {"segment": 1, "system": "system"},
    ]


def test_intervals_have_the_results_shape():
    one = nlgauge.score(*ONE, metrics=["wer", "rouge"]).intervals(resamples=10)
    assert list(one) == ["wer", "rouge"]
    assert one["rouge"]["score"] == one["rouge"]["rougeL"]
    assert set(one["rouge"]) == {
        "score",
        *(
            f"{kind}{suffix}"
            for kind in ("rouge1", "rouge2", "rougeL", "rougeLsum")
            for suffix in ("", "_precision", "_recall")
        ),
    }
    two = nlgauge.score(*TWO, metrics="wer").intervals(resamples=10)
    assert list(two) == ["A", "B"]
    assert two["B"]["wer"]["score"].score == 0.2


def test_reasons_say_why_a_score_is_nan():
    result = nlgauge.score({"A": ["one two"], "B": ["one"]}, metrics="distinct")
    assert result.reasons() == {
        ("B", "distinct", "distinct2"): "no text is long enough to have such an n-gram"
    }
    assert math.isnan(result["B"]["distinct"]["distinct2"])
    assert nlgauge.score(*ONE, metrics="wer").reasons() == {}


def test_explain_by_number_and_by_id():
    result = nlgauge.score(*TWO, ids=["s1", "s2"], metrics=["wer", "exact_match"])
    (by_number,) = result.explain("wer", 1, system="A")
    (by_id,) = result.explain("wer", "s2", system="A")
    assert by_number.edits == by_id.edits
    assert [edit.kind for edit in by_id.edits] == ["equal", "replace"]
    assert result.explain("exact_match", 0, "A") == []
    with pytest.raises(ParameterError, match=r"\(A, B\).*system='A'"):
        result.explain("wer", 0)
    with pytest.raises(KeyError, match="system 'C'"):
        result.explain("wer", 0, system="C")
    for segment in (2, -1, "s3"):
        with pytest.raises(ParameterError, match=f"{segment!r}.*2.*'s1' to 's2'"):
            result.explain("wer", segment, system="A")


def test_explain_shows_the_reference_that_decided():
    result = nlgauge.score([["x", "the cat"]], [["a dog", "the cat sat"]], metrics="wer")
    (explanation,) = result.explain("wer", 0)
    assert [(edit.kind, edit.reference) for edit in explanation.edits] == [
        ("equal", ["the", "cat"]),
        ("delete", ["sat"]),
    ]
    (table,) = result._tables.values()
    assert explanation.statistics["wer"].tolist() == table.statistics["wer"][0].tolist()


def test_an_average_explains_every_row():
    result = nlgauge.score(["the cat"], [["a dog", "the cat sat"]], metrics="wer", reduce_fn="mean")
    assert len(result.explain("wer", 0)) == 2


def test_signatures_costs_and_environment_are_recorded():
    result = nlgauge.score(*ONE, metrics=["bleu", "wer"], seed=7)
    assert set(result.signatures) == {"bleu", "wer"} == set(result.costs.metrics)
    assert result.config["seed"] == 7
    assert {"python", "nlgauge", "numpy"} <= set(result.environment)


def test_ids_that_no_column_of_polars_holds_are_texts_there():
    result = nlgauge.score(["a b", "c d"], ["a b", "c e"], ids=[(1, "x"), (2, "y")], metrics="wer")
    assert result.segments("polars")["segment"].to_list() == ["(1, 'x')", "(2, 'y')"]
    assert [row["segment"] for row in result.segments("records")] == [(1, "x"), (2, "y")]
    mixed = nlgauge.score(["a b", "c d"], ["a b", "c e"], ids=[1, "x"], metrics="wer")
    assert mixed.segments("polars")["segment"].to_list() == ["1", "x"]
