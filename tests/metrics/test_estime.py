"""ESTIME against a slow oracle that hides one group of words at a time in the whole model, and on cases with
a known answer.

The golden rows are those of blanc 0.3.4 (`pip install --no-deps blanc==0.3.4`) on the model that `wordy_bert`
writes to PLACE, with the words of `words_of` in the place of NLTK's, which need a download, and that model's
own input vectors:

    Estime(path_mdl=PLACE, path_mdl_raw=PLACE, i_layer_context=2, output=[...], input_size_max=WINDOW, margin=MARGIN, distance_word_min=DISTANCE)
        .evaluate_claims(DOCUMENT, SUMMARIES)
"""

from __future__ import annotations

import math
import random
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge._core.ragged import Ragged
from nlgauge.features import RunOptions, Work
from nlgauge.features.language_models.cloze import normal, sentences_of
from nlgauge.features.language_models.masked_words import HiddenWords, WordStates, words_of
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metrics.estime import Estime

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CHANGED_PARAMETERS = {"layer": 1}

NAMES = ("alarms", "alarms_adjusted", "alarms_alltokens", "soft", "coherence")
WORDS = [
    "jack",
    "drove",
    "mini",
    "##van",
    "bazaar",
    "purchase",
    "milk",
    "honey",
    "family",
    "the",
    "to",
    ".",
    ",",
    "'",
    "s",
]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


def write_bert(place: Path) -> Path:
    """A random BERT; the weights are NumPy's, so that they are the same with every version of torch."""
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 128,
    }
    with torch.random.fork_rng(devices=[]):
        model = transformers.BertForMaskedLM(
            transformers.BertConfig(vocab_size=len(VOCABULARY), **sizes)
        ).eval()
    chance = np.random.default_rng(2)
    for name, parameter in sorted(model.named_parameters()):
        if "LayerNorm" not in name:
            parameter.data = torch.from_numpy(
                0.3 * chance.standard_normal(tuple(parameter.shape)).astype(np.float32)
            )
    model.tie_weights()
    model.save_pretrained(place)
    transformers.BertTokenizerFast(
        vocab={token: i for i, token in enumerate(VOCABULARY)}, model_max_length=128
    ).save_pretrained(place)
    return place


def text(seed: int, sentences: int, words: int) -> str:
    chance = random.Random(seed)
    spoken = ["minivan", "Jack's", "Zanzibar", *(word for word in WORDS if word[0] not in "#.,'s")]
    return " ".join(
        " ".join(chance.choice(spoken) for _ in range(words)).capitalize() + "." for _ in range(sentences)
    )


DOCUMENT = text(1, 6, 15)
SUMMARIES = [text(2, 1, 12), text(3, 2, 9), "Zebra."]


@pytest.fixture(scope="module")
def wordy_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_bert(tmp_path_factory.mktemp("bert")))


def found_rows(metric: Estime, document: str, summaries: list[str]) -> list[list[float]]:
    result = nlgauge.score(summaries, sources=[document] * len(summaries), metrics=metric)
    table = result._tables[result.systems[0], result.labels[0]].segments()
    return [[float(table[name][i]) for name in NAMES] for i in range(len(summaries))]


# --- a slow oracle: every input by itself through the whole model


def slow_states(
    place: str, given: str, layer: int, window: int, margin: int, distance: int
) -> tuple[list[str], dict[int, Any], dict[int, str]]:
    """The pieces, the state at the first piece of each word, and the word that begins at that piece."""
    model = transformers.BertForMaskedLM.from_pretrained(place).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    pieces: list[str] = []
    spans = []
    for word in words_of(Sentences("en").of(normal(given))):
        spans.append((len(pieces), len(pieces) + len(tokenizer.tokenize(word)), word))
        pieces += tokenizer.tokenize(word)
    states = {}
    for turn in range(distance):
        left = spans[turn::distance]
        while left:
            start = max(0, left[0][0] - margin)
            part = [span for span in left if span[1] - 1 <= start + window - margin]
            left = left[len(part) :]
            read = list(pieces)
            for first, end, _ in part:
                read[first:end] = ["[MASK]"] * (end - first)
            ids = tokenizer.convert_tokens_to_ids(["[CLS]", *read[start : start + window], "[SEP]"])
            with torch.no_grad():
                hidden = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[layer][0]
            states.update({first: hidden[1 + first - start].double().numpy() for first, _, _ in part})
    return pieces, dict(sorted(states.items())), {first: word for first, _, word in spans}


def slow_estime(place: str, document: str, summary: str, **settings: int) -> list[float]:
    stats = pytest.importorskip("scipy.stats")
    pieces, states, words = slow_states(place, summary, **settings)
    known_pieces, known_states, known_words = slow_states(place, document, **settings)
    vectors = (
        transformers.BertForMaskedLM.from_pretrained(place)
        .get_input_embeddings()
        .weight.detach()
        .double()
        .numpy()
    )
    ids = transformers.AutoTokenizer.from_pretrained(place).convert_tokens_to_ids
    overlap = {place for place in states if words[place] in known_words.values()}
    alarms, every, cosines, pairs = 0, 0, [], []
    for own, state in states.items():
        best = max(known_states, key=lambda other: float(state @ known_states[other]))
        pairs.append((own, best))
        if pieces[own] != known_pieces[best]:
            every += 1
            alarms += not overlap or own in overlap
        one, other = vectors[ids(pieces[own])], vectors[ids(known_pieces[best])]
        cosines.append(float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)))
    adjusted = alarms * len(states) / len(overlap) if overlap else len(states)
    return [
        alarms,
        adjusted,
        every,
        float(np.mean(cosines)),
        float(stats.kendalltau(*zip(*pairs, strict=True), variant="c").statistic),
    ]


@pytest.mark.parametrize(
    "settings", [{"window": 100, "margin": 20, "distance": 8}, {"window": 30, "margin": 6, "distance": 3}]
)
def test_equals_one_input_at_a_time(settings: dict[str, int], wordy_bert: str) -> None:
    found = found_rows(Estime(wordy_bert, layer=2, **settings), DOCUMENT, SUMMARIES[:2])
    expected = [slow_estime(wordy_bert, DOCUMENT, summary, layer=2, **settings) for summary in SUMMARIES[:2]]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert expected[0][0] < expected[0][2]


GOLDEN = {
    (100, 20, 8): [
        [12, 12.857143, 13, 0.112063, -0.28642],
        [19, 19, 19, 0.140021, -0.155491],
        [1, 2, 2, 0.300047, 1],
    ],
    (30, 6, 3): [
        [10, 10.714286, 11, 0.231457, -0.182963],
        [19, 19, 19, 0.069219, 0.22449],
        [1, 2, 2, 0.127037, 1],
    ],
}


@pytest.mark.parametrize("settings", GOLDEN)
def test_equals_the_authors_program(settings: tuple[int, int, int], wordy_bert: str) -> None:
    found = found_rows(Estime(wordy_bert, 2, *settings), DOCUMENT, SUMMARIES)
    np.testing.assert_allclose(found, GOLDEN[settings], atol=2e-6)


def test_a_document_agrees_with_itself(wordy_bert: str) -> None:
    """States of this model are normalized to one length, so that each has its largest dot product with
    itself.
    """
    found = found_rows(Estime(wordy_bert, layer=2, window=100, margin=20), DOCUMENT, [DOCUMENT])
    np.testing.assert_allclose(found, [[0, 0, 0, 1, 1]], atol=1e-12)


def test_words_are_aligned_by_dot_product_and_first_piece(
    wordy_bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = Ragged(
        np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.0], [3.0, 3.0], [0.0, 3.5]]), np.array([0, 2, 5])
    )
    column = WordStates(
        states, Ragged.of([[6, 7], [6, 8, 7]]), Ragged.of([[0, 1], [0, 2, 3]]), Ragged.of([[0, 1], [0, 2, 3]])
    )
    monkeypatch.setattr(HiddenWords, "compute", lambda *_: column)
    ((alarms, adjusted, every, _, coherence),) = found_rows(Estime(wordy_bert, layer=2), "milk", ["family"])
    # The first word is nearer to the first by angle, but has the larger product with the second; the second
    # finds the same token in another word.
    assert (alarms, adjusted, every, coherence) == (1, 2, 1, 1)


def test_nothing_known_counts_all_words_and_one_word_has_no_order(wordy_bert: str) -> None:
    ((alarms, adjusted, every, _, coherence),) = found_rows(
        Estime(wordy_bert, layer=2), "Milk to the family.", ["Honey"]
    )
    assert (alarms, adjusted, every) == (1, 1, 1)
    assert math.isnan(coherence)


@pytest.mark.parametrize(
    ("document", "summary", "tokens"),
    [(DOCUMENT, "", 0), (DOCUMENT, " \n", 0), ("", "Jack drove.", 3), ("", "", 0)],
)
def test_a_side_without_words_is_unknown(document: str, summary: str, tokens: int, wordy_bert: str) -> None:
    found = nlgauge.score([summary], sources=[document], metrics=Estime(wordy_bert, layer=2))["estime"]
    assert all(math.isnan(found[name]) for name in NAMES)
    assert found["tokens"] == tokens


def test_the_corpus_score_is_the_mean_of_the_defined(wordy_bert: str) -> None:
    metric = Estime(wordy_bert, layer=2)
    result = nlgauge.score([*SUMMARIES, ""], sources=[DOCUMENT] * 4, metrics=metric)
    assert result["estime"]["alarms"] == pytest.approx(
        np.mean([row[0] for row in found_rows(metric, DOCUMENT, SUMMARIES)])
    )


def test_every_word_is_read_however_long(wordy_bert: str) -> None:
    """A word of more pieces than a window is hidden as far as the window goes; the authors' program never
    ends on it.
    """
    metric = Estime(wordy_bert, layer=2, window=4, margin=1, distance=2)
    found = nlgauge.score(["minivan"], sources=["jack mini" + "van" * 8 + " milk"], metrics=metric)["estime"]
    assert found["tokens"] == 1
    assert not math.isnan(found["alarms"])


def test_words_are_of_the_decomposed_text(wordy_bert: str) -> None:
    def words(text: str) -> list[str]:
        (found,) = sentences_of([text], "en", Work(RunOptions()))
        return words_of(found)

    assert words("Jack's ﬁrst. It isn't.") == ["Jack", "'s", "first", ".", "It", "is", "n't", "."]
    assert unicodedata.is_normalized("NFKD", "".join(words("Café")))


def test_the_explanation_names_what_was_aligned(wordy_bert: str) -> None:
    metric = Estime(wordy_bert, layer=2, window=100, margin=20, distance=8)
    result = nlgauge.score(SUMMARIES[:1], sources=[DOCUMENT], metrics=metric)
    (shown,) = result.explain(result.labels[0], 0)
    groups = {name: len(words) for name, words in shown.groups.items()}
    assert groups == {"same token": 15 - 13, "alarm": 12, "alarm, word not in the document": 1}
    assert all("/" in word for word in shown.groups["alarm"])


@pytest.mark.parametrize(
    "wrong", [{"layer": -1}, {"window": 0}, {"margin": 225}, {"distance": 0}, {"model": 3}]
)
def test_parameters_outside_their_domain_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=next(iter(wrong))):
        Estime(**wrong)


def test_a_layer_that_the_model_lacks_is_named(wordy_bert: str) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=r"layer.*0 to 3"):
        nlgauge.score(["milk"], sources=["honey"], metrics=Estime(wordy_bert))
