"""ROUGE-WE: the numbers of S3's form on GloVe, the rules one by one, and ROUGE-N where nothing is near."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from strategies import SENTENCES
from word_vector_cases import need_glove, rows

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import WordGroups
from nlgauge.metrics.rouge_we import RougeWe
from nlgauge.models.weights import vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*of the words have no vector")

CHANGED_PARAMETERS = {"tokenizer": "whitespace", "n": 2, "threshold": 0.5}
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline", "only punctuation", "not a character"}
NOT_BEST_WHEN_EQUAL |= {
    "combining marks",
    "emoji",
    "leading mark",
    "one letter",
    "one token",
    "zero",
}  # fewer than three words
PREDICTION = "The physician quickly treated a sick kitten in Boston"
REFERENCE = "A doctor rapidly treated the ill cat in Chicago today"


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, (0.52631579, 0.55555556, 0.5)),
        (2, (0.58823529, 0.625, 0.55555556)),
        (3, (0.53333333, 0.57142857, 0.5)),
    ],
)
def test_on_glove(n: int, expected: tuple[float, ...]) -> None:
    """Made by SummEval's copy of S3's ROUGE-WE at commit 81b59ad, on the same vectors."""
    need_glove()
    np.testing.assert_allclose(rows(RougeWe(n), [PREDICTION], [REFERENCE])[0, :3], expected, atol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_without_near_words_it_is_rouge(tmp_path: Path, n: int) -> None:
    """Vectors at right angles: of two different n-grams none is near, and counts are clipped as in
    ROUGE-N.
    """
    words = sorted(
        {
            word
            for prediction, references in SENTENCES
            for text in (prediction, *references)
            for word in text.lower().split()
        }
    )
    vectors.write(zip(words, np.eye(len(words)), strict=True), tmp_path)
    pairs = [(prediction, reference) for prediction, references in SENTENCES for reference in references] + [
        ("the the cat", "the the the mat")
    ]
    texts = [list(side) for side in zip(*pairs, strict=True)]
    lowered = [[text.lower() for text in side] for side in texts]
    found = rows(RougeWe(n, 1.0, str(tmp_path), "whitespace"), *lowered)
    expected = rows(f"rouge(rouge_types=('rouge{n}',), tokenizer='whitespace')", *lowered)
    np.testing.assert_allclose(found[:, :3], expected)


@pytest.mark.parametrize(
    ("prediction", "reference", "matched"),
    [
        ("a b", "b c", 2),  # a is near b and takes it; b then has c
        ("c", "a b", 1),  # b is nearest
        ("a a a", "b b", 2),  # b is used up, what is left of a is lost
        ("a a", "b b b c", 2),
        ("a b b b", "b b b", 3),  # a takes one of the three, and b the two that are left
        ("z z", "z", 1),  # without a vector only the same word matches
        ("z", "y", 0),
        ("d", "a b c", 0),  # at right angles
    ],
)
def test_the_rules(tmp_path: Path, prediction: str, reference: str, matched: int) -> None:
    vectors.write(
        [("a", (1.0, 0.0, 0.0)), ("b", (1.0, 0.3, 0.0)), ("c", (1.0, 0.6, 0.0)), ("d", (0.0, 0.0, 1.0))],
        tmp_path,
    )
    precision, recall = rows(RougeWe(1, vectors=str(tmp_path)), [prediction], [reference])[0, 1:3]
    assert precision * len(prediction.split()) == pytest.approx(matched)
    assert recall * len(reference.split()) == pytest.approx(matched)


def test_texts_without_n_grams(tiny_models: dict[str, Path]) -> None:
    texts, others = ["", "", "the cat", "the cat sat"], ["the cat sat", "", "the cat", ""]
    assert (
        rows(RougeWe(vectors=str(tiny_models["vectors"])), texts, others)[:, :3].tolist() == [[0, 0, 0]] * 4
    )


def test_explanation_groups_the_n_grams(tmp_path: Path) -> None:
    vectors.write([("a", (1.0, 0.0)), ("b", (1.0, 0.3)), ("d", (0.0, 1.0))], tmp_path)
    result = nlgauge.score(["a d z x"], ["d b z y"], metrics=RougeWe(1, vectors=str(tmp_path)))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, WordGroups)
    assert shown.groups == {"same": ["d", "z"], "near": ["a/b"], "not matched": ["x"], "missed": ["y"]}


@pytest.mark.parametrize(
    "bad", [{"n": 0}, {"n": True}, {"n": 10}, {"threshold": 0}, {"threshold": 2}, {"vectors": ""}], ids=str
)
def test_parameters_outside_their_domain(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"rouge_we: {next(iter(bad))} must be"):
        RougeWe(**bad)  # type: ignore[arg-type]
