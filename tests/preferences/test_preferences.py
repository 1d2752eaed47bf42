"""rank: numbers of other programs, ties, covariates, baselines, priors, Elo and the preset of AlpacaEval.

The numbers of `PEERS` come from choix 0.4.1 (`opt_pairwise(4, games, alpha=0, method="Newton-CG", tol=1e-12)` on the
decided games), evalica 0.4.2 (`bradley_terry(..., tolerance=1e-13)` and `elo(...)` on all games in the order of
`games()`), and statsmodels 0.15.0 (`GLM(counts, rows, family=Poisson()).fit(tol=1e-13)` with one level per pair, half
strengths and an indicator for ties). Those of AlpacaEval's preset come from scikit-learn 1.9.1
(`LogisticRegression(C=inf, solver="newton-cholesky", tol=1e-12)` with each verdict as a win and a loss that are
weighted by its probability).
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlgauge
from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.preferences import length_controlled_rate, rank
from nlgauge.preferences.elo import elo, random_elo
from nlgauge.preferences.reading import read_records
from nlgauge.preferences.scored import of_result

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "decisions" / "vectors"
WINS = [[0, 7, 9, 4], [5, 0, 6, 8], [2, 6, 0, 5], [3, 1, 4, 0]]
TIED = [[0, 3, 1, 2], [0, 0, 4, 1], [0, 0, 0, 2], [0, 0, 0, 0]]
PEERS = {
    "drop": [0.58804049, 0.27569236, -0.25941314, -0.60431971],
    "half": [0.48176975, 0.2253887, -0.21618465, -0.4909738],
    "davidson": [0.59521127, 0.27831111, -0.26677497, -0.6067474],
}
LOG_NU, ELO = -0.77548938, [1013.552933, 1007.528342, 991.817091, 987.101634]


def games() -> list[dict[str, Any]]:
    pairs = [(i, j, winner) for i in range(4) for j in range(4) for winner in ("first", "tie")]
    counts = {"first": WINS, "tie": TIED}
    return [
        {"item": n, "first": "ABCD"[i], "second": "ABCD"[j], "winner": winner}
        for i, j, winner in pairs
        for n in range(counts[winner][i][j])
    ]


def vectors(name: str) -> dict[str, Any]:
    path = VECTORS / name
    if not path.is_file():
        pytest.skip("the specification's vectors are not beside the checkout")
    return json.loads(path.read_text("utf-8"))


def wmt() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    read = vectors("preferences.json")
    winners = {"a": "first", "b": "second", "tie": "tie"}
    names = read["systems"]
    return read, [
        {
            "item": number // 10,
            "first": names[first],
            "second": names[second],
            "winner": winners[winner],
            "first_length": math.exp(ratio),
            "second_length": 1.0,
            "doc": document,
        }
        for number, (first, second, winner, ratio, document) in enumerate(
            read["games (first, second, winner, log length ratio, document)"]
        )
    ]


@pytest.mark.parametrize("ties", PEERS)
def test_strengths_are_those_of_other_programs(ties: str):
    ranked = rank(games(), ties=ties, resamples=0)
    assert [ranked.strengths[name] for name in "ABCD"] == pytest.approx(PEERS[ties], abs=3e-8)
    assert ranked.nu == pytest.approx(math.exp(LOG_NU) if ties == "davidson" else 0.0, rel=1e-7)
    assert ranked.systems == tuple("ABCD")


def test_davidson_is_the_default_if_ties_occur():
    assert rank(games(), resamples=0).made["ties"] == "davidson"
    decided = [game for game in games() if game["winner"] != "tie"]
    assert rank(decided, resamples=0).nu == rank(decided, ties="davidson", resamples=0).nu == 0
    soft = [{**game, "win": 0.5 if game["winner"] == "tie" else 0.9} for game in games()]
    assert (
        rank([{k: v for k, v in game.items() if k != "winner"} for game in soft], resamples=0).made["ties"]
        == "half"
    )


def test_elo_is_evalicas_in_the_order_of_the_file_and_a_mean_over_orders():
    verdicts = read_records(games())
    assert elo(verdicts, np.arange(len(verdicts))[None])[0] == pytest.approx(ELO, abs=1e-6)
    mean, spread = random_elo(verdicts, 1)
    ranked = rank(games(), elo=True, resamples=0, seed=1)
    assert [ranked.elo[name] for name in "ABCD"] == pytest.approx(mean)
    assert (spread > 0).all() and mean.sum() == pytest.approx(4000)
    assert "±" in str(ranked) and any("depend on the order" in note for note in ranked.notes)


def test_the_vectors_of_the_specification():
    read, records = wmt()
    names = read["systems"]
    expected = {
        "drop": read["bradley-terry, decided pairs (choix), log strengths, mean 0"],
        "half": read["ties as half a win (evalica bradley_terry), log, mean 0"],
        "davidson": read["davidson (statsmodels Poisson)"]["log strengths, mean 0"],
    }
    for ties, values in expected.items():
        ranked = rank(records, ties=ties, resamples=0)
        assert [ranked.strengths[name] for name in names] == pytest.approx(values, abs=5e-8)
    ranked = rank(records, resamples=200)
    assert math.log(ranked.nu) == pytest.approx(read["davidson (statsmodels Poisson)"]["log nu"], abs=1e-9)
    assert ranked.win_rates == pytest.approx(read["average win rate (evalica)"])
    assert ranked.made["units"] == "16 documents"
    assert any("0.35 times as wide and too narrow" in note for note in ranked.notes)
    verdicts = read_records(records)
    rated = elo(verdicts, np.arange(len(verdicts))[None])[0]
    assert dict(zip(verdicts.systems, rated, strict=True)) == pytest.approx(read["elo (evalica, defaults)"])


def test_clustered_errors_and_the_length_are_statsmodels():
    read, records = wmt()
    names = read["systems"]
    expected = read["against the first system (statsmodels)"]
    ranked = rank(records, ties="drop", baseline=names[0], resamples=0)
    errors = {row.system: row.error for row in ranked.rows}
    assert [ranked.strengths[name] for name in names[1:]] == pytest.approx(expected["coefficients"], abs=1e-9)
    assert [errors[name] for name in names[1:]] == pytest.approx(
        expected["se by document, no correction"], abs=1e-9
    )
    expected = read["with log length ratio as covariate (statsmodels)"]["coefficients"]
    ranked = rank(records, ties="drop", baseline=names[0], control="length", resamples=0)
    assert [ranked.strengths[name] for name in names[1:]] == pytest.approx(expected[:-1], abs=1e-9)
    assert ranked.effects[0].value == pytest.approx(expected[-1], abs=1e-9)


def test_errors_of_single_comparisons_are_those_of_a_binomial():
    records = [{"first": "A", "second": "B", "winner": "A" if n < 30 else "B"} for n in range(40)]
    ranked = rank(records, baseline="B", resamples=500)
    assert ranked.strengths["A"] == pytest.approx(math.log(3))
    assert ranked.rows[0].error == pytest.approx(math.sqrt(1 / 30 + 1 / 10))
    assert ranked.rates["A"] == pytest.approx(0.75) and ranked.matrix[0, 1] == pytest.approx(0.75)
    assert ranked.rows[0].rate_low == pytest.approx(1 / (1 + math.exp(-ranked.rows[0].low)))
    assert any("name no segments" in note for note in ranked.notes)


def test_documents_are_resampled_as_a_whole():
    """Ten copies of each segment in one document make the document's interval that of the single segments."""
    single = [{"item": n, "first": "A", "second": "B", "winner": "A" if n % 3 else "B"} for n in range(30)]
    copies = [
        {**game, "item": f"{game['item']}-{k}", "doc": game["item"]} for game in single for k in range(10)
    ]
    one, many = rank(single), rank(copies)
    wide = rank(copies, documents="item")
    width = [ranked.rows[0].high - ranked.rows[0].low for ranked in (one, many, wide)]
    assert width[1] == pytest.approx(width[0], rel=0.1)
    assert width[2] < 0.5 * width[0]
    assert (many.made["units"], wide.made["units"]) == ("30 documents", "300 segments")


def test_documents_of_unequal_size_count_as_fewer() -> None:
    # 24 documents, of which three have nearly all segments, are as good as about three.
    sizes = [1] * 21 + [30] * 3
    rng = np.random.default_rng(1)
    winners = [("first", "second", "tie")[number] for number in rng.integers(3, size=sum(sizes))]
    names = np.repeat(np.arange(24), sizes).tolist()
    unequal = [
        {"item": i, "first": "A", "second": "B", "winner": winner, "doc": f"{name}"}
        for i, (winner, name) in enumerate(zip(winners, names, strict=True))
    ]
    equal = [{**each, "doc": f"{i % 24}"} for i, each in enumerate(unequal)]
    found = [rank(each, resamples=2000) for each in (unequal, equal)]
    assert [" ".join(each.notes).count("of unequal size") for each in found] == [1, 0]
    widths = [(row.high - row.low) / (2 * 1.96 * row.error) for row in (each.rows[0] for each in found)]
    assert widths[0] > 1.6 > 1.25 > widths[1]


def test_all_comparisons_of_a_segment_are_resampled_together():
    single = [{"item": n, "first": "A", "second": "B", "winner": "A" if n % 3 else "B"} for n in range(30)]
    assert rank(single * 7).rows[0].low == pytest.approx(rank(single).rows[0].low)


def test_letters_and_ranks():
    rng = np.random.default_rng(5)
    strong = {"A": 2.0, "B": 0.0, "C": 0.0}
    records = [
        {
            "item": n,
            "first": a,
            "second": b,
            "winner": a if rng.random() < 1 / (1 + math.exp(strong[b] - strong[a])) else b,
        }
        for n in range(100)
        for a, b in ("AB", "AC", "BC")
    ]
    ranked = rank(records, resamples=500)
    assert ranked.letters == {"A": "a", "B": "b", "C": "b"}
    assert ranked.ranks == {"A": (1, 1), "B": (2, 3), "C": (2, 3)}
    assert ranked.p[0, 1] <= 0.05 < ranked.p[1, 2] and (ranked.p == ranked.p.T).all()


def test_position_is_removed_if_both_orders_are_present():
    """The first side wins three of four; A and B are equal."""
    records = [
        {"item": n, "first": a, "second": b, "winner": "second" if n % 4 == 0 else "first"}
        for n in range(40)
        for a, b in ("AB", "BA")
    ]
    ranked = rank(records, control="position", resamples=100)
    assert ranked.strengths == pytest.approx({"A": 0, "B": 0}, abs=1e-9)
    assert ranked.effects[0].value == pytest.approx(math.log(3))
    with pytest.raises(InputError, match="in both orders"):
        rank(records[::2], control="position")


def test_soft_verdicts_are_fractional_wins():
    soft = [{"item": n, "first": "A", "second": "B", "win": 0.8} for n in range(10)]
    assert rank(soft, baseline="B", resamples=0).strengths["A"] == pytest.approx(math.log(4))
    mixed = [*soft, {"item": 11, "first": "A", "second": "B", "win": 0.5}]
    assert rank(mixed, baseline="B", resamples=0).rates["A"] == pytest.approx(8.5 / 11)


def test_forms_of_arena_and_alpaca_eval():
    arena = [
        {"question_id": n, "model_a": "A", "model_b": "B", "winner": winner}
        for n, winner in enumerate(["model_a", "model_b", "tie", "tie (bothbad)", "model_a"])
    ]
    verdicts = read_records(arena)
    assert verdicts.outcomes.argmax(axis=1).tolist() == [0, 2, 1, 1, 0]
    preferences = [1.0, 2, 1.5, 0, None, 1.25]
    annotations = [
        {"instruction": str(n), "generator_1": "base", "generator_2": "new", "preference": preference}
        for n, preference in enumerate(preferences)
    ]
    verdicts = read_records(annotations)
    assert verdicts.systems == ("base", "new") and verdicts.missing == 1
    assert verdicts.outcomes.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0], [0.75, 0, 0.25]]
    assert any("1 record without a verdict" in note for note in rank(annotations, resamples=0).notes)


def test_a_system_may_have_the_name_of_a_side():
    records = [{"item": n, "first": "second", "second": "tie", "winner": "second"} for n in range(3)]
    assert read_records(records).outcomes[:, 0].tolist() == [1, 1, 1]


def test_frames_and_generators_are_records():
    import pandas
    import polars

    expected = rank(games(), resamples=0).strengths
    for records in (pandas.DataFrame(games()), polars.DataFrame(games()), (game for game in games())):
        assert rank(records, resamples=0).strengths == pytest.approx(expected)


def alpaca() -> tuple[list[dict[str, Any]], dict[str, float]]:
    n = np.arange(30)
    difficulty = {f"q{i}": float(value) for i, value in enumerate((n * 7 % 11 - 5) / 5)}
    records = [
        {
            "instruction": f"q{i}",
            "generator_1": "base",
            "generator_2": "new",
            "output_1": "x" * (80 + i * 53 % 90),
            "output_2": "x" * (100 + i * 37 % 50),
            "preference": 1 + (i * 29 % 31) / 31,
        }
        for i in range(30)
    ]
    return records, difficulty


def test_the_preset_of_alpaca_eval_is_scikit_learns_regression():
    records, difficulty = alpaca()
    ranked = rank(records, preset="alpaca_eval", resamples=50)
    assert (ranked.baseline, ranked.strengths["new"]) == ("base", pytest.approx(-0.01242, abs=1e-6))
    assert ranked.effects[0].value == pytest.approx(0.0683075, abs=1e-6)
    assert ranked.rates["new"] == pytest.approx(0.49689503, abs=1e-7)
    ranked = rank(records, preset="alpaca_eval", difficulty=difficulty, resamples=50)
    assert [effect.value for effect in ranked.effects] == pytest.approx([0.0643772, 0.0664591], abs=1e-6)
    assert ranked.rates["new"] == pytest.approx(0.49694961, abs=1e-7)
    other = [{**record, "generator_2": "newer", "preference": 3 - record["preference"]} for record in records]
    both = rank([*records, *other], preset="alpaca_eval", difficulty=difficulty, resamples=50)
    assert both.rates["new"] == pytest.approx(ranked.rates["new"], abs=1e-7)
    assert both.rates["newer"] == pytest.approx(1 - ranked.rates["new"], abs=1e-7)


def test_published_rates_of_alpaca_eval():
    read = vectors("alpaca_lc.json")
    errors = []
    for model in read["models"].values():
        _, slope, constant = model["length, difficulty, constant"]
        errors.append(
            abs(100 * length_controlled_rate(constant, slope, read["difficulty"]) - model["published"])
        )
    assert (np.array(errors) < 1e-6).sum() == 189
    assert max(errors) < 0.2


def test_a_metric_of_a_result_decides_with_a_margin():
    texts = {"A": ["a b c d", "x y z w", "k"], "B": ["a b c e", "x y z w", "k l"]}
    result = nlgauge.score(texts, ["a b c d", "x y z v", "k l"], metrics=["wer", "bleu"], show_progress=False)
    assert rank(result, metric="wer", tie=0.4, prior=0.5, resamples=0).win_rates == pytest.approx(
        {"A": 1 / 3, "B": 2 / 3}
    )
    wide = rank(result, metric="wer", tie=0.6, prior=0.5, resamples=0)
    assert wide.win_rates == {"A": 0.5, "B": 0.5}
    # A margin of exactly the difference decides.
    assert rank(result, metric="wer", tie=0.5, ties="half", prior=0.5, resamples=0).win_rates[
        "A"
    ] == pytest.approx(1 / 3)
    verdicts = of_result(result, "wer")
    assert verdicts.lengths is not None and verdicts.lengths.tolist() == [[7, 7], [7, 7], [1, 3]]
    with pytest.raises(ParameterError, match="a result needs a metric"):
        rank(result)
    with pytest.raises(ParameterError, match="no better direction"):
        rank(result, metric="bleu.length_ratio")
    with pytest.raises(ParameterError, match="only a result has a metric"):
        rank(games(), metric="wer")


def test_scores_that_are_missing_leave_the_comparison_out(monkeypatch: pytest.MonkeyPatch):
    texts = {"A": ["a b", "c d", "e"], "B": ["a c", "c d", "e f"]}
    result = nlgauge.score(texts, ["a b", "c d", "e f"], metrics="wer", show_progress=False)
    table = type(result._tables["A", "wer"])
    plain = table.segments_of

    def with_gap(self: Any, output: str) -> Any:
        scores = np.array(plain(self, output), dtype=float)
        scores[1] = np.nan
        return scores

    monkeypatch.setattr(table, "segments_of", with_gap)
    ranked = rank(result, metric="wer", resamples=0)
    assert ranked.rows[0].comparisons == 2
    assert any("1 record without a verdict" in note for note in ranked.notes)


def test_tables_and_files():
    ranked = rank(games(), baseline="B", resamples=50)
    text = str(ranked)
    assert "against B" in text and "Davidson's model of ties (nu 0.46): 73 comparisons (13 ties)" in text
    assert ranked.to_csv().splitlines()[0].startswith("system,strength,low,high,error,comparisons,win_rate")
    assert ranked.frame("pandas")["system"].tolist() == list(ranked.systems)
    document = json.loads(ranked.to_json())
    assert document["rows"][0]["system"] == "A" and document["rows"][0]["elo"] is None
    assert document["made"]["resamples"] == 50 and len(document["matrix"]) == 4
    assert "+0.32" in ranked.to_markdown() and r"\toprule" in ranked.to_latex()
    assert ranked.matrix + ranked.matrix.T == pytest.approx(np.ones((4, 4)))


records_of_any = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from([(0, 1), (0, 2), (1, 2)]),
        st.sampled_from(["first", "second", "tie"]),
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=25, deadline=None)
@given(records_of_any, st.randoms(use_true_random=False), st.sampled_from(["davidson", "half"]))
def test_order_and_sides_do_not_matter(drawn: list[Any], random: Any, ties: str):
    records = [
        {"item": item, "first": "ABC"[i], "second": "ABC"[j], "winner": winner}
        for item, (i, j), winner in drawn
    ]
    changed = [_swapped(record) if random.random() < 0.5 else record for record in records]
    random.shuffle(changed)
    first, second = (rank(each, ties=ties, prior=0.5, resamples=20) for each in (records, changed))
    assert second.strengths == pytest.approx(first.strengths, abs=1e-7)
    for one, other in zip(*(sorted(ranked.rows) for ranked in (first, second)), strict=True):
        assert [other.low, other.high, other.win_rate] == pytest.approx(
            [one.low, one.high, one.win_rate], abs=1e-6, nan_ok=True
        )


def _swapped(record: dict[str, Any]) -> dict[str, Any]:
    winner = {"first": "second", "second": "first", "tie": "tie"}[record["winner"]]
    return {**record, "first": record["second"], "second": record["first"], "winner": winner}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"winner": "C"}, "record 0: 'winner' is 'C', but must be first, second, tie, A or B."),
        ({"second": "A"}, "record 0 compares 'A' with itself."),
        ({"first": None}, "record 0: 'first' is missing, but must be a name."),
        ({"first": True}, "record 0: 'first' is True, but must be a name."),
        ({"item": None}, "record 0: 'item' is missing, but must be a name."),
        ({"first_length": -1}, "record 0: 'first_length' is -1, but must be a length."),
        ({"first_length": "many"}, "record 0: 'first_length' is 'many', but must be a length."),
    ],
)
def test_bad_records(changes: dict[str, Any], message: str):
    record = {"item": 1, "first": "A", "second": "B", "winner": "A", "first_length": 3, "second_length": 4}
    with pytest.raises(InputError) as raised:
        rank([{**record, **changes}])
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "records must be dictionaries with the fields"),
        ("verdicts.jsonl", "records must be dictionaries with the fields"),
        (
            [{"first": "A", "winner": "A"}],
            "no field 'second' (or 'second.system', 'model_b', 'generator_2'); they have first, winner.",
        ),
        ([{"first": "A", "second": "B"}], "the records have no verdict"),
        ([{"first": "A", "second": "B", "win": 1.5}], "'win' is 1.5, but must be a number from 0 to 1."),
        (
            [{"first": "A", "second": "B", "preference": 2.5}],
            "'preference' is 2.5, but must be a number from 1 to 2.",
        ),
        ([{"first": "A", "second": "B", "winner": None}], "got none: 1 record without a verdict."),
        (
            [{"item": 1, "doc": d, "first": "A", "second": "B", "winner": "A"} for d in "xy"],
            "a segment is in the documents 'x' and 'y', but must be in one.",
        ),
        (
            [{"first": "A", "second": "B", "first_text": 3, "second_text": "a", "winner": "A"}],
            "but must be a text.",
        ),
    ],
)
def test_bad_inputs(records: Any, message: str):
    with pytest.raises(InputError) as raised:
        rank(records)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "skip"}, "unknown ties 'skip'"),
        ({"control": "style"}, "unknown control 'style'"),
        ({"length": "sqrt"}, "unknown length 'sqrt'"),
        ({"prior": -1}, "prior must be a number from 0, got -1."),
        ({"prior": math.nan}, "prior must be a number from 0, got nan."),
        ({"preset": "arena"}, "unknown preset 'arena'"),
        ({"difficulty": {}}, "difficulty is only for preset 'alpaca_eval'."),
        ({"resamples": -1}, "resamples must be a whole number from 0"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1"),
        ({"preset": "alpaca_eval", "control": "length"}, "controls for length"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str):
    with pytest.raises(ParameterError) as raised:
        rank(games(), **options)
    assert message in str(raised.value)


def test_what_the_records_lack():
    with pytest.raises(UnknownNameError, match="unknown baseline 'E'"):
        rank(games(), baseline="E")
    with pytest.raises(InputError, match="no field 'topic'"):
        rank(games(), documents="topic")
    with pytest.raises(InputError, match="have no lengths"):
        rank(games(), control="length")
    with pytest.raises(InputError, match="needs comparisons of all systems with one baseline"):
        rank(games(), preset="alpaca_eval")
    records, difficulty = alpaca()
    with pytest.raises(InputError, match="1 of 30 segments has no difficulty, such as 'q3'"):
        rank(records, preset="alpaca_eval", difficulty={k: v for k, v in difficulty.items() if k != "q3"})
    same = [{**game, "first_length": 5, "second_length": 5} for game in games()]
    with pytest.raises(InputError, match="have the same length"):
        rank(same, control="length")
