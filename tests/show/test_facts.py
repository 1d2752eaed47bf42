"""The headline: one vote per metric, ties are ties, and the sentence names systems in the order of the
table.
"""

from __future__ import annotations

import gzip
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.show.page_data.data import view_of
from nlgauge.show.page_data.facts import Facts, facts_of
from nlgauge.show.page_data.names import short_labels
from nlgauge.show.page_data.verdict import small_print, verdict

_BENCHMARKS = Path(__file__).parents[3] / "shared" / "benchmarks"
_WORDS = [
    "the",
    "ferry",
    "stops",
    "for",
    "two",
    "weeks",
    "in",
    "March",
    "while",
    "its",
    "ramp",
    "is",
    "replaced",
]
_TEXTS = [" ".join(random.Random(number).choices(_WORDS, k=12)) for number in range(20)]


def output(
    metric: str, scores: list[float | None], top: list[int] | None = None, up: bool | None = True, **more: Any
) -> dict[str, Any]:
    """An output of a page; the systems of `top` are beaten by no other."""
    ranks = (
        [None] * len(scores)
        if top is None
        else [(1, 2) if system in top else (2, 3) for system in range(len(scores))]
    )
    return {
        "metric": metric,
        "output": metric,
        "up": up,
        "people": False,
        "decimals": 1,
        "unequal": False,
        "scores": scores,
        "ranks": ranks,
        **more,
    }


def alone(count: int) -> list[tuple[int, ...]]:
    return [(system,) for system in range(count)]


def words(sentences: Any, names: str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ") -> list[str]:
    return [
        "".join(part["text"] if "text" in part else names[part["system"]] for part in sentence)
        for sentence in sentences
    ]


def said(facts: Facts) -> list[str]:
    return words(verdict(facts, 9))


def test_a_metric_has_one_vote_by_its_first_directed_output() -> None:
    outputs = [
        output("rouge", [1.0, 2.0], [0, 1], up=None),
        output("rouge", [2.0, 1.0], [0]),
        output("rouge", [1.0, 2.0], [1]),
        output("bleu", [1.0, 2.0], [0, 1]),
    ]
    facts = facts_of(outputs, alone(2))
    assert [(voice.metric, voice.output, voice.best, voice.top) for voice in facts.voices] == [
        ("rouge", 1, (0,), (0,)),
        ("bleu", 3, (1,), (0, 1)),
    ]
    assert (facts.first, facts.in_top, facts.order) == ((1, 1), (2, 1), (0, 1))


def test_systems_that_print_the_same_number_tie() -> None:
    facts = facts_of(
        [output("bleu", [2.04, 2.01, 1.0], [0, 1]), output("ter", [-0.01, 0.01, 3.0], [0, 1], up=False)],
        alone(3),
    )
    assert [voice.best for voice in facts.voices] == [(0, 1), (0, 1)]
    assert facts.first == (0, 0, 0)
    assert said(facts)[0] == "A and B tie for first on 2 of 2 metrics."


def test_sentences() -> None:
    every = facts_of(
        [output("bleu", [3.0, 2.0, 1.0], [0]), output("ter", [1.0, 2.0, 3.0], [0], up=False)], alone(3)
    )
    assert said(every) == ["All 2 metrics put A first, significantly ahead of every other system."]
    assert said(facts_of([output("bleu", [1.0, 2.0], [1])], alone(2))) == [
        "bleu puts B first, significantly ahead of A."
    ]
    some = facts_of(
        [
            output("a", [3.0, 2.0, 1.0], [0]),
            output("b", [3.0, 2.0, 1.0], [0, 1]),
            output("c", [1.0, 2.0, 1.0], [0, 1]),
        ],
        alone(3),
    )
    assert said(some) == [
        "A is first on 2 of 3 metrics, significantly ahead of every other system on 1 of them."
    ]
    several = facts_of([output("a", [3.0, 2.0, 1.0], [0, 1]), output("b", [2.0, 3.0, 1.0], [0, 1])], alone(3))
    assert said(several) == [
        "A and B are first on 1 of 2 metrics each.",
        "A and B are in the best group on every metric; 1 system is in it on none.",
    ]
    assert said(facts_of([output("a", [3.0, 2.0, 1.0], [0, 1, 2])], alone(3))) == [
        "No metric can tell A, B and C apart."
    ]
    assert said(facts_of([output("a", [3.0, 3.0, 3.0])], alone(3))) == [
        "No metric can tell A, B and C apart."
    ]
    assert said(facts_of([output("a", [3.0, 2.0])], alone(2))) == ["A is first on 1 of 1 metric."]
    assert words(small_print(facts_of([output("a", [3.0, 2.0])], alone(2)))) == [
        "Not tested for significance: a."
    ]
    assert said(facts_of([output("a", [3.0, 2.0], up=None)], alone(2))) == [
        "No score here has a better direction, so no system is called better than another."
    ]
    assert said(facts_of([output("a", [1.0])], alone(1))) == [
        "A has 9 metrics; there is no other system to compare it with."
    ]


def test_a_metric_without_all_scores_does_not_vote() -> None:
    facts = facts_of(
        [output("ter", [1.0, None, 2.0], up=False), output("bleu", [1.0, 3.0, 2.0], [1])], alone(3)
    )
    assert said(facts) == ["bleu puts B first, significantly ahead of every other system."]
    assert words(small_print(facts)) == ["ter is not counted: B has no score."]
    several = [output(name, [1.0, None, 2.0]) for name in ("ter", "wer", "cer")]
    several += [output("judge", [None, None, 2.0])]
    assert words(small_print(facts_of(several, alone(3)))) == [
        "ter, wer and cer are not counted: B has no score.",
        "judge is not counted: A and B have no score.",
    ]
    none = facts_of([output("ter", [1.0, None], up=False)], alone(2))
    assert said(none) == [
        "No metric has scores of the same segments for every system, so no system is called better than"
        " another."
    ]


def test_means_over_different_segments_do_not_vote() -> None:
    facts = facts_of(
        [output("judge", [0.6, 0.9], [0, 1], unequal=True), output("bleu", [3.0, 1.0], [0])], alone(2)
    )
    assert said(facts) == ["bleu puts A first, significantly ahead of B."]
    assert words(small_print(facts)) == ["judge is not counted: systems lack scores of different segments."]


def test_a_page_compares_on_common_segments() -> None:
    grade = nlgauge.metric_from(lambda text: None if text == "?" else float(text), name="grade", needs=())
    scores = [str(number / 40) for number in range(40)]
    result = nlgauge.score(
        {"A": scores, "B": ["?" if number < 15 else score for number, score in enumerate(scores)]},
        metrics=grade,
    )
    (shown,) = view_of(result, "gaps").meta["outputs"]
    assert shown["scores"][1] > shown["scores"][0]
    assert (shown["missing"], shown["unequal"], shown["best"], shown["letters"]) == (
        [0, 15],
        True,
        [],
        ["a", "a"],
    )
    assert shown["pairs"]["gains"] == [0]


def test_systems_with_equal_texts_are_one() -> None:
    facts = facts_of([output("bleu", [1.0, 3.0, 3.0], [1, 2])], [(0,), (1, 2)])
    assert facts.first == (0, 1, 1)
    assert said(facts) == ["bleu puts B (= C) first, significantly ahead of A."]
    assert words(small_print(facts)) == ["B and C have the same texts."]
    equal = facts_of([output("bleu", [3.0, 3.0, 3.0], [0, 1, 2])], [(0, 1, 2)])
    assert said(equal) == ["A, B and C have the same texts, so every score is the same."]
    assert small_print(equal) == []


def test_the_first_system_named_is_the_first_of_the_order() -> None:
    # B has the best score most often, A is never beaten.
    outputs = [
        output("a", [1.0, 2.0, 0.0], [0, 1]),
        output("b", [1.0, 2.0, 0.0], [0, 1]),
        output("c", [2.0, 1.0, 0.0], [0]),
    ]
    facts = facts_of(outputs, alone(3))
    assert facts.order == (0, 1, 2)
    assert (
        said(facts)[0]
        == "A is in the best group on 3 of 3 metrics and first on 1; B is first on the most, 2."
    )
    draw = np.random.default_rng(3)
    for _ in range(200):
        count = int(draw.integers(2, 8))
        scores = draw.integers(0, 4, (4, count)).astype(float)
        tops = [sorted({int(values.argmax()), *draw.integers(0, count, 2).tolist()}) for values in scores]
        facts = facts_of(
            [output(f"m{number}", list(values), tops[number]) for number, values in enumerate(scores)],
            alone(count),
        )
        sentence = verdict(facts, 4)[0]
        assert (
            next(part["system"] for part in sentence if "system" in part) == facts.order[0]
            or max(facts.first) == 0
        )


def test_many_names_are_counted() -> None:
    count = 17
    facts = facts_of([output("a", [5.0] * count, list(range(count)))], alone(count))
    assert said(facts) == ["No metric can tell A, B, C, D, E and 12 more apart."]
    forty = facts_of([output("a", list(np.linspace(9, 1, 26)), list(range(20)))], alone(26))
    assert said(forty) == [
        "A is first on 1 of 1 metric, on none of them significantly ahead of every other system.",
        "A, B, C, D, E and 15 more are in the best group on a; 6 systems are in it on none.",
    ]


def rated(name: str, scores: list[float | None], top: list[int] | None, **more: Any) -> dict[str, Any]:
    return output(name, scores, top, people=True, **more)


def pairs(count: int, behind: dict[int, list[int]]) -> dict[str, list[float]]:
    """Tests of all pairs: each system of `behind` is significantly worse than some."""
    every = list(combinations(range(count), 2))
    better = [(worse, ahead) for worse, systems in behind.items() for ahead in systems]
    return {
        "gains": [-1.0 if (second, first) in better else 1.0 for first, second in every],
        "p_max_t": [
            0.01 if (first, second) in better or (second, first) in better else 0.5 for first, second in every
        ],
    }


def test_people_are_named_first_and_order_the_systems() -> None:
    metric = output("bleu", [9.0, 5.0, 4.0, 3.0], [0])
    ties = rated("mqm", [-5.0, -4.0, -4.5, -6.0], [0, 1, 2], pairs=pairs(4, {3: [1, 2]}))
    facts = facts_of([ties, metric], alone(4))
    assert said(facts) == [
        "People cannot tell B, C and A apart (mqm); D is significantly behind B and C.",
        "bleu puts A first, significantly ahead of every other system.",
    ]
    assert facts.order == (1, 2, 0, 3)
    alike = rated("mqm", [-5.0, -4.0, -4.5, -6.0], [0, 1, 2, 3])
    assert said(facts_of([alike, metric], alone(4)))[0] == "People cannot tell the 4 systems apart (mqm)."
    clear = rated("mqm", [1.0, 5.0, 2.0, 0.0], [1], pairs=pairs(4, {0: [1, 2], 2: [1], 3: [1]}))
    assert said(facts_of([clear, metric], alone(4))) == [
        "People put B first (mqm), significantly ahead of every other system.",
        "bleu puts A first, significantly ahead of every other system.",
        "People disagree with the metrics: they put B and C significantly ahead of A.",
    ]
    assert said(facts_of([clear], alone(4))) == [
        "People put B first (mqm), significantly ahead of every other system."
    ]
    many = rated("mqm", [5.0, 5.0, 2.0, 1.0, 0.0], [0, 1], pairs=pairs(5, {2: [0], 3: [0], 4: [0]}))
    assert said(facts_of([many], alone(5))) == [
        "People cannot tell A and B apart (mqm); 3 systems are significantly behind."
    ]


def test_several_human_scores() -> None:
    metric = output("bleu", [9.0, 5.0, 4.0], [0])
    tops = [[1, 2], [2], [1, 2]]
    scores: list[float | None] = [1.0, 2.0, 3.0]
    dimensions = [rated(name, scores, top) for name, top in zip("xyz", tops, strict=True)]
    assert said(facts_of([*dimensions, metric], alone(3))) == [
        "On all 3 human dimensions C is in the best group, and no other system is.",
        "bleu puts A first, significantly ahead of every other system.",
        "People disagree with the metrics: A is not in their best group on 3 of 3 human dimensions.",
    ]
    assert said(facts_of([dimensions[0], dimensions[2], metric], alone(3)))[0] == (
        "On all 2 human dimensions C and B are in the best group."
    )
    apart = [rated("x", [3.0, 1.0, 2.0], [0]), rated("y", [1.0, 3.0, 2.0], [1])]
    assert said(facts_of(apart, alone(3))) == ["People prefer different systems: A on x, B on y."]
    alike = [rated(name, [3.0, 1.0, 2.0], [0, 1, 2]) for name in "xy"]
    assert said(facts_of(alike, alone(3))) == [
        "People cannot tell the 3 systems apart on all 2 human dimensions."
    ]
    untested = rated("x", [3.0, 3.0, 2.0], None)
    assert said(facts_of([untested], alone(3))) == ["People give the best score to A and B (x)."]
    assert words(small_print(facts_of([untested], alone(3)))) == ["Not tested for significance: x."]


def worse(share: float, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(word for word in text.split() if draw.random() > share) for text in _TEXTS]


def meta(predictions: dict[str, list[str]], metrics: list[str], references: list[str] = _TEXTS) -> Any:
    return view_of(
        nlgauge.score(predictions, [[text] for text in references], metrics=metrics), "x", resamples=100
    ).meta


def test_results_of_equal_and_empty_systems() -> None:
    same = worse(0.2, 1)
    found = meta({"A": same, "B": list(same), "C": list(same)}, ["bleu", "rouge", "ter"])
    assert words(found["verdict"]) == ["A, B and C have the same texts, so every score is the same."]
    assert all(len(output["best"]) == 3 for output in found["outputs"])
    assert found["equal"] == "rouge1 and rougeLsum are the same as rougeL on every segment."
    empty = meta({"A": [""] * 3, "B": [""] * 3}, ["bleu"], [""] * 3)
    assert words(empty["verdict"]) == ["A and B have the same texts, so every score is the same."]
    pair = meta({"A": same, "B": list(same), "C": worse(0.7, 2)}, ["bleu", "rouge", "ter"])
    assert words(pair["verdict"]) == ["All 3 metrics put A (= B) first, significantly ahead of C."]
    assert words(pair["remarks"]) == ["A and B have the same texts."]
    assert pair["order"] == [0, 1, 2]


def test_missing_scores_are_counted_for_each_system() -> None:
    found = meta(
        {"A": ["a b.", "", "c d e.", ""], "B": ["a b.", "c.", "", "d."]}, ["flesch_reading_ease"], ["x"] * 4
    )
    (output_,) = found["outputs"]
    assert (output_["missing"], output_["unequal"]) == ([2, 1], True)


def test_names_of_labels_can_be_told_apart() -> None:
    labels = [
        "chrf",
        "chrf(word_order=2)",
        "chrf(beta=1, word_order=2)",
        "bleu(lowercase=True)",
        "ter(a='x, y', b=1)",
        "ter(a='x, y', b=2)",
    ]
    assert list(short_labels(labels).values()) == [
        "chrf",
        "chrf word_order=2",
        "chrf beta=1 word_order=2",
        "bleu",
        "ter b=1",
        "ter b=2",
    ]


def rows(name: str, keep: Any) -> list[dict[str, Any]]:
    path = _BENCHMARKS / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the benchmark {name} is not in ../shared/benchmarks")
    with gzip.open(path, "rt") as file:
        return [row for row in map(json.loads, file) if keep(row)]


def votes(records: list[dict[str, Any]], metrics: list[str], **options: Any) -> tuple[Any, dict[str, str]]:
    texts = [
        {
            "id": row["segment"],
            "system": row["system"],
            "prediction": row["prediction"],
            "references": row["references"],
            **{f"human.{name}": score for name, score in row["human"].items()},
        }
        for row in records
    ]
    found = view_of(nlgauge.score(texts, metrics=metrics, **options), "x", resamples=200).meta
    best = {
        output["metric"]: found["systems"][output["best"][0]]
        for output in found["outputs"][::-1]
        if not output["people"] and len(output["best"]) == 1
    }
    return found, best


def test_wmt21_zh_en() -> None:
    systems = ("NiuTrans", "SMU", "Borderline", "Online-W")
    records = rows("wmt21_mqm_news", lambda row: row["meta"]["lp"] == "zh-en" and row["system"] in systems)
    found, best = votes(records, ["bleu", "chrf", "ter"])
    assert set(best.values()) == {"Borderline"}
    assert [found["systems"][system] for system in found["order"]] == list(systems)
    mqm = found["outputs"][0]
    assert [round(mqm["scores"][system], 3) for system in found["order"]] == [-4.633, -4.844, -4.945, -5.567]
    assert [mqm["letters"][system] for system in found["order"]] == ["a", "a", "ab", "b"]
    assert words(found["verdict"], found["systems"]) == [
        "People cannot tell NiuTrans, SMU and Borderline apart (mqm); Online-W is significantly behind NiuTrans and SMU.",
        "All 3 metrics put Borderline first, significantly ahead of every other system.",
    ]


@pytest.mark.filterwarnings("ignore:1 of 178 segments")
def test_webnlg_2020() -> None:
    found, best = votes(
        rows("webnlg2020_en", lambda row: True), ["bleu", "chrf", "ter", "rouge"], common=True
    )
    assert best == {
        "bleu": "Amazon_AI_(Shanghai)",
        "ter": "Amazon_AI_(Shanghai)",
        "rouge": "FBConvAI",
        "chrf": "OSU_Neural_NLG",
    }
    assert found["votes"] == 4
    assert words(found["verdict"], found["systems"])[0] == (
        "On all 5 human dimensions Amazon_AI_(Shanghai), OSU_Neural_NLG, bt5, FBConvAI and cuni-ufal are in the best"
        " group."
    )
    first = [part["system"] for part in found["verdict"][0] if "system" in part]
    assert first[0] == found["order"][0]


def test_systems_with_different_imported_scores_are_not_called_equal() -> None:
    scores = {"A": [1, 2, 3], "B": [2, 3, 5]}
    rows = [
        {"id": i, "model": system, "q": value, "prediction": "yes"}
        for system, values in scores.items()
        for i, value in enumerate(values)
    ]
    results = nlgauge.from_scores(scores, name="q:higher"), nlgauge.from_scores(rows, "q:higher")
    for result in results:
        sentences = view_of(result, "x").meta["verdict"]
        assert "same texts" not in json.dumps(sentences)
