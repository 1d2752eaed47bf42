"""Signatures of string metrics name every library that decides a token or a tie, and no other."""

from __future__ import annotations

import pytest

import nlgauge
from nlgauge._core import versions
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.metric.registry import metric_classes, parse
from nlgauge.testing.of_values import has_model

CORPUS = Corpus.read(["a"], ["a"], ["a"])
LIBRARIES = {
    **dict.fromkeys(("wer", "mer", "wil", "wip", "cer"), ("rapidfuzz",)),
    # Their tokens are rules of our own, on a table of characters that ships with nlgauge.
    **dict.fromkeys(
        (
            "accuracy",
            "precision",
            "recall",
            "f1",
            "cder",
            "cider",
            "distinct",
            "gleu",
            "js_divergence",
            "mattr",
            "ribes",
        ),
        (),
    ),
    **dict.fromkeys(
        ("rouge", "vendi", "aun", "compression", "coverage", "density", "novelty", "repetitiveness"), ()
    ),
    **dict.fromkeys(("nist", "sari", "sentence_bleu", "self_bleu"), ()),
    **dict.fromkeys(
        ("ari", "coleman_liau", "flesch_kincaid", "flesch_reading_ease", "gunning_fog", "smog"),
        ("sentencex", "regex"),
    ),
    "meteor": ("nltk",),
    # These name sacreBLEU's version as sacreBLEU does, or need no package for tokens and ties.
    **dict.fromkeys(
        (
            "bleu",
            "chrf",
            "ter",
            "character",
            "compression_ratio",
            "eed",
            "exact_match",
            "levenshtein",
            "rouge155",
            "squad",
        ),
        (),
    ),
    "rouge(stem=True)": ("nltk",),
    "rouge(tokenizer='google', stem=True)": ("nltk",),
    "rouge155(stem=True)": ("nltk",),
    "meteor(tokenizer='13a', stem=False)": (),
    "nist(tokenizer='zh')": ("sacrebleu",),
    "gleu(tokenizer='whitespace')": (),
    "f1(normalize='squad')": (),
}


def test_every_string_metric_is_here():
    strings = {name for name, metric in metric_classes().items() if not has_model(metric)}
    assert strings == {name for name in LIBRARIES if "(" not in name}


@pytest.mark.parametrize("metric", LIBRARIES)
def test_the_signature_names_the_libraries_that_matter(metric):
    facts = dict(fact.split(":", 1) for fact in parse(metric).signature(CORPUS).split("|"))
    named = {name for name in facts if name in ("rapidfuzz", "regex", "nltk", "sentencex", "sacrebleu")}
    assert named == set(LIBRARIES[metric])
    assert all(facts[name] == installed_version(name) != "" for name in named)


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_sacrebleus_version_stands_where_sacrebleu_has_it(name):
    assert f"version:{installed_version('sacrebleu')}" in parse(name).signature(CORPUS).split("|")


@pytest.mark.parametrize(
    ("metric", "tokenizer"),
    [("wer", "jiwer"), ("cer", "stripped-characters"), ("f1", "unicode"), ("f1(normalize='squad')", "squad")],
)
def test_rates_and_overlaps_name_their_tokens(metric, tokenizer):
    assert f"tok:{tokenizer}" in parse(metric).signature(CORPUS).split("|")


def test_another_version_is_another_signature(monkeypatch):
    before = nlgauge.score(["a b"], ["a c"], metrics="wer").signatures["wer"]
    installed_version.cache_clear()
    monkeypatch.setattr(versions, "_version_in", lambda file: "999")
    after = nlgauge.score(["a b"], ["a c"], metrics="wer").signatures["wer"]
    installed_version.cache_clear()
    assert "rapidfuzz:999" in after.split("|")
    assert before != after
