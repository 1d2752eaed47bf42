"""What model features share within a chunk: tokens, sentences, passes of the model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.features import RunOptions, Work
from nlgauge.features.encoders import embeddings as encoders
from nlgauge.features.encoders import encoder_layers
from nlgauge.features.encoders.barycenter import LayerBarycenter
from nlgauge.features.encoders.embeddings import EncoderPieces
from nlgauge.features.encoders.encoder_layers import HiddenLayers
from nlgauge.features.language_models.cloze import sentences_of
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metrics.baryscore import BaryScore
from nlgauge.metrics.bertscore import BertScore
from nlgauge.metrics.depthscore import DepthScore
from nlgauge.metrics.moverscore import MoverScore
from nlgauge.metrics.yisi import Yisi

transformers = pytest.importorskip("transformers")

TEXTS = ["the cat sat on the mat.", "a dog. it sat", "cats"]
OTHERS = ["the dog sat.", "a dog", "the mat"]


class CountingTokenizer:
    """A tokenizer that counts how often it is given each text."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.seen: Counter[str] = Counter()

    def __call__(self, texts: Any, **options: Any) -> Any:
        self.seen.update([texts] if isinstance(texts, str) else texts)
        return self._tokenizer(texts, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many rows encoders have read, up to one layer or all of them."""
    found: Counter[str] = Counter()
    plain = encoders.encoder_batches

    def counting(loaded: Any, model: Any, ids: Any, options: Any, what: str, **asked: Any) -> Any:
        found["every layer" if "output_hidden_states" in asked else "one layer"] += len(ids)
        return plain(loaded, model, ids, options, what, **asked)

    for module in (encoder_layers, encoders):
        monkeypatch.setattr(module, "encoder_batches", counting)
    return found


def own_encoder(place: Path) -> tuple[nlgauge.Model, CountingTokenizer]:
    tokenizer = CountingTokenizer(transformers.AutoTokenizer.from_pretrained(place))
    return nlgauge.Model(transformers.AutoModel.from_pretrained(place).eval(), tokenizer), tokenizer


def test_metrics_on_one_encoder_share_tokens_and_states(
    tiny_models: dict[str, Path], rows_read: Counter[str]
) -> None:
    model, tokenizer = own_encoder(tiny_models["encoder"])
    metrics = [BertScore(model, 2), DepthScore(model, 2, directions=10), BaryScore(model, 2)]
    nlgauge.score(TEXTS, OTHERS, metrics=metrics)
    assert tokenizer.seen == Counter([*TEXTS, *OTHERS])
    assert rows_read == {"every layer": 6}


def test_several_layers_of_one_model_are_one_pass(
    tiny_models: dict[str, Path], rows_read: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tiny_models["encoder"])
    made = [
        BertScore(place, 1),
        Yisi(place, 2),
        MoverScore(place),
        MoverScore(place, "v1"),
        BaryScore(place, 2),
    ]
    together = nlgauge.score(TEXTS, OTHERS, metrics=made)
    assert rows_read == {"every layer": 6}
    for metric in made:
        (alone,) = nlgauge.score(TEXTS, OTHERS, metrics=metric)._tables.values()
        for part, statistics in alone.statistics.items():
            np.testing.assert_allclose(
                together._tables["system", str(metric)].statistics[part], statistics, atol=1e-6
            )
    assert rows_read == {"one layer": 18, "every layer": 18}
    # An encoder that scales its last vectors once more gives other ones for a lower layer, so that only the
    # same top is shared.
    monkeypatch.setattr(encoder_layers, "_PLAIN", ())
    rows_read.clear()
    nlgauge.score(TEXTS, OTHERS, metrics=made)
    assert rows_read == {"one layer": 6, "every layer": 6}


def test_metrics_on_one_causal_model_tokenise_a_text_once(tiny_models: dict[str, Path]) -> None:
    from nlgauge.metrics.infolm import InfoLM
    from nlgauge.metrics.perplexity import Perplexity

    place = tiny_models["causal"]
    tokenizer = CountingTokenizer(transformers.AutoTokenizer.from_pretrained(place))
    model = nlgauge.Model(transformers.AutoModelForCausalLM.from_pretrained(place).eval(), tokenizer)
    nlgauge.score(TEXTS, OTHERS, metrics=[InfoLM(model, idf=False), Perplexity(model)])
    assert {text: tokenizer.seen[text] for text in (*TEXTS, *OTHERS)} == dict.fromkeys((*TEXTS, *OTHERS), 1)


def test_blanc_estime_and_shannon_split_a_text_once(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    split: list[str] = []
    plain = Sentences.of
    monkeypatch.setattr(Sentences, "of", lambda self, text: split.append(text) or plain(self, text))
    masked, causal = str(tiny_models["masked"]), str(tiny_models["causal"])
    metrics = [
        f"blanc(model={masked!r})",
        f"blanc(model={masked!r}, mode='tune', epochs=1)",
        f"estime(model={masked!r}, layer=2, window=50, margin=5)",
        f"shannon(model={causal!r})",
    ]
    nlgauge.score(OTHERS, sources=TEXTS, metrics=metrics)
    assert Counter(split) == Counter([*TEXTS, *OTHERS])


@pytest.mark.parametrize(
    ("feature", "layers"), [(HiddenLayers, (2,)), (HiddenLayers, (0, 2)), (LayerBarycenter, 2)]
)
def test_a_feature_by_itself_finds_the_same(feature: Any, layers: Any, tiny_models: dict[str, Path]) -> None:
    found = feature(str(tiny_models["encoder"]), layers).compute(TEXTS, Work(RunOptions()))
    pieces = EncoderPieces(str(tiny_models["encoder"])).compute(TEXTS, Work(RunOptions()))
    np.testing.assert_array_equal(found.ids.values, pieces.ids.values)
    assert len(found[0].values) == len(pieces.ids.values)


def test_sentences_are_those_of_the_decomposed_text() -> None:
    assert sentences_of(["A ﬁrst one. And é.", ""], "en", Work(RunOptions())) == [
        ["A first one.", "And e\u0301."],
        [],
    ]
