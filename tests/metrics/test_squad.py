"""SQuAD's exact match and F1: golden values of copies of the official scripts, and the definition as an
oracle.

The golden values were made with compute_score.py of Hugging Face's evaluate at metrics/squad and
metrics/squad_v2, its copies of the official scripts of versions 1.1 and 2.0: `get_raw_scores(dataset,
predictions)` and `make_eval_dict`, and `compute_score(dataset, predictions)`.
"""

from __future__ import annotations

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from segment_rows import rows_by_label
from strategies import corpora

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.squad import Squad

CHANGED_PARAMETERS = {"compat": "1.1"}

PREDICTIONS = ["The Eiffel Tower!", "in 1889", "a", "", "Gustave Eiffel's company", "nothing", "the"]
REFERENCES = [
    ["Eiffel Tower", "Tower"],
    ["1889"],
    ["the"],
    [""],
    ["Gustave Eiffel", "company of Gustave Eiffel"],
    [""],
    ["", "Eiffel"],
]


def test_version_2():
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics="squad")
    rows = rows_by_label(result)
    assert [row["squad"] for row in rows] == [100, 0, 100, 100, 0, 0, 0]
    assert [row["squad.f1"] for row in rows] == pytest.approx(
        [100, 200 / 3, 100, 100, 57.14285714285715, 0, 0]
    )
    assert result["squad"]["exact_match"] == result["squad"]["score"] == pytest.approx(42.857142857142854)
    assert result["squad"]["f1"] == pytest.approx(60.54421768707483)


def test_version_1_1():
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=Squad(compat="1.1"))["squad"]
    assert result["exact_match"] == pytest.approx(57.142857142857146)
    assert result["f1"] == pytest.approx(31.97278911564626)


def words(text: str) -> list[str]:
    bare = "".join(character for character in text.lower() if character not in string.punctuation)
    return [word for word in re.sub(r"\b(?:a|an|the)\b", " ", bare).split() if word]


def pair(prediction: list[str], reference: list[str], version: int) -> tuple[float, float]:
    common = sum((Counter(prediction) & Counter(reference)).values())
    if version == 2 and (not prediction or not reference):
        f1 = float(prediction == reference)
    elif common:
        precision, recall = common / len(prediction), common / len(reference)
        f1 = 2 * precision * recall / (precision + recall)
    else:
        f1 = 0.0
    return float(" ".join(prediction) == " ".join(reference)), f1


@pytest.mark.parametrize("version", [1, 2])
@given(corpora())
def test_each_output_takes_its_best_reference(version, corpus):
    predictions, references = corpus
    metric = Squad(compat="1.1" if version == 1 else None)
    rows = rows_by_label(nlgauge.score(predictions, references, metrics=metric))
    for row, prediction, group in zip(rows, predictions, references, strict=True):
        answers = [words(reference) for reference in group]
        if version == 2:
            answers = [answer for answer in answers if answer] or [[]]
        scores = [pair(words(prediction), answer, version) for answer in answers]
        expected = [100 * max(column) for column in zip(*scores, strict=True)]
        assert [row[str(metric)], row[f"{metric}.f1"]] == pytest.approx(expected, abs=1e-9)


def test_explanation_is_of_the_reference_with_the_best_f1():
    (explanation,) = nlgauge.score(
        ["Gustave Eiffel's company"], [["Gustave", "company of Gustave Eiffel"]], metrics="squad"
    ).explain("squad", 0)
    assert explanation.tokens == ["gustave", "eiffels", "company"]
    assert explanation.longest == [1, 0, 1]
    assert [(order.matched, order.predicted, order.expected) for order in explanation.orders] == [(2, 3, 4)]


def test_parameters_outside_their_domain():
    with pytest.raises(ParameterError, match=r"compat.*'2'"):
        Squad(compat="2")
