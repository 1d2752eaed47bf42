"""ROUGE-1.5.5 against values of Lin's Perl script, slow oracles, and the published correlations on SummEval.

The golden values are what this prints, with one text a file and one sentence a line (the list names the
prediction's file, then the references'):

    perl ROUGE-1.5.5.pl -e data -n 4 -w 1.2 -2 4 -U -d -z SPL list A                       and with -m, with -m -s
    perl ROUGE-1.5.5.pl -e data -n 4 -w 1.5 -2 -1 -U -d -z SPL -f B -p 0.3 list A
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from human_judgments import rows_of
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from strategies import SENTENCES, corpora

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.lexical.rouge155 import RougeTokens, script_stems, stop_words
from nlgauge.kernels import weighted_lcs
from nlgauge.metrics.rouge155 import Rouge155

# Texts of all scripts are compared with the script's rules.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*designed for English"),
    pytest.mark.usefixtures("both_kernels"),
]

CHANGED_PARAMETERS = {
    "rouge_types": ("rougeW", "rougeS*"),
    "references": "best",
    "alpha": 0.3,
    "tokenizer": "unicode",
    "sentences": ("full stop", "sentencex"),
    "compat": None,
}
# As in the script, texts without an ASCII letter or digit score 0, also two equal ones.
NOT_BEST_WHEN_EQUAL = {
    "empty",
    "only spaces",
    "newline",
    "right to left",
    "emoji",
    "only punctuation",
    "not a character",
}

PREDICTIONS = [
    (
        "The governmental officers were running to the mice's best houses.\nNobody was happier than the"
        " children.\nThe U.S. paid $5."
    ),
    "police kill the gunman",
    "a b c d h i k",
    "a h b k c i d",
    "w1 w2 f1 f2 f3\nw1 w3 w8 w9 w5",
    "the the cat the cat sat\non the mat the cat",
    "",
    "Well-known café owners offered better well-being",
    "a b a b a c",
]
REFERENCES = [
    [
        "Government officials ran to the house of the best mouse.\nNo child was happy.",
        "The officer's children are better off.\nThe US government paid 5 dollars in mid-May.",
        "Mice were running.",
    ],
    ["police killed the gunman"],
    ["a b c d e f g"],
    ["a b c d e f g"],
    ["w1 w2 w3 w4 w5"],
    ["the cat sat on the mat\nthe cat", "the cat the cat\n\nthe mat sat"],
    ["Nothing was said here."],
    ["A well known Café owner's offer is good; well, better"],
    ["a b c a b", "b a\na a b", "c"],
]
TYPES = ("rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeW", "rougeS4", "rougeSU4")
OPTIONS = {
    "": Rouge155(TYPES),
    "-m": Rouge155(TYPES, stem=True),
    "-m -s": Rouge155(TYPES, stem=True, stop_words=True),
    "-f B -p 0.3": Rouge155((*TYPES[:6], "rougeS*", "rougeSU*"), references="best", alpha=0.3, weight=1.5),
}
# For each text recall/precision/F.
GOLDEN = {
    "": (
        """
        rouge1 .42424/.21212/.28283 .75000/.75000/.75000 .57143/.57143/.57143 .57143/.57143/.57143 .80000/.40000/.53333
            1.00000/.68182/.81081 .00000/.00000/.00000 .45455/.62500/.52632 1.00000/.61111/.75862
        rouge2 .10000/.04762/.06452 .33333/.33333/.33333 .50000/.50000/.50000 .00000/.00000/.00000 .25000/.11111/.15385
            .84615/.55000/.66667 .00000/.00000/.00000 .20000/.28571/.23529 .50000/.26667/.34783
        rouge3 .00000/.00000/.00000 .00000/.00000/.00000 .40000/.40000/.40000 .00000/.00000/.00000 .00000/.00000/.00000
            .72727/.44444/.55172 .00000/.00000/.00000 .11111/.16667/.13333 .00000/.00000/.00000
        rouge4 .00000/.00000/.00000 .00000/.00000/.00000 .25000/.25000/.25000 .00000/.00000/.00000 .00000/.00000/.00000
            .66667/.37500/.48000 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000
        rougeL .36364/.18182/.24243 .75000/.75000/.75000 .57143/.57143/.57143 .57143/.57143/.57143 .80000/.40000/.53333
            1.00000/.68182/.81081 .00000/.00000/.00000 .36364/.50000/.42106 .90909/.55556/.68966
        rougeW .20232/.15614/.17626 .51208/.67569/.58262 .38721/.57143/.46162 .38721/.57143/.46162 .52987/.36554/.43263
            .68127/.61673/.64740 .00000/.00000/.00000 .20571/.45692/.28370 .64191/.51548/.57179
        rougeS4 .09756/.04211/.05883 .50000/.50000/.50000 .30000/.30000/.30000 .25000/.25000/.25000 .50000/.14286/.22223
            .93333/.52500/.67200 .00000/.00000/.00000 .10000/.16000/.12308 .90000/.40000/.55385
        rougeSU4 .15686/.06897/.09581 .55556/.55556/.55556 .38462/.38462/.38462 .30769/.30769/.30769 .57143/.18182/.27586
            .94828/.55000/.69620 .00000/.00000/.00000 .16000/.25000/.19512 .89286/.41667/.56819
    """
    ),
    "-m": (
        """
        rouge1 .60606/.30303/.40404 1.00000/1.00000/1.00000 .57143/.57143/.57143 .57143/.57143/.57143 .80000/.40000/.53333
            1.00000/.68182/.81081 .00000/.00000/.00000 .63636/.87500/.73684 1.00000/.61111/.75862
        rouge2 .10000/.04762/.06452 1.00000/1.00000/1.00000 .50000/.50000/.50000 .00000/.00000/.00000 .25000/.11111/.15385
            .84615/.55000/.66667 .00000/.00000/.00000 .40000/.57143/.47059 .50000/.26667/.34783
        rouge3 .00000/.00000/.00000 1.00000/1.00000/1.00000 .40000/.40000/.40000 .00000/.00000/.00000 .00000/.00000/.00000
            .72727/.44444/.55172 .00000/.00000/.00000 .22222/.33333/.26666 .00000/.00000/.00000
        rouge4 .00000/.00000/.00000 1.00000/1.00000/1.00000 .25000/.25000/.25000 .00000/.00000/.00000 .00000/.00000/.00000
            .66667/.37500/.48000 .00000/.00000/.00000 .12500/.20000/.15385 .00000/.00000/.00000
        rougeL .48485/.24242/.32323 1.00000/1.00000/1.00000 .57143/.57143/.57143 .57143/.57143/.57143 .80000/.40000/.53333
            1.00000/.68182/.81081 .00000/.00000/.00000 .63636/.87500/.73684 .90909/.55556/.68966
        rougeW .27484/.21211/.23943 .75786/1.00000/.86225 .38721/.57143/.46162 .38721/.57143/.46162 .52987/.36554/.43263
            .68127/.61673/.64740 .00000/.00000/.00000 .33732/.74924/.46520 .64191/.51548/.57179
        rougeS4 .17886/.07719/.10784 1.00000/1.00000/1.00000 .30000/.30000/.30000 .25000/.25000/.25000 .50000/.14286/.22223
            .93333/.52500/.67200 .00000/.00000/.00000 .35000/.56000/.43077 .90000/.40000/.55385
        rougeSU4 .26144/.11494/.15968 1.00000/1.00000/1.00000 .38462/.38462/.38462 .30769/.30769/.30769 .57143/.18182/.27586
            .94828/.55000/.69620 .00000/.00000/.00000 .40000/.62500/.48780 .89286/.41667/.56819
    """
    ),
    "-m -s": (
        """
        rouge1 .62500/.37037/.46512 1.00000/1.00000/1.00000 .00000/.00000/.00000 .00000/.00000/.00000 .80000/.40000/.53333
            1.00000/.75000/.85714 .00000/.00000/.00000 .75000/1.00000/.85714 .00000/.00000/.00000
        rouge2 .07692/.04167/.05406 1.00000/1.00000/1.00000 .00000/.00000/.00000 .00000/.00000/.00000 .25000/.11111/.15385
            1.00000/.66667/.80000 .00000/.00000/.00000 .66667/1.00000/.80000 .00000/.00000/.00000
        rouge3 .00000/.00000/.00000 1.00000/1.00000/1.00000 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000
            1.00000/.50000/.66667 .00000/.00000/.00000 .50000/1.00000/.66667 .00000/.00000/.00000
        rouge4 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000
            .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000
        rougeL .56250/.33333/.41860 1.00000/1.00000/1.00000 .00000/.00000/.00000 .00000/.00000/.00000 .80000/.40000/.53333
            .83333/.62500/.71428 .00000/.00000/.00000 .75000/1.00000/.85714 .00000/.00000/.00000
        rougeW .38672/.30391/.34035 .80274/1.00000/.89058 .00000/.00000/.00000 .00000/.00000/.00000 .52987/.36554/.43263
            .68290/.56295/.61715 .00000/.00000/.00000 .56839/1.00000/.72481 .00000/.00000/.00000
        rougeS4 .14634/.06667/.09161 1.00000/1.00000/1.00000 .00000/.00000/.00000 .00000/.00000/.00000 .50000/.14286/.22223
            1.00000/.50000/.66667 .00000/.00000/.00000 .50000/1.00000/.66667 .00000/.00000/.00000
        rougeSU4 .25926/.12281/.16667 1.00000/1.00000/1.00000 .00000/.00000/.00000 .00000/.00000/.00000 .57143/.18182/.27586
            1.00000/.55556/.71429 .00000/.00000/.00000 .55556/1.00000/.71429 .00000/.00000/.00000
    """
    ),
    "-f B -p 0.3": (
        """
        rouge1 1.00000/.13636/.34482 .75000/.75000/.75000 .57143/.57143/.57143 .57143/.57143/.57143 .80000/.40000/.61538
            1.00000/.72727/.89888 .00000/.00000/.00000 .45455/.62500/.49505 1.00000/.83333/.94339
        rouge2 .50000/.04762/.12987 .33333/.33333/.33333 .50000/.50000/.50000 .00000/.00000/.00000 .25000/.11111/.18182
            1.00000/.70000/.88608 .00000/.00000/.00000 .20000/.28571/.21978 .50000/.40000/.46512
        rouge3 .00000/.00000/.00000 .00000/.00000/.00000 .40000/.40000/.40000 .00000/.00000/.00000 .00000/.00000/.00000
            1.00000/.66667/.86957 .00000/.00000/.00000 .11111/.16667/.12346 .00000/.00000/.00000
        rouge4 .00000/.00000/.00000 .00000/.00000/.00000 .25000/.25000/.25000 .00000/.00000/.00000 .00000/.00000/.00000
            1.00000/.62500/.84746 .00000/.00000/.00000 .00000/.00000/.00000 .00000/.00000/.00000
        rougeL .66667/.09091/.22989 .75000/.75000/.75000 .57143/.57143/.57143 .57143/.57143/.57143 .80000/.40000/.61538
            1.00000/.72727/.89888 .00000/.00000/.00000 .36364/.50000/.39604 1.00000/.83333/.94339
        rougeW .38490/.09091/.19537 .30591/.61182/.35989 .21598/.57143/.26553 .21598/.57143/.26553 .30174/.33735/.31161
            .38499/.61336/.43340 .00000/.00000/.00000 .09247/.42169/.12075 .49949/.66803/.54039
        rougeS* .33333/.00433/.01401 .50000/.50000/.50000 .28571/.28571/.28571 .28571/.28571/.28571 .60000/.13333/.29268
            1.00000/.50909/.77562 .00000/.00000/.00000 .16364/.32143/.19190 1.00000/.66667/.86957
        rougeSU* .60000/.01190/.03791 .55556/.55556/.55556 .37037/.37037/.37037 .33333/.33333/.33333 .64286/.16667/.34616
            1.00000/.53846/.79545 .00000/.00000/.00000 .20000/.37143/.23214 1.00000/.70000/.88608
    """
    ),
}


def segments(metric: Rouge155, predictions: list[str], references: list[list[str]]) -> dict[str, np.ndarray]:
    result = nlgauge.score(predictions, references, metrics=metric)
    return result._tables["system", result.labels[0]].segments()


@pytest.mark.parametrize("options", GOLDEN)
def test_equals_the_perl_script(options):
    """The script rounds recall and precision to five decimals and makes F of what it rounded; we round
    only here.
    """
    check_golden(options, OPTIONS[options], PREDICTIONS, REFERENCES)


@pytest.mark.parametrize("options", GOLDEN)
def test_full_stops_between_spaces_replace_line_breaks(options):
    """The script's values of texts with line breaks: one side of the texts has " . " instead, then the other."""
    tokenized = [text.replace("\n", " . ") for text in PREDICTIONS]
    check_golden(options, replace(OPTIONS[options], sentences=("full stop", "lines")), tokenized, REFERENCES)
    groups = [[text.replace("\n", "\t. ") for text in group] for group in REFERENCES]
    check_golden(options, replace(OPTIONS[options], sentences=("lines", "full stop")), PREDICTIONS, groups)
    check_golden(options, replace(OPTIONS[options], sentences="full stop"), tokenized, groups)


@pytest.mark.parametrize("options", GOLDEN)
def test_sentencex_replaces_line_breaks(options):
    """The script's values again: sentences that end with a full stop, on one line."""
    texts = [text.replace("\n", " ") if ".\n" in text else text for text in PREDICTIONS]
    groups = [[text.replace("\n", " ") if ".\n" in text else text for text in group] for group in REFERENCES]
    assert (texts[0], groups[0][0]) != (PREDICTIONS[0], REFERENCES[0][0])
    metric = replace(OPTIONS[options], rouge_types=("rougeL", "rougeW"), sentences="sentencex")
    check_golden(options, metric, texts[:4], groups[:4])


def test_full_stops_within_words_end_no_sentence():
    texts = ["the u.s. paid 5 . he ran .", "a . b", "a .b"]
    split = ["the u.s. paid 5 .\nhe ran .", "a .\nb", "a .b"]
    references = [["he ran .\nthe u.s. paid 5 ."], ["b a"], ["b a"]]
    ours, lines = (
        segments(Rouge155(("rougeL",), sentences=kind), predictions, references)["rougeL"].tolist()
        for kind, predictions in ((("full stop", "lines"), texts), ("lines", split))
    )
    assert ours == lines
    assert ours[1] > ours[2]


def check_golden(options: str, metric: Rouge155, predictions: list[str], references: list[list[str]]) -> None:
    """Compare the types of a metric with the script's values of the first texts."""
    ours = segments(metric, predictions, references)
    kind, column, seen = "", 0, set()
    for word in GOLDEN[options].split():
        if word.startswith("rouge"):
            kind, column = word, 0
            continue
        if kind not in metric.rouge_types or column == len(predictions):
            continue
        recall, precision, f = map(float, word.split("/"))
        assert ours[f"{kind}_recall"][column] == pytest.approx(recall, abs=5.01e-6), (kind, column)
        assert ours[f"{kind}_precision"][column] == pytest.approx(precision, abs=5.01e-6), (kind, column)
        below = (1 - metric.alpha) * precision + metric.alpha * recall
        assert f == pytest.approx(precision * recall / below if below else 0, abs=5.01e-6)
        exact = (1 - metric.alpha) * ours[f"{kind}_precision"][column] + metric.alpha * ours[
            f"{kind}_recall"
        ][column]
        product = ours[f"{kind}_precision"][column] * ours[f"{kind}_recall"][column]
        assert ours[kind][column] == pytest.approx(product / exact if exact else 0, abs=1e-12)
        seen.add((kind, column))
        column += 1
    assert seen == {(kind, column) for kind in metric.rouge_types for column in range(len(predictions))}


@pytest.mark.parametrize(
    ("weight", "recall", "precision"),
    [
        (1.2, (0.34941, 0.23294, 0.34941, 0.26758, 0.32439), (0.5, 0.33333, 0.5, 1, 0.90092)),
        (2.0, (0.08333, 0.05556, 0.08333, 0.11111, 0.13153), (0.5, 0.33333, 0.5, 1, 0.74536)),
    ],
)
def test_rouge_w_prefers_runs_and_clips_as_the_perl_script(weight, recall, precision):
    """The script's values again (-w 1.2, -w 2): other places than the plain LCS has, and words that
    several sentences want.
    """
    predictions = ["b a a a c c", "c a b b a a", "b c c c b a", "a b c", "the cat sat"]
    references = [
        ["d b b a a b"],
        ["b d a b d c"],
        ["c a c c c d"],
        ["a b c\na b d\nc a b"],
        ["the cat\nthe cat sat\nsat the"],
    ]
    ours = segments(Rouge155(("rougeW",), weight=weight), predictions, references)
    assert ours["rougeW_recall"] == pytest.approx(recall, abs=5.01e-6)
    assert ours["rougeW_precision"] == pytest.approx(precision, abs=5.01e-6)


def test_rounding_decides_ties_of_rouge_w_as_in_the_perl_script():
    """-w 1.5 -f B: the last bit chooses between runs that are worth the same, and between references."""
    predictions = ["b e d\na e b e a b a", "b a", "a\na a a c b d a a", "a a e d b b b d a a a"]
    references = [
        ["a e a d e c"],
        ["a\ne a a c e\na a", "b d\nb a", "b c b a"],
        ["b e", "b b d d", "b d b e a"],
        ["e b b a b\nb a a b a", "c\na", "c e a a\ne b b e"],
    ]
    ours = segments(Rouge155(("rougeW",), references="best", weight=1.5), predictions, references)
    assert ours["rougeW_recall"] == pytest.approx((0.21602, 0.28062, 0.35355, 0.28396), abs=5.01e-6)
    assert ours["rougeW_precision"] == pytest.approx((0.31748, 0.79370, 0.11111, 0.57724), abs=5.01e-6)


TOKENS = st.lists(st.integers(0, 2), min_size=1, max_size=12)


BOTH = (weighted_lcs.long_drops, weighted_lcs.short_drops)


@given(TOKENS, TOKENS, st.sampled_from([1.0, 1.2, 2.5]))
@example([0, 2, 1, 0], [0, 2, 1, 1], 1.2)  # a match that is worth less than what stands beside it
def test_a_row_at_a_time_finds_what_a_cell_at_a_time_does(reference, prediction, weight):
    powers = [k**weight for k in range(14)]
    rows, cells = (
        [list(map(row, range(len(prediction)))) for row in drops(reference, prediction, powers)]
        for drops in BOTH
    )
    assert rows == cells


def test_the_corpus_score_is_the_mean_of_segments():
    scores = nlgauge.score(PREDICTIONS, REFERENCES, metrics="rouge155")["rouge155"]
    ours = segments(Rouge155(), PREDICTIONS, REFERENCES)
    assert scores == pytest.approx(
        {**{name: values.mean() for name, values in ours.items()}, "score": ours["rouge1"].mean()}
    )


@pytest.mark.parametrize(
    ("text", "recall"),
    [("one two three four five six", 6**-0.2), ("a", 1.0), ("b a\nc d", (2 * 2**1.2) ** (1 / 1.2 - 1))],
)
def test_equal_texts_in_rouge_w(text, recall):
    """The script raises the reference's weight twice; without that a text of one line has a recall of 1."""
    script, sound = (
        segments(Rouge155(("rougeW",), compat=compat), [text], [[text]])["rougeW_recall"][0]
        for compat in ("1.5.5", None)
    )
    assert (script, sound) == (pytest.approx(recall), pytest.approx(1))


def test_the_last_unigram_of_rouge_su():
    script, sound = (
        segments(
            Rouge155(("rougeSU4",), compat=compat), ["police kill the gunman"], [["police killed the gunman"]]
        )["rougeSU4"][0]
        for compat in ("1.5.5", None)
    )
    assert (script, sound) == (pytest.approx(5 / 9), pytest.approx(6 / 10))
    assert segments(Rouge155(("rougeSU4",)), ["a"], [["a"]])["rougeSU4"][0] == 0
    assert segments(Rouge155(("rougeSU4",), compat=None), ["a"], [["a"]])["rougeSU4"][0] == 1


@given(
    st.text("abc ", max_size=16),
    st.text("abc ", max_size=16),
    st.sampled_from([0, 1, 4, None]),
    st.booleans(),
    st.sampled_from([None, "1.5.5"]),
)
def test_skip_bigrams_equal_all_pairs(prediction, reference, distance, unigrams, compat):
    def found(text: str) -> Counter[tuple[str, ...]]:
        words = text.split()
        near = [
            (i, j) for i, j in combinations(range(len(words)), 2) if distance is None or j - i - 1 <= distance
        ]
        single = [(word,) for word in (words if compat is None else words[:-1])] if unigrams else []
        return Counter([*((words[i], words[j]) for i, j in near), *single])

    kind = f"rougeS{'U' if unigrams else ''}{'*' if distance is None else distance}"
    ours = segments(Rouge155((kind,), compat=compat), [prediction], [[reference]])
    left, right = found(prediction), found(reference)
    assert ours[f"{kind}_precision"][0] == pytest.approx((left & right).total() / max(left.total(), 1))
    assert ours[f"{kind}_recall"][0] == pytest.approx((left & right).total() / max(right.total(), 1))


@given(
    corpora(max_references=4),
    st.sampled_from(["pool", "best"]),
    st.sampled_from(["rouge1", "rougeL", "rougeW", "rougeSU4"]),
)
def test_jackknife_is_the_mean_over_sets_of_all_references_but_one(corpus, references, kind):
    predictions, groups = corpus
    ours = segments(Rouge155((kind,), references=references, jackknife=True), predictions, groups)
    for i, (prediction, group) in enumerate(zip(predictions, groups, strict=True)):
        sets = [[*group[:j], *group[j + 1 :]] for j in range(len(group))] if len(group) > 1 else [group]
        plain = segments(Rouge155((kind,), references=references), [prediction] * len(sets), sets)
        for name, values in plain.items():
            assert ours[name][i] == pytest.approx(values.mean(), abs=1e-9)


@given(corpora(max_references=1), st.booleans())
def test_shared_types_equal_our_rouge(corpus, pool):
    """One reference, no stemming: rouge1, rouge2 and rougeL are rouge-score's rouge1, rouge2 and
    rougeLsum.
    """
    kinds = {"rouge1": "rouge1", "rouge2": "rouge2", "rougeL": "rougeLsum"}
    ours = segments(
        Rouge155(tuple(kinds), references="pool" if pool else "best", tokenizer="unicode"), *corpus
    )
    result = nlgauge.score(*corpus, metrics="rouge")
    for kind, other in kinds.items():
        assert ours[kind] == pytest.approx(result._tables["system", "rouge"].segments()[other])


# --- tokens, stems, stop words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("U.S. $5 - mid-May", ["u", "s", "5", "mid", "may"]),
        ("Café DÉJÀ", ["caf", "d", "j"]),
        (
            "\u0130\u212a \ufb01",
            [],
        ),  # a capital I with a dot and the sign for kelvin have an ASCII lower case in Python, not in Perl
        ("don't 3,000.5", ["don", "t", "3", "000", "5"]),
        ("猫", []),
    ],
)
def test_the_scripts_tokens(text, tokens):
    assert RougeTokens("1.5.5").of(text) == tokens


def test_our_tokens_keep_every_script():
    for text in ("猫坐在垫子上", "القطة تجلس على السجادة", "Кошка сидит тут"):
        script, ours = (
            nlgauge.score([text], [text], metrics=Rouge155(tokenizer=name))["rouge155"]["score"]
            for name in ("1.5.5", "unicode")
        )
        assert (script, ours) == (0, 1)


def test_a_run_warns_where_the_scripts_tokens_or_stems_do_not_fit():
    for options in ({}, {"tokenizer": "unicode", "stem": True}):
        with pytest.warns(UserWarning, match="designed for English"):
            nlgauge.score(["猫が好き"], ["猫が好き"], metrics=Rouge155(**options))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            nlgauge.score(
                ["猫が好き"],
                ["猫が好き"],
                metrics={"path": "rouge155", "resulting_name": "any", "tokenizer": "unicode"},
            )["any"]["score"]
            == 1
        )


def test_stems_of_the_script():
    """Made by the script's own MorphStem; with WordNet's whole vocabulary, 78,633 words, all were equal."""
    made = """
        running:run mice:mouse best:well better:well offer:offer testes:testes ashes:ash morses:mors comics:comic_strip
        governmental:govern government:govern replacement:replac adjustment:adjust dependent:depend adoption:adopt
        departmental:depart apologies:apolog possibly:possibl flies:fli dying:die yesterday:yesterdai
        generalizations:gener hopping:hop filing:file agreed:agre his:his was:was 1990s:1990 children:child
    """
    pairs = dict(pair.split(":") for pair in made.split())
    assert dict(zip(pairs, script_stems(list(pairs)), strict=True)) == pairs


def test_stop_words_go_before_stemming():
    assert len(stop_words()) == 596
    assert {"the", "reuters", "z", "zero"} <= stop_words()
    assert RougeTokens("1.5.5", stem=True, stop_words=True).of(
        "Using the cats, Reuters was lately being used"
    ) == ["cat"]
    assert RougeTokens("1.5.5", stem=True).of("using lately") == ["us", "late"]


# --- parameters and explanation


@pytest.mark.parametrize(
    "types",
    [
        (),
        ("rouge0",),
        ("rouge10",),
        ("rougeS",),
        ("rougeSU04",),
        ("rougeLsum",),
        ("rouge1", "rouge1"),
        "rouge1",
    ],
)
def test_types_outside_their_domain(types):
    with pytest.raises(ParameterError, match="rouge155: rouge_types must be"):
        Rouge155(types)


@pytest.mark.parametrize(
    "bad",
    [
        {"references": "A"},
        {"alpha": 1.5},
        {"weight": 0.5},
        {"tokenizer": "google"},
        {"sentences": "punkt"},
        {"sentences": 1},
        {"compat": "1.5.4"},
    ],
    ids=str,
)
def test_parameters_outside_their_domain(bad):
    name, value = next(iter(bad.items()))
    with pytest.raises(ParameterError, match=f"rouge155: {name}.*{value!r}"):
        Rouge155(**bad)


def test_explanation_shows_pooled_counts():
    result = nlgauge.score(
        ["a b a b a c"], [["a b c a b", "c"]], metrics="rouge155(rouge_types=['rouge1', 'rougeSU4'])"
    )
    (explanation,) = result.explain(result.labels[0], 0)
    assert explanation.tokens == ["a", "b", "a", "b", "a", "c"]
    assert [(order.name, order.matched, order.predicted, order.expected) for order in explanation.orders] == [
        ("rouge1", 6, 12, 6),
        ("rougeSU4", 11, 40, 14),
    ]


def test_one_metric_of_real_sentences_in_every_mode():
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    found = {
        (mode, jackknife): segments(Rouge155(references=mode, jackknife=jackknife), predictions, references)[
            "rouge1_recall"
        ]
        for mode in ("pool", "best")
        for jackknife in (False, True)
    }
    assert (found["best", False] >= found["pool", False] - 1e-12).all()
    assert (found["best", False] >= found["best", True] - 1e-12).all()


# --- real data

# Table 1 of the Shannon Score paper: coherence, consistency, fluency, relevance.
PUBLISHED = {
    "rouge1": (0.2500, 0.5294, 0.5240, 0.4118),
    "rouge2": (0.1618, 0.5882, 0.4797, 0.2941),
    "rouge3": (0.2206, 0.7059, 0.5092, 0.3529),
    "rouge4": (0.3088, 0.5882, 0.5535, 0.4118),
    "rougeL": (0.0735, 0.1471, 0.2583, 0.2353),
    "rougeW": (0.0000, 0.3971, 0.3764, 0.1618),
}


@pytest.fixture(scope="module")
def summeval() -> list[dict[str, Any]]:
    return rows_of("summeval")


def test_summeval_system_level_kendall(summeval):
    """The F of stemmed texts over eleven pooled references; a swapped pair of the 17 systems is worth
    2/136. ROUGE-L and ROUGE-W need sentences.
    """
    systems = sorted({row["system"] for row in summeval})
    names = sorted({row["segment"] for row in summeval})
    by_key = {(row["system"], row["segment"]): row for row in summeval}
    predictions = {system: [by_key[system, name]["prediction"] for name in names] for system in systems}
    references = [by_key[systems[0], name]["references"] for name in names]
    assert (len(systems), {len(group) for group in references}) == (17, {11})
    metric = Rouge155(tuple(PUBLISHED), stem=True, sentences=("full stop", "sentencex"))
    result = nlgauge.score(predictions, references, metrics=metric)
    found = {}
    for kind, published in PUBLISHED.items():
        scores = [result[system][result.labels[0]][kind] for system in systems]
        human = [
            [np.mean([by_key[system, name]["human"][dimension] for name in names]) for system in systems]
            for dimension in ("coherence", "consistency", "fluency", "relevance")
        ]
        found[kind] = [kendalltau(scores, judged).statistic for judged in human]
        pairs = {"rougeL": 4, "rougeW": 1}.get(kind, 3)
        assert found[kind] == pytest.approx(published, abs=pairs * 2 / 136 + 1e-3)
    assert [round(tau, 4) for tau in found["rouge1"]] == [0.2794, 0.5294, 0.5240, 0.4412]
    assert [round(tau, 4) for tau in found["rougeL"]] == [0.0735, 0.0882, 0.2583, 0.2353]
