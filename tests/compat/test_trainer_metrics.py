"""compute_metrics for the trainer of transformers: texts are decoded as the trainer passes them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import nlgauge
from nlgauge.compat.transformers import compute_metrics
from nlgauge.errors import InputError

WORDS = ["<pad>", "the", "cat", "dog", "sat", "ran"]
PREDICTIONS = np.array([[1, 2, 4, 0], [1, 3, 0, 0]])
LABELS = np.array([[1, 2, 4, -100], [1, 3, 5, -100]])
TEXTS = ["the cat sat", "the dog"], ["the cat sat", "the dog ran"]


class Tokenizer:
    pad_token_id = 0

    def batch_decode(self, rows: np.ndarray, skip_special_tokens: bool) -> list[str]:
        assert skip_special_tokens and (rows >= 0).all()
        return [" ".join(WORDS[token] for token in row if token) + " " for row in rows]


def test_tokens_become_scores_by_name():
    function = compute_metrics(Tokenizer(), ["chrf", "words=wer", "rouge"])
    scores = function(SimpleNamespace(predictions=PREDICTIONS, label_ids=LABELS))
    result = nlgauge.score(*TEXTS, metrics=["chrf", "words=wer", "rouge"])
    assert scores["chrf"] == result["chrf"]["score"]
    assert scores["words"] == result["words"]["score"]
    assert scores["rouge.rougeL"] == result["rouge"]["rougeL"]
    assert all(isinstance(value, float) for value in scores.values())


def test_scores_of_the_vocabulary_further_arrays_and_padding_of_generations():
    logits = np.zeros((2, 4, len(WORDS)))
    np.put_along_axis(logits, PREDICTIONS[..., None], 1.0, axis=-1)
    function = compute_metrics(Tokenizer(), "wer")
    want = function((PREDICTIONS, LABELS))
    assert function((logits, LABELS)) == want
    assert function(((logits, np.zeros(3)), LABELS)) == want
    assert function((np.where(PREDICTIONS == 0, -100, PREDICTIONS), LABELS)) == want


def test_sources_are_the_inputs():
    function = compute_metrics(Tokenizer(), "sari", sources=True)
    scores = function(
        SimpleNamespace(predictions=PREDICTIONS, label_ids=LABELS, inputs={"input_ids": LABELS})
    )
    assert scores["sari"] == nlgauge.score(*TEXTS, TEXTS[1], metrics="sari")["sari"]["score"]
    with pytest.raises(InputError, match="include_for_metrics"):
        function((PREDICTIONS, LABELS))


def test_texts_are_post_processed_and_wrong_arrays_refused():
    function = compute_metrics(Tokenizer(), "exact_match", postprocess=lambda text: text[:3])
    assert function((PREDICTIONS, LABELS)) == {"exact_match": 1.0}
    with pytest.raises(InputError, match="rows of tokens"):
        function((np.zeros(3), LABELS))


@pytest.mark.slow
def test_the_trainer_of_transformers_calls_it(tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    class Copy(torch.nn.Module):
        """A model that predicts its input."""

        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))

        def forward(self, input_ids, labels=None):
            logits = self.weight * torch.nn.functional.one_hot(input_ids, len(WORDS)).float()
            return {"loss": logits.mean(), "logits": logits}

    rows = [
        {"input_ids": torch.tensor(source), "labels": torch.tensor(label)}
        for source, label in zip(PREDICTIONS.tolist(), LABELS.tolist(), strict=True)
    ]
    trainer = transformers.Trainer(
        Copy(),
        transformers.TrainingArguments(str(tmp_path), report_to=[], use_cpu=True, disable_tqdm=True),
        eval_dataset=rows,
        compute_metrics=compute_metrics(Tokenizer(), ["chrf", "wer"]),
    )
    scores = trainer.evaluate()
    assert scores["eval_wer"] == nlgauge.score(*TEXTS, metrics="wer")["wer"]["score"]
    assert "eval_chrf" in scores
