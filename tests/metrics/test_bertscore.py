"""BERTScore against bert-score 0.3.13 on the same weights, and our own rules where that has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label
from strategies import SENTENCES

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics._shared.bertscore_baselines import _BASELINES
from nlgauge.metrics._shared.token_matching import LAYERS
from nlgauge.metrics.bertscore import BertScore
from nlgauge.models.loader import load
from nlgauge.models.weights import store

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
bert_score = pytest.importorskip("bert_score")

# A given baseline, here one that changes nothing, is taken where bert-score has none for the model, so that
# `rescale` may be tried.
TEST_PARAMETERS = {"baseline": (0.0, 0.0, 0.0)}
CHANGED_PARAMETERS = {"layer": 1, "baseline": (0.5, 0.25, -0.5)}
# A text without tokens scores 0, also against another one.
# Texts without a token, or without one that the tiny model knows.
NOT_BEST_WHEN_EQUAL = {"empty", "only spaces", "newline", "right to left", "emoji", "not a character"}
PREDICTIONS = [prediction for prediction, _ in SENTENCES if prediction]
REFERENCES = [references for prediction, references in SENTENCES if prediction]


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random RoBERTa whose tokenizer was saved with add_prefix_space=True."""
    from tokenizers import ByteLevelBPETokenizer

    place = tmp_path_factory.mktemp("roberta")
    trained = ByteLevelBPETokenizer(add_prefix_space=True)
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator(
        [text for row in REFERENCES for text in row], vocab_size=400, special_tokens=specials
    )
    trained.save_model(str(place))
    vocabulary = trained.get_vocab()
    lines = (place / "merges.txt").read_text("utf-8").split("\n")[1:]
    merges = [tuple(line.split(" ")) for line in lines if line]
    tokenizer = transformers.RobertaTokenizer(
        vocab=vocabulary, merges=merges, add_prefix_space=True, model_max_length=128
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        sizes = {
            "hidden_size": 32,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "intermediate_size": 64,
            "max_position_embeddings": 130,
        }
        model = transformers.RobertaModel(
            transformers.RobertaConfig(vocab_size=len(vocabulary), initializer_range=0.2, **sizes)
        )
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def _theirs(place: Path, layer: int, idf: bool, references: list[Any]) -> list[np.ndarray]:
    found = bert_score.score(
        PREDICTIONS,
        references,
        model_type=str(place),
        num_layers=layer,
        idf=idf,
        device="cpu",
        nthreads=0,
        batch_size=3,
    )
    return [values.numpy() for values in found]


def _minilm() -> Path:
    place = store.location("minilm")
    if place is None:
        pytest.skip("minilm is not in the cache; run: nlgauge models get minilm")
    return place


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("which", ["roberta", "minilm"])
def test_equals_bert_score(which: str, several: bool, idf: bool, roberta: Path) -> None:
    place, layer = (roberta, 2) if which == "roberta" else (_minilm(), 6)
    references = REFERENCES if several else [row[0] for row in REFERENCES]
    rows = rows_by_label(nlgauge.score(PREDICTIONS, references, metrics=BertScore(str(place), layer, idf)))
    label = next(name for name in rows[0] if name.startswith("bertscore"))
    for suffix, theirs in zip(
        (".precision", ".recall", ""), _theirs(place, layer, idf, references), strict=True
    ):
        np.testing.assert_allclose([row[label + suffix] for row in rows], theirs, atol=1e-5)


def test_prefix_space_is_put_in_whatever_the_tokenizer_was_saved_with(roberta: Path, tmp_path: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(roberta, add_prefix_space=False)
    transformers.AutoModel.from_pretrained(roberta).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    saved = transformers.AutoTokenizer.from_pretrained(tmp_path)("cat").input_ids
    ours, expected = (
        load(str(place), "encoder", "cpu").tokenizer("cat").input_ids for place in (tmp_path, roberta)
    )
    assert saved != ours == expected


def test_spec_toy_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge._core.ragged import Ragged
    from nlgauge.features.encoders.encoder_layers import Hidden

    half = 0.5**0.5
    vectors = Ragged.of(
        [np.array([[1, 0], [0, 1]], dtype=float), np.array([[1, 0], [half, half], [-1, 0]], dtype=float)],
        dtype=np.float64,
    )
    ids = Ragged.of([[0, 1], [0, 1, 2]])
    hidden = Hidden(vectors, ids, Ragged(np.zeros(5, dtype=bool), ids.offsets), Ragged.of([[0], [0]]))
    f, p, r, _, _ = BertScore("x", 1)._match(hidden, 0, 1, {})
    assert (p, r, f) == pytest.approx((0.8535533906, 0.5690355937, 0.6828427125), abs=1e-9)
    fitted = {"ids": np.arange(3), "weights": np.array([1.0, 2.0, 1.0]), "unseen": np.array([9.0])}
    assert BertScore("x", 1, idf=True)._match(hidden, 0, 1, fitted)[2] == pytest.approx(
        0.6035533906, abs=1e-9
    )


def test_empty_texts_score_zero_never_best(tiny_models: dict[str, Path]) -> None:
    metric = BertScore(str(tiny_models["encoder"]), 2)
    rows = rows_by_label(
        nlgauge.score(["", "", "the cat", "   "], ["the cat", "", "", "the cat"], metrics=metric)
    )
    assert [row[str(metric)] for row in rows] == [0, 0, 0, 0]


def test_idf_of_one_reference_falls_back_to_equal_weights(tiny_models: dict[str, Path]) -> None:
    place = str(tiny_models["encoder"])
    plain, weighted = (
        nlgauge.score(["cat sat"], ["a cat sat on"], metrics=BertScore(place, 2, idf))
        for idf in (False, True)
    )
    assert weighted[str(BertScore(place, 2, True))]["f1"] == plain[str(BertScore(place, 2))]["f1"]
    assert weighted["bertscore"]["uniform_weights"] == 1


def test_truncation_is_counted(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["cat " * 500, "the cat"], ["the cat", "the cat"], metrics=BertScore(str(tiny_models["encoder"]), 2)
    )
    assert result["bertscore"]["truncated"] == 1


def test_own_objects_are_used_and_left_as_they_were(tiny_models: dict[str, Path]) -> None:
    place = tiny_models["encoder"]
    model, tokenizer = (
        transformers.AutoModel.from_pretrained(place).eval(),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    own = nlgauge.Model(model, tokenizer, "mine")
    result = nlgauge.score(["the cat sat"], ["a cat on a mat"], metrics=BertScore(own, 1))
    named = nlgauge.score(["the cat sat"], ["a cat on a mat"], metrics=BertScore(str(place), 1))
    assert result["bertscore"]["f1"] == pytest.approx(named["bertscore"]["f1"], abs=1e-6)
    assert list(result) == ["bertscore(model='own:mine', layer=1)"]
    assert len(model.encoder.layer) == 2


def test_layers_outside_the_model_are_refused(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(nlgauge.NlgaugeError, match=r"layer.*0 to 2"):
        nlgauge.score(["a"], ["a"], metrics=BertScore(str(tiny_models["encoder"]), 3))
    with pytest.raises(nlgauge.NlgaugeError, match="set layer"):
        nlgauge.score(["a"], ["a"], metrics=BertScore(str(tiny_models["encoder"])))


def test_language_chooses_the_model() -> None:
    assert BertScore().for_language("en") == BertScore()
    assert BertScore().for_language("zh").model == "bert-base-chinese"
    assert BertScore().for_language("de-CH").model == "bert-base-multilingual-cased"
    assert BertScore("minilm").for_language("de").model == "minilm"


def test_missing_default_model_says_the_command() -> None:
    if store.location("roberta-large") is not None:
        pytest.skip("roberta-large is here")
    with pytest.raises(nlgauge.NlgaugeError, match=r"models.*--hub"):
        nlgauge.score(["a"], ["a"], metrics="bertscore")


def test_alignment_shows_the_similarities_that_were_scored(tiny_models: dict[str, Path]) -> None:
    metric = BertScore(str(tiny_models["encoder"]), 2)
    (shown,) = nlgauge.score(["the cat sat"], ["a cat on a mat"], metrics=metric).explain("bertscore", 0)
    best = shown.similarity.max(axis=1)
    assert shown.prediction[1:4] == ["the", "cat", "sat"]
    assert (best @ shown.prediction_weights) / shown.prediction_weights.sum() == pytest.approx(
        shown.statistics["precision"][0]
    )


def test_baselines_are_bert_scores() -> None:
    package = pytest.importorskip("bert_score")
    folder = Path(package.__file__).parent / "rescale_baseline"
    assert len(_BASELINES) > 30
    for (lang, model, layer), expected in _BASELINES.items():
        lines = (folder / lang / f"{model}.tsv").read_text().splitlines()[1:]
        (found,) = (
            tuple(map(float, line.split(",")[1:])) for line in lines if line.split(",")[0] == str(layer)
        )
        assert found == expected
        assert LAYERS[model] == layer
    assert _BASELINES["en", "roberta-large", 17] == (0.83150584, 0.8314941, 0.83122575)


def test_rescaling_takes_the_baseline_of_the_language_and_model(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tiny_models["encoder"])
    name = Path(place).name
    tables = {("en", name, 2): (0.5, 0.4, 0.3), ("de", name, 2): (0.1, 0.2, 0.6)}
    monkeypatch.setattr("nlgauge.metrics._shared.bertscore_baselines._BASELINES", tables)
    texts = ["the cat sat", ""], ["a cat on the mat", "the cat"]
    plain = rows_by_label(nlgauge.score(*texts, metrics=BertScore(place, 2)))
    for lang, (p, r, f) in (
        (None, tables["en", name, 2]),
        ("en-GB", tables["en", name, 2]),
        ("de", tables["de", name, 2]),
    ):
        result = nlgauge.score(
            *texts, metrics={"path": BertScore(place, 2, rescale=True), "resulting_name": "b"}, lang=lang
        )
        for row, before in zip(rows_by_label(result), plain, strict=True):
            label = next(key for key in before if key not in ("segment", "system"))
            expected = [
                (before[label + suffix] - b) / (1 - b)
                for suffix, b in (("", f), (".precision", p), (".recall", r))
            ]
            assert [row["b"], row["b.precision"], row["b.recall"]] == pytest.approx(expected)
        assert f"baseline:{p},{r},{f}|" in result.signatures["b"]


def test_no_baseline_is_borrowed() -> None:
    with pytest.raises(
        ParameterError,
        match=r"baseline.*layer 6 of 'minilm' in 'en'",
    ):
        nlgauge.score(["a"], ["a"], metrics="bertscore(model='minilm', rescale=True)")
    with pytest.raises(ParameterError, match=r"baseline.*layer 9 of 'bert-base-multilingual-cased' in 'ja'"):
        nlgauge.score(["a"], ["a"], metrics="bertscore(rescale=True)", lang="ja")
    assert BertScore(rescale=True).for_language("zh").baseline == (0.54804957, 0.5480091, 0.54755783)
    assert BertScore("FacebookAI/roberta-large@v1", rescale=True).outputs()["f1"][0].low == pytest.approx(
        -0.83122575 / (1 - 0.83122575)
    )
    with pytest.raises(ParameterError, match=r"rescale.*True or False"):
        BertScore(rescale=1)  # type: ignore[arg-type]
