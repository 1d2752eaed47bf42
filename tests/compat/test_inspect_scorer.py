"""The scorer for Inspect: with the package where it is installed, else with a stand-in that has the few
names it reads.
"""

from __future__ import annotations

import asyncio
import importlib.util
import math
import sys
from types import ModuleType, SimpleNamespace

import pytest

import nlgauge
from nlgauge.compat import inspect_ai as ours
from nlgauge.errors import InputError, MissingExtraError, ParameterError

ANSWERS = {"say it": "the cat sat", "again": "a dog"}
TARGETS = {"say it": ["the cat slept", "the cat sat"], "again": ["my dog"]}
undefined_for_dogs = nlgauge.metric_from(lambda p, r: None if "dog" in p else 1.0, name="cats")


@pytest.fixture
def stand_in(monkeypatch):
    """What the scorer reads of Inspect."""
    ours._registered.cache_clear()
    scoring, solving = ModuleType("inspect_ai.scorer"), ModuleType("inspect_ai.solver")
    scoring.Score = lambda value, answer: SimpleNamespace(value=value, answer=answer)
    scoring.Scorer = scoring.Target = solving.TaskState = object
    scoring.mean, scoring.stderr = (lambda: "mean"), (lambda: "stderr")
    scoring.scorer = lambda metrics: lambda function: setattr(function, "metrics", metrics) or function
    for name, module in (
        ("inspect_ai", ModuleType("inspect_ai")),
        ("inspect_ai.scorer", scoring),
        ("inspect_ai.solver", solving),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    yield
    ours._registered.cache_clear()


def scores_of(text, *arguments, **options):
    state = SimpleNamespace(output=SimpleNamespace(completion=ANSWERS[text]), input_text=text)
    return asyncio.run(ours.nlgauge_scorer(*arguments, **options)(state, TARGETS[text]))


@pytest.mark.usefixtures("stand_in")
def test_a_sample_is_scored_against_all_its_targets_on_the_metrics_own_scale():
    found = scores_of("say it", ["chrf", "wer", "bleu(max_order=2)"])
    assert found.value == {"chrf": 100.0, "wer": 0.0, "bleu(max_order=2)": pytest.approx(100)}
    assert found.answer == "the cat sat"
    assert scores_of("again", "wer").value == {"wer": 0.5}
    assert scores_of("say it", "wer", reduce_fn="mean").value == {"wer": pytest.approx(1 / 6)}
    assert ours.nlgauge_scorer.metrics == {"*": ["mean", "stderr"]}


@pytest.mark.usefixtures("stand_in")
def test_sources_and_undefined_scores():
    read = nlgauge.metric_from(lambda prediction, source: source == "again", name="read", needs="sources")
    assert scores_of("again", [read]).value == {"read": 1.0}
    assert math.isnan(scores_of("again", undefined_for_dogs).value["cats"])
    with pytest.raises(ParameterError, match=r"distinct.*score"):
        ours.nlgauge_scorer("distinct")
    with pytest.raises(InputError, match=r"wer.*reference"):
        asyncio.run(
            ours.nlgauge_scorer("wer")(
                SimpleNamespace(output=SimpleNamespace(completion="a"), input_text="b"), []
            )
        )


def test_without_inspect_the_module_can_be_imported_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai.scorer", None)
    ours._registered.cache_clear()
    with pytest.raises(MissingExtraError, match=r'nlgauge_scorer.*inspect_ai.*"nlgauge\[inspect\]\"'):
        ours.nlgauge_scorer  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'scorer'"):
        ours.scorer  # noqa: B018


@pytest.mark.skipif(importlib.util.find_spec("inspect_ai") is None, reason="needs inspect_ai")
@pytest.mark.filterwarnings("default")
def test_inspect_evaluates_with_it(tmp_path):
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer._scorer import scorer_create
    from inspect_ai.solver import solver

    ours._registered.cache_clear()

    @solver
    def answer():
        async def solve(state, generate):
            state.output = ModelOutput.from_content("none", ANSWERS[state.input_text])
            return state

        return solve

    samples = [Sample(input=text, target=targets) for text, targets in TARGETS.items()]
    task = Task(
        dataset=samples, solver=answer(), scorer=ours.nlgauge_scorer(["chrf", "wer", undefined_for_dogs])
    )
    (log,) = evaluate(task, model="mockllm/model", display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    found = {score.name: score for score in log.results.scores}
    assert found["wer"].metrics["mean"].value == 0.25
    assert found["cats"].metrics["mean"].value == 1.0
    assert found["chrf"].metrics["stderr"].value > 0
    assert log.samples[0].scores["nlgauge_scorer"].answer == "the cat sat"
    scorer_create("nlgauge/nlgauge_scorer", metrics="bleu")
