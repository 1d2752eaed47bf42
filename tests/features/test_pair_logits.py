"""Pairs of texts as classifiers read them: truncation, special tokens, labels, and each pair once."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nlgauge
from nlgauge.errors import ModelError, ParameterError
from nlgauge.features import RunOptions, Work
from nlgauge.features.encoders.entailment import NLI, label_order
from nlgauge.features.encoders.pair_logits import PairLogits, bert, longest_first, marks_of, only_first
from nlgauge.features.passages import Passages, WordChunks
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.models import Model
from nlgauge.models.loader import Loaded, load
from nlgauge.models.networks.align_layout import converted as align_converted
from nlgauge.models.networks.bleurt_layout import converted as bleurt_converted

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# Transformers' DeBERTa compiles parts of itself when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
FAMILIES = ("bert", "roberta", "albert", "deberta-v2", "rembert")
PAIRS = [
    ("The cat sat on the mat.", "A cat is on the mat."),
    ("He said it won't happen again.", ""),
    ("", "the cat"),
    ("cat " * 40, "mat " * 25),
]
sizes = st.integers(min_value=0, max_value=90)


def popped(first: int, second: int, places: int) -> tuple[int, int]:
    """BERT's own rule, token by token."""
    while first + second > places:
        if first > second:
            first -= 1
        else:
            second -= 1
    return first, second


@given(sizes, sizes, sizes)
def test_berts_rule_takes_from_the_longer_text_and_of_equal_ones_from_the_second(
    first: int, second: int, places: int
) -> None:
    assert bert((first, second), places) == popped(first, second, places)


@given(sizes, sizes, st.integers(min_value=1, max_value=90))
def test_the_other_rules_are_those_of_tokenizers(first: int, second: int, places: int) -> None:
    import tokenizers

    one = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1}, unk_token="a"))
    one.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    for strategy, rule in (("longest_first", longest_first), ("only_first", only_first)):
        one.enable_truncation(places, strategy=strategy)
        try:
            ids = one.encode("a " * first, "b " * second).ids
        except Exception:  # nothing of the first text would be left
            assert strategy == "only_first" and second >= places
            assert rule((first, second), places) == longest_first((first, second), places)
            continue
        assert rule((first, second), places) == (ids.count(0), ids.count(1))


def test_spec_vector_of_61_places() -> None:
    assert (bert((80, 80), 61), longest_first((80, 80), 61)) == ((31, 30), (30, 31))


@pytest.mark.parametrize("family", FAMILIES)
def test_special_tokens_are_those_of_the_family(family: str) -> None:
    from tiny.families import model_of, tokenizer_of

    tokenizer = tokenizer_of(family)
    loaded = Loaded(family, model_of(family), tokenizer, "cpu")
    start, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    assert marks_of(loaded) == ([start], [end] * (2 if family == "roberta" else 1), [end])
    if family != "rembert":  # whose tokenizer, made of a vocabulary alone, adds none
        before, between, after = marks_of(loaded)
        first, second = (tokenizer(text, add_special_tokens=False).input_ids for text in PAIRS[0])
        assert tokenizer(*PAIRS[0]).input_ids == before + first + between + second + after


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("batch_size", [1, None])
def test_logits_are_the_models_own(family: str, batch_size: int | None) -> None:
    from tiny.families import model_of, tokenizer_of

    tokenizer, model = tokenizer_of(family), model_of(family)
    found = PairLogits(Model(model, tokenizer), "longest_first").compute(
        PAIRS, Work(RunOptions(batch_size=batch_size))
    )
    assert found.truncated.values.tolist() == [0, 0, 0, 1]
    before, between, after = marks_of(Loaded(family, model, tokenizer, "cpu"))
    for (first, second), logits in zip(PAIRS, found.logits.values, strict=True):
        one, two = (
            list(tokenizer(text, add_special_tokens=False).input_ids) if text else []
            for text in (first, second)
        )
        places = 64 - len(before + between + after)
        kept = longest_first((len(one), len(two)), places)
        first_part, second_part = before + one[: kept[0]] + between, two[: kept[1]] + after
        inputs = {"input_ids": torch.tensor([first_part + second_part])}
        if getattr(model.config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = torch.tensor([[0] * len(first_part) + [1] * len(second_part)])
        with torch.no_grad():
            assert logits == pytest.approx(model(**inputs).logits[0].numpy(), abs=1e-5)
    assert np.ptp(found.logits.values, axis=0).max() > 0.05


def test_the_end_of_a_row_is_cut_with_its_last_mark() -> None:
    from tiny.families import model_of, tokenizer_of

    tokenizer, seen = tokenizer_of("roberta"), []
    model = model_of("roberta")
    forward = model.forward
    model.forward = lambda **inputs: seen.append(inputs["input_ids"].tolist()) or forward(**inputs)
    PairLogits(Model(model, tokenizer), "end", 12).compute(
        [("The cat sat on the mat.", "A cat is on the mat.")], Work(RunOptions())
    )
    assert seen == [[tokenizer("The cat sat on the mat.", "A cat is on the mat.").input_ids[:12]]]


def test_a_pair_is_read_once_for_all_systems_and_metrics(tiny_models: dict[str, Path]) -> None:
    place = tiny_models["pair"]
    model, tokenizer = load(str(place), "pair", "cpu").model, load(str(place), "pair", "cpu").tokenizer
    seen: list[int] = []
    forward = model.forward
    model.forward = lambda **inputs: seen.append(len(inputs["input_ids"])) or forward(**inputs)
    own = Model(model, tokenizer)
    from nlgauge.metrics.summac import SummaC

    document = "The cat sat on the mat. It slept. The dog barked at night."
    texts = {"A": ["The cat sat. The dog barked."], "B": ["The dog barked. A mouse ran."]}
    try:
        nlgauge.score(texts, sources=[document], metrics=[SummaC(own), SummaC(own, variant="conv")])
    finally:
        del model.forward
    assert sum(seen) == 3 * 3


def test_a_model_without_a_head_is_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=r"head.*classifier.bias.*pairs"):
        load(str(tiny_models["masked"]), "pair", "cpu")


def test_weights_that_are_not_alignscores_are_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(
        ModelError,
        match=(r"AlignScore.*tri_layer\.weight, bin_layer\.weight, reg_layer\.weight"),
    ):
        load(str(tiny_models["pair"]), "align", "cpu")


def test_alignscores_checkpoint_loses_its_language_head_alone() -> None:
    state = {f"{head}_layer.weight": head for head in ("tri", "bin", "reg")}
    state |= {"base_model.pooler.dense.weight": 1, "base_model.embeddings.position_ids": 2}
    kept, config = align_converted({**state, "mlm_head.bias": 3}, {"model_type": "roberta"})
    assert kept == {name: value for name, value in state.items() if "position_ids" not in name}
    assert config == {"model_type": "roberta"}


def test_a_checkpoint_that_is_not_bleurts_is_refused() -> None:
    with pytest.raises(ModelError, match=r"'bleurt\.'"):
        bleurt_converted({"bert.pooler.dense.weight": 1}, {})


def test_bleurts_configuration_names_the_class_that_reads_it() -> None:
    state = {
        "bleurt.encoder.embedding_projection.weight": 1,
        "classifier.weight": 2,
        "bleurt.embeddings.position_ids": 3,
    }
    renamed, config = bleurt_converted(state, {"embedding_size": 16, "hidden_size": 32})
    assert renamed == {"rembert.encoder.embedding_hidden_mapping_in.weight": 1, "classifier.weight": 2}
    expected = {
        "model_type": "rembert",
        "input_embedding_size": 16,
        "hidden_size": 32,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu_new",
        "type_vocab_size": 2,
    }
    assert config.items() >= expected.items()
    renamed, config = bleurt_converted(
        {"bleurt.pooler.dense.bias": 1}, {"embedding_size": None, "layer_norm_eps": 1e-5}
    )
    assert renamed == {"bert.pooler.dense.bias": 1}
    assert (config["model_type"], config["layer_norm_eps"]) == ("bert", 1e-5)


def own(labels: dict[int, str]) -> Any:
    from tiny.families import model_of, tokenizer_of

    return Model(model_of("bert", id2label=labels), tokenizer_of("bert"))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), ("c", "n", "e")),
        (("entailment", "neutral", "contradiction"), ("e", "n", "c")),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), ("e", "c", "n")),
        (("entailment", "contradiction"), ("e", "c")),
    ],
)
def test_the_order_of_labels_is_read(written: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert label_order(own(dict(enumerate(written))), None, NLI, "cpu") == expected


def test_labels_without_a_meaning_must_be_given() -> None:
    unnamed = own({i: f"LABEL_{i}" for i in range(3)})
    with pytest.raises(ModelError, match=r"LABEL_0, LABEL_1, LABEL_2.*labels.*'e', 'c', 'n'"):
        label_order(unnamed, None, NLI, "cpu")
    assert label_order(unnamed, ("e", "n", "c"), NLI, "cpu") == ("e", "n", "c")
    with pytest.raises(ParameterError, match=r"labels.*2.*3"):
        label_order(unnamed, ("e", "c"), NLI, "cpu")


def test_known_checkpoints_need_no_labels(
    tiny_models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiny.families import model_of, tokenizer_of

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "none"))
    for owner, name, expected in (
        ("FacebookAI", "roberta-large-mnli", ("c", "n", "e")),
        ("tals", "albert-xlarge-vitaminc-mnli", ("e", "c", "n")),
    ):
        place = tmp_path / f"models--{owner}--{name}" / "snapshots" / "main"
        model_of("bert", num_labels=3).save_pretrained(place)
        tokenizer_of("bert").save_pretrained(place)
        for spec in {"tals": ("albert-vitaminc", f"{owner}/{name}"), "FacebookAI": ("roberta-large-mnli",)}[
            owner
        ]:
            assert label_order(spec, None, NLI, "cpu") == expected


def test_passages() -> None:
    text = "One sentence is here. Short. Another one is there.\nA second paragraph."
    sentences = Sentences()
    assert Passages("sentence", sentences).of(text) == [
        "One sentence is here.",
        "Short.",
        "Another one is there.",
        "A second paragraph.",
    ]
    assert Passages("sentence", sentences, 10).of(text) == [
        "One sentence is here.",
        "Another one is there.",
        "A second paragraph.",
    ]
    assert Passages("2sents", sentences, 10).of(text)[0] == "One sentence is here. Another one is there."
    assert Passages("2sents", sentences, 10).of(text)[2] == "A second paragraph."
    assert Passages("paragraph", sentences).of(text) == text.split("\n")
    assert Passages("paragraph", sentences).of("a\nb\n\nc") == ["a\nb", "c"]
    assert Passages("document", sentences).of(text) == [text]
    assert Passages("document", sentences).of(" ") == []
    assert Passages("sentence", sentences, 10).of("Nine more. Eleven now.") == ["Eleven now."]


def test_spec_vector_of_alignscores_chunks() -> None:
    """21 sentences and 800 words: 3 chunks of 7 sentences."""
    words = [39] * 2 + [38] * 19
    text = " ".join(" ".join(["Word"] + ["word"] * (count - 1)) + "." for count in words)
    assert len(text.split()) == 800 and len(Sentences().of(text)) == 21
    assert [len(Sentences().of(chunk)) for chunk in WordChunks(Sentences()).of(text)] == [7, 7, 7]
    assert WordChunks(Sentences()).of("") == [""]
    assert [len(WordChunks(Sentences()).of("Go on then. " * count)) for count in (116, 117)] == [
        1,
        3,
    ]  # 348 words, 351 words: 58 of 117 sentences


def test_punkt_is_nltks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk
    from nltk.tokenize import punkt

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    text = "It costs approx. five dollars. Nobody knows why."
    with pytest.raises(ParameterError, match=r"nltk\.downloader punkt_tab"):
        Sentences(splitter="punkt").of(text)
    place = tmp_path / "tokenizers" / "punkt_tab" / "english"
    place.parent.mkdir(parents=True, mode=0o700)
    parameters = punkt.PunktParameters()
    parameters.abbrev_types = {"dollars"}
    punkt.save_punkt_params(parameters, str(place))
    assert Sentences(splitter="punkt").of(text) == ["It costs approx.", "five dollars. Nobody knows why."]
    assert Sentences().of(text) == ["It costs approx.", "five dollars.", "Nobody knows why."]


def test_metrics_on_one_classifier_read_each_pair_once(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, str]] = []
    compute = PairLogits.compute
    monkeypatch.setattr(
        PairLogits, "compute", lambda self, keys, work: read.extend(keys) or compute(self, keys, work)
    )
    model, source = str(tiny_models["pair"]), "The cat sat on the mat."
    metrics = [
        f"summac(model={model!r})",
        f"summac(model={model!r}, variant='conv')",
        f"nli(model={model!r}, max_length=500)",
    ]
    systems = {"A": ["A cat sat."], "B": ["A cat sat."], "C": ["The dog ran."]}
    result = nlgauge.score(systems, [source], [source], metrics=metrics)
    assert sorted(read) == sorted({(source, "A cat sat."), (source, "The dog ran.")})
    assert all(math.isfinite(table.scores()["score"]) for table in result._tables.values())
