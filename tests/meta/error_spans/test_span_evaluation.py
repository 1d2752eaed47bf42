"""Scores of the spans of metrics, and agreement of annotators: real sets, small cases, and what must always hold."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from span_cases import vectors, wmt24_people

from nlgauge import meta, spans
from nlgauge.errors import InputError, ParameterError
from nlgauge.spans import Annotation, Span, Spans
from nlgauge.spans.building import columns_of
from nlgauge.spans.combining import joined
from nlgauge.spans.measures import counts

WORDS = "The old ferry left the harbor at nine in heavy rain"
REFERENCE = "The ferry sailed at nine in heavy rain"


def campaign(
    segments: int = 30, who: tuple[str, ...] = ("ana",), seed: int = 1, systems: tuple[str, ...] = ("A", "B")
) -> list[Spans]:
    """Return made-up spans of annotators who mark the same errors with some noise."""
    rng = np.random.default_rng(seed)
    annotations = []
    for n in range(segments):
        for system in systems:
            starts = rng.choice([0, 4, 8, 14, 19], size=int(rng.integers(0, 3)), replace=False)
            for name in who:
                marked = [
                    Span(
                        int(start) + int(rng.integers(0, 2)),
                        int(start) + 4,
                        str(rng.choice(["minor", "major"])),
                    )
                    for start in sorted(starts)
                    if rng.random() < 0.8
                ]
                annotations.append(
                    Annotation(
                        n,
                        system,
                        name,
                        tuple(marked),
                        target=WORDS,
                        references=(REFERENCE,),
                        document=f"d{n // 3}",
                    )
                )
    return columns_of(annotations)[0]


def noisy(people: Spans, seed: int, keep: float = 0.6) -> Spans:
    rng = np.random.default_rng(seed)
    return replace(people.where(rng.random(len(people)) < keep), who="metric", kind="metric")


@pytest.mark.slow
def test_intervals_equal_the_jackknife_on_real_spans():
    data = vectors("spans_wmt24_esa.json")["en-cs"]
    marked = wmt24_people()
    chosen = np.array([n for n, name in enumerate(marked.segments) if str(name).startswith("en-cs")])
    people = [marked.take(chosen)]
    scores = meta.span_scores(people, {}, ("em", "mp", "mpp", "char"), resamples=4000)
    for row in scores.rows:
        expected = data.get(f"standard errors, {row['metric']}", {}).get(row["measure"])
        if expected is not None:
            assert row["value"] == pytest.approx(expected["value"], abs=1e-6)
            assert row["n_units"] == expected["inputs"]
            width = (row["high"] - row["low"]) / (2 * 1.959964)
            assert width == pytest.approx(expected["jackknife standard error"], rel=0.05)
    differences = data["difference, not in the reference minus everything"]
    compared = 0
    for row in scores.compare().rows:
        if {row["metric"], row["other"]} == {"not in the reference", "everything"}:
            sign = 1 if row["metric"] == "not in the reference" else -1
            expected = differences[row["human"]]
            assert sign * row["delta"] == pytest.approx(expected["value"], abs=1e-6)
            width = (row["high"] - row["low"]) / (2 * 1.959964)
            assert width == pytest.approx(expected["jackknife standard error"], rel=0.05)
            compared += 1
    assert compared == 4


def test_a_metric_that_repeats_people_is_best_and_finds_errors():
    people = campaign()
    scores = meta.span_scores(
        people, {"same": people[0], "some": noisy(people[0], 2)}, ("mpp", "em"), resamples=200
    )
    best = scores.where(metric="same", measure="mpp").rows[0]
    assert (best["precision"], best["recall"], best["value"], best["letters"]) == (1, 1, 1, "a")
    assert (best["low"], best["high"]) == (1, 1)
    assert scores.where(metric="nothing").column("value") == [0, 0]
    assert any(
        "same and some find errors better than" in line or "some and same find" in line
        for line in scores.answer()
    )
    # The first row of each measure is the best.
    assert [scores.where(measure=measure).rows[0]["metric"] for measure in ("mpp", "em")] == ["same", "same"]
    assert "60 texts" in scores.notes[2]


def test_a_metric_like_a_sentinel_is_not_said_to_find_errors():
    people = campaign()
    whole = spans.sentinels.everything(people[0].texts, people[0].looked)
    scores = meta.span_scores(people, {"x": whole}, "mp", resamples=200)
    assert scores.answer() == ["mp: x is not shown to be better than every sentinel."]
    row = next(r for r in scores.compare().rows if {r["metric"], r["other"]} == {"x", "everything"})
    assert row["delta"] == 0 and row["p"] == 1 and row["p_adjusted"] == 1 and row["better"] == ""


def test_a_silent_metric_wins_by_macro_average_only():
    people = campaign(segments=60, seed=4)
    silent = noisy(people[0], 1, keep=0.0)
    micro = meta.span_scores(people, {"silent": silent}, "mpp", resamples=50)
    macro = meta.span_scores(people, {"silent": silent}, "mpp", "macro", resamples=50)
    empty = np.mean([not people[0].at(s, n) for s in range(2) for n in range(60)])
    assert micro.where(metric="silent").column("value") == [0]
    assert macro.where(metric="silent").column("value") == [pytest.approx(empty)]


def test_several_annotators_are_averaged_or_joined():
    people = campaign(who=("ana", "ben"), seed=3)
    metric = noisy(people[0], 5)
    each = meta.span_scores(people, {"m": metric}, "mpp", sentinels=False, resamples=50).rows[-1]
    expected = sum(counts(metric, annotator, ["mpp"])["mpp"] for annotator in people).sum(axis=(0, 1)) / 2
    assert each["precision"] == pytest.approx(expected[0] / expected[1])
    first = meta.span_scores(people, {"m": metric}, "mpp", gold="first", sentinels=False, resamples=50).rows[
        -1
    ]
    assert first["recall"] == pytest.approx(
        counts(metric, people[0], ["mpp"])["mpp"].sum(axis=(0, 1))[2] / len(people[0])
    )
    union = meta.span_scores(people, {"m": metric}, "mpp", gold="union", sentinels=False, resamples=50).rows[
        -1
    ]
    assert union["recall"] < first["recall"]


def test_annotations_of_several_annotators_are_joined_with_their_names():
    people = campaign(who=("ana", "ben"), segments=5)
    all_of_them, cells = joined(people)
    assert len(all_of_them) == len(people[0]) + len(people[1])
    for number, cell in enumerate(cells.tolist()):
        owner = people[number // (len(cells) // 2)]
        assert all_of_them.at(0, number) == owner.at(cell // 5, cell % 5)


def test_rows_by_severity_system_and_group_belong_to_their_texts():
    people = campaign()
    metric = {"m": noisy(people[0], 2)}
    by_system = meta.span_scores(people, metric, "mpp", by="system", resamples=50)
    alone = meta.span_scores([people[0].only("B")], {"m": metric["m"].only("B")}, "mpp", resamples=50)
    row = by_system.where(group="B", metric="m").rows[0]
    assert {name: row[name] for name in ("precision", "recall", "value")} == {
        name: alone.where(metric="m").rows[0][name] for name in ("precision", "recall", "value")
    }
    by_severity = meta.span_scores(people, metric, "em", by="severity", resamples=50)
    assert set(by_severity.column("group")) == {"all", "major", "minor"}
    minor = by_severity.where(group="minor", metric="m").rows[0]
    assert minor["precision"] == 1 and 0 < minor["recall"] < 1
    with pytest.raises(InputError, match="no groups"):
        meta.span_scores(people, metric, by="group")


def test_units_may_be_documents():
    people = campaign()
    inputs = meta.span_scores(people, {"m": noisy(people[0], 2)}, resamples=50)
    documents = meta.span_scores(people, {"m": noisy(people[0], 2)}, units="documents", resamples=50)
    assert inputs.rows[0]["n_units"] == 30 and documents.rows[0]["n_units"] == 10
    assert inputs.rows[0]["value"] == documents.rows[0]["value"]


def test_texts_that_a_metric_did_not_read_are_excluded_and_counted():
    people = campaign()
    partial = noisy(people[0], 2).take(np.arange(10))
    scores = meta.span_scores(people, {"m": partial, "same": people[0]}, resamples=50)
    assert {row["n_texts"] for row in scores.rows} == {20}
    assert any("40 texts that a metric did not read" in note for note in scores.notes)
    other = Spans.of_cells("m", "metric", ["Z"], [0], {(0, 0): []})
    with pytest.raises(InputError, match="no text was read by people and by all metrics"):
        meta.span_scores(people, {"m": other})


def test_one_input_has_no_interval_and_no_letters():
    people = campaign(segments=1, seed=2)
    scores = meta.span_scores(people, {"m": people[0]}, resamples=50)
    assert all(math.isnan(row["low"]) and row["letters"] is None for row in scores.rows)
    with pytest.raises(InputError, match="two metrics"):
        scores.compare()


@pytest.mark.parametrize(
    "options",
    [
        {"measures": "f1"},
        {"measures": ()},
        {"average": "mean"},
        {"gold": "last"},
        {"by": "word"},
        {"units": "words"},
        {"penalty": 2},
        {"resamples": 0},
        {"confidence": 1.5},
    ],
)
def test_options_of_scores_are_checked(options: dict[str, Any]):
    with pytest.raises(ParameterError):
        meta.span_scores(campaign(segments=2), {}, **options)
    with pytest.raises(InputError, match="people has no spans"):
        meta.span_scores([], {})


def test_agreement_does_not_depend_on_the_order_of_annotators_or_spans():
    people = campaign(who=("ana", "ben", "cem"), segments=12)
    expected = [dict(row) for row in meta.span_agreement(people, resamples=50, chance=3).rows]
    assert len(expected) == 4 + 2 + 3 * 4
    for order in permutations(people):
        shuffled = [
            Spans.of_cells(
                each.who,
                "people",
                each.systems,
                each.segments,
                {(s, n): list(reversed(each.at(s, n) or [])) for s in range(2) for n in range(12)},
                each.texts,
            )
            for each in order
        ]
        rows = [dict(row) for row in meta.span_agreement(shuffled, resamples=50, chance=3).rows]
        assert _equal(rows, expected)


def _equal(rows: list[dict[str, Any]], others: list[dict[str, Any]]) -> bool:
    for row, other in zip(rows, others, strict=True):
        for name, value in row.items():
            if isinstance(value, float):
                assert value == pytest.approx(other[name], nan_ok=True), name
            else:
                assert value == other[name]
    return True


def test_annotators_who_agree_have_1_and_chance_is_lower():
    [ana] = campaign(segments=20)
    twin = replace(ana, who="twin")
    rows = meta.span_agreement([ana, twin], resamples=50).rows
    for row in rows:
        assert row["value"] == pytest.approx(1)
    assert all(row["chance"] < 0.8 for row in rows if row["measure"] != "mp")
    assert {row["n_texts"] for row in rows} == {40}


def test_alpha_over_characters_equals_alpha_of_all_characters():
    people = campaign(who=("ana", "ben", "cem"), segments=8)
    from nlgauge.spans.painted import painted

    for levels, name in ((True, "alpha, none/minor/major"), (False, "alpha, marked or not")):
        ratings = np.concatenate(
            [
                np.stack([painted(each, s, n, len(WORDS), levels) for each in people], axis=1)
                for s in range(2)
                for n in range(8)
            ]
        )
        [row] = meta.span_agreement(people, resamples=20, chance=1).where(measure=name).rows
        assert row["value"] == pytest.approx(meta.krippendorff(ratings, "nominal"))


def test_annotators_without_a_shared_text_are_an_error():
    cells = [{(0, 0): [Span(0, 2, "minor")]}, {(0, 1): [Span(0, 2, "minor")]}]
    people = [Spans.of_cells(f"p{k}", "people", ["A"], [0, 1], each) for k, each in enumerate(cells)]
    with pytest.raises(InputError, match="no text was read by two annotators"):
        meta.span_agreement(people)
    with pytest.raises(ParameterError):
        meta.span_agreement(people, chance=-1)
    scores = meta.span_scores(people, {"m": people[0].aligned(["A"], [0, 1])}, resamples=20)
    assert all(row["kind"] == "metric" for row in scores.rows)


def test_a_curve_has_a_point_per_confidence():
    people = Spans.of_cells(
        "ana", "people", ["A"], [0, 1], {(0, 0): [Span(0, 4, "minor"), Span(5, 9, "minor")], (0, 1): []}
    )
    marked = [Span(0, 4, "minor", confidence=0.9), Span(5, 9, "minor", confidence=0.25)]
    metric = Spans.of_cells(
        "m", "metric", ["A"], [0, 1], {(0, 0): marked, (0, 1): [Span(0, 3, "minor", confidence=0.5)]}
    )
    curve = meta.span_curve(people, metric)
    assert curve.column("threshold") == [pytest.approx(0.9), 0.5, 0.25]
    assert curve.column("precision") == [1, 0.5, pytest.approx(2 / 3)]
    assert curve.column("recall") == [0.5, 0.5, 1] and curve.column("n_spans") == [1, 2, 3]
    assert curve.made["average_precision"] == pytest.approx(0.5 * 1 + 0 + 0.5 * 2 / 3)
    with pytest.raises(InputError, match="no confidence"):
        meta.span_curve(people, people)
    with pytest.raises(ParameterError):
        meta.span_curve(people, metric, "f1")
