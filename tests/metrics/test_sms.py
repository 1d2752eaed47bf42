"""SMS: the numbers of the specification on GloVe, and a slow form of the definition."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from word_vector_cases import need_glove, rows

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import Transport
from nlgauge.metrics.sms import Sms
from nlgauge.models.weights.vectors import load_vectors

ot = pytest.importorskip("ot")

pytestmark = pytest.mark.filterwarnings("ignore:.*of the words have no vector")

CHANGED_PARAMETERS = {"tokenizer": "whitespace", "mode": "wms"}
PREDICTION = "The cat slept on the red mat. Police arrived later."
REFERENCE = "A cat sat on a mat. The police came."


@pytest.mark.parametrize(
    ("mode", "expected"), [("wms", 0.06235599), ("sms", 0.15304463), ("s+wms", 0.10124732)]
)
def test_on_glove(mode: str, expected: float) -> None:
    """Made by the formula of the authors' program with NLTK's tokens, sentences and stop words."""
    need_glove()
    assert rows(Sms(mode), [PREDICTION], [REFERENCE])[0, 0] == pytest.approx(expected, abs=5e-8)


def test_it_is_the_definition(tiny_models: dict[str, Path]) -> None:
    table = load_vectors(str(tiny_models["vectors"]))
    vector = {word: table.vectors[row].astype(float) for word, row in table.rows.items()}
    # Words as they are left when stop words and unknown ones are gone; "cat cat mat" has a word twice, and a
    # sentence comes again.
    texts = {
        "The cat cat is on a mat. The minister met the president. Well!": [
            ["cat", "cat", "mat"],
            ["minister", "met", "president"],
            ["well"],
        ],
        "Shares fell. The cat sat. Shares fell.": [["shares", "fell"], ["cat", "sat"], ["shares", "fell"]],
        "The president met zzz traders": [["president", "met", "traders"]],
    }

    def expected(mode: str, one: list[list[str]], other: list[list[str]]) -> float:
        sides = []
        for sentences in (one, other):
            points = [
                (np.mean([vector[word] for word in sentence], axis=0), len(sentence))
                for sentence in sentences
                if mode != "wms"
            ]
            points += [(vector[word], 1) for sentence in sentences for word in sentence if mode != "sms"]
            masses = np.array([mass for _, mass in points], dtype=float)
            sides.append((np.array([place for place, _ in points]), masses / masses.sum()))
        cost = np.linalg.norm(sides[0][0][:, None] - sides[1][0][None], axis=-1)
        return float(np.exp(-ot.emd2(sides[0][1], sides[1][1], cost)))

    for mode in ("wms", "sms", "s+wms"):
        for one, other in product(texts, texts):
            found = rows(Sms(mode, str(tiny_models["vectors"])), [one], [other])[0, 0]
            assert found == pytest.approx(expected(mode, texts[one], texts[other]), abs=1e-9), (
                mode,
                one,
                other,
            )


def test_texts_without_known_words(tiny_models: dict[str, Path]) -> None:
    texts, others = (
        ["", "", "the cat", "zzz", "zzz", "the of", "cat 3"],
        ["the cat", "", "of", "zzz", "the cat", "", "cat"],
    )
    found = rows(Sms(vectors=str(tiny_models["vectors"])), texts, others)
    np.testing.assert_array_equal(found[:, 0], [0, 1, np.nan, 1, 0, 1, 1])
    np.testing.assert_allclose(found[:, 1], [0, 0, 0, 1, 0.5, 0, 0])


@pytest.mark.parametrize(
    ("mode", "prediction"),
    [
        ("sms", ["The cat sat.", "Shares fell."]),
        ("s+wms", ["The cat sat.", "Shares fell.", "cat", "sat", "shares", "fell"]),
    ],
)
def test_explanation_names_sentences_and_words(
    tiny_models: dict[str, Path], mode: str, prediction: list[str]
) -> None:
    result = nlgauge.score(
        ["The cat sat. Shares fell."],
        ["The minister met him."],
        metrics=Sms(mode, str(tiny_models["vectors"])),
    )
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Transport)
    assert shown.prediction == prediction
    assert np.exp(-(shown.plan * shown.cost).sum()) == pytest.approx(result[result.labels[0]]["score"])


def test_parameters_outside_their_domain() -> None:
    with pytest.raises(ParameterError, match=r"mode.*'sms'.*'words'"):
        Sms("words")
