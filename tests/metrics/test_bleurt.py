"""BLEURT against numbers of Google's program, and against its PyTorch port on the same weights."""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError
from nlgauge.metrics.bleurt import Bleurt
from nlgauge.models import Model
from nlgauge.models.weights.convert import convert

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

MODEL_KIND = "pair_one"
JUDGED = True
CHANGED_PARAMETERS = {"max_length": 20, "compat": "bleurt-pytorch"}
REFERENCES = [
    "The cat sat on the mat.",
    "He said it won't happen again.",
    "On Tuesday, the minister met with the president.",
    "It costs some dollars more.",
]
PREDICTIONS = [
    "A cat is on the mat.",
    "Never again, he said.",
    "The minister met the president on Tuesday, and then he sat on a cat and on a mat.",
    "Shares fell.",
]
# encode_example and lib/modeling.py of google-research/bleurt at cebe7e6 on TensorFlow 2.21, 64 tokens, with
# the weights of the model below.
GOLDEN = [-0.43083775, -0.08599901, -1.28188896, 0.33022907]


def scores(metric: Bleurt) -> list[float]:
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric)
    return [row[result.labels[0]] for row in rows_by_label(result)]


def test_equals_googles_program() -> None:
    from tiny.families import model_of, tokenizer_of

    own = Model(model_of("bert", num_labels=1, hidden_act="gelu_new"), tokenizer_of("bert"))
    assert scores(Bleurt(own)) == pytest.approx(GOLDEN, abs=1e-5)
    # The exact GELU is another number.
    exact = np.array(scores(Bleurt(own, compat="bleurt-pytorch")))
    assert 1e-4 < np.abs(exact - GOLDEN).max() < 1e-2


@pytest.fixture(scope="module")
def port() -> Iterator[Any]:
    """bleurt-pytorch 0.0.1, with what Transformers 5 took away put back meanwhile."""
    patch = pytest.MonkeyPatch()
    fast = ModuleType("transformers.models.bert.tokenization_bert_fast")
    fast.BertTokenizerFast = transformers.BertTokenizerFast  # type: ignore[attr-defined]
    patch.setitem(sys.modules, fast.__name__, fast)
    patch.setattr(transformers.pytorch_utils, "find_pruneable_heads_and_indices", None, raising=False)
    model = transformers.PreTrainedModel
    patch.setattr(
        model,
        "get_extended_attention_mask",
        lambda self, mask, *_: (1.0 - mask[:, None, None, :]) * -1e9,
        raising=False,
    )
    patch.setattr(model, "get_head_mask", lambda self, mask, layers, *_: [None] * layers, raising=False)
    pytest.importorskip("bleurt_pytorch.bleurt.configuration_bleurt")
    yield importlib.import_module("bleurt_pytorch")
    patch.undo()


@pytest.mark.parametrize("embedding_size", [None, 16])
def test_equals_the_port_after_its_weights_were_renamed(
    embedding_size: int | None, port: Any, tmp_path: Path
) -> None:
    from tiny.bert import VOCABULARY
    from tiny.families import SIZES, filled, tokenizer_of

    config = port.BleurtConfig(
        vocab_size=len(VOCABULARY), embedding_size=embedding_size, max_position_embeddings=64, **SIZES
    )
    official, tokenizer = filled(port.BleurtForSequenceClassification(config)), tokenizer_of("bert")
    config.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    torch.save(official.state_dict(), tmp_path / "pytorch_model.bin")
    convert(tmp_path / "pytorch_model.bin", "bleurt", tmp_path / "made")
    found = scores(Bleurt(str(tmp_path / "made"), compat="bleurt-pytorch"))
    with torch.no_grad():
        for i in (0, 1, 3):  # the other is longer than the model reads, which the port leaves to the caller
            logits = official(**tokenizer(REFERENCES[i], PREDICTIONS[i], return_tensors="pt")).logits
            assert found[i] == pytest.approx(float(logits), abs=1e-5)
    assert np.ptp(found) > 0.05
    plain = np.array(scores(Bleurt(str(tmp_path / "made"))))
    assert 1e-6 < np.abs(plain - found).max() < 0.1


def test_pieces_are_those_of_the_sentencepiece_file(tmp_path: Path) -> None:
    """As in BLEURT-20's files, for whose tokenizer Transformers 5 has no class."""
    import sentencepiece
    from tiny.families import TEXTS, model_of

    from nlgauge.features.encoders.pair_logits import marks_of
    from nlgauge.models.loader import load

    (tmp_path / "texts").write_text("\n".join(TEXTS * 20))
    marks = {
        "pad_id": 0,
        "unk_id": 3,
        "bos_id": -1,
        "eos_id": -1,
        "pad_piece": "[PAD]",
        "unk_piece": "[UNK]",
        "control_symbols": ["[CLS]", "[SEP]"],
    }
    options = {"vocab_size": 90, "hard_vocab_limit": False, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "texts"), model_prefix=str(tmp_path / "spm"), **marks, **options
    )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "spm.model"))
    model_of("rembert", num_labels=1, vocab_size=90, bos_token_id=None, eos_token_id=None).save_pretrained(
        tmp_path
    )
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BleurtSPTokenizer", "model_max_length": 512})
    )
    loaded = load(str(tmp_path), "pair", "cpu")
    assert marks_of(loaded) == ([1], [2], [2])
    found = scores(Bleurt(str(tmp_path)))
    with torch.no_grad():
        for i in (0, 3):
            first, second = (pieces.encode(text) for text in (REFERENCES[i], PREDICTIONS[i]))
            ids = torch.tensor([[1, *first, 2, *second, 2]])
            types = torch.tensor([[0] * (len(first) + 2) + [1] * (len(second) + 1)])
            assert found[i] == pytest.approx(
                float(loaded.model(input_ids=ids, token_type_ids=types).logits), abs=1e-5
            )


def test_nothing_to_read_is_not_a_score(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["", "the cat", "the cat"], ["the cat", " ", "the mat"], metrics=Bleurt(str(tiny_models["pair_one"]))
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert [math.isnan(row) for row in rows] == [False, True, False]
    (scores,) = result.values()
    assert (scores["score"], scores["empty"]) == (pytest.approx((rows[0] + rows[2]) / 2), 1)


def test_a_classifier_is_not_bleurt(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=r"model.*3"):
        scores(Bleurt(str(tiny_models["pair"])))


def test_a_missing_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"models.*bleurt-20"):
        scores(Bleurt())
