"""Rewards give the segment scores of a Result, with the sign and the scale that were asked for, in the
calls that trainers make.
"""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import warnings

import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.engine import segments
from nlgauge.errors import InputError, MetricError, ParameterError
from nlgauge.metric.registry import make, metric_classes

PREDICTIONS = ["the cat sat on the mat", "a dog", "", "it rained all day long", "the cat sat on the mat"]
REFERENCES = [
    "the cat sat on a mat",
    "my dog barks",
    "nothing",
    "it rained all day",
    "the cat sat on the mat",
]
SEVERAL = [[text, "the cat sat on the mat"] for text in REFERENCES]
SOURCES = [f"{text} and so on" for text in REFERENCES]


def chat(text):
    return [{"role": "assistant", "content": text}]


def segment_values(metric, references=REFERENCES, **options):
    rows = rows_by_label(nlgauge.score(PREDICTIONS, references, SOURCES, metrics=metric, **options))
    return [row[metric if isinstance(metric, str) else str(metric)] for row in rows]


def _plain(name):
    """Metrics with segment scores, without a model or a fit."""
    metric = make(name)
    return isinstance(metric, nlgauge.Metric) and metric.fit() is None and not hasattr(metric, "model")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, metric in metric_classes().items()
        if metric.__module__.startswith("nlgauge.metrics.") and _plain(name)
    ],
)
@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
def test_rewards_are_the_segment_scores(name, references):
    output = next(iter(make(name).outputs().values()))[0]
    expected = segment_values(name, references)
    found = nlgauge.reward(name, scale=(0, 1))(PREDICTIONS, references, SOURCES)
    assert found == pytest.approx(expected, rel=0, abs=0, nan_ok=True)
    assert all(type(value) is float for value in found)
    if output.higher_is_better is not None:
        sign = 1 if output.higher_is_better else -1
        assert nlgauge.reward(name)(PREDICTIONS, references, SOURCES) == pytest.approx(
            [sign * value for value in expected], rel=0, abs=0, nan_ok=True
        )


def test_many_texts_are_scored_in_chunks(monkeypatch):
    expected = nlgauge.reward("bleu")(PREDICTIONS * 3, REFERENCES * 3)
    monkeypatch.setattr(segments, "CHARACTERS", 40)
    assert nlgauge.reward("bleu")(PREDICTIONS * 3, REFERENCES * 3) == expected


def test_the_scale():
    chrf, wer = segment_values("chrf"), segment_values("wer")
    assert nlgauge.reward("chrf", scale="unit")(PREDICTIONS, REFERENCES) == [value / 100 for value in chrf]
    assert nlgauge.reward("mer", scale="unit")(PREDICTIONS, REFERENCES) == [
        1 - value for value in segment_values("mer")
    ]
    assert nlgauge.reward("wer", scale=(1, 0))(PREDICTIONS, REFERENCES) == [1 - value for value in wer]
    assert nlgauge.reward("ter", scale=[100, 0])(PREDICTIONS, REFERENCES) == pytest.approx(
        [1 - value / 100 for value in segment_values("ter")]
    )
    assert nlgauge.reward("wer", scale=(1, 0))(["a b c d"], ["x"]) == [-3.0]
    assert str(nlgauge.reward("wer")(["a"], ["a"])) == "[0.0]"
    assert nlgauge.reward("embedding_similarity(model='minilm')", scale="unit").ends == (-1, 1)


def test_the_output():
    rows = rows_by_label(nlgauge.score(PREDICTIONS, REFERENCES, metrics="rouge"))
    assert nlgauge.reward("rouge", output="rouge2")(PREDICTIONS, REFERENCES) == [
        row["rouge.rouge2"] for row in rows
    ]
    assert nlgauge.reward("rouge", output="score")(PREDICTIONS, REFERENCES) == [row["rouge"] for row in rows]


def test_options_of_a_run():
    assert nlgauge.reward("bleu", lang="zh")(["你好吗"], ["你好啊"]) == [
        row["bleu(tokenizer='zh')"]
        for row in rows_by_label(nlgauge.score(["你好吗"], ["你好啊"], metrics="bleu", lang="zh"))
    ]
    assert nlgauge.reward("wer", reduce_fn="mean")(PREDICTIONS, SEVERAL) == [
        -value for value in segment_values("wer", SEVERAL, reduce_fn="mean")
    ]


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL, [chat(text) for text in REFERENCES]])
@pytest.mark.parametrize(
    "completions",
    [
        PREDICTIONS,
        [chat(text) for text in PREDICTIONS],
        [chat(text)[0] for text in PREDICTIONS],
        tuple(PREDICTIONS),
    ],
)
@pytest.mark.parametrize(
    "column", ["reference", "references", "target", "answer", "solution", "ground_truth"]
)
def test_the_call_of_a_trainer(completions, references, column):
    reward = nlgauge.reward("chrf")
    prompts = [[{"role": "user", "content": "say it"}]] * len(completions)
    others = {
        "completion_ids": [[1, 2]] * 5,
        "trainer_state": object(),
        "log_extra": print,
        "log_metric": print,
        "difficulty": [1] * 5,
    }
    plain = SEVERAL if references is SEVERAL else REFERENCES
    assert reward(prompts=prompts, completions=completions, **{column: references}, **others) == reward(
        PREDICTIONS, plain
    )
    assert reward.__name__ == "chrf"
    assert not inspect.iscoroutinefunction(reward)


def test_of_a_chat_the_last_message_of_the_assistant_counts():
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "42"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "the "}, {"type": "image"}, {"type": "text", "text": "cat"}],
        },
        {"role": "tool", "content": "x"},
    ]
    em = nlgauge.reward("exact_match")
    assert em(completions=[messages], reference=["the cat"]) == [1.0]
    assert em(completions=[messages[:1]], reference=[""]) == [1.0]
    assert em(completions=[[{"role": "user", "content": "a"}]], reference=["a"]) == [1.0]


def test_the_column_that_was_named_is_read():
    reward = nlgauge.reward("exact_match", references="gold_text")
    assert reward(completions=["a"], gold_text=["a"], reference=["b"], references=["b"]) == [1.0]
    assert reward(["a"], ["a"]) == [1.0]
    copied = nlgauge.metric_from(
        lambda prediction, source: prediction == source, name="copied", needs="sources"
    )
    assert nlgauge.reward(copied)(completions=["a", "b"], source=["a", "c"]) == [1.0, 0.0]
    prompts = [[{"role": "user", "content": text}] for text in "ac"]
    assert nlgauge.reward(copied, sources="prompts")(completions=["a", "b"], prompts=prompts) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("options", "call", "message"),
    [
        (
            {},
            {"completions": ["a"], "prompts": ["x"], "label": ["a"]},
            "prompts, label.*nlgauge.rew",
        ),
        ({}, {"completions": ["a"]}, "reward.*references"),
        (
            {"references": "gold"},
            {"completions": ["a"], "answer": ["a"]},
            "column.*'gold'",
        ),
        (
            {},
            {"completions": ["a"], "answer": ["a"], "target": ["b"]},
            "answer.*references='target'",
        ),
        (
            {},
            {"references": ["a"]},
            "predictions.*TRL",
        ),
        ({}, {"predictions": ["a"], "completions": ["a"], "references": ["a"]}, "one of the two"),
        ({}, {"completions": ["a", "b"], "reference": ["a"]}, "references.*1.*2"),
        ({}, {"completions": [None], "reference": ["a"]}, r"predictions\[0\] is None"),
        ({}, {"completions": "a", "reference": ["a"]}, "predictions is one str"),
        (
            {},
            {"predictions": {"A": ["a"], "B": ["b"]}, "references": ["a"]},
            "predictions.*A, B",
        ),
    ],
)
def test_what_a_call_lacks_is_said(options, call, message):
    with pytest.raises(InputError, match=message):
        nlgauge.reward("chrf", **options)(**call)


def test_a_missing_source_is_told_how_to_be_the_prompt():
    with pytest.raises(InputError, match=r"needs sources.*sources='prompts'"):
        nlgauge.reward("js_divergence")(completions=["a"], prompts=["x"])


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("distinct", {}, "distinct.*score"),
        (["bleu", "chrf"], {}, "reward.*metric"),
        ("rouge", {"output": "rouge3"}, "rouge.*'rouge3'"),
        (
            "wer",
            {"scale": "unit"},
            "wer.*0.*0 and 1",
        ),
        ("density", {}, "values.*0 and 1"),
        ("density", {"scale": "unit"}, "no better direction"),
        ("chrf", {"scale": "0-1"}, "scale.*None, 'unit'"),
        ("chrf", {"scale": (1, 1)}, "scale must be None"),
        ("chrf", {"scale": (0, math.inf)}, "scale must be None"),
        ("cider", {}, "words.*references"),
        ("cosmic", {}, "cosmic.*predictions"),
        ("chrf", {"batch_size": 0}, "batch_size.*1"),
    ],
)
def test_what_cannot_be_a_reward_is_told_so_at_once(metric, options, message):
    with pytest.raises(ParameterError, match=message):
        nlgauge.reward(metric, **options)


@pytest.mark.parametrize("metric", ["cider", "nist"])
def test_what_is_fitted_is_fitted_on_the_training_set(metric):
    """On the whole set the rewards are the segment scores of a result; on a part of it they stay the
    same, batch by batch.
    """
    reward = nlgauge.reward(metric, fitted_on=REFERENCES)
    expected = segment_values(metric)
    assert reward(PREDICTIONS, REFERENCES) == expected
    assert reward(PREDICTIONS[:2], REFERENCES[:2]) == expected[:2]
    assert [
        row[metric] for row in rows_by_label(nlgauge.score(PREDICTIONS[:2], REFERENCES[:2], metrics=metric))
    ] != expected[:2]


def test_an_undefined_score_is_what_was_asked_for():
    metric = nlgauge.metric_from(
        lambda prediction, reference: None if prediction == "a dog" else 1, name="some"
    )
    assert nlgauge.reward(metric, undefined=-1.0)(PREDICTIONS, REFERENCES) == [1, -1, 1, 1, 1]
    assert math.isnan(nlgauge.reward(metric)(PREDICTIONS, REFERENCES)[1])


def test_no_predictions_have_no_rewards():
    assert nlgauge.reward("chrf")([], []) == nlgauge.reward("chrf")(completions=[], reference=[]) == []


def test_it_can_be_copied_and_pickled():
    reward = nlgauge.reward("chrf(word_order=2)", scale="unit")
    for again in (copy.deepcopy(reward), pickle.loads(pickle.dumps(reward))):
        assert again(PREDICTIONS, REFERENCES) == reward(PREDICTIONS, REFERENCES)
    assert repr(reward) == "<reward chrf(word_order=2)>"


def test_languages_are_looked_at_once():
    reward = nlgauge.reward("wer")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            reward(["你好吗世界"], ["你好啊世界"])
    assert ["no spaces between words" in str(warning.message) for warning in caught] == [True]


def test_an_error_of_a_function_names_the_segment():
    reward = nlgauge.reward(nlgauge.metric_from(lambda p, r: 1 / len(p), name="inverse"))
    with pytest.raises(MetricError, match="segment 2: inverse raised ZeroDivisionError"):
        reward(PREDICTIONS, REFERENCES)


@pytest.mark.parametrize("is_chat", [False, True])
def test_a_trainer_of_trl_trains_with_it(is_chat, tiny_models, tmp_path):
    trl, transformers, datasets = (pytest.importorskip(name) for name in ("trl", "transformers", "datasets"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_models["causal"])
    tokenizer.pad_token = tokenizer.eos_token
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    prompts = [[{"role": "user", "content": text}] if is_chat else text for text in ("the cat", "a dog")]
    rewards = [nlgauge.reward("chrf", scale="unit"), nlgauge.reward("wer", scale=(1, 0))]
    steps = {
        "max_steps": 1,
        "logging_steps": 1,
        "per_device_train_batch_size": 4,
        "num_generations": 2,
        "max_completion_length": 8,
    }
    trainer = trl.GRPOTrainer(
        model=transformers.AutoModelForCausalLM.from_pretrained(tiny_models["causal"]),
        reward_funcs=rewards,
        args=trl.GRPOConfig(
            str(tmp_path), use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True, **steps
        ),
        train_dataset=datasets.Dataset.from_dict(
            {"prompt": prompts, "reference": ["the cat sat", "a dog ran"]}
        ),
        processing_class=tokenizer,
    )
    trainer.train()
    logged = trainer.state.log_history[0]
    assert 0 <= logged["rewards/chrf/mean"] <= 1
    assert logged["rewards/wer/mean"] <= 1
