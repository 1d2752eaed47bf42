"""One story of significance: the same pair of systems has the same gain, interval and p-values wherever they are
shown, plus is better, and corrected p-values say how they are corrected.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_cases import printed, refused

import nlgauge
from nlgauge._core.numbers import number, p_value
from nlgauge._core.page import Sheet
from nlgauge.errors import ParameterError
from nlgauge.results.gate import Change, Rule, verdicts
from nlgauge.show.page_data.data import view_of
from nlgauge.stats.corrections import holm, max_t

# Lower is better for wer; rouge has outputs that repeat another; novelty has no direction and, as
# repetitiveness, missing scores; distinct is not computed from per-segment statistics.
METRICS = ["bleu", "wer", "rouge", "novelty", "repetitiveness", "distinct"]
RESAMPLES = 60
TESTED = ("gain", "gain_low", "gain_high", "p", "p_holm")
Numbers = dict[tuple[str, str, str], tuple[float, ...]]
CASES = [(2, None), (2, "S1"), (4, None), (4, "S2")]


@lru_cache
def result_of(systems: int) -> nlgauge.Result:
    """Systems of 24 segments: the second ties with the first on most of them, the last is its copy; some
    predictions are empty or one word, so that scores are missing.
    """
    rng = np.random.default_rng(systems)
    references = [" ".join(rng.choice(list("abcdefgh"), 8)) for _ in range(24)]
    predictions = {}
    for place, share in enumerate([0.2, 0.25, 0.5, 0.2][:systems]):
        texts = [
            " ".join(word if rng.random() > share else "x" for word in text.split()) for text in references
        ]
        texts[place], texts[place + 8] = "", "a"
        predictions[f"S{place}"] = texts
    if systems > 2:
        predictions["S3"] = list(predictions["S0"])
    return nlgauge.score(predictions, references, references, metrics=METRICS)


def story(rows: Any) -> Numbers:
    return {
        (row.second, row.label, row.output.name): tuple(getattr(row, name) for name in TESTED) for row in rows
    }


def of_records(records: list[Mapping[str, Any]], system: str = "second") -> Numbers:
    def value(text: Any) -> float:
        return math.nan if text in (None, "") else float(text)

    return {
        (record[system], record["metric"], record["output"]): tuple(value(record[name]) for name in TESTED)
        for record in records
    }


def assert_same(shown: Numbers, expected: Numbers) -> None:
    assert shown.keys() == expected.keys()
    for key, numbers in expected.items():
        assert shown[key] == pytest.approx(numbers, rel=1e-9, abs=1e-12, nan_ok=True), key


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], str]:
    return lru_cache(lambda systems: str(result_of(systems).save(tmp_path_factory.mktemp("results") / "r")))


def options_of(baseline: str | None) -> list[str]:
    return ["--resamples", str(RESAMPLES), *(["--baseline", baseline] if baseline else [])]


@pytest.mark.parametrize(("systems", "baseline"), CASES)
def test_commands_print_the_numbers_of_a_comparison(
    systems: int, baseline: str | None, saved: Callable[[int], str]
) -> None:
    result, directory, options = result_of(systems), saved(systems), options_of(baseline)
    comparison = result.compare(baseline=baseline, resamples=RESAMPLES)
    expected = story(comparison)
    assert {row.first for row in comparison} == {comparison.baseline} == {baseline or "S0"}
    document = json.loads(printed("compare", directory, "--json", *options))
    assert_same(of_records(document["rows"]), expected)
    assert (document["baseline"], document["seed"]) == (comparison.baseline, 12345)
    shown = json.loads(printed("show", directory, "--json", *options))["comparison"]
    assert shown == document
    table = csv.DictReader(io.StringIO(printed("show", directory, "--format", "csv", *options)))
    tested = [record for record in table if record["baseline"]]
    assert {record["baseline"] for record in tested} == {comparison.baseline}
    assert_same(of_records(tested, "system"), expected)


@pytest.mark.parametrize(("systems", "baseline"), CASES)
def test_a_gate_has_the_numbers_of_a_comparison(systems: int, baseline: str | None) -> None:
    result, name = result_of(systems), baseline or "S0"
    others = [system for system in result.systems if system != name]
    comparison = result.compare(baseline=baseline, resamples=RESAMPLES)
    outcomes, _ = verdicts(
        result, name, others, [Change.read("any worsens")], [], Rule(), resamples=RESAMPLES
    )
    rows = [outcome.row for outcome in outcomes if outcome.row is not None]
    without = {key: numbers[:4] for key, numbers in story(comparison).items()}
    gate = {key: numbers[:4] for key, numbers in story(rows).items()}
    assert gate
    assert_same(gate, {key: without[key] for key in gate})
    assert [row.p_holm for row in rows] == pytest.approx(holm([row.p for row in rows]))
    for outcome in outcomes:
        record = outcome.record()
        assert [record[field] for field in TESTED] == [getattr(outcome.row, field) for field in TESTED]


@pytest.mark.parametrize(("systems", "baseline"), CASES)
def test_the_table_of_scores_prints_the_comparison(systems: int, baseline: str | None) -> None:
    result = result_of(systems)
    comparison = result.compare(baseline=baseline, resamples=RESAMPLES)
    (sheet,) = [
        block
        for block in result._page(baseline=baseline, resamples=RESAMPLES, wide=False).blocks
        if isinstance(block, Sheet)
    ]
    headings = [column.heading.text for column in sheet.columns]
    assert headings[-3:] == ["gain", "p", "p (Holm)"]
    cells = [[cell.text for cell in row[-3:]] for row in sheet.rows]
    shown = [row for row in comparison if (row.label, row.output.name) not in comparison.equal]
    expected = []
    for label, output in dict.fromkeys((row.label, row.output) for row in shown):
        for system in result.systems:
            row = next((r for r in shown if (r.label, r.output, r.second) == (label, output, system)), None)
            numbers = [] if row is None else [p_value(row.p), p_value(row.p_holm)]
            expected.append(["", "", ""] if row is None else [number(row.gain, output, sign=True), *numbers])
    assert cells == expected


@pytest.mark.parametrize(("systems", "baseline"), CASES)
def test_the_page_and_all_pairs_have_the_numbers_of_a_comparison(systems: int, baseline: str | None) -> None:
    result = result_of(systems)
    comparison = result.compare(baseline=baseline, resamples=RESAMPLES)
    every = result.compare(all_pairs=True, resamples=RESAMPLES)
    meta = view_of(result, "page", baseline=baseline, resamples=RESAMPLES).meta
    pairs = [(i, j) for i in range(systems) for j in range(i + 1, systems)]
    outputs = {(output["label"], output["output"]): output["pairs"] for output in meta["outputs"]}
    together = {(row.label, row.output.name, row.first, row.second): row for row in every}
    for row in comparison:
        first, second = result.systems.index(row.first), result.systems.index(row.second)
        turned = second < first
        twin = together[row.label, row.output.name, *sorted((row.first, row.second))]
        bounds = (twin.gain_low, twin.gain_high)
        numbers = (-twin.gain, -bounds[1], -bounds[0]) if turned else (twin.gain, *bounds)
        assert (row.gain, row.gain_low, row.gain_high, row.p) == pytest.approx(
            (*numbers, twin.p), rel=1e-9, abs=1e-12, nan_ok=True
        )
        shown = outputs[row.label, row.output.name]
        if not result._tables[row.first, row.label].additive:
            assert shown is None and math.isnan(twin.p_max_t)
            continue
        at = pairs.index((min(first, second), max(first, second)))
        assert [shown[name][at] for name in ("gains", "low", "high", "p", "p_max_t")] == [
            twin.gain, twin.gain_low, twin.gain_high, twin.p, twin.p_max_t,
        ]  # fmt: skip
    assert meta["pair"][1] == result.systems.index(baseline or "S0") != meta["pair"][0]
    ranks = {(row.label, row.output.name): row for row in result.ranks(resamples=RESAMPLES)}
    for row in every:
        if result._tables[row.first, row.label].additive:
            i, j = result.systems.index(row.second), result.systems.index(row.first)
            rank = ranks[row.label, row.output.name]
            assert (rank.gains[i, j], rank.p[i, j], rank.p_max_t[i, j]) == (row.gain, row.p, row.p_max_t)


def test_plus_is_better_whatever_the_direction() -> None:
    result = result_of(4)
    for row in result.compare(resamples=RESAMPLES):
        sign = -1 if row.output.higher_is_better is False else 1
        assert row.gain == sign * (row.second_score - row.first_score)
        if row.output.higher_is_better is not None and row.gain:
            assert row.better == (row.second if row.gain > 0 else row.first)
    back = result.compare("S2", "S0", resamples=RESAMPLES)["wer"]
    there = result.compare("S0", "S2", resamples=RESAMPLES)["wer"]
    assert (there.gain < 0 < back.gain) and (back.gain, back.p) == (-there.gain, there.p)


def test_each_corrected_p_says_how_it_is_corrected() -> None:
    result = result_of(4)
    for comparison in (
        result.compare(resamples=20),
        result.compare("S1", "S2", resamples=20),
        result.compare("S0", "S2", baseline="S1", resamples=20),
    ):
        assert "| p | p (Holm) |" in comparison.to_markdown() and "max-T" not in comparison.to_markdown()
        assert "p_holm" in comparison.records()[0] and "p_max_t" not in comparison.records()[0]
    for comparison in (
        result.compare(all_pairs=True, resamples=20),
        result.compare("S0", "S1", "S2", resamples=20),
    ):
        assert comparison.baseline is None
        assert "| p | p (max-T) |" in comparison.to_markdown() and "Holm" not in comparison.to_markdown()
        assert "p_max_t" in comparison.records()[0] and "p_holm" not in comparison.records()[0]
    assert [
        (row.first, row.second) for row in result.compare("S0", "S2", baseline="S1") if row.label == "wer"
    ] == [
        ("S1", "S0"),
        ("S1", "S2"),
    ]


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_two_systems_are_one_pair_whose_p_needs_no_correction(test: str) -> None:
    for row in result_of(2).compare(all_pairs=True, test=test, resamples=RESAMPLES):
        if test == "randomization" and not math.isnan(row.p_max_t):
            assert row.p_max_t == row.p
        assert math.isnan(row.p_max_t) == (row.label == "distinct" or math.isnan(row.p))


def test_max_t_holds_each_pair_against_the_largest_of_all_swaps() -> None:
    """All of S0 is right; the sums of all pairs are swapped by the same coins."""
    rng = np.random.default_rng(1)
    hits = rng.random((3, 12)) < np.array([[0.9], [0.5], [0.4]])
    texts = {f"S{i}": ["y" if hit else "n" for hit in row] for i, row in enumerate(hits)}
    result = nlgauge.score(texts, ["y"] * 12, metrics="exact_match")
    every = result.compare(all_pairs=True, resamples=200)
    swaps = np.random.default_rng(12345).integers(2, size=(200, 12), dtype=np.int32)
    pairs = [hits[j].astype(float) - hits[i] for i, j in ((0, 1), (0, 2), (1, 2))]
    null = np.stack([(1 - 2 * swaps) @ gains / 12 for gains in pairs], axis=1)
    expected = max_t(np.array([gains.mean() for gains in pairs]), null)
    assert [row.p_max_t for row in every] == pytest.approx(expected.tolist())
    assert all(row.p_max_t >= row.p for row in every)


def test_equal_systems_are_seldom_called_different() -> None:
    rng = np.random.default_rng(3)
    called = 0
    for _ in range(200):
        scores = rng.standard_normal((6, 30))
        coins = 2 * rng.integers(2, size=(99, 30)) - 1
        pairs = [scores[i] - scores[j] for i in range(6) for j in range(i)]
        null = np.stack([coins @ gains for gains in pairs], axis=1)
        called += bool((max_t(np.array([gains.sum() for gains in pairs]), null) <= 0.05).any())
    assert called <= 20  # 5% of 200 are 10


def test_the_british_name_of_the_test_is_accepted(saved: Callable[[int], str]) -> None:
    result = result_of(2)
    assert result.compare(test="randomisation", resamples=20).test == "randomization"
    assert result.ranks(test="randomisation", resamples=20).test == "randomization"
    british = printed("compare", saved(2), "--test", "randomisation", "--json", "--resamples", "20")
    assert json.loads(british)["test"] == "randomization"
    shown = printed("show", saved(2), "--test", "randomisation", "--resamples", "20")
    assert "approximate randomization with 20 resamples" in " ".join(shown.split())


def test_a_baseline_that_is_no_system_is_refused_before_anything_is_scored(
    saved: Callable[[int], str], tmp_path: Path
) -> None:
    result = result_of(2)
    with pytest.raises(ParameterError, match=r"all_pairs.*'S0'"):
        result.compare(baseline="S0", all_pairs=True)
    with pytest.raises(ParameterError, match=r"systems.*'S1'"):
        result.compare("S1", baseline="S1")
    with pytest.raises(ParameterError, match=r"legacy='sacrebleu'.*baseline"):
        result.compare(all_pairs=True, legacy="sacrebleu")
    assert "system 'S9'" in refused("compare", saved(2), "--baseline", "S9")
    assert "--baseline" in refused("compare", saved(2), "--baseline", "S0", "--ranks")
    assert "--baseline" in refused("compare", saved(2), "--baseline", "S0", "--all")
    for name in ("ref", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("x\ny\n")
    files = [str(tmp_path / f"{name}.txt") for name in ("ref", "a", "b")]
    said = refused("score", "-m", "wer", "-r", *files, "-o", str(tmp_path / "out"), "--baseline", "c")
    assert "baseline 'c'" in said
    assert not (tmp_path / "out").exists()


def test_groups_take_the_baseline_too() -> None:
    result = result_of(2)
    corpus = result.corpus.take(np.arange(24))
    assert len(corpus) == 24
    texts = {
        system: [corpus.texts[i] for i in corpus.predictions[system].values] for system in result.systems
    }
    grouped = nlgauge.score(texts, ["a b c"] * 24, metrics="wer", fields={"domain": ["news", "law"] * 12}).by(
        "domain"
    )
    assert {row.first for one in grouped.compare(baseline="S1").values() for row in one} == {"S1"}
    assert "p: against S1, approximate" in " ".join(grouped.to_text(baseline="S1", resamples=20).split())
    assert {one.correction for one in grouped.compare(all_pairs=True, resamples=20).values()} == {"max_t"}


def test_the_page_of_statistics_runs_as_printed() -> None:
    page = (Path(__file__).parents[2] / "docs" / "statistics" / "intervals.md").read_text("utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    assert program.count("assert ") > 5
    assert names["result"].systems == ("old", "new", "best")
