"""The section on trust: agreement with people by `nlgauge.meta`, sentinels, letters and sentences."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.meta import Judgments
from nlgauge.results.imported.human import with_human_scores
from nlgauge.show.page_data.trust import ALL, LEVELS, trust_of


def rated(
    systems: int = 6, segments: int = 30, noise: float = 0.3, reverse: bool = False, length: bool = False
) -> Any:
    """A result whose score "close" is the human score with noise, and whose score "blind" is noise."""
    draw = random.Random(5)
    rows = []
    for segment in range(segments):
        for system in range(systems):
            quality = draw.gauss(0.3 * system, 1)
            words = 5 + 3 * system if length else draw.randrange(4, 12)
            rows.append(
                {
                    "id": segment,
                    "system": f"s{system}",
                    "prediction": " ".join(["word"] * words),
                    "close": quality + draw.gauss(0, noise),
                    "blind": draw.gauss(0, 1),
                    "human.fluency": -quality if reverse else quality,
                    "human.adequacy": 10 * quality + draw.gauss(0, 5),
                }
            )
    result = nlgauge.from_scores(rows, ["close:higher", "blind:higher"])
    human = ["human.fluency:lower" if reverse else "human.fluency", "human.adequacy"]
    return with_human_scores(result, human)


def table(human: Any, level: str, dimension: str) -> dict[str, Any]:
    found = trust_of(human)
    assert found is not None
    return found.table(level, dimension)


def test_the_metric_that_follows_people_is_first_and_noise_is_no_better_than_length() -> None:
    human = rated()
    for level in LEVELS:
        found = table(human, level, "fluency")
        names = [row["name"] for row in found["rows"]]
        assert names[0] == "close", level
        assert {"random numbers", "the length of the output"} <= set(names)
        assert f"close agrees best with people here ({LEVELS[level].symbol} 0." in found["sentence"]
    found = table(rated(length=True), "global", "fluency")
    (row,) = [row for row in found["rows"] if row["name"] == "blind"]
    assert "the length of the output" in row["below"]
    assert found["sentence"].endswith("blind is no better than the length of the output.")


def test_values_intervals_and_letters_are_those_of_meta() -> None:
    human = rated()
    found = table(human, "input", "adequacy")
    judged = Judgments.from_result(human.result, list(human.labels))
    options: Any = {"human": "adequacy", "resamples": 500}
    expected = judged.correlate("input", "kendall", **options)
    for row in found["rows"]:
        if row["metric"]:
            (same,) = expected.where(metric=row["label"])
            assert (row["value"], row["low"], row["high"]) == (same["value"], same["low"], same["high"])
    compared = judged.compare("input", "kendall", generalize_to="both", **options)
    assert {row["label"]: row["letters"] for row in found["rows"] if row["metric"]} == compared.letters()
    assert (found["over"], found["draws"]) == ("systems and inputs", 500)


def test_lower_human_scores_are_turned_and_dimensions_are_averaged() -> None:
    plain, turned = rated(), rated(reverse=True)
    assert table(plain, "global", "fluency")["rows"][0]["value"] == pytest.approx(
        table(turned, "global", "fluency")["rows"][0]["value"]
    )
    found = trust_of(plain)
    assert found is not None
    assert found.dimensions == ["fluency", "adequacy", ALL]
    fluency, adequacy, both = (found.judgments.humans[name] for name in found.dimensions)
    mean = ((fluency - fluency.mean()) / fluency.std() + (adequacy - adequacy.mean()) / adequacy.std()) / 2
    assert both == pytest.approx(mean)


def test_few_systems_have_fewer_levels_and_no_claim_about_systems() -> None:
    found = trust_of(rated(4))
    assert found is not None and found.levels == ["input", "global"]
    answer = found.table("input", "fluency")
    assert answer["over"] == "inputs"
    assert answer["sentence"].endswith(" 4 systems are too few to assess how metrics rank systems.")
    alone = trust_of(rated(1))
    assert alone is not None and alone.levels == ["global"]
    assert "systems are too few" not in alone.table("global", "fluency")["sentence"]


def test_noise_alone_agrees_with_nobody() -> None:
    draw = np.random.default_rng(1)
    rows = [
        {"id": i, "system": s, "m": draw.normal(), "n": draw.normal(), "human.q": draw.normal()}
        for i in range(40)
        for s in ("A", "B", "C")
    ]
    human = with_human_scores(nlgauge.from_scores(rows, ["m:higher", "n:lower"]))
    assert table(human, "global", "q")["sentence"].startswith(
        "No metric agrees significantly with people here."
    )


def test_too_few_ratings_or_no_direction_show_nothing() -> None:
    rows = [{"id": i, "system": s, "m": float(i), "human.q": i + (s == "A")} for i in range(9) for s in "AB"]
    assert trust_of(with_human_scores(nlgauge.from_scores(rows, ["m:higher"]))) is None
    rows = [{"id": i, "system": s, "m": float(i), "human.q": i + (s == "A")} for i in range(19) for s in "AB"]
    assert trust_of(with_human_scores(nlgauge.from_scores(rows, ["m:neither"]))) is None
    assert trust_of(with_human_scores(nlgauge.from_scores(rows, ["m:higher"]))) is not None
    assert trust_of(with_human_scores(nlgauge.from_scores(rows, ["m:higher"]), ())) is None


def test_several_ratings_have_a_ceiling() -> None:
    draw = random.Random(3)
    rows = [
        {"id": i, "system": s, "m": float(i % 7), "human.q": [i % 7, i % 7 + draw.choice([-1, 0, 1])]}
        for i in range(30)
        for s in "AB"
    ]
    found = table(with_human_scores(nlgauge.from_scores(rows, ["m:higher"])), "global", "q")
    assert 0.5 < found["ceiling"] < 1
    assert all(math.isfinite(row["value"]) for row in found["rows"])
