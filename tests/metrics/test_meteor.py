"""METEOR 2005 against NLTK, METEOR 1.5 against golden values of its own program, alignments against a search of all."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import single_meteor_score
from rich.console import Console
from strategies import SENTENCES, corpora, texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explain.terminal import render
from nlgauge.features.wordnet import exceptions, nltk_synonyms, pooled_synsets, synsets
from nlgauge.kernels.alignment import Alignment, chunk_numbers, fewest_chunks, links
from nlgauge.metrics.meteor import FUNCTION_WORDS, Meteor

# Texts of all scripts are compared with NLTK.
pytestmark = pytest.mark.filterwarnings("ignore:.*made for en")

CHANGED_PARAMETERS = {
    "version": "2005",
    "task": "adequacy",
    "paraphrases": ("rug mat",),
    "function_words": ("the",),
    "tokenizer": "whitespace",
    "compat": "jar",
}
# Where there is no token nothing matches; punctuation is none for the default tokeniser.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline", "only punctuation", "not a character"}

GOLDEN = json.loads((Path(__file__).parent / "golden_meteor15.json").read_text(encoding="utf-8"))
REFERENCE = "the cat sat on the mat"


class Synset:
    """What NLTK asks of a synset: its lemmas, each with its name."""

    def __init__(self, names):
        self.names = names

    def lemmas(self):
        return [Lemma(name) for name in self.names]


class Lemma:
    def __init__(self, spelling):
        self.spelling = spelling

    def name(self):
        return self.spelling


class OurWordNet:
    """Our index in the shape that NLTK's METEOR takes."""

    def synsets(self, word):
        return [Synset(sorted(nltk_synonyms(word)))]


class NoWordNet:
    def synsets(self, word):
        return []


def meteor(prediction: str, reference: str, **options) -> dict[str, float]:
    metric = Meteor(**options)
    return nlgauge.score([prediction], [reference], metrics=metric)[str(metric)]


# --- version 2005


@pytest.mark.parametrize("synonyms", [True, False])
@given(corpora(max_references=1))
def test_compat_equals_nltk(synonyms, corpus):
    predictions, references = corpus
    metric = Meteor(version="2005", compat="nltk", tokenizer="whitespace", synonyms=synonyms)
    result = nlgauge.score(predictions, references, metrics=metric)
    wordnet = OurWordNet() if synonyms else NoWordNet()
    expected = [single_meteor_score(r[0].lower().split(), p.lower().split(), wordnet=wordnet) for p, r in zip(predictions, references, strict=True)]
    assert [row[str(metric)] for row in result.segments("records")] == pytest.approx(expected, abs=1e-9)
    assert result[str(metric)]["score"] == pytest.approx(sum(expected) / len(expected), abs=1e-9)


RIVALS = ["the", "cats", "cat", "run", "running", "ran", "car", "automobile", "auto", "machine", "big", "large", "a", "as", "begin", "start"]
WORDS = st.lists(st.sampled_from(RIVALS), max_size=9)


@given(WORDS, WORDS)
def test_compat_equals_nltk_where_stems_and_synonyms_compete(prediction, reference):
    ours = meteor(" ".join(prediction), " ".join(reference), version="2005", compat="nltk")["score"]
    assert ours == pytest.approx(single_meteor_score(reference, prediction, wordnet=OurWordNet()), abs=1e-9)


def test_compat_equals_nltk_on_real_sentences():
    for prediction, references in SENTENCES:
        sides = [[text.lower().split() for text in group] for group in ([prediction], references)]
        expected = max(single_meteor_score(reference, sides[0][0], wordnet=OurWordNet()) for reference in sides[1])
        metric = Meteor(version="2005", compat="nltk", tokenizer="whitespace")
        assert nlgauge.score([prediction], [references], metrics=metric)[str(metric)]["score"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("prediction", "reference", "nltk", "fewest"),
    [
        (REFERENCE, REFERENCE, 0.9976851852, 0.9976851852),
        ("the cat", REFERENCE, 0.1785714286, 0.3348214286),
        ("cats sitting", "cat sits", 0.9375, 0.9375),
        ("on the mat sat the cat", REFERENCE, 0.5, 0.9375),
    ],
)
def test_published_values(prediction, reference, nltk, fewest):
    assert meteor(prediction, reference, version="2005", compat="nltk", synonyms=False)["score"] == pytest.approx(nltk, abs=1e-9)
    assert meteor(prediction, reference, version="2005", synonyms=False)["score"] == pytest.approx(fewest, abs=1e-9)


@given(texts(), texts())
def test_fewest_chunks_never_score_below_nltks_alignment_without_synonyms(prediction, reference):
    ours, theirs = (meteor(prediction, reference, version="2005", synonyms=False, compat=compat)["score"] for compat in (None, "nltk"))
    assert ours >= theirs - 1e-12


# --- version 1.5


@pytest.mark.parametrize("task", ["rank", "adequacy"])
def test_compat_equals_the_meteor_program(task):
    metric = Meteor(task=task, compat="jar", tokenizer="whitespace")
    predictions, references = map(list, zip(*GOLDEN["pairs"], strict=True))
    result = nlgauge.score(predictions, references, metrics=metric)
    table = result.tables[result.systems[0], str(metric)].segments()
    for column, name in enumerate(("precision", "recall", "penalty", "meteor")):
        # The program says NaN where nothing matches; its score, like ours, is then 0.
        expected = [row[column] if row[column] == row[column] else 0.0 for row in GOLDEN[task]["segments"]]
        assert table[name].tolist() == pytest.approx(expected, abs=1e-12), name
    assert result[str(metric)]["score"] == pytest.approx(GOLDEN[task]["corpus"], abs=1e-12)


def test_where_the_default_agrees_with_the_meteor_program_and_where_not():
    predictions, references = map(list, zip(*GOLDEN["pairs"], strict=True))
    metric = Meteor(tokenizer="whitespace")
    ours = [row[str(metric)] for row in nlgauge.score(predictions, references, metrics=metric).segments("records")]
    same = [abs(value - expected[3]) < 1e-12 for value, expected in zip(ours, GOLDEN["rank"]["segments"], strict=True)]
    assert len(same) // 2 < sum(same) < len(same)


def test_the_several_references_keep_the_counts_of_the_best():
    groups = [["a dog ran", REFERENCE], ["hello there general kenobi", "hello there"]]
    several = nlgauge.score(["the cat sat on a mat", "hello there"], groups, metrics="meteor")
    single = nlgauge.score(["the cat sat on a mat", "hello there"], [REFERENCE, "hello there"], metrics="meteor")
    assert several["meteor"] == single["meteor"]
    assert several.segments("records")[1]["meteor"] == 1


def test_function_words_count_less():
    content, function = (meteor(prediction, "the cat", synonyms=False)["recall"] for prediction in ("cat", "the"))
    assert (content, function) == pytest.approx((0.75, 0.25))
    assert meteor("the", "the cat", function_words=("cat",))["recall"] == pytest.approx(0.75)
    assert {"the", ".", "n't"} <= FUNCTION_WORDS


def test_modules_weigh_as_published():
    assert meteor("cats", "cat")["precision"] == pytest.approx(0.6)
    assert meteor("automobile", "car")["precision"] == pytest.approx(0.8)
    assert meteor("rug", "mat", synonyms=False, paraphrases=("Mat rug",))["precision"] == pytest.approx(0.6)
    assert meteor("cats", "cat", stem=False, synonyms=False)["score"] == 0
    assert meteor("cats", "cat", task="adequacy")["precision"] == 1


# --- alignments


def cost(alignment: Alignment) -> tuple[int, int, int]:
    return -len(alignment), max(chunk_numbers(alignment), default=0), sum(abs(p - r) for p, r, _ in alignment)


def least_cost(prediction, reference, modules):
    """The least cost of all alignments there are."""
    linked = links(prediction, reference, modules)
    best = [(0, 0, 0)]

    def extend(r, used, alignment):
        if r == len(reference):
            best[0] = min(best[0], cost(alignment))
            return
        extend(r + 1, used, alignment)
        for p, word in enumerate(prediction):
            if p not in used and word in linked.get(reference[r], {}):
                extend(r + 1, used | {p}, [*alignment, (p, r, linked[reference[r]][word][0])])

    extend(0, frozenset(), [])
    return best[0]


SHORT = st.lists(st.integers(0, 4), max_size=6)
KEYS = st.lists(st.frozensets(st.integers(0, 3), max_size=2), min_size=5, max_size=5)


@given(SHORT, SHORT, KEYS)
def test_the_alignment_is_the_best_of_all(prediction, reference, keys):
    modules = [[(word,) for word in range(5)], keys]
    alignment = fewest_chunks(prediction, reference, modules)
    assert cost(alignment) == least_cost(prediction, reference, modules)
    assert len({p for p, _, _ in alignment}) == len({r for _, r, _ in alignment}) == len(alignment)


@given(SHORT, SHORT, KEYS)
def test_the_second_search_prunes_nothing_that_is_better(prediction, reference, keys):
    modules = [[(word,) for word in range(5)], keys]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nlgauge.kernels.alignment.NARROW", 1)
        assert cost(fewest_chunks(prediction, reference, modules)) == least_cost(prediction, reference, modules)


@given(SHORT, SHORT, KEYS)
def test_without_budget_an_alignment_is_still_an_alignment(prediction, reference, keys):
    modules = [[(word,) for word in range(5)], keys]
    alignment = fewest_chunks(prediction, reference, modules, budget=1)
    linked = links(prediction, reference, modules)
    assert len({p for p, _, _ in alignment}) == len({r for _, r, _ in alignment}) == len(alignment)
    assert all(linked[reference[r]][prediction[p]][0] == module for p, r, module in alignment)
    assert cost(alignment) >= least_cost(prediction, reference, modules)


@pytest.mark.parametrize("options", [{}, {"version": "2005"}, {"version": "2005", "compat": "nltk"}])
def test_ten_thousand_equal_words_end(options):
    long = "the " * 10_000
    assert meteor(long, long, **options)["score"] == pytest.approx(1, abs=1e-9)
    assert meteor(long, long + "the", **options)["precision"] == 1


# --- WordNet


def test_morphology_is_wordnets():
    """Bases as `wn WORD -over` of WordNet 3.0 gives them (package wordnet)."""
    for form, bases in {
        "wolves": ["wolf"],
        "axes": ["ax", "axe", "axis"],
        "ran": ["run"],
        "rating": ["rating", "rate"],
        "better": ["better", "good", "well"],
        "churches": ["church"],
        "largest": ["large"],
        "glass": ["glass"],
        "was": ["wa", "be"],
    }.items():
        assert set().union(*(synsets(base) for base in bases)) >= synsets(form)
        assert all(synsets(form) & synsets(base) for base in bases)
    assert not synsets("rating") & synsets("rat")
    assert not synsets("qwertyish") and not synsets("ice cream") and not synsets("")


def test_exceptions_give_one_base():
    found = exceptions()
    assert (found["mice"], found["went"], found["better"], found["geese"]) == ("mouse", "go", "good", "goose")
    assert "cats" not in found and len(found) == 5821


def test_other_programs_find_more():
    """NLTK 3.10 detaches from short words too; the METEOR program does not look at the part of speech."""
    assert "angstrom" in nltk_synonyms("as")
    assert not synsets("as") & synsets("angstrom")
    assert pooled_synsets("combat") & pooled_synsets("fighter") and not synsets("combat") & synsets("fighter")


# --- the rest


def test_explanation_shows_modules_and_chunks():
    (explanation,) = nlgauge.score(["on a rug sat two cats"], ["the cat sat on a mat"], metrics="meteor").explain("meteor", 0)
    assert explanation.matches == [(5, 1, "stem"), (3, 2, "exact"), (0, 3, "exact"), (1, 4, "exact")]
    assert explanation.chunks == [1, 2, 3, 3]
    console = Console(width=100, record=True, file=StringIO())
    console.print(render(explanation))
    printed = console.export_text()
    assert "4 matches in 3 chunks; unmatched in the reference: the mat" in printed
    assert ["match", "exact", "exact", "-", "exact", "-", "stem"] in [line.split() for line in printed.splitlines()]


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ({"version": "1.4"}, "version"),
        ({"task": "hter"}, "task"),
        ({"version": "2005", "task": "adequacy"}, "task"),
        ({"paraphrases": "rug mat"}, "paraphrases"),
        ({"function_words": (1,)}, "function_words"),
        ({"tokenizer": "moses"}, "tokenizer"),
        ({"compat": "nltk"}, "compat"),
        ({"version": "2005", "compat": "jar"}, "compat"),
        ({"version": "2005", "compat": "nltk", "paraphrases": ("rug mat",)}, "paraphrases"),
    ],
)
def test_parameters_outside_their_domain(bad, name):
    with pytest.raises(ParameterError, match=f"meteor: {name} must be"):
        Meteor(**bad)
