"""chrF and chrF++ against sacreBLEU 2.6, corpus and sentence, for every option that both have."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora, streams, texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.chrf import Chrf

# As in sacreBLEU, nothing matches where there is no visible character.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline"}

OPTIONS = st.fixed_dictionaries(
    {
        "char_order": st.integers(1, 7),
        "word_order": st.integers(0, 3),
        "beta": st.integers(1, 4),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    }
)


def assert_equals_sacrebleu(
    predictions: list[str], references: list[list[str]], options: dict[str, object]
) -> None:
    metric, peer = Chrf(**options), sacrebleu.CHRF(**options)
    result = nlgauge.score(predictions, references, metrics=metric)
    assert result[str(metric)]["score"] == pytest.approx(
        peer.corpus_score(predictions, streams(references)).score, abs=1e-9
    )
    for row, prediction, group in zip(rows_by_label(result), predictions, references, strict=True):
        assert row[str(metric)] == pytest.approx(peer.sentence_score(prediction, group).score, abs=1e-9)


@given(corpora(), OPTIONS)
def test_every_option_equals_sacrebleu(corpus, options):
    assert_equals_sacrebleu(*corpus, options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"word_order": 2},
        {"eps_smoothing": True},
        {"whitespace": True},
        {"lowercase": True, "word_order": 2},
    ],
)
def test_real_sentences_with_very_short_references(options):
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    predictions += ["Well, well!", "Well!", "a", "b", "No", "Oh no!"]
    references += [["Well!"], ["a", "Well"], ["a"], ["a"], ["N"], ["!", "Oh"]]
    assert_equals_sacrebleu(predictions, references, options)


@given(
    st.lists(
        st.tuples(texts(max_words=2), st.sampled_from(["Well!", "a", "ab", "", "!", "a b"])),
        min_size=1,
        max_size=6,
    )
)
def test_short_references_in_a_corpus_equal_sacrebleu(pairs):
    assert_equals_sacrebleu([pair[0] for pair in pairs], [[pair[1]] for pair in pairs], {"word_order": 2})


FORMS = ("chrf", "chrf++", "chrf(beta=3)", "chrf(whitespace=True)", "chrf(eps_smoothing=True)")
CAT, REFERENCE = "the cat is on the mat", "the cat sat on the mat"


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        (CAT, REFERENCE, (61.9251512899, 64.3703410093, 61.5040647439, 72.2918432623, 61.9244947532)),
        (
            "hello there",
            "hello their",
            (73.4788359788, 61.3591269841, 73.4788359788, 76.9636844637, 73.4788359788),
        ),
        ("ab", "abc", (63.6363636364, 42.4242424242, 60.8695652174, 63.6363636364, 21.1640211640)),
    ],
)
def test_published_values(prediction, reference, expected):
    result = nlgauge.score([prediction], [reference], metrics=FORMS)
    assert [result[label]["score"] for label in result] == pytest.approx(expected, abs=1e-9)


def test_published_corpus_and_best_reference_values():
    two = nlgauge.score([CAT, "hello there"], [REFERENCE, "hello their"], metrics="chrf")
    assert two["chrf"]["score"] == pytest.approx(65.6170056157, abs=1e-9)
    assert np.mean([row["chrf"] for row in rows_by_label(two)]) == pytest.approx(67.7019936344, abs=1e-9)
    best = nlgauge.score([CAT], [[REFERENCE, "the cat is on a mat"]], metrics="chrf")
    assert best["chrf"]["score"] == pytest.approx(69.5453120555, abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [{}, {"word_order": 2, "beta": 3}, {"eps_smoothing": True, "lowercase": True}, {"whitespace": True}],
)
def test_signature_starts_as_sacrebleus(options):
    peer = sacrebleu.CHRF(**options)
    peer.corpus_score(["a b"], [["a b"]])
    signature = nlgauge.score(["a b"], ["a b"], metrics=Chrf(**options)).signatures[str(Chrf(**options))]
    ours, theirs = (
        dict(field.split(":") for field in text.split("|"))
        for text in (signature, peer.get_signature().format())
    )
    assert theirs.items() <= ours.items()


@pytest.mark.parametrize(
    "bad", [{"char_order": 0}, {"word_order": -1}, {"beta": 0}, {"char_order": 1.5}], ids=str
)
def test_parameters_outside_their_domain(bad):
    name, value = next(iter(bad.items()))
    with pytest.raises(ParameterError, match=f"{name}.*{value!r}"):
        Chrf(**bad)


def test_explanation_counts_are_the_definitions():
    (explanation,) = nlgauge.score(["ab"], ["abc"], metrics="chrf(char_order=2)").explain("chrf", 0)
    assert explanation.longest == [2, 2]
    assert [(order.name, order.matched, order.predicted, order.expected) for order in explanation.orders] == [
        ("1-characters", 2, 2, 3),
        ("2-characters", 1, 1, 2),
    ]
