"""InfoLM against a slow oracle of the official procedure on five masked and one causal architecture,
torchmetrics 1.9.0, and its own rules.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import SENTENCES

import nlgauge
from nlgauge.estimators.divergences import MEASURES
from nlgauge.explanations import Distributions
from nlgauge.metric.registry import parse
from nlgauge.metrics.infolm import InfoLM

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# Texts without a token that the tiny model knows.
NOT_BEST_WHEN_EQUAL = {"right to left", "emoji", "not a character"}
MODEL_KIND = "masked"
CHANGED_PARAMETERS = {
    "measure": ("kl", "alpha"),
    "alpha": 0.25,
    "beta": 0.75,
    "temperature": 0.5,
    "idf": True,
    "language_model": "masked",
    "compat": "torchmetrics",
}
TEST_PARAMETERS = {"alpha": 0.5, "beta": 0.5}

TEXTS = [
    text
    for prediction, references in SENTENCES
    for text in (prediction, *references)
    if text.strip() and len(text) < 80
]
PREDICTIONS = ["the cat is on the mat", "A dog barks.", "it rained", "the cat sat on the mat, and slept"]
REFERENCES = [
    "a cat sat on the mat",
    "The parliament passed a law, twice.",
    "It rained all day long!",
    "the cat sat on the mat, and slept",
]
FAMILIES = ("bert", "distilbert", "roberta", "xlm_roberta", "albert")
EVERY = tuple(MEASURES)
SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 66,
}


def tokenizer_of(family: str) -> Any:
    """A tokenizer of the family's own kind, trained on a few sentences."""
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, processors, trainers

    bert_like = family in ("bert", "distilbert", "albert")
    start, end, mask, pad, unknown = (
        ("[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]")
        if bert_like
        else ("<s>", "</s>", "<mask>", "<pad>", "<unk>")
    )
    # The place of the padding token is part of RoBERTa's architecture: positions are counted from it.
    special = [start, pad, end, unknown, mask]
    if family in ("bert", "distilbert"):
        made = tokenizers.Tokenizer(models.WordPiece(unk_token=unknown))
        made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=150, special_tokens=special, show_progress=False)
    elif family == "roberta":
        made = tokenizers.Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=320, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        )
    else:
        made = tokenizers.Tokenizer(models.Unigram())
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=150, special_tokens=special, unk_token=unknown, show_progress=False
        )
    made.train_from_iterator(TEXTS, trainer)
    made.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        special_tokens=[(start, made.token_to_id(start)), (end, made.token_to_id(end))],
    )
    names = {"cls_token": start, "sep_token": end, "mask_token": mask, "pad_token": pad, "unk_token": unknown}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **names)


def model_of(family: str, tokenizer: Any) -> Any:
    vocabulary = {
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "initializer_range": 0.4,
    }
    if family == "distilbert":
        config = transformers.DistilBertConfig(
            dim=24, n_layers=2, n_heads=2, hidden_dim=48, max_position_embeddings=66, **vocabulary
        )
        return transformers.DistilBertForMaskedLM(config)
    kinds = {"bert": "Bert", "roberta": "Roberta", "xlm_roberta": "XLMRoberta", "albert": "Albert"}
    sizes = {**SIZES, "embedding_size": 12} if family == "albert" else SIZES
    config = getattr(transformers, f"{kinds[family]}Config")(**vocabulary, **sizes)
    return getattr(transformers, f"{kinds[family]}ForMaskedLM")(config)


@pytest.fixture(scope="module")
def families() -> dict[str, nlgauge.Model]:
    found = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        for family in FAMILIES:
            tokenizer = tokenizer_of(family)
            found[family] = nlgauge.Model(model_of(family, tokenizer).eval(), tokenizer, family)
    return found


def masked_bag(
    own: nlgauge.Model, text: str, temperature: float, weights: dict[int, float] | None = None
) -> np.ndarray:
    """The official procedure: one token hidden at a time, the whole model, softmax, the weighted mean
    over tokens that are not special.
    """
    tokenizer = own.tokenizer
    ids = tokenizer(text, truncation=True).input_ids
    total, whole = np.zeros(len(tokenizer)), 0.0
    for k, token in enumerate(ids):
        if token in (tokenizer.pad_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id):
            continue
        hidden = [*ids[:k], tokenizer.mask_token_id, *ids[k + 1 :]]
        with torch.no_grad():
            logits = own.model(input_ids=torch.tensor([hidden])).logits[0, k]
        weight = 1.0 if weights is None else weights[token]
        total += weight * torch.softmax(logits.double() / temperature, dim=-1).numpy()
        whole += weight
    return total / whole


def causal_bag(own: nlgauge.Model, text: str, temperature: float) -> np.ndarray:
    """The mean of what is expected before each token, each read by itself."""
    ids = own.tokenizer(text).input_ids
    rows = []
    for k in range(len(ids)):
        with torch.no_grad():
            logits = own.model(input_ids=torch.tensor([[own.tokenizer.bos_token_id, *ids[:k]]])).logits[0, -1]
        rows.append(torch.softmax(logits.double() / temperature, dim=-1).numpy())
    return np.mean(rows, axis=0)


def official(name: str, p: np.ndarray, q: np.ndarray, a: float = 0.0, b: float = 0.0) -> float:
    """The measures as the released code writes them, on probabilities."""
    if name == "beta":
        a = 1.0
    found = {
        "kl": lambda: -(p * np.log(p / q)).sum(),
        "alpha": lambda: 1 / (a * (a - 1)) - (p**a * q ** (1 - a)).sum() / (a * (a - 1)),
        "renyi": lambda: np.log((p**a * q ** (1 - a)).sum()) / (a - 1),
        "l1": lambda: np.abs(p - q).sum(),
        "l2": lambda: np.sqrt(((p - q) ** 2).sum()),
        "linf": lambda: np.abs(p - q).max(),
        "fisher_rao": lambda: 2 * np.arccos(np.clip((np.sqrt(p) * np.sqrt(q)).sum(), 0, 1)),
    }
    if name in ("ab", "beta"):
        first, second = (
            np.log((p ** (a + b)).sum()) / (b * (a + b)),
            np.log((q ** (a + b)).sum()) / (a * (a + b)),
        )
        return float(first + second - np.log((p**a * q**b).sum()) / (a * b))
    return float(found[name]())


def rows(
    metric: InfoLM, predictions: list[str] = PREDICTIONS, references: list[Any] = REFERENCES, **options: Any
) -> list[dict[str, float]]:
    """The outputs of each segment by name."""
    (table,) = nlgauge.score(predictions, references, metrics=metric, **options)._tables.values()
    by_name = table.segments()
    return [{name: float(values[i]) for name, values in by_name.items()} for i in range(len(predictions))]


# --- the official procedure


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("temperature", [1.0, 0.25])
def test_equals_the_official_procedure(
    family: str, temperature: float, families: dict[str, nlgauge.Model]
) -> None:
    own = families[family]
    found = rows(InfoLM(own, measure=EVERY, alpha=0.4, beta=0.7, temperature=temperature))
    for row, prediction, reference in zip(found, PREDICTIONS, REFERENCES, strict=True):
        p, q = masked_bag(own, reference, temperature), masked_bag(own, prediction, temperature)
        for name, theirs in (
            ("l1", "l1"),
            ("l2", "l2"),
            ("l_infinity", "linf"),
            ("fisher_rao", "fisher_rao"),
        ):
            # The arc cosine is worth half of its digits near 0.
            assert row[name] == pytest.approx(official(theirs, p, q), abs=1e-5), name
        for name, theirs, sign in (
            ("kl", "kl", -1),
            ("alpha", "alpha", -1),
            ("renyi", "renyi", 1),
            ("ab", "ab", 1),
            ("gamma", "beta", 1),
        ):
            assert row[name] == pytest.approx(sign * official(theirs, p, q, 0.4, 0.7), abs=1e-5, rel=1e-5), (
                name
            )
        kl, reverse = -official("kl", p, q), -official("kl", q, p)
        assert row["jeffreys"] == pytest.approx((kl + reverse) / 2, abs=1e-5, rel=1e-5)
        assert row["jensen_shannon"] == pytest.approx(
            -(official("kl", p, (p + q) / 2) + official("kl", q, (p + q) / 2)) / 2, abs=1e-5
        )
    assert all(found[-1][name] == pytest.approx(0, abs=1e-12) for name in EVERY)
    assert found[0]["fisher_rao"] > 0.05


def test_a_causal_model_expects_each_next_token(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["causal"])
    own = nlgauge.Model(
        transformers.AutoModelForCausalLM.from_pretrained(place).eval(),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    for temperature in (1.0, 0.5):
        found = rows(InfoLM(place, measure=("kl", "fisher_rao"), temperature=temperature))
        for row, prediction, reference in zip(found, PREDICTIONS, REFERENCES, strict=True):
            p, q = causal_bag(own, reference, temperature), causal_bag(own, prediction, temperature)
            assert row["kl"] == pytest.approx(-official("kl", p, q), abs=1e-5)
            assert row["fisher_rao"] == pytest.approx(official("fisher_rao", p, q), abs=1e-5)
    assert "language_model:causal" in InfoLM(own).signature(nlgauge.Corpus.read(["a"], ["a"]))


def test_long_texts_are_weighed_block_by_block(
    families: dict[str, nlgauge.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rows(InfoLM(families["bert"], measure="kl", idf=True))
    monkeypatch.setattr("nlgauge.features.language_models.token_distributions._BLOCK", 3)
    monkeypatch.setattr("nlgauge.metrics.infolm._KEPT_BAGS", 1)
    np.testing.assert_allclose(
        [row["kl"] for row in rows(InfoLM(families["bert"], measure="kl", idf=True))],
        [row["kl"] for row in whole],
        atol=1e-6,
    )


def test_spec_vectors_of_aggregation(monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.features.language_models import token_distributions
    from nlgauge.features.language_models.model_halves import Halves
    from nlgauge.models.loader import Loaded

    monkeypatch.setattr(
        token_distributions, "halves", lambda loaded: Halves(lambda: None, lambda states: states)
    )
    loaded = Loaded("toy", None, None, "cpu")
    states = np.log([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]])
    p, q = token_distributions.bag(loaded, states, np.array([1.0, 3.0]), 1.0), np.log([0.5, 0.25, 0.25])
    np.testing.assert_allclose(np.exp(p), [0.25, 0.5, 0.25], atol=1e-12)
    expected = {
        "kl": 0.1732867951,
        "fisher_rao": 0.5879007627,
        "l1": 0.5,
        "l2": 0.3535533906,
        "l_infinity": 0.25,
    }
    for name, value in expected.items():
        assert float(MEASURES[name].compute(p, q)) == pytest.approx(value, abs=1e-9)
    for temperature, values in (
        (0.25, (0.000329320, 0.0179802867, 0.981690393)),
        (0.5, (0.01587624, 0.11731043, 0.86681333)),
    ):
        np.testing.assert_allclose(
            np.exp(token_distributions.bag(loaded, np.array([[0.0, 1.0, 2.0]]), np.ones(1), temperature)),
            values,
            atol=1e-8,
        )
    with np.errstate(all="raise"):
        cold = token_distributions.bag(
            loaded, np.array([[0.0, 1.0], [3.0, 0.0]]), np.array([1.0, 0.0]), 0.001
        )
    np.testing.assert_allclose(cold, [-1000.0, 0.0], atol=1e-9)


# --- torchmetrics


NAMES_OF_TORCHMETRICS = {
    "kl": "kl_divergence",
    "alpha": "alpha_divergence",
    "gamma": "beta_divergence",
    "ab": "ab_divergence",
    "renyi": "renyi_divergence",
    "l1": "l1_distance",
    "l2": "l2_distance",
    "l_infinity": "l_infinity_distance",
    "fisher_rao": "fisher_rao_distance",
}


@pytest.mark.parametrize("name", NAMES_OF_TORCHMETRICS)
def test_equals_torchmetrics_pair_by_pair(name: str, tiny_models: dict[str, Path]) -> None:
    from torchmetrics.functional.text.infolm import infolm

    theirs_name, place = NAMES_OF_TORCHMETRICS[name], str(tiny_models["masked"])
    ours = rows(InfoLM(place, measure=theirs_name, alpha=0.4, beta=0.7, idf=False, compat="torchmetrics"))
    for row, prediction, reference in zip(ours, PREDICTIONS, REFERENCES, strict=True):
        theirs = infolm(
            [prediction],
            [reference],
            place,
            information_measure=theirs_name,
            idf=False,
            alpha=0.4,
            beta=0.7,
            max_length=60,
            verbose=False,
        )
        # Their arc cosine is in float32: an equal pair may be 7e-4 apart.
        assert row[name] == pytest.approx(float(theirs), abs=1e-3 if name == "fisher_rao" else 2e-5, rel=1e-4)


def test_equals_torchmetrics_with_its_tables_of_both_sides(tiny_models: dict[str, Path]) -> None:
    from torchmetrics.functional.text.infolm import infolm

    place = str(tiny_models["masked"])
    # Two pairs: with three or more it may pair the wrong texts; equal lengths: else its weights do not fit.
    predictions, references = (
        ["the cat sat on mat", "a cat on the mat"],
        ["a mat on the cat", "cat sat on the hat"],
    )
    ours = rows(InfoLM(place, compat="torchmetrics"), predictions, references)
    _, theirs = infolm(
        predictions, references, place, max_length=60, verbose=False, return_sentence_level_score=True
    )
    assert [row["kl"] for row in ours] == pytest.approx(theirs.tolist(), abs=1e-4, rel=1e-4)
    assert min(row["kl"] for row in ours) < -0.01
    plain = rows(InfoLM(place, compat="torchmetrics", idf=False), predictions, references)
    assert [row["kl"] for row in ours] != pytest.approx([row["kl"] for row in plain], abs=1e-3)


# --- weights


def table_of(own: nlgauge.Model, texts: list[str]) -> dict[int, float]:
    documents = [set(own.tokenizer(text).input_ids) for text in texts]
    return {
        token: math.log((len(texts) + 1) / (sum(token in document for document in documents) + 1))
        for token in own.tokenizer.get_vocab().values()
    }


def test_idf_is_of_the_references_and_by_compat_of_each_side(families: dict[str, nlgauge.Model]) -> None:
    own = families["bert"]
    of_references, of_predictions = table_of(own, REFERENCES), table_of(own, PREDICTIONS)
    ours, official_ones = rows(InfoLM(own, idf=True)), rows(InfoLM(own, temperature=1, compat="official"))
    for i, (prediction, reference) in enumerate(zip(PREDICTIONS, REFERENCES, strict=True)):
        p, q, other = (masked_bag(own, text, 1.0, table) for text, table in (
            (reference, of_references), (prediction, of_references), (prediction, of_predictions)))  # fmt: skip
        assert ours[i]["fisher_rao"] == pytest.approx(official("fisher_rao", p, q), abs=1e-5)
        assert official_ones[i]["fisher_rao"] == pytest.approx(official("fisher_rao", other, p), abs=1e-5)
    # The last pair is equal: never apart by one table, but by two.
    assert ours[-1]["fisher_rao"] == pytest.approx(0, abs=1e-12)
    assert official_ones[-1]["fisher_rao"] > 0.001


def test_a_table_of_each_side_is_of_one_system(families: dict[str, nlgauge.Model]) -> None:
    metric = InfoLM(families["bert"], compat="official")
    alone = nlgauge.score({"A": PREDICTIONS}, REFERENCES, metrics=metric)
    both = nlgauge.score({"B": REFERENCES, "A": PREDICTIONS}, REFERENCES, metrics=metric)
    assert both["A"][str(metric)]["score"] == pytest.approx(alone["A"][str(metric)]["score"], abs=1e-6)
    assert both["B"][str(metric)]["score"] == pytest.approx(0, abs=1e-12)


def test_weights_of_nothing_but_zeros_are_made_equal_and_counted(families: dict[str, nlgauge.Model]) -> None:
    plain, weighted = (
        nlgauge.score(["the cat"], ["the cat sat"], metrics=InfoLM(families["bert"], idf=idf))
        for idf in (False, True)
    )
    (plain_scores,), (weighted_scores,) = plain.values(), weighted.values()
    assert (plain_scores["uniform_weights"], weighted_scores["uniform_weights"]) == (0, 1)
    assert weighted_scores["fisher_rao"] == pytest.approx(plain_scores["fisher_rao"], abs=1e-6) != 0


# --- conventions


def test_signs_order_and_scale_of_each_convention(families: dict[str, nlgauge.Model]) -> None:
    own = families["roberta"]
    p, q = masked_bag(own, REFERENCES[0], 1.0), masked_bag(own, PREDICTIONS[0], 1.0)
    every = {
        "measure": ("kl", "alpha", "ab", "fisher_rao"),
        "alpha": 0.25,
        "beta": 0.5,
        "temperature": 1.0,
        "idf": False,
    }
    sound, theirs, lightning, paper = (
        rows(InfoLM(own, **every, compat=compat))[0] for compat in (None, "official", "torchmetrics", "paper")
    )
    assert sound["kl"] == pytest.approx(-official("kl", p, q), abs=1e-5) and sound["kl"] > 0
    assert (
        theirs["kl"] == pytest.approx(official("kl", q, p), abs=1e-5) != pytest.approx(-sound["kl"], abs=1e-3)
    )
    assert lightning["kl"] == pytest.approx(-sound["kl"], abs=1e-9)
    assert paper["kl"] == sound["kl"]
    assert theirs["alpha"] == pytest.approx(official("alpha", q, p, 0.25), abs=1e-5)
    assert (
        lightning["alpha"]
        == paper["alpha"]
        == pytest.approx(official("alpha", p, q, 0.25), abs=1e-5)
        == -sound["alpha"]
    )
    assert theirs["ab"] == pytest.approx(official("ab", q, p, 0.25, 0.5), abs=1e-5)
    assert lightning["ab"] == sound["ab"]
    printed = (
        math.log((p**0.75).sum()) / 0.375
        + math.log((q**0.75).sum()) / 0.75
        - math.log((p**0.25 * q**0.5).sum()) / 0.5
    )
    assert paper["ab"] == pytest.approx(printed, abs=1e-5)
    assert (
        sound["fisher_rao"]
        == theirs["fisher_rao"]
        == lightning["fisher_rao"]
        == pytest.approx(math.pi * paper["fisher_rao"])
    )
    assert rows(InfoLM(own, normalize=True))[0]["fisher_rao"] == pytest.approx(paper["fisher_rao"])


def test_symmetrised_kl_is_jeffreys_which_the_paper_calls_js(families: dict[str, nlgauge.Model]) -> None:
    own = families["bert"]
    jeffreys = rows(InfoLM(own, measure="jeffreys"))[0]["jeffreys"]
    assert rows(InfoLM(own, measure="kl", symmetrize=True))[0]["kl"] == pytest.approx(jeffreys)
    assert rows(InfoLM(own, measure="js", idf=False, compat="paper"))[0]["jeffreys"] == pytest.approx(
        jeffreys
    )
    assert rows(InfoLM(own, measure="kl", symmetrize=True, temperature=1, idf=False, compat="official"))[0][
        "kl"
    ] == pytest.approx(-jeffreys)
    with pytest.raises(nlgauge.NlgaugeError, match="jeffreys, jensen_shannon"):
        InfoLM(own, measure="js")


def test_defaults_of_each_convention() -> None:
    def facts(compat: str | None) -> tuple[Any, ...]:
        metric = InfoLM(compat=compat)
        return metric._measures, metric._temperature, metric._weighted

    assert facts(None) == (("fisher_rao",), 1.0, False)
    assert facts("official") == (("fisher_rao",), 0.25, True)
    assert facts("torchmetrics") == (("kl",), 0.25, True)
    assert facts("paper") == (("fisher_rao",), 1.0, True)


def test_direction_follows_the_sign() -> None:
    def of(**parameters: Any) -> Any:
        return next(iter(InfoLM(**parameters).outputs().values()))[0]

    assert (of().higher_is_better, of().low, of().high) == (False, 0, math.pi)
    assert (of(normalize=True).low, of(normalize=True).high) == (0, pytest.approx(1))
    flipped = of(compat="torchmetrics")
    assert (flipped.higher_is_better, flipped.low, flipped.high) == (True, -math.inf, 0)
    assert (of(measure="alpha", alpha=0.5, compat="official").low, of(measure="alpha", alpha=0.5).high) == (
        -4,
        4,
    )


# --- odd input


def test_an_empty_text_is_as_far_as_a_text_can_be_or_undefined(families: dict[str, nlgauge.Model]) -> None:
    metric = InfoLM(
        families["bert"], measure=("fisher_rao", "kl", "alpha", "l2", "jensen_shannon"), alpha=0.5
    )
    empty, nothing, both, bare = rows(metric, ["", "the cat", "", "   "], ["the cat", " ", "", ""])
    for row in (empty, nothing):
        expected = (math.pi, 4, math.sqrt(2), math.log(2))
        assert [row[name] for name in ("fisher_rao", "alpha", "l2", "jensen_shannon")] == pytest.approx(
            expected
        )
        assert math.isnan(row["kl"])
        assert row["empty"] == 1
    assert all(row[name] == 0 for row in (both, bare) for name in ("fisher_rao", "kl", "alpha", "empty"))
    (scores,) = nlgauge.score(
        ["", "the cat"],
        ["the cat", "the cat"],
        metrics=InfoLM(families["bert"], measure=("fisher_rao", "kl")),
    ).values()
    assert (scores["fisher_rao"], scores["kl"], scores["empty"]) == (
        pytest.approx(math.pi / 2),
        pytest.approx(0),
        1,
    )


@pytest.mark.filterwarnings("ignore:.*unknown to the model")
def test_an_unknown_word_is_a_word(families: dict[str, nlgauge.Model]) -> None:
    own = families["bert"]
    assert own.tokenizer("猫").input_ids[1:-1] == [own.tokenizer.unk_token_id]
    (row,) = rows(InfoLM(own), ["猫 cat"], ["the cat"])
    assert row["fisher_rao"] == pytest.approx(
        official("fisher_rao", masked_bag(own, "the cat", 1.0), masked_bag(own, "猫 cat", 1.0)), abs=1e-5
    )


def test_truncation_is_counted(families: dict[str, nlgauge.Model], tiny_models: dict[str, Path]) -> None:
    long = ["the cat " * 100, "the cat"]
    assert [row["truncated"] for row in rows(InfoLM(families["roberta"]), long, ["a cat", "a cat"])] == [1, 0]
    # A causal model reads long texts in windows.
    assert [
        row["truncated"] for row in rows(InfoLM(str(tiny_models["causal"])), long, ["a cat", "a cat"])
    ] == [0, 0]


def test_an_infinite_value_makes_the_mean_infinite(families: dict[str, nlgauge.Model]) -> None:
    metric = InfoLM(families["bert"], measure="alpha", alpha=40.0, temperature=0.01)
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric)
    assert [math.isinf(row["alpha"]) for row in rows(metric)] == [True, True, True, False]
    assert result[str(metric)]["score"] == math.inf


def test_the_nearest_reference_counts_for_each_measure(families: dict[str, nlgauge.Model]) -> None:
    metric = InfoLM(families["bert"], measure=("fisher_rao", "l1"))
    several = rows(metric, PREDICTIONS[:1], [[REFERENCES[1], REFERENCES[0], ""]])[0]
    each = rows(metric, PREDICTIONS[:1] * 2, REFERENCES[1::-1])
    assert [several[name] for name in ("fisher_rao", "l1")] == pytest.approx(
        [min(row[name] for row in each) for name in ("fisher_rao", "l1")]
    )


# --- one pass for all


def test_measures_temperatures_and_weightings_share_one_pass(
    families: dict[str, nlgauge.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nlgauge.features.language_models import masked_lm

    asked: list[int] = []
    plain = masked_lm.states_at

    def counting(loaded: Any, ids: Any, *rest: Any) -> Any:
        asked.append(len(ids))
        return plain(loaded, ids, *rest)

    monkeypatch.setattr(masked_lm, "states_at", counting)
    own = families["bert"]
    metrics = [
        InfoLM(own, measure=EVERY, alpha=0.5, beta=0.5),
        InfoLM(own, temperature=0.25),
        InfoLM(own, idf=True),
        InfoLM(own, compat="official"),
    ]
    nlgauge.score({"A": PREDICTIONS, "B": REFERENCES}, REFERENCES, metrics=metrics)
    distinct = {*PREDICTIONS, *REFERENCES}
    assert sum(asked) == sum(len(own.tokenizer(text).input_ids) - 2 for text in distinct)


def test_the_reading_of_another_metric_is_shared_also_where_it_read_nothing(
    tiny_models: dict[str, Path],
) -> None:
    place = str(tiny_models["causal"])
    result = nlgauge.score([""], ["the cat"], metrics=[f"perplexity(model={place!r})", InfoLM(place)])
    assert result[str(InfoLM(place))]["score"] == pytest.approx(math.pi)


def test_one_reading_has_the_numbers_of_several_calls(families: dict[str, nlgauge.Model]) -> None:
    own = families["bert"]
    measures = ("fisher_rao", "ab(0.5,1.25)", "gamma(0.5)", "alpha(-0.5)", "ab")
    several = InfoLM(own, measure=measures, alpha=0.25, beta=2.0, temperature=(0.5, 2.0), symmetrize=True)
    together = rows(several)
    assert list(together[0])[:2] == ["fisher_rao@0.5", "truncated"]
    single = {
        "ab(0.5,1.25)": {"measure": "ab", "alpha": 0.5, "beta": 1.25},
        "gamma(0.5)": {"measure": "gamma", "beta": 0.5},
        "alpha(-0.5)": {"measure": "alpha", "alpha": -0.5},
        "ab": {"measure": "ab", "alpha": 0.25, "beta": 2.0},
        "fisher_rao": {"measure": "fisher_rao"},
    }
    for temperature in (0.5, 2.0):
        for name, parameters in single.items():
            alone = rows(InfoLM(own, temperature=temperature, symmetrize=True, **parameters))
            base = str(parameters["measure"])
            for row, expected in zip(together, alone, strict=True):
                assert row[f"{name}@{temperature:g}"] == pytest.approx(expected[base], abs=1e-12)


def test_each_distribution_is_made_once(
    families: dict[str, nlgauge.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nlgauge.metrics import infolm

    made: list[int] = []
    plain = infolm.token_bags
    monkeypatch.setattr(infolm, "token_bags", lambda *arguments: made.append(1) or plain(*arguments))
    monkeypatch.setattr(infolm, "_KEPT_BAGS", 4)
    systems = {name: [f"{text} {name} {i}" for i, text in enumerate(PREDICTIONS * 3)] for name in "ABC"}
    nlgauge.score(
        systems, [f"{text} {i}" for i, text in enumerate(REFERENCES * 3)], metrics=InfoLM(families["bert"])
    )
    assert len(made) == 12 + 36


# --- what is said


def test_parameters_outside_their_domain_are_refused() -> None:
    for parameters, message in (
        ({"measure": "alpha"}, "infolm: the measure 'alpha' needs a number alpha other than 0 and 1"),
        (
            {"measure": ("kl", "ab"), "alpha": 0.5, "beta": -0.5},
            "alpha and beta.*sum.*got alpha 0.5, beta -0.5",
        ),
        ({"measure": "renyi", "alpha": -1.0}, "above 0 other than 1"),
        ({"measure": "entropy"}, "measure must be one or more of fisher_rao, kl"),
        ({"measure": ()}, "one or more"),
        ({"measure": ("kl", "kl_divergence")}, "without repetition"),
        ({"measure": "ab(0.5)"}, "'ab\\(0.5\\)' must have alpha, beta"),
        ({"measure": "ab(0.5,x)"}, "must be a name with numbers in brackets"),
        ({"measure": "kl@3"}, "must be a name with numbers"),
        ({"measure": "ab(0.5,-0.5)"}, "whose sum is not 0"),
        ({"temperature": (1.0, 1.0)}, "several without repetition"),
        ({"temperature": (1.0, -1.0)}, "above 0"),
        ({"temperature": 0}, "temperature must be None or a number above 0, got 0"),
        ({"temperature": math.inf}, "above 0"),
        ({"language_model": "seq2seq"}, "'masked', 'causal' or None"),
        ({"compat": "huggingface"}, "'official', 'torchmetrics' or 'paper'"),
        ({"model": ""}, "model must be"),
    ):
        with pytest.raises(nlgauge.NlgaugeError, match=message):
            InfoLM(**parameters)  # type: ignore[arg-type]


def test_the_form_of_the_command_line_parses() -> None:
    metric = parse('infolm(model="smollm2", measure=("kl", "fisher_rao"))')
    assert metric == InfoLM("smollm2", ("kl", "fisher_rao"))
    assert list(metric.outputs()) == ["kl", "fisher_rao"]
    assert parse("infolm(measure=beta_divergence, beta=1)") == InfoLM(measure="beta_divergence", beta=1)


def test_a_model_without_a_vocabulary_head_is_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=r"BertModel.*language_model="):
        nlgauge.score(["a"], ["a"], metrics=InfoLM(str(tiny_models["encoder"])))


def test_the_kind_of_model_can_be_said(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["masked"])
    assert rows(InfoLM(place, language_model="masked")) == rows(InfoLM(place))
    with pytest.raises(nlgauge.NlgaugeError, match="cannot be loaded"):
        rows(InfoLM(str(tiny_models["causal"]), language_model="masked"))


def test_the_explanation_shows_both_distributions(families: dict[str, nlgauge.Model]) -> None:
    from rich.console import Console

    from nlgauge.show.pages.explanations import render

    own = families["bert"]
    metric = InfoLM(own, measure=("fisher_rao", "kl"), temperature=0.5)
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric)
    (shown,) = result.explain(str(metric), 0)
    assert isinstance(shown, Distributions)
    p, q = masked_bag(own, REFERENCES[0], 0.5), masked_bag(own, PREDICTIONS[0], 0.5)
    order = np.argsort(-np.abs(q - p))[:20]
    assert [token for token, _, _ in shown.differences] == [own.tokenizer.decode([i]) for i in order]
    np.testing.assert_allclose(
        [values for _, *values in shown.differences], np.column_stack([q, p])[order], atol=1e-6
    )
    assert shown.covered == pytest.approx(np.abs(q - p)[order].sum() / np.abs(q - p).sum(), abs=1e-5)
    ids = own.tokenizer(PREDICTIONS[0]).input_ids
    ids[2], token = own.tokenizer.mask_token_id, ids[2]
    with torch.no_grad():
        guesses = torch.softmax(own.model(input_ids=torch.tensor([ids])).logits[0, 2].double() / 0.5, dim=-1)
    assert len(shown.prediction) == len(ids) - 2
    assert shown.prediction[1].token == own.tokenizer.decode([token])
    assert shown.prediction[1].probability == pytest.approx(float(guesses[token]), abs=1e-6)
    best = guesses.topk(5)
    assert [guess for guess, _ in shown.prediction[1].likeliest] == [
        own.tokenizer.decode([i]) for i in best.indices.tolist()
    ]
    assert [probability for _, probability in shown.prediction[1].likeliest] == pytest.approx(
        best.values.tolist(), abs=1e-6
    )
    stream = io.StringIO()
    Console(file=stream, width=100).print(render(shown))
    text = stream.getvalue()
    assert "infolm fisher_rao" in text and "% of the total difference" in text and "guess 1" in text


def test_an_empty_text_is_explained_too(families: dict[str, nlgauge.Model]) -> None:
    metric = InfoLM(families["bert"])
    (shown,) = nlgauge.score([""], ["the cat"], metrics=metric).explain(str(metric), 0)
    assert (shown.differences, shown.covered, shown.prediction) == ([], 0.0, [])
    assert len(shown.reference) > 0
