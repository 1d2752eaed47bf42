"""Results of imported scores: the same numbers as other programs compute, and all views of a result."""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import Judgments
from nlgauge.results.imported.building import single_scores
from nlgauge.results.imported.columns import ScoreSpec
from nlgauge.results.imported.human import with_human_scores

ACCURACY = "correct:higher:0..1"


def records(repeats: int = 3) -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    return [
        {
            "id": f"q{i}",
            "model": model,
            "epoch": epoch,
            "prediction": f"answer {model} {i} {epoch}",
            "reference": "answer A 1 1",
            "helpful": [int(rng.integers(1, 6)), int(rng.integers(1, 6))],
            "tone": ["rude", "neutral", "polite"][int(rng.integers(3))],
            "domain": "x" if i < 6 else "y",
            "doc": f"d{i // 2}",
            "seconds": float(i + epoch),
        }
        for i in range(12)
        for model in "AB"
        for epoch in range(1, repeats + 1)
    ]


SCORES = {"helpful": "higher", "tone": ["rude", "neutral", "polite"]}


def test_p_of_twelve_segments_is_that_of_all_sign_flips() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(0, 1, 12), rng.normal(0.6, 1, 12)
    result = nlgauge.from_scores({"A": first, "B": second}, name="quality:higher")
    expected = stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    row = result.compare(resamples=20_000)["quality"]
    assert row.gain == pytest.approx(-float(np.mean(first - second)))
    assert row.p == pytest.approx(float(expected.pvalue), abs=4 * math.sqrt(0.25 / 20_000))


def test_p_of_binary_scores_is_that_of_mcnemar() -> None:
    first = [True] * 30 + [False] * 10 + [True] * 9 + [False] * 2
    second = [True] * 30 + [False] * 10 + [False] * 9 + [True] * 2
    result = nlgauge.from_scores({"A": first, "B": second}, name="correct")
    row = result.compare(resamples=20_000)["correct"]
    assert row.p == pytest.approx(float(stats.binomtest(2, 11).pvalue), abs=4 * math.sqrt(0.25 / 20_000))
    (output,) = (each for each in result._tables["A", "correct"].outputs() if each.name == "correct")
    assert (output.low, output.high, output.higher_is_better) == (0, 1, True)


def test_scores_that_nlgauge_computed_have_the_same_bits() -> None:
    texts = {"A": ["the cat sat", "a dog", "birds fly high"], "B": ["the cat sat on", "dog", "birds fly"]}
    references = ["the cat sat on the mat", "a dog barks", "birds fly"]
    computed = nlgauge.score(texts, references, metrics="sentence_bleu")
    segments = {
        system: [row["sentence_bleu"] for row in computed.segments("records") if row["system"] == system]
        for system in texts
    }
    imported = nlgauge.from_scores(segments, name="own:higher:0..100")
    for system in texts:
        assert imported[system]["own"]["score"] == computed[system]["sentence_bleu"]["score"]
    ours, theirs = imported.compare()["own"], computed.compare()["sentence_bleu"]
    assert (ours.p, ours.gain, ours.gain_low, ours.gain_high) == (
        theirs.p,
        theirs.gain,
        theirs.gain_low,
        theirs.gain_high,
    )


def test_repeats_and_judge_runs_are_averaged_segment_by_segment() -> None:
    rows = records()
    result = nlgauge.from_scores(rows, SCORES)
    for system in "AB":
        by_segment = [
            np.mean(
                [np.mean(row["helpful"]) for row in rows if (row["id"], row["model"]) == (f"q{i}", system)]
            )
            for i in range(12)
        ]
        assert result[system]["helpful"]["score"] == pytest.approx(float(np.mean(by_segment)))
    levels = {"rude": 0, "neutral": 0.5, "polite": 1}
    assert result["A"]["tone"]["score"] == pytest.approx(
        np.mean([levels[row["tone"]] for row in rows if row["model"] == "A"])
    )
    assert single_scores(result, "helpful")["B"][3] == [
        row["helpful"] for row in rows if (row["id"], row["model"]) == ("q3", "B")
    ]
    assert result.corpus.documents is not None
    assert set(result.corpus.fields) == {"domain"}


def test_a_metric_that_is_added_averages_repeats(tmp_path: Path) -> None:
    rows = records()
    nlgauge.from_scores(rows, SCORES).save(tmp_path / "run")
    result = nlgauge.load(tmp_path / "run").add("chrf")
    each = nlgauge.score(
        [row["prediction"] for row in rows if row["model"] == "A"], ["answer A 1 1"] * 36, metrics="chrf"
    )
    values = [row["chrf"] for row in each.segments("records")]
    expected = [np.mean(values[i : i + 3]) for i in range(0, 36, 3)]
    found = [row["chrf"] for row in result.segments("records") if row["system"] == "A"]
    assert found == pytest.approx(expected)
    assert "repeats:mean" in result.signatures["chrf"]
    best = result.add("chrf(char_order=3)")
    assert best["A"]["chrf(char_order=3)"]["score"] > 0


def test_every_view_of_a_result_works_and_survives_saving(tmp_path: Path) -> None:
    result = nlgauge.from_scores(records(), SCORES)
    result.save(tmp_path / "run")
    loaded = nlgauge.load(tmp_path / "run")
    assert loaded.to_text() == result.to_text()
    assert loaded.compare().to_text() == result.compare().to_text()
    assert loaded.signatures == result.signatures
    assert single_scores(loaded, "helpful") == single_scores(result, "helpful")
    assert len(loaded.where(domain="x").corpus) == 6
    assert list(loaded.by("domain")) == ["x", "y"]
    assert len(loaded.worst("helpful", 3)) == 3
    assert loaded.explain("helpful", "q1", "A") == []
    assert loaded.report(tmp_path / "run.html").stat().st_size > 10_000
    result.save(tmp_path / "hashed", texts=False)
    assert nlgauge.load(tmp_path / "hashed").to_text() == result.to_text()


def test_scores_without_texts_can_be_shown_and_not_be_scored(tmp_path: Path) -> None:
    result = nlgauge.from_scores({"A": [1.0, 0.0, None], "B": [0.5, 0.5, 0.5]}, name="quality:higher")
    assert result.report(tmp_path / "run.html").exists()
    result.save(tmp_path / "run")
    loaded = nlgauge.load(tmp_path / "run")
    assert loaded.undefined() == {("A", "quality", "quality"): 1, **_no_deviation(loaded)}
    with pytest.raises(InputError, match=r"chrf needs predictions.*'A'.*3 of 3"):
        loaded.add("chrf")


def _no_deviation(result: nlgauge.Result) -> dict[tuple[str, str, str], int]:
    counts = result.undefined()
    return {key: count for key, count in counts.items() if key[2] != "quality"}


def test_a_pair_is_compared_on_common_segments() -> None:
    first = [0.2, 0.4, None, 0.9, 0.3, 0.8, 0.1, 0.5]
    second = [0.3, 0.5, 0.1, None, 0.3, 0.7, 0.4, 0.6]
    row = nlgauge.from_scores({"A": first, "B": second}, name="q:higher:0..1").compare()["q"]
    common = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    assert row.gain == pytest.approx(np.mean([b - a for a, b in common]))
    assert row.gaps.used == 6


def test_an_empty_answer_without_a_score_counts_as_the_worst() -> None:
    rows = [
        {"id": i, "system": "A", "prediction": text, "faithfulness": score}
        for i, (text, score) in enumerate([("a", 1.0), (" ", None), ("b", None), ("", 0.7)])
    ]
    bounded = nlgauge.from_scores(rows, "faithfulness:higher:0..1")
    assert bounded["faithfulness"]["score"] == pytest.approx((1 + 0 + 0.7) / 3)
    assert [row["missing"] for row in bounded.missing("faithfulness")] == ["absent"]
    assert bounded["faithfulness"]["empty"] == 1
    unbounded = nlgauge.from_scores(rows, "faithfulness:higher")
    assert unbounded["faithfulness"]["score"] == pytest.approx(0.85)
    assert [row["missing"] for row in unbounded.missing("faithfulness")] == ["empty", "absent"]


def test_a_score_named_like_a_metric_gets_a_prefix() -> None:
    rows = [
        {"id": i, "prediction": "a b", "reference": "a c", "chrf": value}
        for i, value in enumerate([1.0, 2.0])
    ]
    result = nlgauge.from_scores(rows, "chrf:higher").add("chrf")
    assert result.labels == ("imported.chrf", "chrf")
    assert result["imported.chrf"]["score"] == 1.5
    alone = nlgauge.from_scores(rows, "chrf:higher")
    assert alone["chrf"]["score"] == 1.5


def test_with_scores_adds_human_ratings_that_meta_reads() -> None:
    texts = {"A": [f"text {i} good" for i in range(8)], "B": [f"text {i}" for i in range(8)]}
    result = nlgauge.score(texts, [f"text {i} good" for i in range(8)], metrics="chrf")
    rated = result.with_scores(
        "rating:1..5",
        {"A": [[5, 4], 4, 5, 3, 4, 5, 4, 5], "B": [2, 1, 3, 2, 1, [1, 2], 2, None]},
        better="higher",
    )
    judgments = Judgments.from_result(rated, "rating")
    assert list(judgments.metrics) == ["chrf"]
    assert judgments.humans["rating"][0, 0] == 4.5
    assert judgments.ratings["rating"][0, 0].tolist() == [5.0, 4.0]
    lower = result.with_scores("errors", {"A": [0] * 8, "B": [3] * 8}, better="lower")
    assert Judgments.from_result(lower, "errors").humans["errors"][1, 0] == -3
    with pytest.raises(ParameterError, match="'q' is already"):
        result.with_scores("q:higher", {"A": [1] * 8}).with_scores("q:higher", {"A": [1] * 8})


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"id": 1, "q": "high"}], {"scores": "q"}, "record 0: q is 'high'.*not a number"),
        ([{"id": 1, "q": 12}], {"scores": "q:0..1"}, "q is 12, outside 0..1"),
        ([{"id": 1, "q": math.inf}], {"scores": "q"}, "finite"),
        ([{"id": 1, "q": "mild"}], {"scores": {"q": ["low", "high"]}}, "mild.*low, high"),
        ([{"id": 1, "faithfulness": 1}], {"scores": "faithfulnes"}, "did you mean 'faithfulness'"),
        (
            [{"id": 1, "model": "A", "q": 1}, {"id": 2, "model": "B", "q": 1}],
            {"scores": "q:higher"},
            "A and B have no segment in common",
        ),
        (
            [{"id": 1, "model": "A", "source": "x", "q": 1}, {"id": 1, "model": "B", "source": "y", "q": 1}],
            {"scores": "q:higher"},
            "segment 1 has different values of 'source'",
        ),
        (
            [{"model": "A", "q": 1}, {"model": "A", "q": 1}, {"model": "B", "q": 1}],
            {"scores": "q"},
            "different numbers",
        ),
        ([{"id": None, "q": 1}], {"scores": "q"}, "'id' is None"),
        ([{"id": 1, "q": 1, "prediction": 3}], {"scores": "q:higher"}, "3, which is not a text"),
        (
            [{"id": 1, "q": 1, "source": 3}],
            {"scores": "q:higher"},
            "'source' contains 3, which is not a text",
        ),
        ([{"id": 1, "q": 1, "reference": [None]}], {"scores": "q:higher"}, "None.*not a text"),
        ([{"id": 1, "q": 10**400}], {"scores": "q"}, "finite"),
        ([{"id": 1, "q": 1e308}], {"scores": "q"}, "at most 1e\\+100"),
        ([{"id": 1, "q": -0.001}], {"scores": "q:0..1"}, "outside"),
        ([{"id": 1, "q": 1, "model": None}], {"scores": "q"}, "record 0 has no name of a system in 'model'"),
        ([{"id": 1, "q": 1, "model": "A"}, {"id": 1, "q": 1}], {"scores": "q"}, "record 1 has no name"),
        (
            [{"id": 1, "model": "A", "doc": "x", "q": 1}, {"id": 1, "model": "B", "doc": "y", "q": 1}],
            {"scores": "q:higher"},
            "segment 1 has different values of 'doc'",
        ),
        (
            [{"id": 1, "model": "A", "weight": 1, "q": 1}, {"id": 1, "model": "B", "weight": 2, "q": 1}],
            {"scores": "q:higher"},
            "segment 1 has different values of 'weight'",
        ),
        ([{"id": 1, "q": 1, "q.values": "x"}], {"scores": "q:higher"}, "'q.values', which is reserved"),
        ({"A": 3}, {"name": "q:higher"}, "the scores of 'A' are 3"),
        ({"A": "123"}, {"name": "q:higher"}, "the scores of 'A' are '123'"),
        ({"1": [1], 1: [2]}, {"name": "q:higher"}, "two systems have the same name"),
    ],
)
def test_bad_input_is_refused_with_its_place(rows: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        nlgauge.from_scores(rows, **options)


@pytest.mark.parametrize(
    "text",
    ["", "q:upward", "q:1..0", "repeats", "q:0-1", "q:1.2.3..4", "q:a/", "q:a/a", "q:a/b:0..2"],
)
def test_bad_descriptions_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        ScoreSpec.parse(text)


@pytest.mark.parametrize("name", ["segment", "system", "prediction", "bleu"])
def test_a_score_never_replaces_a_column_of_segments(name: str) -> None:
    result = nlgauge.from_scores({"A": [1, 2, 3]}, name=f"{name}:higher")
    assert result.labels == (f"imported.{name}",)


@pytest.mark.parametrize(
    ("scores", "bounds"),
    [
        (3, None),
        ({"q": ["only"]}, None),
        ("q", {"q": (0,)}),
        ("q", {"q": ("low", 1)}),
        ("q", {"q": (math.nan, 1)}),
        ("q", {"q": 5}),
    ],
)
def test_bad_scores_and_bounds_are_refused(scores: Any, bounds: Any) -> None:
    with pytest.raises(ParameterError):
        nlgauge.from_scores([{"id": 1, "q": 1}], scores, bounds=bounds)


def test_values_that_programs_write_are_read() -> None:
    cells = [-1e-17, 1.0000000000000002, "NaN", "null", " ", "5e-1", [None, [1, [0]]]]
    result = nlgauge.from_scores({"A": cells}, name="q:higher:0..1")
    scores = result._tables["A", "q"].segments_of("q")
    assert scores == pytest.approx([0, 1, math.nan, math.nan, math.nan, 0.5, 0.5], nan_ok=True)
    # A level may have the name of a missing value.
    named = nlgauge.from_scores({"A": ["none", "some"]}, name="pain:some/none")
    assert named["A"]["pain"]["score"] == 0.5
    assert ScoreSpec.parse("q:-1e+3..1E3").high == 1000
    assert nlgauge.from_scores({"A": [True, False]}, name="q:higher:0..10")._job.metrics["q"].high == 10


def test_arrays_in_fields_and_references_are_read() -> None:
    rows = [
        {"id": 1, "model": model, "q": np.array([1, 2]), "f": np.ones(2), "reference": np.array(["a", "b"])}
        for model in "AB"
    ]
    result = nlgauge.from_scores(rows, "q:higher")
    assert result["A"]["q"]["score"] == 1.5
    references = result.corpus.references
    assert references is not None
    assert [result.corpus.texts[i] for i in references.lists()[0]] == ["a", "b"]


def test_a_document_may_be_in_the_record_of_any_system() -> None:
    rows = [{"id": i, "model": "A", "q": i} for i in range(4)]
    rows += [{"id": i, "model": "B", "q": i, "doc": f"d{i // 2}"} for i in range(4)]
    corpus = nlgauge.from_scores(rows, "q:higher").corpus
    assert corpus.documents is not None
    assert len(set(corpus.documents)) == 2


def test_unknown_directions_are_taken_as_higher_with_a_warning_but_for_known_names() -> None:
    with pytest.warns(UserWarning, match="quality:lower"):
        assert nlgauge.from_scores({"A": [1, 2]}, name="quality")._job.metrics["quality"].better == "higher"
    assert nlgauge.from_scores({"A": [1, 2]}, name="latency_ms")._job.metrics["latency_ms"].better == "lower"


def test_the_order_of_records_does_not_matter() -> None:
    rows = records()
    plain = nlgauge.from_scores(rows, SCORES)
    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    other = nlgauge.from_scores(shuffled, SCORES)
    for system, label in itertools.product("AB", SCORES):
        assert other[system][label]["score"] == pytest.approx(plain[system][label]["score"])
        ours = dict(zip(map(str, plain.corpus.ids), single_scores(plain, label)[system], strict=True))
        theirs = dict(zip(map(str, other.corpus.ids), single_scores(other, label)[system], strict=True))
        assert ours == theirs


def test_unequal_repeats_are_compared_with_a_warning() -> None:
    rows = [{"id": i, "system": system, "s": 1.0} for system in "AB" for i in range(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlgauge.from_scores(rows, "s:higher")
        nlgauge.from_scores([*rows, *rows], "s:higher")
    with pytest.warns(UserWarning, match=r"A has 1\.33 answers per segment, B has 1;"):
        nlgauge.from_scores([*rows, rows[0]], "s:higher")


def test_categories_may_have_numbers() -> None:
    rows = [{"id": i, "tone": tone} for i, tone in enumerate(["rude", "polite", "neutral", "rude"])]
    result = nlgauge.from_scores(rows, "tone:rude=1/neutral=2/polite=5")
    assert result["tone"]["score"] == (1 + 5 + 2 + 1) / 4
    output = result._job.metrics["tone"].outputs()["tone"][0]
    assert (output.low, output.high) == (1, 5)
    for levels in ("rude=1/polite=1", "rude=2/polite=1"):
        with pytest.raises(ParameterError, match="different values, the worst first"):
            nlgauge.from_scores(rows, f"tone:{levels}")


def test_people_are_named_without_the_prefix_of_an_imported_score() -> None:
    result = nlgauge.score(["a b", "c", "d e f"], ["a b", "c d", "d f"], metrics="chrf")
    result = result.with_scores("rouge:higher:0..1", {"system": [1, 0, 0.5]})
    assert result.labels == ("chrf", "imported.rouge")
    assert Judgments.from_result(result, "rouge").humans["imported.rouge"].tolist() == [[1, 0, 0.5]]
    assert with_human_scores(result, "rouge").labels == ("imported.rouge",)


def test_records_of_one_sample_are_judge_runs() -> None:
    rows = [
        {"id": i, "model": model, "sample": sample, "answer": f"{model} {sample}", "q": value}
        for model, first in (("A", 1.0), ("B", 0.0))
        for i in range(3)
        for sample, value in (("x", first), ("x", 0.5), ("y", 0.0), (None, 1.0), (None, 0.0))
    ]
    result = nlgauge.from_scores(rows, "q:higher:0..1")
    assert result["A"]["q"]["score"] == (0.75 + 0 + 1 + 0) / 4
    assert single_scores(result, "q")["B"][0] == [[0.0, 0.5], [0.0], [1.0], [0.0]]
    listed = [
        {**row, "q": [row["q"], 0.5]} if row["sample"] == "x" else row
        for row in rows
        if (row["sample"], row["q"]) != ("x", 0.5)
    ]
    assert dict(nlgauge.from_scores(listed, "q:higher:0..1")["A"]["q"]) == dict(result["A"]["q"])
    assert len(result.corpus.predictions["A"][0]) == 4
    # Other fields of all records remain, and inputs of all records are compared.
    judged = [{**row, "judge": f"judge {number % 5}"} for number, row in enumerate(rows)]
    fields = nlgauge.from_scores(judged, "q:higher:0..1").corpus.system_fields
    assert list(fields["judge"]["A"][0]) == [f"judge {number}" for number in range(5)]
    with pytest.raises(InputError, match="different values of 'source'"):
        nlgauge.from_scores(
            [{**row, "source": str(number == 1)} for number, row in enumerate(rows)], "q:higher"
        )
    # Different answers are repeats, whatever the field contains.
    other = [{**row, "sample": "same", "answer": f"{number}"} for number, row in enumerate(rows)]
    assert nlgauge.from_scores(other, "q:higher")["A"]["q"]["repeats"] == 5
    assert max(map(len, single_scores(nlgauge.from_scores(other, "q:higher"), "q")["A"])) == 5
