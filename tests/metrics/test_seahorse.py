"""SEAHORSE against Transformers' own logits, and the feature that it shares with UniEval, MetricX and
local judges.
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ModelError, ParameterError
from nlgauge.features import RunOptions, Work
from nlgauge.features.language_models.first_token import FirstTokenLogits
from nlgauge.metrics.seahorse import Seahorse

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

MODEL_KIND = "t5"
TEST_PARAMETERS = {"questions": ("q1",)}
CHANGED_PARAMETERS = {"questions": ("q2",), "max_length": 40}
PREDICTIONS = ["The cat is sitting on the mat.", "Nothing was said here at all."]
SOURCES = ["A cat was seen on a mat. It sat there for an hour, he said.", "Mouse"]


@pytest.fixture
def two_questions(tiny_models: dict[str, Path], tmp_path: Path) -> str:
    """Two models, for q1 and q4."""
    for question, kind in (("q1", "t5"), ("q4", "other t5")):
        shutil.copytree(tiny_models[kind], tmp_path / question)
    return str(tmp_path / "{question}")


def test_every_question_has_a_model_of_its_own(two_questions: str) -> None:
    result = nlgauge.score(PREDICTIONS, sources=SOURCES, metrics=Seahorse(two_questions, ("q4", "q1")))
    for row, prediction, source in zip(rows_by_label(result), PREDICTIONS, SOURCES, strict=True):
        wanted = []
        for question in ("q4", "q1"):
            place = two_questions.format(question=question)
            model, tokenizer = (
                transformers.AutoModelForSeq2SeqLM.from_pretrained(place).eval(),
                transformers.AutoTokenizer.from_pretrained(place),
            )
            ids = torch.tensor([tokenizer(f"premise: {source} hypothesis: {prediction}").input_ids])
            logits = (
                model(input_ids=ids, decoder_input_ids=torch.tensor([[0]]), use_cache=False)
                .logits[0, 0]
                .detach()
                .double()
            )
            no, yes = (float(logits[tokenizer(word).input_ids[0]]) for word in "01")
            wanted.append(math.exp(yes) / (math.exp(yes) + math.exp(no)))
            assert row[f"{result.labels[0]}.{question}"] == pytest.approx(wanted[-1], abs=1e-6)
        assert abs(wanted[0] - wanted[1]) > 0.01
        assert row[result.labels[0]] == pytest.approx(np.mean(wanted), abs=1e-6)


def test_models_and_questions_must_fit_each_other(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ParameterError, match=r"model.*\{question\}"):
        Seahorse(str(tiny_models["t5"]))
    with pytest.raises(ParameterError, match=r"questions.*q1, q2, q3, q4, q5, q6"):
        Seahorse(questions=("q7",))
    with pytest.raises(ModelError, match=r"models.*seahorse-large-q3 --hub"):
        nlgauge.score(["a"], sources=["a"], metrics=Seahorse(questions=("q3",)))


def test_an_empty_summary_is_the_worst_and_an_empty_document_has_no_score(
    tiny_models: dict[str, Path],
) -> None:
    result = nlgauge.score(
        ["", "a", "a"], sources=["a", " ", "a"], metrics=Seahorse(str(tiny_models["t5"]), ("q1",))
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert [math.isnan(value) for value in rows] == [False, True, False]
    assert rows[0] == 0


@pytest.mark.parametrize("token", ["Жук", 10_000])
def test_a_model_that_lacks_the_answer_is_refused(token: str | int, tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ParameterError, match=f"{token!r}"):
        FirstTokenLogits(str(tiny_models["t5"]), (token,)).compute(["a"], Work(RunOptions()))


# --- the feature

PROMPTS = ["the cat sat", "Is this a question: Yes or No? " * 12, "a", ""]


@pytest.mark.parametrize("batch_size", [None, 1])
@pytest.mark.parametrize("drop_eos", [False, True])
def test_logits_at_the_decoders_first_step(
    batch_size: int | None, drop_eos: bool, tiny_models: dict[str, Path]
) -> None:
    place = tiny_models["t5"]
    found = FirstTokenLogits(str(place), ("Yes", 7), 20, drop_eos).compute(
        PROMPTS, Work(RunOptions(batch_size=batch_size))
    )
    model, tokenizer = (
        transformers.AutoModelForSeq2SeqLM.from_pretrained(place).eval(),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    for prompt, logits in zip(PROMPTS, found.logits.values, strict=True):
        ids = tokenizer(prompt, max_length=20, truncation=True).input_ids
        ids = (ids[:-1] if drop_eos else ids) or [1]
        wanted = (
            model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([[0]]), use_cache=False)
            .logits[0, 0]
            .detach()
        )
        assert logits == pytest.approx(wanted[[tokenizer("Yes").input_ids[0], 7]].tolist(), abs=1e-5)
    assert found.truncated.values.tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("batch_size", [None, 1])
def test_logits_after_the_last_token_of_a_causal_model(
    batch_size: int | None, tiny_models: dict[str, Path]
) -> None:
    place = tiny_models["causal"]
    feature = FirstTokenLogits(str(place), (" the", 5), 30, kind="causal")
    found = feature.compute(PROMPTS, Work(RunOptions(batch_size=batch_size)))
    model, tokenizer = (
        transformers.AutoModelForCausalLM.from_pretrained(place).eval(),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    for prompt, logits in zip(PROMPTS, found.logits.values, strict=True):
        ids = tokenizer(prompt).input_ids[-30:] or [0]
        wanted = model(input_ids=torch.tensor([ids])).logits[0, -1].detach()
        assert logits == pytest.approx(wanted[[tokenizer(" the").input_ids[0], 5]].tolist(), abs=1e-5)
    assert found.truncated.values.tolist() == [0, 1, 0, 0]
