"""METEOR 2005 against NLTK, METEOR 1.5 against golden values of its own program, alignments against a
search of all.
"""

from __future__ import annotations

import gzip
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import single_meteor_score
from rich.console import Console
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora, texts

import nlgauge
from nlgauge.errors import InputError, ParameterError
from nlgauge.features.lexical.paraphrases import copied_words, phrase_table
from nlgauge.features.lexical.wordnet import exceptions, nltk_synonyms, pooled_synsets, synsets
from nlgauge.features.tokens.text import Tokens
from nlgauge.kernels.alignment import Alignment, Match, chunk_numbers, fewest_chunks, links, offers
from nlgauge.kernels.phrase_alignment import cost as phrase_cost
from nlgauge.kernels.phrase_alignment import phrase_alignment
from nlgauge.metrics.meteor import FUNCTION_WORDS, Meteor
from nlgauge.show.pages.explanations import render

# Texts of all scripts are compared with NLTK.
pytestmark = [
    pytest.mark.usefixtures("both_kernels"),
    pytest.mark.filterwarnings("ignore:.*designed for English"),
]

CHANGED_PARAMETERS = {
    "version": "2005",
    "task": "adequacy",
    "paraphrases": ("rug mat",),
    "function_words": ("the",),
    "tokenizer": "whitespace",
    "compat": "jar",
    "alpha": 0.7,
    "beta": 1.0,
    "gamma": 0.1,
    "copy_words": ("mat",),
    "copy_smoothing": 2.0,
}
# Where there is no token nothing matches; punctuation is none for the default tokenizer.
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
    expected = [
        single_meteor_score(r[0].lower().split(), p.lower().split(), wordnet=wordnet)
        for p, r in zip(predictions, references, strict=True)
    ]
    assert [row[str(metric)] for row in rows_by_label(result)] == pytest.approx(expected, abs=1e-9)
    assert result[str(metric)]["score"] == pytest.approx(sum(expected) / len(expected), abs=1e-9)


RIVALS = [
    "the",
    "cats",
    "cat",
    "run",
    "running",
    "ran",
    "car",
    "automobile",
    "auto",
    "machine",
    "big",
    "large",
    "a",
    "as",
    "begin",
    "start",
]
WORDS = st.lists(st.sampled_from(RIVALS), max_size=9)


@given(WORDS, WORDS)
def test_compat_equals_nltk_where_stems_and_synonyms_compete(prediction, reference):
    ours = meteor(" ".join(prediction), " ".join(reference), version="2005", compat="nltk")["score"]
    assert ours == pytest.approx(single_meteor_score(reference, prediction, wordnet=OurWordNet()), abs=1e-9)


def test_compat_equals_nltk_on_real_sentences():
    for prediction, references in SENTENCES:
        sides = [[text.lower().split() for text in group] for group in ([prediction], references)]
        expected = max(
            single_meteor_score(reference, sides[0][0], wordnet=OurWordNet()) for reference in sides[1]
        )
        metric = Meteor(version="2005", compat="nltk", tokenizer="whitespace")
        assert nlgauge.score([prediction], [references], metrics=metric)[str(metric)][
            "score"
        ] == pytest.approx(expected, abs=1e-9)


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
    assert meteor(prediction, reference, version="2005", compat="nltk", synonyms=False)[
        "score"
    ] == pytest.approx(nltk, abs=1e-9)
    assert meteor(prediction, reference, version="2005", synonyms=False)["score"] == pytest.approx(
        fewest, abs=1e-9
    )


@given(texts(), texts())
def test_fewest_chunks_never_score_below_nltks_alignment_without_synonyms(prediction, reference):
    ours, theirs = (
        meteor(prediction, reference, version="2005", synonyms=False, compat=compat)["score"]
        for compat in (None, "nltk")
    )
    assert ours >= theirs - 1e-12


# --- version 1.5


@pytest.mark.parametrize("task", ["rank", "adequacy"])
def test_compat_equals_the_meteor_program(task):
    metric = Meteor(task=task, compat="jar", tokenizer="whitespace")
    predictions, references = map(list, zip(*GOLDEN["pairs"], strict=True))
    result = nlgauge.score(predictions, references, metrics=metric)
    table = result._tables[result.systems[0], str(metric)].segments()
    for column, name in enumerate(("precision", "recall", "penalty", "meteor")):
        # The program says NaN where nothing matches; its score, like ours, is then 0.
        expected = [row[column] if row[column] == row[column] else 0.0 for row in GOLDEN[task]["segments"]]
        assert table[name].tolist() == pytest.approx(expected, abs=1e-12), name
    assert result[str(metric)]["score"] == pytest.approx(GOLDEN[task]["corpus"], abs=1e-12)


@pytest.mark.parametrize("task", ["rank", "adequacy"])
def test_norm_equals_the_meteor_program_on_texts_that_are_not_tokenized(task):
    metric = Meteor(task=task, compat="jar", tokenizer="norm")
    golden = GOLDEN["norm"]
    predictions, references = map(list, zip(*golden["pairs"], strict=True))
    result = nlgauge.score(predictions, references, metrics=metric)
    found = result._tables[result.systems[0], str(metric)].segments()["meteor"].tolist()
    assert found == pytest.approx([row[3] for row in golden[task]["segments"]], abs=1e-12)
    assert result[str(metric)]["score"] == pytest.approx(golden[task]["corpus"], abs=1e-12)
    # Every pair shows the difference: its texts are not split at white space alone.
    plain = nlgauge.score(
        predictions, references, metrics=Meteor(task=task, compat="jar", tokenizer="whitespace")
    )
    assert not np.isclose(found, next(iter(plain._tables.values())).segments()["meteor"]).any()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a-b-c d--e -f", "a b-c d e -f"),
        ("U.S. e.g. i.e. Mr. mr. end.", "us eg ie mr. mr. end ."),
        ("No. 5 No. X pp. 3 St. 9", "no. 5 no . x pp. 3 st. 9"),
        ("1,000 a,b x,,y 2,a", "1,000 a , b x , ,y 2 , a"),
        ("it's 80's dogs' 'tis don\u2019t ''x''", "it 's 80 's dogs ' ' tis don 't \" x \""),
        ("wait... what.. ok.", "wait ... what .. ok ."),
        ("\u201ca\u201d\u00a0\u2013 b_c (d)\u3000", '" a " - b _ c ( d )'),
        ("", ""),
    ],
)
def test_words_of_norm_are_those_of_the_program(text, words):
    """Each pair as edu.cmu.meteor.util.Normalizer.normalizeLine of meteor-1.5.jar prints it, in lower
    case.
    """
    assert Tokens("norm").of(text) == words.split()


@pytest.mark.parametrize(
    ("prediction", "reference", "jar"),
    [
        ("standing", "down", 0.8),
        ("entity", "breathe", 0.8),
        ("able", "entity", 0.8),
        ("nude", "sleepily", 0.8),
        ("standing", "up", 0.0),
    ],
)
def test_compat_takes_synsets_at_the_same_place_of_two_files_for_one(prediction, reference, jar):
    """java -Xmx1G -jar meteor-1.5.jar PREDICTION REFERENCE -l en -m "exact stem synonym"."""
    assert meteor(prediction, reference, compat="jar")["score"] == pytest.approx(jar, abs=1e-12)
    assert meteor(prediction, reference)["score"] == 0


def test_where_the_default_agrees_with_the_meteor_program_and_where_not():
    predictions, references = map(list, zip(*GOLDEN["pairs"], strict=True))
    metric = Meteor(tokenizer="whitespace")
    ours = [row[str(metric)] for row in rows_by_label(nlgauge.score(predictions, references, metrics=metric))]
    same = [
        abs(value - expected[3]) < 1e-12
        for value, expected in zip(ours, GOLDEN["rank"]["segments"], strict=True)
    ]
    assert len(same) // 2 < sum(same) < len(same)


def test_the_several_references_keep_the_counts_of_the_best():
    groups = [["a dog ran", REFERENCE], ["hello there general kenobi", "hello there"]]
    several = nlgauge.score(["the cat sat on a mat", "hello there"], groups, metrics="meteor")
    single = nlgauge.score(
        ["the cat sat on a mat", "hello there"], [REFERENCE, "hello there"], metrics="meteor"
    )
    assert several["meteor"] == single["meteor"]
    assert rows_by_label(several)[1]["meteor"] == 1


def test_function_words_count_less():
    content, function = (
        meteor(prediction, "the cat", synonyms=False)["recall"] for prediction in ("cat", "the")
    )
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
        assert cost(fewest_chunks(prediction, reference, modules)) == least_cost(
            prediction, reference, modules
        )


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


# --- paraphrase tables


@pytest.fixture
def table(tmp_path):
    """The table of the golden values, in METEOR's form and compressed."""
    path = tmp_path / "table.gz"
    path.write_bytes(
        gzip.compress("".join(f"0.5\n{first}\n{second}\n" for first, second in GOLDEN["table"]).encode())
    )
    return str(path)


@pytest.mark.parametrize("task", ["rank", "adequacy"])
def test_phrases_match_as_in_the_meteor_program(task, table):
    metric = Meteor(task=task, compat="jar", tokenizer="whitespace", paraphrases=table)
    golden = GOLDEN["phrases"]
    result = nlgauge.score(*map(list, zip(*golden["pairs"], strict=True)), metrics=metric)
    segments = result._tables[result.systems[0], str(metric)].segments()
    for column, name in enumerate(("precision", "recall", "penalty", "meteor")):
        assert segments[name].tolist() == pytest.approx(
            [row[column] for row in golden[task]["segments"]], abs=1e-12
        ), name
    assert result[str(metric)]["score"] == pytest.approx(golden[task]["corpus"], abs=1e-12)


def test_both_forms_of_a_table_are_read(tmp_path, table):
    plain = tmp_path / "table.txt"
    plain.write_text(
        "".join(f"{first.upper()}\t{second}\t0.1\n\n" for first, second in GOLDEN["table"]), encoding="utf-8"
    )
    for ours, theirs in zip(phrase_table(table), phrase_table(str(plain)), strict=True):
        assert np.array_equal(ours, theirs)
    assert phrase_table(table).longest == 4
    assert (1, 0, 3, 2) in phrase_table(str(plain)).matches(["x", "the", "finish", "line"], ["the", "end"])


def test_a_phrase_weighs_what_its_words_do(table):
    found = meteor("the finish line", "the end", paraphrases=table)
    assert found == pytest.approx(
        {"score": 0.6, "meteor": 0.6, "precision": 0.6, "recall": 0.6, "f_mean": 0.6, "penalty": 0}
    )
    assert meteor("the finish line", "the end", synonyms=False)["recall"] == pytest.approx(0.25)
    # Four words of the prediction and two of the reference are 3 matches, in 2 chunks.
    found = meteor("x we make a decision", "decide we", paraphrases=table, function_words=())
    assert (found["precision"], found["penalty"]) == pytest.approx(((1 + 3 * 0.6) / 5, 0.6 * (2 / 3) ** 0.2))
    assert meteor("rug", "mat", paraphrases=table, version="2005")["precision"] == 1


PHRASES = st.lists(
    st.builds(Match, st.integers(0, 4), st.integers(0, 4), st.just(3), st.integers(1, 3), st.integers(1, 3)),
    max_size=4,
)


@given(SHORT, SHORT, KEYS, PHRASES)
def test_the_alignment_with_phrases_is_the_best_of_all(prediction, reference, keys, phrases):
    modules = [[(word,) for word in range(5)], keys]
    phrases = [
        match for match in phrases if match.ends()[0] <= len(prediction) and match.ends()[1] <= len(reference)
    ]
    offered = list(offers(prediction, reference, modules, phrases))
    best = [(0, 0, 0)]

    def extend(r, used, alignment):
        if r == len(reference):
            best[0] = min(best[0], phrase_cost(alignment))
            return
        extend(r + 1, used, alignment)
        for match in offered[r]:
            places = set(range(match.prediction, match.ends()[0]))
            if not places & used:
                extend(match.ends()[1], used | places, [*alignment, match])

    extend(0, set(), [])
    if prediction != reference:
        found = phrase_alignment(prediction, reference, modules, phrases)
        assert phrase_cost(found) == best[0]
        places = [place for match in found for place in range(match.prediction, match.ends()[0])]
        assert len(places) == len(set(places))
        assert phrase_cost(phrase_alignment(prediction, reference, modules, phrases, budget=1)) >= best[0]


def test_a_match_that_goes_on_with_a_chunk_may_win_over_a_nearer_one():
    words = [[(word,) for word in range(3)]]
    found = phrase_alignment([2, 1, 2, 2, 1], [2, 0, 0, 2, 2, 2], words, [Match(1, 4, 3, 2, 1)])
    assert phrase_cost(found) == (-7, 1, 8)


def test_phrases_in_a_long_text_end(table):
    long = "they decide upon the rug because of much rain in the end " * 50
    assert 0.5 < meteor(long, long.replace("in the end", "finally"), paraphrases=table)["precision"] < 1
    assert meteor("rug " * 3_000, "mat " * 3_000, paraphrases=table)["precision"] == pytest.approx(0.6)


def test_the_signature_follows_the_content_of_the_file(tmp_path):
    path = tmp_path / "table.tsv"
    signatures = []
    for line in ("rug\tmat\n", "rug\tcarpet\n"):
        path.write_text(line, encoding="utf-8")
        result = nlgauge.score(
            ["a rug"], ["a mat"], metrics={"path": "meteor", "paraphrases": str(path), "synonyms": False}
        )
        signatures.append((next(iter(result.signatures.values())), next(iter(result))))
    assert signatures[0][1] == signatures[1][1] and signatures[0][0] != signatures[1][0]
    assert "paraphrases_content:" in signatures[0][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5\na\nb\nhalf\na\nb\n", "line 4: 'half' cannot be read; a probability"),
        ("0.5\na\n", "line 1: '0.5' cannot be read; an entry needs two phrases"),
        ("a\tb\nc d\n", "line 2: 'c d' cannot be read; a probability"),
        (
            "a\tb\nc d\ne\tf\ng\th\n",
            "line 2: 'c d'.*phrase TAB phrase.*no tab",
        ),
        ("a\tb\tc\td\n", "line 1: .*phrase TAB phrase, or"),
        ("a\tb\t-1\n", "line 1: .*a probability"),
        ("a\t \n", "line 1: .*two phrases"),
    ],
)
def test_a_bad_table_says_where(text_file, text, message):
    with pytest.raises(InputError, match=message):
        meteor("a", "b", paraphrases=str(text_file("table.txt", text)))


def test_a_table_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nowhere.*No such file"):
        meteor("a", "b", paraphrases=str(tmp_path / "nowhere"))
    broken = tmp_path / "broken.gz"
    broken.write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"cannot read .*broken.gz"):
        meteor("a", "b", paraphrases=str(broken))


# --- copy words


def test_copy_words_weigh_by_the_smoothed_share_that_is_matched():
    """P' = P (matched + 8) / (copy words + 8) of the prediction, R' the same of the reference."""
    prediction, reference = "oslo has 3 parks in june", "oslo has 4 parks and 2 lakes"
    plain, copied = (
        meteor(prediction, reference, copy_words=words)
        for words in ((), ("Oslo", "3", "4", "2", "june", "in", "has"))
    )
    # Of the prediction oslo, 3, june, of the reference oslo, 4, 2; function words are none.
    assert copied["precision"] == pytest.approx(plain["precision"] * (1 + 8) / (3 + 8))
    assert copied["recall"] == pytest.approx(plain["recall"] * (1 + 8) / (3 + 8))
    assert copied["penalty"] == plain["penalty"]
    strong = meteor(prediction, reference, copy_words=("oslo", "3", "4", "2", "june"), copy_smoothing=0.5)
    assert strong["recall"] == pytest.approx(plain["recall"] * 1.5 / 3.5)


def test_copy_words_change_nothing_where_all_are_matched():
    assert meteor("the cat sat on a mat", REFERENCE, copy_words=("cat", "mat", "zebra")) == meteor(
        "the cat sat on a mat", REFERENCE
    )
    assert meteor(REFERENCE, REFERENCE, copy_words=("cat",))["score"] == 1


def test_copy_words_of_a_corpus_are_summed_with_a_smoothing_a_segment():
    metric = Meteor(copy_words=("oslo", "3"), copy_smoothing=2.0)
    result = nlgauge.score(["oslo sleeps", "a 3"], ["oslo rests", "a 4"], metrics=metric)[str(metric)]
    plain = nlgauge.score(["oslo sleeps", "a 3"], ["oslo rests", "a 4"], metrics="meteor")["meteor"]
    assert result["precision"] == pytest.approx(plain["precision"] * (1 + 4) / (2 + 4))
    assert result["recall"] == pytest.approx(plain["recall"])
    averaged = Meteor(copy_words=("oslo", "3"), version="2005")
    table = nlgauge.score(["oslo sleeps", "a 3"], ["oslo rests", "a 4"], metrics=averaged)
    assert table[str(averaged)]["score"] == pytest.approx(
        sum(row[str(averaged)] for row in rows_by_label(table)) / 2
    )


def test_copy_words_from_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("Oslo\n\n3\n", encoding="utf-8")
    texts = "oslo 3 x", "oslo 4 y"
    assert meteor(*texts, copy_words=str(path)) == meteor(*texts, copy_words=("oslo", "3"))
    path.write_text("oslo\nnew york\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: 'new york'"):
        meteor(*texts, copy_words=str(path))


def test_copied_words_are_learnt_from_pairs():
    pairs = [
        ("oslo is big", "oslo is large"),
        ("big oslo", "oslo , huge"),
        ("oslo is fine", "the city is good"),
        ("3 of us", "us 3"),
    ]
    split = [(left.split(), right.split()) for left, right in pairs]
    # oslo stands in 5 texts, in 4 of which with the other side; is in 4 of 4; 3 and us in 2 of 2; of in 1,
    # big in 2 without.
    assert copied_words(split, share=0.8, least=2) == ("3", "is", "oslo", "us")
    assert copied_words(split, share=0.81, least=2) == ("3", "is", "us")
    assert copied_words(split, least=4) == ("is", "oslo")
    assert copied_words([]) == ()


def test_explanations_show_phrases_and_copy_words(table):
    metric = Meteor(paraphrases=table, copy_words=("rain", "oslo"), synonyms=False)
    result = nlgauge.score(["we decide upon rain"], ["we choose rain in oslo"], metrics=metric)
    (explanation,) = result.explain(str(metric), 0)
    assert explanation.matches == [
        (0, 0, "exact"),
        (1, 1, "paraphrase"),
        (2, 1, "paraphrase"),
        (3, 2, "exact"),
    ]
    assert explanation.chunks == [1, 1, 1, 1]
    assert explanation.title.endswith("1 of 2 copy words of the reference matched")


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
    (explanation,) = nlgauge.score(
        ["on a rug sat two cats"], ["the cat sat on a mat"], metrics="meteor"
    ).explain("meteor", 0)
    assert explanation.matches == [(5, 1, "stem"), (3, 2, "exact"), (0, 3, "exact"), (1, 4, "exact")]
    assert explanation.chunks == [1, 2, 3, 3]
    console = Console(width=100, record=True, file=StringIO())
    console.print(render(explanation))
    printed = console.export_text()
    assert "4 matches in 3 chunks; unmatched in the reference: the mat" in printed
    assert ["match", "exact", "exact", "-", "exact", "-", "stem"] in [
        line.split() for line in printed.splitlines()
    ]


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ({"version": "1.4"}, "version"),
        ({"task": "hter"}, "task"),
        ({"version": "2005", "task": "adequacy"}, "task"),
        ({"paraphrases": ("rug mat", 3)}, "paraphrases"),
        ({"paraphrases": ""}, "paraphrases"),
        ({"alpha": 1.5}, "alpha"),
        ({"beta": -1}, "beta"),
        ({"gamma": 2}, "gamma"),
        ({"copy_words": None}, "copy_words"),
        ({"copy_smoothing": 0}, "copy_smoothing"),
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
