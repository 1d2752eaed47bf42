"""The parameter `precision` of metrics on encoders: what it changes, what it leaves, and when it warns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.engine.cache.identity import identity_of
from nlgauge.errors import ParameterError
from nlgauge.features import RunOptions, Work
from nlgauge.features.encoders.comet import CometEmbedding
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.features.encoders.encoder_layers import HiddenLayers
from nlgauge.metric.registry import metric_classes, parse
from nlgauge.metrics._shared.encoder_precision import EncoderPrecision
from nlgauge.metrics.bertscore import BertScore
from nlgauge.metrics.comet import Comet
from nlgauge.metrics.cometkiwi import CometKiwi
from nlgauge.metrics.embedding_similarity import EmbeddingSimilarity
from nlgauge.models import precision as precisions
from nlgauge.models.registry import held
from nlgauge.models.weights import store

NAMES = {
    "baryscore",
    "bertscore",
    "comet",
    "cometkiwi",
    "cosmic",
    "depthscore",
    "embedding_similarity",
    "frechet",
    "lens",
    "moverscore",
    "supert",
    "unite",
    "xcomet",
    "yisi",
}
PREDICTIONS = ["The cat sat on the mat.", "A dog barked at night.", "Shares fell again.", "It will rain."]
REFERENCES = ["A cat is on the mat.", "Dogs bark at night.", "Stocks fell on Monday.", "The sun will shine."]
SOURCES = ["Die Katze sitzt.", "Ein Hund bellt.", "Aktien fallen.", "Es regnet."]
# Emulated bfloat16 is slow, and right.
pytestmark = pytest.mark.filterwarnings("ignore:this processor has no bfloat16:UserWarning")


@pytest.fixture(scope="module", autouse=True)
def loaded_models() -> Iterator[None]:
    with held():
        yield


def scores(metric: Any) -> np.ndarray:
    result = nlgauge.score(PREDICTIONS, REFERENCES, SOURCES, metrics=[metric], cache=False)
    table = next(iter(result._tables.values()))
    return table.segments_of(table.leading()[0].name)


def both(metric: Any) -> tuple[np.ndarray, np.ndarray]:
    return scores(metric), scores(replace(metric, precision="bfloat16"))


def minilm() -> str:
    if store.location("minilm") is None:
        pytest.skip("minilm is not in the cache; run: nlgauge models get minilm")
    return "minilm"


def test_every_metric_on_an_encoder_has_the_parameter():
    classes = metric_classes()
    assert {name for name in classes if issubclass(classes[name], EncoderPrecision)} == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_only_another_precision_is_in_labels_and_signatures(name):
    corpus = Corpus.read(PREDICTIONS, REFERENCES, SOURCES)
    plain: Any = parse(f"{name}(model='minilm')")
    changed = replace(plain, precision="bfloat16")
    assert plain.precision == "float32"
    assert str(plain) in (name, f"{name}(model='minilm')")
    assert "precision" not in plain.signature(corpus)
    assert "precision" not in plain.facts(corpus)
    assert "|precision:bfloat16|" in changed.signature(corpus)
    assert parse(str(changed)) == changed != plain


@pytest.mark.parametrize("value", ["float16", "bf16", None, 16])
def test_other_values_are_refused(value):
    with pytest.raises(ParameterError, match="precision must be 'float32' or 'bfloat16', got"):
        BertScore(model="minilm", precision=value)


def test_the_cache_keeps_both_apart():
    plain = EmbeddingSimilarity(minilm())
    digests = [
        identity_of(metric, {}, "en", RunOptions())
        for metric in (plain, replace(plain, precision="bfloat16"))
    ]
    assert None not in digests
    assert digests[0].digest != digests[1].digest


@pytest.mark.slow
def test_the_scores_of_a_trained_encoder_move_by_less_than_half_a_percentage_point():
    for metric in (BertScore(minilm()), EmbeddingSimilarity(minilm())):
        plain, changed = both(metric)
        assert 0 < np.abs(plain - changed).max() < 0.005


@pytest.mark.parametrize("kind", ["encoder", "embedding", "comet", "unite"])
def test_the_scores_of_random_networks_move_a_little(kind, tiny_models):
    metric = {
        "encoder": lambda: BertScore(str(tiny_models["encoder"]), 2),
        "embedding": lambda: EmbeddingSimilarity(str(tiny_models["encoder"])),
        "comet": lambda: Comet(str(tiny_models["comet"])),
        "unite": lambda: CometKiwi(str(tiny_models["unite"])),
    }[kind]()
    plain, changed = both(metric)
    assert 0 < np.abs(plain - changed).max() < 0.05


def test_the_default_changes_no_operation(tiny_models, monkeypatch):
    torch = pytest.importorskip("torch")

    def forbidden(*_: Any, **__: Any) -> AbstractContextManager[None]:
        raise AssertionError("autocast was used")

    monkeypatch.setattr(torch, "autocast", forbidden)
    metric = BertScore(str(tiny_models["encoder"]), 2)
    assert np.isfinite(scores(metric)).all()
    with pytest.raises(AssertionError, match="autocast was used"):
        scores(replace(metric, precision="bfloat16"))


def test_in_one_run_each_precision_has_the_numbers_that_it_has_alone(tiny_models):
    plain = BertScore(str(tiny_models["encoder"]), 2)
    changed = replace(plain, precision="bfloat16")
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=[plain, changed], cache=False)
    for metric in (plain, changed):
        table = result._tables[result.systems[0], str(metric)]
        np.testing.assert_allclose(table.segments_of("f1"), scores(metric), rtol=0, atol=1e-6)
    assert not np.array_equal(
        *(result._tables[result.systems[0], label].segments_of("f1") for label in result.labels)
    )


@pytest.mark.parametrize("feature", [HiddenLayers, TextEmbedding, CometEmbedding])
def test_what_leaves_the_encoder_is_float32(feature, tiny_models):
    model = str(tiny_models["comet" if feature is CometEmbedding else "encoder"])
    arguments: tuple[Any, ...] = ((0, 2),) if feature is HiddenLayers else ()
    found = Work(RunOptions()).get(feature(model, *arguments, precision="bfloat16"), PREDICTIONS)
    assert found.vectors.values.dtype == np.float32


def test_features_print_a_precision_that_is_not_the_default():
    assert str(HiddenLayers("minilm", (6,))) == "HiddenLayers(model='minilm', layers=(6,))"
    changed = HiddenLayers("minilm", (6,), precision="bfloat16")
    assert str(changed) == "HiddenLayers(precision='bfloat16', model='minilm', layers=(6,))"


@pytest.mark.parametrize("kind", ["encoder", "comet"])
def test_a_processor_without_the_instructions_is_warned_of(kind, tiny_models, monkeypatch):
    place: Path = tiny_models[kind]
    metric: Any = BertScore(str(place), 2) if kind == "encoder" else Comet(str(place))
    changed = replace(metric, precision="bfloat16")
    monkeypatch.setattr(precisions, "has_bfloat16", lambda: False)
    with pytest.warns(UserWarning, match="no bfloat16 instructions.*use precision='float32'"):
        scores(changed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores(metric)
        monkeypatch.setattr(precisions, "has_bfloat16", lambda: True)
        scores(changed)


@pytest.mark.parametrize(("avx", "amx"), [(False, False), (True, False), (False, True)])
def test_either_kind_of_instructions_is_enough(avx, amx, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx, raising=False)
    assert precisions.has_bfloat16() == (avx or amx)
