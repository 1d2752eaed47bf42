"""BLEU against sacreBLEU 2.6, corpus and sentence, for every option that both have."""

from __future__ import annotations

import pytest
import sacrebleu
from hypothesis import example, given
from hypothesis import strategies as st
from pycocoevalcap.bleu.bleu import Bleu as CocoBleu
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora, streams

import nlgauge
from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.metric.registry import make
from nlgauge.metrics.bleu import Bleu

CHANGED_PARAMETERS = {
    "tokenizer": "intl",
    "smooth_method": "floor",
    "smooth_value": 0.5,
    "effective_order": True,
    "compat": "coco",
}
# As in sacreBLEU, nothing matches where there is no token.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline"}

OPTIONS = st.fixed_dictionaries(
    {
        "tokenize": st.sampled_from(["13a", "intl", "zh", "char", "none"]),
        "smooth_method": st.sampled_from(["none", "floor", "add-k", "exp"]),
        "smooth_value": st.sampled_from([None, 0.0, 0.01, 0.5, 2.0]),
        "max_order": st.integers(1, 6),
        "lowercase": st.booleans(),
        "effective_order": st.sampled_from([None, False, True]),
    }
)


def theirs(effective_order: bool, max_order: int = 4, **options: object) -> sacrebleu.BLEU:
    return sacrebleu.BLEU(effective_order=effective_order, max_ngram_order=max_order, force=True, **options)


def assert_equals_sacrebleu(
    predictions: list[str], references: list[list[str]], options: dict[str, object]
) -> None:
    metric = make("bleu", options)
    result = nlgauge.score(predictions, references, metrics=metric)
    others = {key: value for key, value in options.items() if key != "effective_order"}
    expected = theirs(bool(options.get("effective_order")), **others).corpus_score(
        predictions, streams(references)
    )
    ours = result[str(metric)]
    assert ours["score"] == pytest.approx(expected.score, abs=1e-9)
    assert [ours[f"precision{n + 1}"] for n in range(metric.max_order)] == pytest.approx(
        expected.precisions, abs=1e-9
    )
    assert ours["brevity_penalty"] == pytest.approx(expected.bp, abs=1e-9)
    assert (ours["translation_length"], ours["reference_length"]) == (expected.sys_len, expected.ref_len)
    # A user's own effective_order=False holds for sentences too; unset, it is on.
    sentence = theirs(options.get("effective_order") is not False, **others)
    for row, prediction, group in zip(rows_by_label(result), predictions, references, strict=True):
        assert row[str(metric)] == pytest.approx(sentence.sentence_score(prediction, group).score, abs=1e-9)


@given(corpora(), OPTIONS)
def test_every_option_equals_sacrebleu(corpus, options):
    assert_equals_sacrebleu(*corpus, options)


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("smooth_method", ["none", "floor", "add-k", "exp"])
def test_real_sentences_with_ragged_references(tokenize, smooth_method):
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    assert_equals_sacrebleu(predictions, references, {"tokenize": tokenize, "smooth_method": smooth_method})


def test_chinese_tokenizers_equal_sacrebleu():
    predictions, references = (
        ["我们今天去北京吃烤鸭。", "猫在垫子上 3.5%"],
        [["今天我们去北京吃烤鸭。", "我们去北京。"], ["猫坐在垫子上。"]],
    )
    for tokenize in ("zh", "char", "13a"):
        assert_equals_sacrebleu(predictions, references, {"tokenize": tokenize})
    by_language = nlgauge.score(predictions, references, metrics="bleu", lang="zh-CN")
    assert (
        by_language["bleu"]["score"]
        == theirs(False, tokenize="zh").corpus_score(predictions, streams(references)).score
    )
    assert by_language.labels == ("bleu(tokenizer='zh')",)


CAT, REFERENCE = "the cat is on the mat", "the cat sat on the mat"


@pytest.mark.parametrize(
    ("smooth_method", "expected"),
    [("exp", 37.9917842826), ("floor", 25.4066374077), ("add-k", 48.5491771707), ("none", 0.0)],
)
def test_published_smoothing_values(smooth_method, expected):
    assert nlgauge.score([CAT], [REFERENCE], metrics=Bleu(smooth_method=smooth_method))["bleu"][
        "score"
    ] == pytest.approx(expected, abs=1e-9)


def test_published_corpus_and_effective_order_values():
    kenobi = "hello there general kenobi"
    assert nlgauge.score([CAT, kenobi], [REFERENCE, kenobi], metrics="bleu")["bleu"][
        "score"
    ] == pytest.approx(53.8956167945, abs=1e-9)
    short = nlgauge.score(["the cat"], ["the cat"], metrics=["bleu", "bleu(effective_order=True)"])
    assert short["bleu"]["score"] == 0
    assert short["bleu(effective_order=True)"]["score"] == pytest.approx(100)
    assert rows_by_label(short)[0]["bleu"] == pytest.approx(100)


@given(corpora(odd=False), OPTIONS)
def test_signature_starts_as_sacrebleus(corpus, options):
    predictions, references = corpus
    peer = theirs(
        bool(options["effective_order"]),
        **{key: value for key, value in options.items() if key != "effective_order"},
    )
    peer.corpus_score(predictions, streams(references))
    (signature,) = nlgauge.score(predictions, references, metrics=make("bleu", options)).signatures.values()
    if options["smooth_value"] is None or options["smooth_method"] in ("floor", "add-k"):
        assert signature.startswith(peer.get_signature().format() + "|")
    else:  # sacreBLEU hides a value that its method does not use
        assert signature.startswith(
            peer.get_signature().format().partition("|smooth")[0] + f"|smooth:{options['smooth_method']}"
        )


@pytest.mark.parametrize(
    "bad",
    [
        {"max_order": 0},
        {"max_order": 2.0},
        {"tokenizer": "14a"},
        {"smooth_method": "more"},
        {"smooth_value": -1},
    ],
    ids=lambda bad: next(iter(bad)),
)
def test_parameters_outside_their_domain(bad):
    name, value = next(iter(bad.items()))
    with pytest.raises(ParameterError, match=f"{name}.*{value!r}"):
        Bleu(**bad)


@pytest.mark.parametrize("tokenize", ["ja-mecab", "ko-mecab"])
def test_missing_dictionary_says_the_command(tokenize):
    try:
        theirs(False, tokenize=tokenize)
    except (ImportError, RuntimeError):
        with pytest.raises(MissingExtraError, match=rf'pip install "nlgauge\[{tokenize[:2]}\]"'):
            nlgauge.score(["a"], ["a"], metrics=Bleu(tokenizer=tokenize))
    else:
        assert_equals_sacrebleu(["猫が座った"], [["猫が座る"]], {"tokenize": tokenize})
        result = nlgauge.score(["猫が座った"], ["猫が座る"], metrics=Bleu(tokenizer=tokenize))
        signature = theirs(False, tokenize=tokenize)
        signature.corpus_score(["猫が座った"], [["猫が座る"]])
        (ours,) = result.signatures.values()
        assert ours.split("|version")[0] == str(signature.get_signature()).split("|version")[0]


CAPTIONS = st.lists(
    st.tuples(st.text("abc ", max_size=12), st.lists(st.text("abc ", max_size=12), min_size=1, max_size=3)),
    min_size=1,
    max_size=5,
)


@given(CAPTIONS, st.integers(1, 4))
@example([("a b c d", ["a b c d e", "a b"]), ("", [""]), ("a", ["a a a a a a"])], 4)
def test_compat_equals_the_coco_captions_program(captions, max_order):
    predictions, references = map(list, zip(*captions, strict=True))
    metric = Bleu(max_order, tokenizer="none", compat="coco")
    result = nlgauge.score(predictions, references, metrics=metric)
    corpus, segments = CocoBleu(max_order).compute_score(
        dict(enumerate(references)), dict(enumerate([p] for p in predictions)), verbose=0
    )
    assert result["bleu"]["score"] == pytest.approx(100 * corpus[-1], rel=1e-9, abs=1e-15)
    rows = [row[str(metric)] for row in rows_by_label(result)]
    assert rows == pytest.approx([100 * value for value in segments[-1]], rel=1e-9, abs=1e-15)
    assert result.signatures[str(metric)].split("|")[4] == "smooth:coco"


@pytest.mark.parametrize(
    "other", [{"smooth_method": "none"}, {"smooth_value": 1.0}, {"effective_order": True}], ids=str
)
def test_coco_has_its_own_smoothing(other):
    with pytest.raises(ParameterError, match=r"compat.*None.*effective_order"):
        Bleu(compat="coco", **other)


def test_explanation_shows_the_longest_matched_ngrams():
    result = nlgauge.score([CAT], [REFERENCE], metrics="bleu")
    (explanation,) = result.explain("bleu", 0)
    assert explanation.tokens == CAT.split()
    assert explanation.longest == [2, 2, 0, 3, 3, 3]
    assert [(order.matched, order.predicted) for order in explanation.orders] == [
        (5, 6),
        (3, 5),
        (1, 4),
        (0, 3),
    ]


def test_signature_tells_apart_what_scores_segments_differently():
    unset, never = (
        nlgauge.score(["the cat"], ["the cat"], metrics=Bleu(effective_order=choice))
        for choice in (None, False)
    )
    assert rows_by_label(unset)[0]["bleu"] != rows_by_label(never)[0]["bleu(effective_order=False)"]
    assert unset.signatures["bleu"] != never.signatures["bleu(effective_order=False)"]
