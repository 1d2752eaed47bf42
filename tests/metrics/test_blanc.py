"""BLANC against the authors' program on a small random BERT, against a slow oracle that reads one input at a
time, and on the spec's vectors.

The golden counts are those of blanc 0.3.4 (`pip install --no-deps blanc==0.3.4`) on the model that
`small_bert` writes to PLACE, its sentences split by `nlgauge.features.tokens.sentences.Sentences("en").of`, with
torch's AdamW under the name that transformers 5 no longer has, and random tokens drawn from (5, 16), which is
this vocabulary (`blanc.blanc.TOKEN_REPLACE_RANGE`):

    BlancHelp(PLACE, measure="relative-counts", gap=GAP).eval_summaries_for_docs(DOCUMENTS, [SUMMARIES] * 2)
    BlancTune(PLACE, measure="relative-counts", learning_rate=5e-3, finetune_chunk_size=16, finetune_chunk_stride=8, random_seed=11)
        .eval_summaries_for_docs(DOCUMENTS, [SUMMARIES] * 2)
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.features.language_models import tuning
from nlgauge.features.language_models.cloze import Hiding, WordPieces, word_pieces
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metrics.blanc import Blanc
from nlgauge.models.loader import load

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

MODEL_KIND = "masked"
# The tiny model of the contract knows few words, but all letters.
TEST_PARAMETERS = {"shortest_word": 1}
CHANGED_PARAMETERS = {
    "mode": "tune",
    "measure": "improve",
    "masking": "random",
    "p_mask": 0.5,
    "separator": "cat",
    "learning_rate": 0.01,
    "p_token_replace": 0.2,
    "p_token_original": 0.3,
    "compat": "blanc",
}

WORDS = ["jack", "drove", "mini", "##van", "bazaar", "purchase", "milk", "honey", "family", "the", "to", "."]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
COUNTS = ("guessed_neither", "gained", "lost", "guessed_both")


def write_bert(place: Path, positions: int = 512, dropout: float = 0.0) -> Path:
    """A random BERT whose guesses vary; the weights are NumPy's, so that they are the same with every
    version of torch.
    """
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": positions,
    }
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY), hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout, **sizes
    )
    with torch.random.fork_rng(devices=[]):
        model = transformers.BertForMaskedLM(config).eval()
    chance = np.random.default_rng(1)
    for name, parameter in sorted(model.named_parameters()):
        if "LayerNorm" not in name:
            parameter.data = torch.from_numpy(
                0.5 * chance.standard_normal(tuple(parameter.shape)).astype(np.float32)
            )
    model.tie_weights()
    model.save_pretrained(place)
    transformers.BertTokenizerFast(
        vocab={token: i for i, token in enumerate(VOCABULARY)}, model_max_length=positions
    ).save_pretrained(place)
    return place


def text(seed: int, sentences: int, words: int = 18) -> str:
    chance = random.Random(seed)
    spoken = ["minivan", *(word for word in WORDS if word[0] not in "#.")]
    return " ".join(
        " ".join(chance.choice(spoken) for _ in range(words)).capitalize() + "." for _ in range(sentences)
    )


DOCUMENTS = [text(1, 4), text(2, 3)]
SUMMARIES = [text(3, 1), text(4, 2, 9)]


@pytest.fixture(scope="module")
def small_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_bert(tmp_path_factory.mktemp("bert")))


@pytest.fixture(scope="module")
def short_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that reads 40 tokens and drops some while it is trained."""
    return str(write_bert(tmp_path_factory.mktemp("bert"), positions=40, dropout=0.1))


def counts(
    metric: Blanc, documents: list[str], summaries: list[str], **options: Any
) -> list[list[list[int]]]:
    """For each document and summary S00, S01, S10, S11."""
    result = nlgauge.score(
        {str(i): [summary] * len(documents) for i, summary in enumerate(summaries)},
        sources=documents,
        metrics=metric,
        **options,
    )
    found = {
        (row["segment"], row["system"]): [int(row[f"{metric}.{name}"]) for name in COUNTS]
        for row in rows_by_label(result)
    }
    segments = list(dict.fromkeys(segment for segment, _ in found))
    return [[found[segment, str(i)] for i in range(len(summaries))] for segment in segments]


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        (2, [[[58, 1, 0, 1], [55, 3, 1, 1]], [[40, 2, 3, 1], [37, 4, 2, 3]]]),
        (6, [[[58, 2, 0, 0], [54, 4, 2, 0]], [[41, 1, 3, 1], [36, 4, 3, 3]]]),
    ],
)
def test_help_equals_the_authors_program(gap: int, expected: list[list[list[int]]], small_bert: str) -> None:
    assert counts(Blanc(small_bert, gap=gap), DOCUMENTS, SUMMARIES) == expected


def test_tune_equals_the_authors_program(small_bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "seed_of", lambda seed, *parts: seed)
    metric = Blanc(small_bert, mode="tune", learning_rate=5e-3, chunk=16, stride=8)
    expected = [[[50, 9, 1, 0], [52, 7, 1, 0]], [[39, 6, 1, 0], [36, 9, 1, 0]]]
    assert counts(metric, DOCUMENTS, SUMMARIES, seed=11) == expected


# --- a slow oracle: one masked input at a time through the whole model, by the procedure of the paper's
# program


def slow_groups(pieces: list[str], gap: int, gap_mask: int) -> list[list[int]]:
    found = []
    for offset in range(min(gap, len(pieces))):
        window = [(offset + i) % min(gap, len(pieces)) for i in range(gap_mask)]
        group = []
        for i, piece in enumerate(pieces):
            lead = i + 1 < len(pieces) and pieces[i + 1].startswith("##")
            enough = len(piece) - 2 >= 100 if piece.startswith("##") else len(piece) >= (2 if lead else 4)
            if enough and i % min(gap, len(pieces)) in window:
                group.append(i)
        found += [group] if group else []
    return found


def slow_guesses(
    model: Any, tokenizer: Any, before: list[str], sentence: list[str], group: list[int]
) -> list[str]:
    pieces = [
        "[CLS]",
        *before,
        *("[MASK]" if i in group else piece for i, piece in enumerate(sentence)),
        "[SEP]",
    ]
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer.convert_tokens_to_ids(pieces)])).logits[0]
    return [tokenizer.convert_ids_to_tokens(int(logits[1 + len(before) + place].argmax())) for place in group]


def slow_counts(
    place: str, document: str, summary: str, gap: int, gap_mask: int, separator: str = "", tuned: Any = None
) -> list[int]:
    model = transformers.BertForMaskedLM.from_pretrained(place).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    helping = (
        [piece for sentence in Sentences("en").of(summary) for piece in tokenizer.tokenize(sentence)]
        if tuned is None
        else []
    )
    between = tokenizer.tokenize(separator)
    found = [0, 0, 0, 0]
    for sentence in Sentences("en").of(document):
        pieces = tokenizer.tokenize(sentence)
        for group in slow_groups(pieces, gap, gap_mask):
            alone = slow_guesses(model, tokenizer, ["."] * len(helping) + between, pieces, group)
            helped = slow_guesses(tuned or model, tokenizer, helping + between, pieces, group)
            for place_, without, given in zip(group, alone, helped, strict=True):
                found[2 * (without == pieces[place_]) + (given == pieces[place_])] += 1
    return found


@pytest.mark.parametrize(("gap", "gap_mask", "separator"), [(2, 1, ""), (3, 2, "to .")])
def test_help_equals_one_input_at_a_time(small_bert: str, gap: int, gap_mask: int, separator: str) -> None:
    documents = [DOCUMENTS[0][: DOCUMENTS[0].index(".") + 1], "Jack drove the minivan. To the."]
    found = counts(Blanc(small_bert, gap=gap, gap_mask=gap_mask, separator=separator), documents, SUMMARIES)
    expected = [
        [slow_counts(small_bert, document, summary, gap, gap_mask, separator) for summary in SUMMARIES]
        for document in documents
    ]
    assert found == expected
    assert sum(cell for row in expected for cell in (row[0][1], row[0][2], row[1][1], row[1][2])) > 0


def slow_tuned(place: str, summary: str, seed: int, rate: float, epochs: int) -> Any:
    """The model after training on chunks of 16 tokens, 8 apart, by the whole model's own loss."""
    model = transformers.BertForMaskedLM.from_pretrained(place)
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    chance = random.Random(seed)
    pieces = tokenizer.tokenize(summary)
    chunks = []
    for start in range(0, len(pieces), 8):
        chunks += [pieces[start : start + 16]] + ([pieces[:start]] if start in range(1, 16) else [])
    lessons = []
    for chunk in chunks:
        for group in slow_groups(chunk, 2, 1):
            ids = tokenizer.convert_tokens_to_ids(["[CLS]", *chunk, "[SEP]"])
            labels = [-100] * len(ids)
            for i in group:
                labels[i + 1] = ids[i + 1]
                drawn = chance.random()
                if drawn < 0.1:
                    ids[i + 1] = chance.randint(5, len(VOCABULARY) - 1)
                elif drawn >= 0.2:
                    ids[i + 1] = tokenizer.mask_token_id
            lessons.append((torch.tensor([ids]), torch.tensor([labels])))
    named = list(model.named_parameters())
    groups = [
        {
            "params": [value for name, value in named if ("bias" in name or "LayerNorm" in name) == kept],
            "weight_decay": 0.0 if kept else 0.01,
        }
        for kept in (False, True)
    ]
    optimizer = torch.optim.AdamW(groups, lr=rate)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, 0, epochs * len(lessons))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model.train()
        for _ in range(epochs):
            for ids, labels in lessons:
                optimizer.zero_grad()
                model(ids, labels=labels).loss.backward()
                optimizer.step()
                schedule.step()
    return model.eval()


def test_tune_equals_training_with_the_models_own_loss(
    short_bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "seed_of", lambda seed, *parts: seed)
    metric = Blanc(short_bert, mode="tune", chunk=16, stride=8, epochs=2, learning_rate=5e-3)
    expected = slow_tuned(short_bert, SUMMARIES[0], 11, 5e-3, 2)
    asked: list[Any] = []
    plain = tuning.likeliest_tokens
    monkeypatch.setattr(
        tuning, "likeliest_tokens", lambda loaded, *rest: asked.append(loaded) or plain(loaded, *rest)
    )
    found = counts(metric, DOCUMENTS[:1], SUMMARIES[:1], seed=11)
    assert found == [[slow_counts(short_bert, DOCUMENTS[0], SUMMARIES[0], 2, 1, tuned=expected)]]
    tuned = asked[-1].model
    assert tuned is not load(short_bert, "masked", "cpu").model
    for name, value in expected.state_dict().items():
        # A key's bias changes no attention, so its gradient is rounding, which AdamW makes as large as any
        # other.
        if not name.endswith("key.bias"):
            np.testing.assert_allclose(tuned.state_dict()[name], value, atol=1e-3, err_msg=name)


def test_tune_leaves_the_loaded_model_as_it_is_and_draws_by_seed_and_summary(short_bert: str) -> None:
    loaded = load(short_bert, "masked", "cpu")
    before = {name: value.clone() for name, value in loaded.model.state_dict().items()}
    metric = Blanc(short_bert, mode="tune", chunk=16, stride=8, epochs=1, learning_rate=0.05)
    together = counts(metric, DOCUMENTS[:1], SUMMARIES, seed=1)
    assert counts(metric, DOCUMENTS[:1], SUMMARIES[::-1], seed=1) == [together[0][::-1]]
    assert counts(metric, DOCUMENTS[:1], SUMMARIES[1:], seed=1) == [together[0][1:]]
    assert counts(metric, DOCUMENTS[:1], SUMMARIES, seed=2) != together
    assert not loaded.model.training
    for name, value in loaded.model.state_dict().items():
        assert torch.equal(value, before[name])


# --- vectors of the spec

TOKENS = ["jack", "drove", "his", "mini", "##van", "to", "the", "bazaar", "to", "purchase", "milk", "."]


def spec_pieces(tokens: list[str]) -> WordPieces:
    return WordPieces(
        list(range(len(tokens))),
        [len(token.removeprefix("##")) for token in tokens],
        [token.startswith("##") for token in tokens],
    )


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        (2, [{"jack", "milk"}, {"drove", "mini", "bazaar", "purchase"}]),
        (6, [{"jack"}, {"drove", "bazaar"}, {"mini", "purchase"}, {"milk"}]),
    ],
)
def test_even_hiding(gap: int, expected: list[set[str]]) -> None:
    groups = Hiding(gap, 1, (4, 2, 100)).groups(spec_pieces(TOKENS), random.Random(0))
    assert [{TOKENS[place] for place in group} for group in groups] == expected


def test_random_hiding_asks_for_every_long_token_once() -> None:
    hiding = Hiding(2, 1, (4, 2, 100), 0.2)
    groups = hiding.groups(spec_pieces(TOKENS), random.Random(0))
    assert [len(group) for group in groups] == [2, 2, 2]
    assert sorted(TOKENS[place] for group in groups for place in group) == sorted(
        ["jack", "drove", "mini", "bazaar", "purchase", "milk"]
    )
    assert groups != hiding.groups(spec_pieces(TOKENS), random.Random(1))


@pytest.mark.parametrize(("measure", "expected"), [("relative", 0.1), ("improve", 2 / 9)])
def test_measures(measure: str, expected: float, small_bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge._core.ragged import Ragged
    from nlgauge.features.language_models.cloze import ClozeAnswers, HelpedGuesses

    alone, helped = [0] * 5 + [1] * 5, [0] * 3 + [1] * 2 + [0] + [1] * 4
    column = ClozeAnswers(Ragged.of([[9] * 10]), Ragged.of([alone]), Ragged.of([helped]), Ragged.of([[0]]))
    monkeypatch.setattr(HelpedGuesses, "compute", lambda *_: column)
    found = nlgauge.score(["milk"], sources=["jack"], metrics=Blanc(small_bert, measure=measure))["blanc"]
    assert found["score"] == pytest.approx(expected)
    assert [found[name] for name in COUNTS] == [3, 2, 1, 4]
    assert (found["accuracy_alone"], found["accuracy_helped"]) == (0.5, 0.6)


def test_readme_of_the_authors() -> None:
    from nlgauge.models.weights import store

    if store.location("bert-base-uncased") is None:
        pytest.skip("bert-base-uncased is not in the cache; run: nlgauge models get bert-base-uncased")
    document = "Jack drove his minivan to the bazaar to purchase milk and honey for his large family."
    for gap, expected in ((2, 0.2222), (6, 0.1111)):
        found = nlgauge.score(["Jack bought milk and honey."], sources=[document], metrics=Blanc(gap=gap))
        assert found["blanc"]["score"] == pytest.approx(expected, abs=1e-4)


# --- odd input, cutting, explanation


def test_nothing_to_hide_is_unknown_and_no_help_is_zero(small_bert: str) -> None:
    documents, summaries = ["To the to.", DOCUMENTS[0], ""], [SUMMARIES[0], "", SUMMARIES[0]]
    result = nlgauge.score(summaries, sources=documents, metrics=Blanc(small_bert))
    found = [
        next(value for key, value in row.items() if key.startswith("blanc")) for row in rows_by_label(result)
    ]
    assert math.isnan(found[0]) and found[1] == 0 and math.isnan(found[2])
    assert result["blanc"]["score"] == 0
    released = nlgauge.score(summaries[:1], sources=documents[:1], metrics=Blanc(small_bert, compat="blanc"))
    assert released["blanc"]["score"] == 0


@pytest.mark.parametrize("parameters", [{"mode": "tune", "epochs": 1}, {"masking": "random", "p_mask": 0.5}])
def test_odd_texts_in_the_other_modes(parameters: dict[str, Any], short_bert: str) -> None:
    texts = ["", " \n", "milk", "to", "👍🏽 \x00", "the milk " * 60]
    result = nlgauge.score(
        texts * 2, sources=[*texts, *[DOCUMENTS[0]] * len(texts)], metrics=Blanc(short_bert, **parameters)
    )
    found = result._tables[result.systems[0], result.labels[0]].segments()
    assert [math.isnan(value) for value in found["blanc"]] == [True, True, False, True, True, *[False] * 7]
    assert found["truncated"].tolist() == [0] * 5 + [1] + [0] * 5 + [parameters.get("mode") != "tune"]


def test_random_masking_draws_by_seed_and_sentence(small_bert: str) -> None:
    metric = Blanc(small_bert, masking="random", p_mask=0.3)
    once = counts(metric, DOCUMENTS, SUMMARIES, seed=1)
    assert counts(metric, DOCUMENTS[::-1], SUMMARIES, seed=1) == once[::-1]
    assert counts(metric, DOCUMENTS, SUMMARIES, seed=2) != once
    assert [[sum(row) for row in rows] for rows in once] == [[60, 60], [46, 46]]


def read_prompts(
    place: str, monkeypatch: pytest.MonkeyPatch, document: str, summary: str, **parameters: Any
) -> list[list[str]]:
    """What stands before each sentence, and the sentence, as they are read with the summary."""
    from nlgauge.features.language_models import cloze

    inputs: list[Any] = []
    plain = cloze.likeliest_tokens
    monkeypatch.setattr(
        cloze,
        "likeliest_tokens",
        lambda loaded, asked, options: inputs.extend(asked) or plain(loaded, asked, options),
    )
    found = nlgauge.score([summary], sources=[document], metrics=Blanc(place, gap=100, **parameters))["blanc"]
    assert found["truncated"] == 1
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    return [tokenizer.convert_ids_to_tokens(list(masked.ids)) for masked in inputs[1::2]]


def test_long_sentences_lose_their_end_and_summaries_sentences_by_the_half_of_the_document(
    short_bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = "Milk the the. Honey the the."
    summary = f"Jack {'to ' * 18}to. Family {'to ' * 17}to."
    first, second = read_prompts(short_bert, monkeypatch, document, summary)
    assert first[1:3] == ["jack", "to"] and "family" not in first
    assert second[1:3] == ["family", "to"] and "jack" not in second
    released = read_prompts(short_bert, monkeypatch, document, summary, compat="blanc")
    assert all(row[1] == "jack" for row in released)

    one = f"Jack {'to ' * 50}family."
    first, second = read_prompts(short_bert, monkeypatch, document, one)
    assert first[1] == "jack" and "family" not in first and "jack" not in second and "family" in second
    released = read_prompts(short_bert, monkeypatch, document, one, compat="blanc")
    assert all("jack" not in row and "family" in row for row in released)

    (row,) = read_prompts(short_bert, monkeypatch, f"Honey {'to ' * 60}milk.", "Jack to.", sentence_kept=20)
    assert len(row) == 40 and row[1:4] == ["jack", "to", "."] and row.count("to") == 35


def test_roberta_words_are_known_by_their_first_piece(tmp_path: Path) -> None:
    from tokenizers import ByteLevelBPETokenizer

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        ["the minivan, the minivan, the cat"] * 3, vocab_size=270, special_tokens=["<s>", "</s>", "<mask>"]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, cls_token="<s>", sep_token="</s>", mask_token="<mask>"
    )
    from nlgauge.models.loader import Loaded

    loaded = Loaded("byte-level", None, tokenizer, "cpu")
    pieces = word_pieces(loaded, "the dog, the")
    words = tokenizer.convert_ids_to_tokens(pieces.ids)
    starts = [word for word, further in zip(words, pieces.continues, strict=True) if not further]
    assert (
        starts[0].startswith("Ġ")
        and starts.count(",") == 1
        and sum(word.startswith("Ġ") for word in starts) == 3
    )
    assert any(pieces.continues)
    alone = word_pieces(loaded, "é")
    assert tokenizer.convert_ids_to_tokens(alone.ids)[0] == "Ġ"
    assert alone.continues[:2] == [False, False] and alone.lengths[0] == 0


def test_a_vocabulary_without_marks_is_refused(small_bert: str) -> None:
    tokenizer = transformers.BertTokenizerFast(
        vocab={token: i for i, token in enumerate(VOCABULARY) if token != "##van"}
    )
    model = nlgauge.Model(transformers.BertForMaskedLM.from_pretrained(small_bert).eval(), tokenizer)
    with pytest.raises(nlgauge.NlgaugeError, match="continuation pieces"):
        nlgauge.score(["jack"], sources=["jack drove"], metrics=Blanc(model))


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "ask"},
        {"gap": 0},
        {"gap_mask": 3},
        {"measure": "x"},
        {"p_mask": 0},
        {"p_token_original": 0.95},
        {"compat": "x"},
    ],
)
def test_parameters_outside_their_domain_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=next(iter(wrong))):
        Blanc(**wrong)


def test_equal_inputs_are_read_once(small_bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.features.language_models import cloze

    rows: list[tuple[int, ...]] = []
    states_at = cloze.states_at
    monkeypatch.setattr(
        cloze,
        "states_at",
        lambda loaded, ids, *rest: rows.extend(map(tuple, ids.lists())) or states_at(loaded, ids, *rest),
    )
    counts(Blanc(small_bert), DOCUMENTS[:1], ["Jack drove milk.", "Milk drove jack."])
    assert len(rows) == len(set(rows)) == 3 * 2 * 4


def test_the_explanation_sorts_the_hidden_tokens(small_bert: str) -> None:
    result = nlgauge.score(SUMMARIES[:1], sources=DOCUMENTS[:1], metrics=Blanc(small_bert))
    (shown,) = result.explain(result.labels[0], 0)
    found = result["blanc"]
    sizes = {name: len(words) for name, words in shown.groups.items()}
    assert sizes["gained with the summary"] == found["gained"] > 0
    assert sizes["never guessed"] == found["guessed_neither"]
    assert sum(sizes.values()) == found["masked_tokens"]
    assert set(shown.groups["never guessed"]) <= set(WORDS)
