"""The call forms of other libraries: the thesis' figures as printed, NLG-Metricverse and Jury, evaluate,
torchmetrics, bert-score.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.compat import nlgmetricverse as nmv
from nlgauge.compat.nlgmetricverse import (
    DataLoaderStrategies,
    Jury,
    MetricForLanguageGeneration,
    MetricForNLG,
    NLGMetricverse,
    load_metric,
)
from nlgauge.engine.executors import Serial
from nlgauge.errors import InputError, ParameterError, UnknownMetricError

preds = ["the cat is on the mat", "hello there", ""]
refs = ["the cat sat on the mat", "hello their", "something"]


class CustomMetric(MetricForNLG):
    """Figure 3.6: says which method was reached, and with what."""

    def _compute_single_pred_single_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        return {"score": 11.0, "got": [preds, refs], "reduce": reduce_fn, "given": kwargs}

    def _compute_single_pred_multi_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        return {"score": 12.0, "got": [preds, refs], "reduce": reduce_fn, "given": kwargs}

    def _compute_multi_pred_multi_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        return {"score": 22.0, "got": [preds, refs], "reduce": reduce_fn, "given": kwargs}


class OneReference(MetricForNLG):
    def _compute_single_pred_single_ref(self, preds: Any, refs: Any, reduce_fn: Any = None) -> float:
        return float(np.mean([a == b for a, b in zip(preds, refs, strict=True)]))


# --- the thesis' figures


def test_figure_3_3() -> None:
    scorer = NLGMetricverse(metrics=["bleu", "rouge"], run_concurrent=True)
    score = scorer(preds, refs)  # reduce_fn
    expected = nlgauge.score(preds, refs, metrics=["bleu", "rouge"])
    assert score["bleu"]["score"] == expected["bleu"]["score"]
    assert score["rouge"]["rouge2"] == expected["rouge"]["rouge2"]


def test_figure_3_3_with_a_model(tiny_models: dict[str, Path]) -> None:
    model = load_metric(
        "bertscore", compute_kwargs={"model_type": str(tiny_models["encoder"]), "num_layers": 2, "lang": "en"}
    )
    score = NLGMetricverse(metrics=[model, "bleu"], run_concurrent=True)(preds, refs)
    expected = nlgauge.score(
        preds, refs, metrics={"path": "bertscore", "model": str(tiny_models["encoder"]), "layer": 2}
    )
    assert score["bertscore"]["score"] == pytest.approx(next(iter(expected.values()))["f1"], abs=1e-6)


def test_figure_3_4() -> None:
    metrics = [
        load_metric("bleu", resulting_name="bleu_1", compute_kwargs={"max_order": 1}),
        load_metric("bleu", resulting_name="bleu_2", compute_kwargs={"max_order": 2}),
        load_metric("rouge"),
    ]
    scorer = NLGMetricverse(metrics=metrics)
    score = scorer(preds, refs)
    expected = nlgauge.score(preds, refs, metrics=["bleu(max_order=1)", "bleu(max_order=2)", "rouge"])
    assert (
        score["bleu_1"]["score"]
        == expected["bleu(max_order=1)"]["score"]
        != score["bleu_2"]["score"]
        == expected["bleu(max_order=2)"]["score"]
    )
    assert score["rouge"]["score"] == expected["rouge"]["score"]
    # The same list works in our own call.
    assert nlgauge.score(preds, refs, metrics=metrics)["bleu_1"]["score"] == score["bleu_1"]["score"]


MANY_REFS = [["a cat", "the cat"], ["hello"], ["x", "y", "z"]]
MANY_PREDS = [["the cat is here", "a cat"], ["hello there"], [""]]


@pytest.mark.parametrize("how", ["class", "instance", "ours", "compute"])
@pytest.mark.parametrize(
    ("predictions", "references", "score"),
    [
        (preds, refs, 11.0),
        (preds, MANY_REFS, 12.0),
        (MANY_PREDS, MANY_REFS, 22.0),
        (preds, [[ref] for ref in refs], 11.0),
    ],
)
def test_figure_3_6(how: str, predictions: list[Any], references: list[Any], score: float) -> None:
    if how == "ours":
        found = nlgauge.score(predictions, references, metrics=CustomMetric())["CustomMetric"]
    elif how == "compute":
        found = CustomMetric.construct().compute(predictions=predictions, references=references)[
            "CustomMetric"
        ]
    else:
        found = NLGMetricverse(metrics=CustomMetric if how == "class" else [CustomMetric()])(
            predictions, references
        )["CustomMetric"]
    assert found["score"] == score
    assert found["got"] == [
        predictions,
        [ref for (ref,) in references] if score == 11.0 and references is not refs else references,
    ]


def test_a_custom_metric_beside_others_gets_what_the_call_gives() -> None:
    metric = CustomMetric(resulting_name="mine", compute_kwargs={"a": 1})
    found = NLGMetricverse(metrics=["bleu", metric])(preds, MANY_REFS, reduce_fn="max", b=2)
    assert found["mine"]["given"] == {"a": 1, "b": 2}
    assert found["mine"]["reduce"]([1, 3, 2]) == 3
    assert metric.compute_kwargs == {"a": 1}
    assert NLGMetricverse(metrics=metric)(preds, MANY_REFS, reduce_fn=min)["mine"]["reduce"] is min
    assert NLGMetricverse(metrics=metric)(preds, refs)["mine"]["reduce"] is None


def test_a_custom_metric_in_our_own_calls_gets_the_rule_of_reduction() -> None:
    for rule, expected in ((min, min), ("max", np.max), ("best", None), (None, None)):
        result = nlgauge.score(preds, MANY_REFS, metrics=CustomMetric(resulting_name="mine"), reduce_fn=rule)
        assert result["mine"]["reduce"] is expected
        assert result.add(CustomMetric(resulting_name="later"))["later"]["reduce"] is expected
        assert ("|reduce:" in result.signatures["mine"]) == (expected is not None)


def test_a_custom_metric_may_return_a_number_or_numpy() -> None:
    class Numpy(MetricForLanguageGeneration):
        def _compute_single_pred_single_ref(
            self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
        ) -> Any:
            return {"score": np.float32(0.5), "all": np.array([1, 2])}

    assert NLGMetricverse(OneReference)(preds, preds)["OneReference"]["score"] == 1.0
    found = Numpy().compute(preds, refs)["Numpy"]
    assert found == {"score": 0.5, "all": [1, 2]}
    assert type(found["score"]) is float


def test_a_custom_metric_without_the_method_says_so() -> None:
    with pytest.raises(
        InputError,
        match=(r"OneReference.*_compute_single_pred_multi_ref"),
    ):
        NLGMetricverse(OneReference)(preds, MANY_REFS)
    with pytest.raises(InputError, match="_compute_multi_pred_multi_ref"):
        NLGMetricverse(OneReference)(MANY_PREDS, MANY_REFS)
    with pytest.raises(InputError, match="needs references"):
        NLGMetricverse(OneReference)(preds)


def test_a_custom_metric_that_returns_nothing_is_an_error() -> None:
    class Forgot(MetricForNLG):
        def _compute_single_pred_single_ref(
            self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
        ) -> Any:
            return None

    with pytest.raises(ParameterError, match="returned None"):
        Forgot().compute(preds, refs)


def test_a_custom_metric_may_do_without_references() -> None:
    class Length(CustomMetric):
        takes = "alone"

    assert NLGMetricverse(Length)(preds)["Length"]["got"] == [preds, None]


def test_a_result_with_a_custom_metric_is_saved_compared_and_given_intervals(tmp_path: Path) -> None:
    class Bleu(OneReference):  # a name that the registry knows too
        pass

    result = nlgauge.score({"A": preds, "B": refs}, refs, metrics=[Bleu(resulting_name="mine"), "wer"])
    assert np.isnan(result.intervals()["A"]["mine"]["score"].low)
    assert np.isnan(result.compare("A", "B")["mine"].p)
    loaded = nlgauge.load(result.save(tmp_path / "out"))
    assert loaded["B"]["mine"]["score"] == 1.0
    assert loaded.signatures == result.signatures


# --- what a call returns


def test_the_returned_dictionary() -> None:
    given = [list(preds), list(refs)]
    score = NLGMetricverse(metrics=["wer", "exact_match"])(*given)
    assert list(score) == ["total_items", "empty_items", "total_time_elapsed", "wer", "exact_match"]
    assert type(score) is dict
    assert (score["total_items"], score["empty_items"]) == (3, 1)
    assert score["wer"]["score"] == 3 / 9  # the empty prediction counts
    assert 0 <= score["wer"]["time_elapsed"] <= score["total_time_elapsed"]
    assert given == [preds, refs]


def test_a_segment_is_empty_where_all_its_predictions_are() -> None:
    assert NLGMetricverse("bleu")([["", " \n"], ["", "a"]], [["x"], ["y"]])["empty_items"] == 1


@pytest.mark.parametrize("call", ["__call__", "compute", "evaluate"])
def test_positional_and_keyword_calls_agree(call: str) -> None:
    scorer = Jury(metrics="chrf")
    many = [[ref, "the cat"] for ref in refs]
    method = getattr(scorer, call)
    expected = nlgauge.score(preds, many, metrics="chrf", reduce_fn="min")["chrf"]["score"]
    assert method(preds, many, "min")["chrf"]["score"] == expected
    assert (
        method(
            predictions=preds,
            references=many,
            reduce_fn="min",
            strategy=DataLoaderStrategies.OneRecordPerLine,
        )["chrf"]["score"]
        == expected
    )
    assert method(preds, many)["chrf"]["score"] != expected


def test_metrics_in_every_form() -> None:
    forms: list[Any] = [
        {"path": "bleu", "resulting_name": "bleu_1", "task": None, "compute_kwargs": {"max_order": 1}},
        {"path": "bleu", "resulting_name": "bleu_lower", "lowercase": True},
        "sacrebleu",
        "chrf(word_order=2)",
        load_metric("chrf++"),
        nlgauge.compat.nlgmetricverse.Wer.construct(),
        CustomMetric,
    ]
    score = NLGMetricverse(metrics=forms)(preds, refs)
    assert list(score)[3:] == [
        "bleu_1",
        "bleu_lower",
        "sacrebleu",
        "chrf(word_order=2)",
        "chrf++",
        "wer",
        "CustomMetric",
    ]
    assert score["chrf++"]["score"] == score["chrf(word_order=2)"]["score"]
    assert (
        list(NLGMetricverse(metrics="bleu").metrics)
        == list(NLGMetricverse(metrics=load_metric("bleu")).metrics)
        == ["bleu"]
    )
    assert list(NLGMetricverse().metrics) == ["bleu", "chrf", "rouge"]


def test_sources_and_predictions_alone() -> None:
    assert NLGMetricverse("distinct")(["a b", "a c"])["distinct"]["score"] == 0.75
    with pytest.raises(InputError, match="needs sources"):
        NLGMetricverse("shannon")(preds)
    with pytest.raises(InputError, match="sources has 1 item but"):
        NLGMetricverse("bleu")(preds, refs, sources=["one"])


def test_other_spellings_of_parameters_work_in_every_call_form():
    texts = {"predictions": ["The cat. runs"], "references": ["the cat. run"]}
    assert nmv.load_metric("bleu", compute_kwargs={"tok": "char"}).compute(**texts) == {
        "bleu": nmv.load_metric("bleu", tokenizer="char").compute(**texts)["bleu"]
    }
    assert nlgauge.score(**texts, metrics={"path": "em", "ignore_case": True}).labels == (
        "exact_match(lowercase=True)",
    )
    both = NLGMetricverse(metrics=["bleu", "ter"])(**texts, ignore_case=True)
    assert both["ter"]["score"] == pytest.approx(100 / 3)


def test_parameters_at_the_call_go_where_they_belong() -> None:
    scorer = NLGMetricverse(metrics=["bleu", "wer", {"path": "rouge", "rouge_types": ["rouge1"]}])
    score = scorer(preds, refs, max_order=1, lowercase=True)
    expected = nlgauge.score(
        preds,
        refs,
        metrics=["bleu(max_order=1, lowercase=True)", "wer(lowercase=True)", "rouge(rouge_types=['rouge1'])"],
    )
    for label, outputs in zip(("bleu", "wer", "rouge"), expected.values(), strict=True):
        assert {name: score[label][name] for name in outputs} == outputs
    assert scorer(preds, refs)["bleu"]["score"] != score["bleu"]["score"]  # the scorer itself is unchanged
    assert scorer(preds, refs, rouge_types=["rouge2"])["rouge"].keys() >= {"rouge2"}
    with pytest.raises(
        ParameterError,
        match=r"'max_oder'.*'max_order'",
    ):
        scorer(preds, refs, max_oder=1)


def test_the_language_changes_the_tokenizer_and_not_the_label() -> None:
    score = NLGMetricverse("bleu")(["猫坐在垫子上"], ["猫坐在垫子上面"], lang="zh")
    assert (
        score["bleu"]["score"]
        == nlgauge.score(["猫坐在垫子上"], ["猫坐在垫子上面"], metrics="bleu", lang="zh")["bleu"]["score"]
        > 0
    )
    assert score["bleu"]["time_elapsed"] > 0
    loaded = load_metric("bleu", compute_kwargs={"lang": "zh"})
    assert loaded.compute(["猫坐在垫子上"], ["猫坐在垫子上面"])["bleu"]["score"] == score["bleu"]["score"]
    with pytest.raises(ParameterError, match="scorer"):
        NLGMetricverse([loaded, load_metric("chrf", compute_kwargs={"lang": "en"})])


def test_adding_and_removing_metrics() -> None:
    scorer = NLGMetricverse("bleu")
    scorer.add_metric("chrf", resulting_name="characters", compute_kwargs={"char_order": 2})
    scorer.add_metric(CustomMetric())
    scorer.remove_metric("bleu")
    assert list(scorer(preds, refs))[3:] == ["characters", "CustomMetric"]
    scorer.remove_metric("bleu", error=False)
    with pytest.raises(ParameterError, match=r"'characterz'.*'characters'"):
        scorer.remove_metric("characterz")
    with pytest.raises(ParameterError, match=r"metrics.*'characters'"):
        scorer.add_metric("bleu", resulting_name="characters")
    scorer.remove_metric("characters")
    scorer.remove_metric("CustomMetric")
    with pytest.raises(ParameterError, match=r"no metrics.*add_metric"):
        scorer(preds, refs)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: NLGMetricverse("blue"), UnknownMetricError, "did you mean 'bleu'"),
        (lambda: NLGMetricverse(3), ParameterError, "metrics must be"),
        (lambda: NLGMetricverse([3]), ParameterError, "a name, a Metric.*got 3"),
        (lambda: load_metric("bleu", compute_kwargs={"n": 1}), ParameterError, "bleu.*'n'"),
        (lambda: load_metric("bleu", task="sequence-classification"), ParameterError, "language-generation"),
        (
            lambda: NLGMetricverse("bleu")("folder", "other"),
            InputError,
            "predictions is 'folder'.*file",
        ),
        (lambda: NLGMetricverse("bleu")(preds, Path("other")), InputError, "paths.*lists"),
        (lambda: NLGMetricverse("bleu")(preds, refs, strategy="line"), ParameterError, "strategy must be"),
        (lambda: NLGMetricverse("bleu")({"A": preds}, refs), InputError, "use nlgauge.score"),
        (lambda: nmv.Blue, AttributeError, "Blue"),
    ],
)
def test_mistakes_are_answered(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# --- one metric at a time


def test_bounds() -> None:
    assert nmv.get_metric_bounds("bleu") == NLGMetricverse.get_metric_bounds("bleu") == (100, 0)
    assert nmv.get_metric_bounds("wer") == (float("inf"), 0)


def test_class_names_and_auto_metric() -> None:
    from nlgauge.compat.nlgmetricverse import Bertscore, Bleu, ExactMatch

    expected = nlgauge.score(preds, [[ref] for ref in refs], metrics="bleu(max_order=2)")["bleu"]
    found = Bleu.construct(resulting_name="b", compute_kwargs={"max_order": 2}).compute(
        predictions=preds, references=refs, reduce_fn="max"
    )
    assert found == {"b": expected}
    assert nmv.AutoMetric.load("bleu", max_order=2).compute(preds, refs) == {"bleu": expected}
    assert NLGMetricverse.load_metric("bleu").compute(preds, refs, max_order=2) == {"bleu": expected}
    assert ExactMatch.construct().compute(preds, preds)["exact_match"]["score"] == 1.0
    assert Bertscore.construct(idf=True)["compute_kwargs"] == {"idf": True}


def write_custom(directory: Path, main: str) -> Path:
    directory.mkdir()
    (directory / f"{directory.name}.py").write_text(
        "from nlgauge.compat.nlgmetricverse import MetricForNLG\n"
        f"__main_class__ = {main!r}\n"
        "class Same(MetricForNLG):\n"
        "    def _compute_single_pred_single_ref(self, preds, refs, reduce_fn=None, factor=1, **kwargs):\n"
        "        return {'score': factor * sum(a == b for a, b in zip(preds, refs))}\n",
        encoding="utf-8",
    )
    return directory


def test_a_metric_from_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = write_custom(tmp_path / "same", "Same")
    assert load_metric(str(directory)).compute(preds, preds) == {"Same": {"score": 3}}
    metric = load_metric(directory, resulting_name="twice", compute_kwargs={"factor": 2})
    assert NLGMetricverse(metric)(preds, preds)["twice"]["score"] == 6
    assert (
        NLGMetricverse([{"path": str(directory), "resulting_name": "thrice", "factor": 3}])(preds, preds)[
            "thrice"
        ]["score"]
        == 9
    )
    monkeypatch.chdir(tmp_path)
    write_custom(tmp_path / "bleu", "Same")
    assert load_metric("bleu").compute(preds, preds)["bleu"].keys() > {
        "precision1"
    }  # a known name is never a directory
    with pytest.raises(UnknownMetricError, match="__main_class__"):
        load_metric(write_custom(tmp_path / "wrong", "Other"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnknownMetricError, match=r"no empty\.py"):
        load_metric(tmp_path / "empty")


SCRIPT = """
from nlgauge.compat.nlgmetricverse import NLGMetricverse
preds = ["the cat is on the mat %d" % i for i in range(3000)]
refs = ["the cat sat on the mat %d" % (i % 7) for i in range(3000)]
metrics = ["bleu", "chrf", "wer", "distinct"]
one, two = (NLGMetricverse(metrics=metrics, run_concurrent=concurrent)(preds, refs) for concurrent in (False, True))
same = all(one[m][k] == two[m][k] for m in metrics for k in one[m] if k != "time_elapsed")
print(same, two["total_items"], two["bleu"]["time_elapsed"] > 0)
"""


def test_concurrent_means_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []

    class Recorded(Serial):
        def map(self, *arguments: Any) -> Any:
            used.append(self)
            return super().map(*arguments)

    monkeypatch.setattr("nlgauge.engine.executors.processes.Processes", Recorded)
    NLGMetricverse("bleu")(preds, refs)
    assert not used
    NLGMetricverse("bleu", run_concurrent=True)(preds, refs)
    assert used


def test_concurrent_from_a_plain_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout.split() == ["True", "3000", "True"], done.stderr


@pytest.mark.parametrize("name", sorted(set(nmv.__all__) - set(nlgauge.__all__)))
def test_the_root_package_says_where_a_name_lives(name: str) -> None:
    use = f"module 'nlgauge' has no attribute '{name}'; use: from nlgauge.compat.nlgmetricverse import {name}"
    with pytest.raises(AttributeError) as error:
        getattr(nlgauge, name)
    assert str(error.value) == use
    assert getattr(nmv, name).__name__ in (name, "MetricForNLG", "NLGMetricverse", "list_metrics")
