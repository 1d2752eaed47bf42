"""The rules of the advisor, each on evidence that is made up for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nlgauge.advisor import settings
from nlgauge.advisor.advice import Advice
from nlgauge.advisor.evidence import Evidence, Row, Table, mean, median, relevant, rows_by_metric
from nlgauge.advisor.question import Question
from nlgauge.advisor.rules import advise

QUESTION = Question("translation", "en", ("references",), "overall", "texts", 60.0, 0)
LABELS = (*settings.USUAL, "eed", "wip", "mattr", "bertscore(model='minilm').f1", "yisi", "novelty", "nubia")


def entry(
    value: float, low: float | None = None, beats: list[str] | None = None, **more: Any
) -> dict[str, Any]:
    """Return a value with its interval; `more` goes to the metric, except for `unbeaten` and `defined`."""
    low = value - 0.05 if low is None else low
    cell = {"value": value, "low": low, "high": value + 0.05, "unbeaten": True, "beats": beats or []}
    cell |= {key: more.pop(key) for key in ("unbeaten", "defined") if key in more}
    return {"texts": cell, "systems": cell, **more}


CONTROLS = {
    settings.LENGTH: entry(0.02, unbeaten=False, undirected=True),
    settings.RANDOM: entry(0.0, low=-0.1),
}


def table(benchmark: str = "first", **options: Any) -> Table:
    plain = Table(
        benchmark,
        "translation",
        ["en"],
        2022,
        "quality",
        main=True,
        sample=None,
        systems=10,
        inputs=100,
        texts=1000,
        coefficient=dict.fromkeys(settings.LEVELS, "Kendall's tau-b"),
        ceiling={},
        metrics={},
    )
    metrics = {**CONTROLS, **options.pop("metrics", {"chrf": entry(0.3)})}
    return replace(plain, metrics=metrics, **options)


def evidence(*tables: Table, **costs: float) -> Evidence:
    everywhere = rows_by_metric((each for each in tables if each.main), "texts")
    needs = {
        label: {
            "references": label not in ("novelty", "mattr", "flesch_reading_ease"),
            "source": label in ("novelty", "compression", "density"),
            "weights": settings.family(label) == "encoder" or label == "nubia",
            "languages": "any",
            "unsplit": ["ja"] if label == "wer" else [],
        }
        for label in LABELS
    }
    large = [each for each in tables if each.inputs >= settings.FEWEST_INPUTS]
    return Evidence(
        large, needs, costs, {label: mean(row.gain for row in rows) for label, rows in everywhere.items()}
    )


def labels(advice: Advice) -> list[str]:
    return [advised.metric for advised in advice.recommendations]


def asked(*tables: Table, costs: dict[str, float] | None = None, **options: Any) -> Advice:
    return advise(replace(QUESTION, **options), evidence(*tables, **(costs or {})))


def test_the_largest_table_of_a_benchmark_counts():
    small = table(sample=20, inputs=20, metrics={"chrf": entry(0.9), "eed": entry(0.8)})
    rows = rows_by_metric([table(), small], "texts")
    assert [row.value for row in rows["chrf"]] == [0.3] and [row.sample for row in rows["eed"]] == [20]
    assert rows["eed"][0].gain == pytest.approx(-0.1)


def test_without_chrf_the_gain_is_over_the_better_control():
    rows = rows_by_metric([table(metrics={"eed": entry(0.3)})], "texts")
    assert rows["eed"][0].gain == pytest.approx(0.28) and rows["eed"][0].above


def test_a_value_on_few_inputs_has_no_row():
    rows = rows_by_metric(
        [table(metrics={"eed": entry(0.9, defined=0.5), "chrf": entry(0.3, defined=0.9)})], "texts"
    )
    assert list(rows) == ["chrf"]


def test_dimensions_belong_to_qualities():
    tables = [table(), table(dimension="fluency", main=False), table(dimension="acu", main=False)]
    wants = {want: relevant(tables, "translation", want, "texts") for want in settings.QUALITIES}
    assert (
        wants["overall"] == tables[:1] and wants["fluency"] == tables[1:2] and wants["content"] == tables[2:]
    )
    assert not relevant(tables, "dialogue", "overall", "texts")


def test_tables_of_few_inputs_do_not_decide():
    assert asked(table(inputs=14)).unknown[0].startswith("no benchmark of the leaderboard judges")
    assert labels(asked(table(inputs=15))) == ["chrf"]


def test_benchmarks_without_references_do_not_count_against_metrics_that_need_them():
    wide = {"chrf": entry(0.3), "wip": entry(0.35)}
    without = [table(name, metrics={"mattr": entry(0.2)}) for name in "de"]
    tables = [table(name, metrics=wide) for name in "ab"]
    assert labels(asked(*tables, *without)) == ["wip", "chrf"]
    assert labels(asked(*tables, *(table(name) for name in "de"))) == ["chrf"]


def test_two_benchmarks_in_the_language_of_the_question_are_enough():
    czech = [table(name, languages=["cs"], metrics={"chrf": entry(0.3), "eed": entry(0.2)}) for name in "ab"]
    english = [table(name, metrics={"chrf": entry(0.3), "eed": entry(0.6)}) for name in "cd"]
    assert labels(asked(*czech, *english, lang="cs"))[0] == "chrf"
    assert labels(asked(*czech[:1], *english, lang="cs"))[0] == "eed"
    assert labels(asked(*czech, *english, lang="de"))[0] == "eed"


def test_a_candidate_covers_three_quarters_of_the_benchmarks():
    wide = {"chrf": entry(0.3), "wip": entry(0.35)}
    tables = [table(name, metrics=wide) for name in "abc"]
    assert labels(asked(*tables, table("d"))) == ["wip", "chrf"]
    assert labels(asked(*tables[:2], table("c"), table("d"))) == ["chrf"]


def test_a_candidate_is_above_the_controls_on_half_of_the_benchmarks():
    good, bad = {"chrf": entry(0.3)}, {"chrf": entry(0.3, low=-0.01)}
    assert labels(asked(table("a", metrics=good), table("b", metrics=bad))) == ["chrf"]
    assert labels(asked(table("a", metrics=bad), table("b", metrics=bad), table("c", metrics=good))) == []


def test_scores_are_shrunk_toward_all_tasks():
    """wip is better on the one benchmark of the task and far worse elsewhere."""
    here = table(metrics={"chrf": entry(0.3), "wip": entry(0.34)})
    elsewhere = [
        table(name, task="dialogue", metrics={"chrf": entry(0.3), "wip": entry(0.1)})
        for name in ("x", "y", "z")
    ]
    assert labels(asked(here)) == ["wip", "chrf"]
    advice = asked(here, *elsewhere)
    assert labels(advice) == ["chrf", "wip"]
    assert advice.recommendations[1].score == pytest.approx(0.04 / 2 + (0.04 - 3 * 0.2) / 4 / 2)


def test_weights_must_be_earned():
    label = "bertscore(model='minilm').f1"
    alone = {"chrf": entry(0.3), label: entry(0.35)}
    assert labels(asked(table(metrics=alone))) == ["chrf", label]
    beaten = {"chrf": entry(0.3, unbeaten=False), label: entry(0.35)}
    tables = [table("a", metrics=beaten), table("b", metrics=alone), table("c", metrics=alone)]
    assert labels(asked(*tables)) == [label, "chrf"]


def test_one_metric_per_family_and_the_familiar_one_if_it_is_near():
    near = {"chrf": entry(0.3), "eed": entry(0.31)}
    assert labels(asked(table(metrics=near))) == ["chrf"]
    assert labels(asked(table(metrics={**near, "eed": entry(0.32)}))) == ["eed"]
    assert labels(asked(table(metrics={**near, "chrf": entry(0.3, unbeaten=False)}))) == ["eed"]


def test_of_near_metrics_the_cheap_one_is_taken():
    near = {"chrf": entry(0.1), "bleu": entry(0.3), "sentence_bleu": entry(0.31)}
    assert labels(asked(table(metrics=near)))[0] == "sentence_bleu"
    assert labels(asked(table(metrics=near), costs={"bleu": 0.1, "sentence_bleu": 2.0}))[0] == "bleu"


def test_a_third_metric_must_be_above_the_first_two_somewhere():
    metrics = {"chrf": entry(0.3), "rouge": entry(0.25), "wip": entry(0.2)}
    tables = [table(name, metrics=metrics) for name in "ab"]
    assert labels(asked(*tables)) == ["chrf", "rouge"]
    ahead = table("c", metrics={**metrics, "wip": entry(0.31)})
    assert labels(asked(*tables, ahead)) == ["chrf", "rouge", "wip"]


def test_a_metric_far_behind_the_first_is_not_recommended():
    assert labels(asked(table(metrics={"chrf": entry(0.3), "rouge": entry(0.21)}))) == ["chrf", "rouge"]
    assert labels(asked(table(metrics={"chrf": entry(0.3), "rouge": entry(0.19)}))) == ["chrf"]


def test_metrics_that_no_table_separates_are_marked():
    metrics = {"chrf": entry(0.3), "rouge": entry(0.25)}
    advice = asked(table("a", metrics=metrics), table("b", metrics=metrics))
    assert [advised.not_separated for advised in advice.recommendations] == [(), ("chrf",)]
    beaten = {"chrf": entry(0.3, beats=["rouge"]), "rouge": entry(0.25, unbeaten=False)}
    second = asked(table("a", metrics=metrics), table("b", metrics=metrics), table("c", metrics=beaten))
    advised = second.recommendations[1]
    assert (advised.not_separated, advised.unbeaten, advised.tested) == ((), 2, 3)
    assert advised.separated == (("chrf", "rouge", "c", None),)


def test_a_metric_that_is_often_beaten_is_not_second():
    often = {"chrf": entry(0.3), "rouge": entry(0.25, unbeaten=False)}
    seldom = {"chrf": entry(0.3), "rouge": entry(0.25)}
    advice = asked(table("a", metrics=often), table("b", metrics=seldom))
    assert labels(advice) == ["chrf"] and advice.never_alone == ("rouge",)
    assert labels(asked(table("a", metrics={"rouge": entry(0.25, unbeaten=False)}))) == ["rouge"]


def test_systems_decide_only_if_two_benchmarks_have_many():
    few = asked(table("a", systems=19), table("b", systems=25), level="systems")
    assert any("system-level tables hardly separate metrics" in item for item in few.unknown)
    many = asked(table("a", systems=20), table("b", systems=25), table("c", systems=4), level="systems")
    assert [row.benchmark for row in many.recommendations[0].evidence] == ["a", "b"]
    assert not any("system-level" in item for item in many.unknown)


def test_length_that_nothing_beats_is_a_refusal():
    length = {settings.LENGTH: entry(0.35, undirected=True), "chrf": entry(0.4)}
    advice = asked(table("a", metrics=length))
    assert advice.verdict == "none" and labels(advice) == []
    assert any("number of words (0.35 [0.30, 0.40])" in item for item in advice.unknown)
    assert labels(asked(table("a", metrics=length), table("b"))) == ["chrf"]
    uncertain = {settings.LENGTH: entry(0.02, low=-0.1, undirected=True), "chrf": entry(0.4)}
    assert labels(asked(table("a", metrics=uncertain))) == ["chrf"]


def test_metrics_without_a_direction_are_indicators():
    metrics = {"chrf": entry(0.2), "novelty": entry(-0.34, low=-0.47, undirected=True)}
    metrics["novelty"]["texts"]["high"] = -0.17
    [indicator] = asked(table(metrics=metrics), have=("references", "source")).indicators
    assert (indicator.metric, indicator.measures) == ("novelty", "copying")
    assert not asked(table(metrics=metrics)).indicators
    ties = table(metrics=metrics, coefficient={"texts": settings.COUNTS_TIES})
    assert not asked(ties, have=("references", "source")).indicators


def test_descriptive_statistics_are_not_recommended():
    advice = asked(table(metrics={"mattr": entry(0.5)}), have=())
    assert labels(advice) == [] and any("better than the controls" in item for item in advice.unknown)


@pytest.mark.parametrize(("value", "word"), [(0.31, "good"), (0.29, "fair"), (0.14, "weak")])
def test_the_verdict_is_the_median_of_the_best_values(value, word):
    tables = [table(name, metrics={"chrf": entry(value)}) for name in "abc"]
    assert asked(*tables).verdict == word
    newest = table("d", year=2024, metrics={"chrf": entry(0.11)})
    advice = asked(*tables, newest)
    assert advice.verdict == {"good": "fair"}.get(word, word)
    assert any(
        "on the systems of 2024 no metric has an agreement above 0.11" in item for item in advice.unknown
    )


def test_usual_metrics_that_are_often_beaten_are_named():
    metrics = {"chrf": entry(0.3), "wer": entry(0.1, unbeaten=False), "cider": entry(0.1, low=-0.1)}
    assert asked(table(metrics=metrics)).never_alone == ("wer", "cider")
    japanese = asked(table(metrics=metrics), lang="ja")
    assert japanese.never_alone == ("cider",)
    assert any("no spaces between words" in item and item.endswith(": wer") for item in japanese.unknown)


def test_limits_of_the_evidence_are_named():
    advice = asked(table(), lang="de")
    assert "no benchmark has texts in 'de'; the evidence is from en" in advice.unknown
    assert "all evidence is from one benchmark, first" in advice.unknown
    assert "the newest systems judged are of 2022" in advice.unknown
    [untested] = [item for item in advice.unknown if item.startswith("no evidence on this task for: ")]
    assert set(untested.partition(": ")[2].split(", ")) == {"bertscore", "nubia", "yisi"}


def test_mean_and_median():
    assert mean([1, 2, 4]) == pytest.approx(7 / 3)
    assert (median([3, 1, 2]), median([4, 1, 3, 2])) == (2, 2.5)


def test_rows_know_their_place():
    assert Row("a", "b", None, 2020, "c", 1, 0, 1, 0, True, True, True, ()).place == ("a", "b")
