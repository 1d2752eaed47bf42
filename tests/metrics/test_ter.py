"""TER against sacreBLEU 2.6, corpus and sentence, for every option; on real translations too where the
data are there.
"""

from __future__ import annotations

import random
from io import StringIO

import pytest
import sacrebleu
from human_judgments import rows_of
from hypothesis import given
from hypothesis import strategies as st
from marks import thorough
from rich.console import Console
from sacrebleu.metrics.lib_ter import translation_edit_rate
from segment_rows import rows_by_label
from strategies import SENTENCES, corpora, streams

import nlgauge
from nlgauge.kernels.edits.tercom import shift_path
from nlgauge.metric.registry import make
from nlgauge.show.pages.explanations import render

pytestmark = pytest.mark.usefixtures("both_kernels")

OPTIONS = st.fixed_dictionaries(
    {name: st.booleans() for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
)


def peer_signature(peer: sacrebleu.TER, predictions: list[str], references: list[list[str]]) -> str:
    peer.corpus_score(predictions, streams(references))
    return str(peer.get_signature().format())


def assert_equals_sacrebleu(
    predictions: list[str], references: list[list[str]], options: dict[str, bool]
) -> None:
    metric = make("ter", options)
    result = nlgauge.score(predictions, references, metrics=metric)
    peer = sacrebleu.TER(**options)
    signature = peer_signature(peer, predictions, references)
    if options.get("normalized"):
        # It tokenizes references twice then, and its tokenizer may split a token that it has made: tokenise
        # both sides once.
        predictions, references = (
            [peer.tokenizer(p.rstrip()) for p in predictions],
            [[peer.tokenizer(r.rstrip()) for r in g] for g in references],
        )
        peer = sacrebleu.TER(case_sensitive=True)
    expected = peer.corpus_score(predictions, streams(references))
    ours = result[str(metric)]
    assert ours["score"] == pytest.approx(expected.score, abs=1e-9)
    assert ours["edits"] == expected.num_edits
    assert ours["reference_length"] == pytest.approx(expected.ref_length, abs=1e-9)
    assert result.signatures[str(metric)].startswith(signature + "|")
    for row, prediction, group in zip(rows_by_label(result), predictions, references, strict=True):
        assert row[str(metric)] == pytest.approx(peer.sentence_score(prediction, group).score, abs=1e-9)


@given(corpora(), OPTIONS)
def test_every_option_equals_sacrebleu(corpus, options):
    assert_equals_sacrebleu(*corpus, options)


def test_real_sentences_with_ragged_references():
    predictions, references = map(list, zip(*SENTENCES, strict=True))
    for options in ({}, {"normalized": True}, {"no_punct": True}, {"case_sensitive": True}):
        assert_equals_sacrebleu(predictions, references, options)


def test_references_are_tokenized_once():
    text = "Paul's, he said."
    assert sacrebleu.TER(normalized=True).sentence_score("Paul's,", ["Paul's,"]).score == pytest.approx(
        200 / 3
    )
    assert (
        nlgauge.score(["Paul's,", text], ["Paul's,", text], metrics="ter(normalized=True)")["ter"]["edits"]
        == 0
    )
    assert_equals_sacrebleu(["Paul's,", text], [[text], ["Paul's,"]], {"normalized": True})


def test_chinese_and_japanese():
    predictions, references = (
        ["我们今天去北京吃烤鸭。", "猫がマットに座った、3.5%"],
        [["今天我们去北京吃烤鸭。", "我们去北京。"], ["猫はマットの上に座った。"]],
    )
    for options in (
        {},
        {"normalized": True, "asian_support": True},
        {"no_punct": True, "asian_support": True},
    ):
        assert_equals_sacrebleu(predictions, references, options)


@given(st.lists(st.integers(0, 3), max_size=16), st.lists(st.integers(0, 3), max_size=16))
def test_shifts_of_few_words_equal_sacrebleu(prediction, reference):
    assert (
        shift_path(prediction, reference).edits
        == translation_edit_rate(list(map(str, prediction)), list(map(str, reference)))[0]
    )


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        # A target inside the block itself.
        ([2, 3, 0, 3, 0], [0, 0, 2, 3, 3], 3),
        # A reference so much longer that the beam must be wider.
        ([0, 1, 2], [9] * 19 + [0] + [9] * 79 + [1] + [9] * 99 + [2] + [9] * 23, 220),
    ],
)
def test_rare_shifts_equal_sacrebleu(prediction, reference, expected):
    assert translation_edit_rate(list(map(str, prediction)), list(map(str, reference)))[0] == expected
    assert shift_path(prediction, reference).edits == expected


@pytest.mark.parametrize(
    ("words", "longest", "shortest"),
    [
        (3, 45, 40),
        (40, 60, 50),
        (40, 110, 90),
        *thorough((500, 120, 120)),
        (500, 90, 2),
        (500, 2, 150),
        (3, 1, 130),
    ],
)
def test_long_texts_equal_sacrebleu(words, longest, shortest):
    """Where the beam, the greatest distance and the greatest number of shifts cut the search short."""
    rng = random.Random(words + longest)
    prediction = [rng.randrange(words) for _ in range(longest)]
    reference = [rng.randrange(words) for _ in range(shortest)]
    cut = rng.randrange(longest)
    for other in (reference, prediction[cut:] + prediction[:cut]):
        assert (
            shift_path(prediction, other).edits
            == translation_edit_rate(list(map(str, prediction)), list(map(str, other)))[0]
        )


FILLER = list(range(1000, 2000))


@pytest.mark.parametrize("length", range(8, 14))
def test_blocks_of_up_to_ten_words_move_as_in_sacrebleu(length):
    """A block of ten is one shift; one of eleven is not tried as a whole."""
    block, rest = list(range(length)), FILLER[:20]
    assert_same_edits(block + rest, rest + block, 1 if length <= 10 else None)


@pytest.mark.parametrize("distance", [44, 45, 46, 49, 50, 51, 52])
def test_blocks_move_up_to_fifty_words_as_in_sacrebleu(distance):
    """Farther than that the word is taken out and put in: two edits."""
    rest = FILLER[:distance]
    assert_same_edits([0, *rest], [*rest, 0], 1 if distance <= 50 else 2)
    assert_same_edits([*rest, 0], [0, *rest], 1 if distance <= 50 else 2)


@pytest.mark.parametrize("offset", [25, *thorough(22, 23, 24, 26, 27, 28)])
def test_the_beam_reaches_as_far_as_sacrebleus(offset):
    """Words that stand so far from the diagonal are still aligned, or not at all."""
    common, ours, theirs = FILLER[:90], FILLER[200 : 200 + offset], FILLER[300 : 300 + offset]
    assert_same_edits(ours + common, common + theirs)
    assert_same_edits(common + ours, theirs + common)


@pytest.mark.parametrize("seed", [72, 118, 121, *thorough(97, 115, 138)])
def test_the_search_is_given_up_when_sacrebleus_is(seed):
    """Pairs that 20 shifts more or fewer, of the thousand that may be tried, would score otherwise."""
    rng = random.Random(seed)
    words, length = rng.choice([3, 4, 5, 6, 8]), rng.randrange(25, 60)
    assert_same_edits(*([rng.randrange(words) for _ in range(length)] for _ in range(2)))


def assert_same_edits(prediction: list[int], reference: list[int], expected: int | None = None) -> None:
    found = shift_path(prediction, reference).edits
    assert found == translation_edit_rate(list(map(str, prediction)), list(map(str, reference)))[0]
    assert expected is None or found == expected


SAUDI = (
    "THIS WEEK THE SAUDIS denied information published in the new york times",
    "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times",
)


@pytest.mark.parametrize(
    ("prediction", "references", "expected"),
    [
        ("on the mat the cat sat", ["the cat sat on the mat"], 100 / 6),
        ("the cat sat on a mat", ["the cat sat on the mat"], 100 / 6),
        (SAUDI[0], [SAUDI[1]], 400 / 13),
        ("the cat sat", ["the cat sat on the mat", "a cat sat"], 100 / 4.5),
        ("The cat", ["the cat"], 0),
        ("a", [""], 100),
        ("", ["a b"], 100),
        ("", [""], 0),
    ],
)
def test_published_values(prediction, references, expected):
    assert nlgauge.score([prediction], [references], metrics="ter")["ter"]["score"] == pytest.approx(
        expected, abs=1e-9
    )


def test_case():
    assert nlgauge.score(["The cat"], ["the cat"], metrics="ter(lowercase=False)")["ter"]["score"] == 50


def test_wmt19_equals_sacrebleu():
    rows = rows_of("wmt19_darr", 120)
    predictions = [row[side]["text"] for row in rows for side in ("better", "worse")]
    references = [row["references"][:1] for row in rows for _ in range(2)]
    assert_equals_sacrebleu(predictions, references, {})
    assert_equals_sacrebleu(predictions[:100], references[:100], {"normalized": True, "case_sensitive": True})


def test_explanation_shows_shifts_then_the_alignment():
    (explanation,) = nlgauge.score(
        ["on the mat a cat sat"], [["x", "the cat sat on the mat"]], metrics="ter"
    ).explain("ter", 0)
    assert [(edit.kind, edit.reference, edit.prediction, edit.target) for edit in explanation.edits] == [
        ("shift", [], ["on", "the", "mat"], 3),
        ("replace", ["the"], ["a"], None),
        ("equal", ["cat", "sat", "on", "the", "mat"], ["cat", "sat", "on", "the", "mat"], None),
    ]
    assert explanation.statistics["ter"].tolist() == [2, 1, 3.5]
    console = Console(width=80, file=StringIO())
    console.print(render(explanation))
    printed = console.file.getvalue()
    assert "shift 1: on the mat  to place 3" in printed
    assert "1 substituted (S), 0 deleted (D), 0 inserted (I), 5 equal, 1 shifted" in printed
