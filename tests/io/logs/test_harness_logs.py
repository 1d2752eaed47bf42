"""Logs of tools other than Inspect, written by the tests: fields, traps, incomplete files, newer versions."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from log_cases import helm_run, instance, promptfoo_document, promptfoo_result, write_json, write_lines

from nlgauge.errors import InputError
from nlgauge.io.logs import Log, own_score_differences, read_logs, segment_mean

TIME = "2026-11-17T10-35-56.143863"


def only(path: str, **options: Any) -> Log:
    [log] = read_logs(path, **options)
    return log


def line(item: int, **changes: Any) -> dict[str, Any]:
    return {
        "doc_id": item,
        "doc": {"q": f"question {item}", "level": 2, "choices": ["a"]},
        "target": "x",
        "arguments": {"gen_args_0": {"arg_0": f"prompt {item}"}},
        "resps": [["x"]],
        "filtered_resps": ["x"],
        "filter": "none",
        "metrics": ["wer"],
        "doc_hash": f"hash {item}",
        "wer": 0.5,
        **changes,
    }


def lm_eval_run(folder: Path, lines: list[dict[str, Any]], **changes: Any) -> str:
    results = {
        "results": {"speech": {"wer,none": 0.5}},
        "configs": {"speech": {"metric_list": [{"metric": "wer", "aggregation": "mean"}]}},
        "higher_is_better": {"speech": {"wer": False}},
        "config": {"model": "hf", "model_args": "pretrained=gpt2,dtype=float16"},
        "n-shot": {"speech": 0},
        "lm_eval_version": "0.4.13",
        "model_name": "gpt2",
        **changes,
    }
    write_json(folder / f"results_{TIME}.json", results)
    return write_lines(folder / f"samples_speech_{TIME}.jsonl", lines)


def test_direction_model_and_arguments_of_lm_eval(tmp_path: Path):
    log = only(lm_eval_run(tmp_path, [line(0), line(1)]))
    assert log.facts.columns["wer"].better == "lower"
    assert log.facts.columns["wer"].high == math.inf
    assert (log.facts.system, log.facts.task) == ("gpt2", "speech")
    assert log.facts.details == {"pretrained": "gpt2", "dtype": "float16"}
    assert own_score_differences(log) == []
    assert log.rows[0].fields == {"doc.q": "question 0", "doc.level": 2}
    assert log.rows[0].digest == "hash 0"


def test_filters_of_lm_eval_are_scores_of_one_row(tmp_path: Path):
    lines = [line(i, filter=name, wer=i + (name == "b")) for name in "ab" for i in range(3)]
    log = only(lm_eval_run(tmp_path, lines))
    assert [row.scores for row in log.rows] == [{"wer.a": float(i), "wer.b": i + 1.0} for i in range(3)]
    assert {row.repeat for row in log.rows} == {1}


def test_corpus_metrics_of_lm_eval_are_named_and_not_read(tmp_path: Path):
    lines = [line(i, metrics=["wer", "chrf"], chrf=["Paris", "lol"]) for i in range(2)]
    log = only(lm_eval_run(tmp_path, lines))
    assert list(log.facts.columns) == ["wer"]
    assert any(note.startswith("chrf is a corpus metric") for note in log.facts.notes)


def test_a_score_that_lm_eval_did_not_write_is_absent(tmp_path: Path):
    without = line(1)
    del without["wer"]
    log = only(
        lm_eval_run(
            tmp_path, [line(0), without, line(2, wer=math.nan), line(3, filtered_resps=[" "], wer=None)]
        )
    )
    assert [row.missing for row in log.rows] == [{}, {"wer": "absent"}, {"wer": "absent"}, {"wer": "empty"}]


def test_another_aggregation_of_lm_eval_is_named(tmp_path: Path):
    config = {"speech": {"metric_list": [{"metric": "wer", "aggregation": "perplexity"}]}}
    log = only(lm_eval_run(tmp_path, [line(0)], results={"speech": {"wer,none": 7.0}}, configs=config))
    assert own_score_differences(log) == [
        "wer: lm-evaluation-harness reports 7.0000, the mean over segments is 0.5000 (its aggregation is"
        " 'perplexity'); intervals and tests are about the latter."
    ]


def test_lm_eval_without_results_or_samples(tmp_path: Path):
    path = lm_eval_run(tmp_path, [line(0)])
    (tmp_path / f"results_{TIME}.json").rename(tmp_path / "results_other.json")
    log = only(path)
    assert log.facts.system == tmp_path.name
    assert any("no results_TIME.json" in note for note in log.facts.notes)
    with pytest.raises(InputError, match="has no files of samples"):
        read_logs(str(tmp_path / "results_other.json"))


def test_older_lines_of_lm_eval_have_no_list_of_metrics(tmp_path: Path):
    old = {**line(0), "arguments": [["old prompt", {}]], "acc_norm": 1.0}
    del old["metrics"]
    del old["filter"]
    log = only(lm_eval_run(tmp_path, [old, old | {"doc_id": 1}]))
    assert log.rows[0].scores == {"wer": 0.5, "acc_norm": 1.0}
    assert log.rows[0].source == "old prompt"
    assert (log.facts.columns["acc_norm"].low, log.facts.columns["acc_norm"].high) == (0, 1)


def test_lines_that_were_cut_off(tmp_path: Path):
    path = Path(lm_eval_run(tmp_path, [line(i, target="é") for i in range(3)]))
    data = path.read_bytes()
    for end in range(data.rindex(b"{", 0, data.rindex(b"doc_id")) + 1, len(data) - 1):
        path.write_bytes(data[:end])
        log = only(str(path))
        assert (log.facts.status, len(log.rows), log.facts.own_scores) == ("truncated", 2, {})
    path.write_bytes(data[:-1])  # only the line feed is missing
    assert only(str(path)).facts.status == "success"


def test_a_newer_version_of_lm_eval_has_a_note(tmp_path: Path):
    lines = [line(0), {**line(1), "resps": "changed"}]
    log = only(lm_eval_run(tmp_path, lines, lm_eval_version="0.5.0"))
    assert len(log.rows) == 1
    assert "newer than 0.4.13" in " ".join(log.facts.notes)
    assert "1 row of 2 could not be read" in " ".join(log.facts.notes)
    with pytest.raises(InputError, match=r"line 2: Expected `array`.*resps.*tested with lm_eval 0.4.13"):
        read_logs(lm_eval_run(tmp_path, lines))


def test_repeats_of_promptfoo_are_not_segments(tmp_path: Path):
    results = [
        promptfoo_result(testIdx=i, vars={"land": land}) for i, land in enumerate(["A", "B", "A", "B"])
    ]
    log = only(write_json(tmp_path / "a.json", promptfoo_document(results)))
    assert len({row.item for row in log.rows}) == 2
    assert [row.repeat for row in log.rows] == [1, 1, 2, 2]
    other = only(
        write_json(
            tmp_path / "b.json",
            promptfoo_document([promptfoo_result(vars={"land": "A"}, testCase={"description": "other"})]),
        )
    )
    assert other.rows[0].item not in {row.item for row in log.rows}


def test_the_score_of_an_error_of_promptfoo_is_not_read(tmp_path: Path):
    failed = promptfoo_result(
        failureReason=2, score=0, success=False, namedScores={}, response={"error": "503"}, error="503"
    )
    wrong = promptfoo_result(
        failureReason=1, score=0, success=False, namedScores={"correct": 0}, error="not Paris"
    )
    log = only(write_lines(tmp_path / "a.jsonl", [failed, wrong]))
    assert log.rows[0].scores == {}
    assert log.rows[0].missing == dict.fromkeys(("score", "pass", "correct"), "error")
    assert log.rows[0].fields["error"] == "503"
    assert log.rows[1].scores == {"score": 0, "pass": 0, "correct": 0}
    assert log.facts.columns["pass"].kind == "binary"


def test_an_answer_of_promptfoo_may_be_an_object(tmp_path: Path):
    log = only(write_lines(tmp_path / "a.jsonl", [promptfoo_result(response={"output": {"a": 1}})] * 2))
    assert log.rows[0].prediction == '{"a":1}'


def test_a_document_of_promptfoo_that_was_cut_off(tmp_path: Path):
    prompts = [{"raw": "Say {{land}}", "metrics": {"score": 3, "testPassCount": 3}}]
    results = [promptfoo_result(vars={"land": str(i)}) for i in range(3)]
    text = json.dumps(promptfoo_document(results, prompts))
    path = tmp_path / "a.json"
    for end in range(text.index('"failureReason"') + 20, len(text)):
        path.write_text(text[:end], "utf-8")
        log = only(str(path))
        assert (log.facts.status, log.facts.own_scores) == ("truncated", {})
        assert 1 <= len(log.rows) <= 3
    path.write_text(text, "utf-8")
    assert only(str(path)).facts.own_scores == {"score": 1.0, "pass": 1.0}


def test_scores_outside_of_their_bounds_have_no_bounds(tmp_path: Path):
    log = only(write_lines(tmp_path / "a.jsonl", [promptfoo_result(score=7), promptfoo_result()]))
    assert log.facts.columns["score"].high == math.inf
    assert log.facts.columns["correct"].high == 1
    assert any("the value 7 is outside of 0 to 1" in note for note in log.facts.notes)


def deepeval_run(**changes: Any) -> dict[str, Any]:
    case = {"input": "Where?", "actualOutput": "Here", "expectedOutput": "There"}
    metric = {"name": "Overlap", "success": True, "score": 0.75, "reason": "three words"}
    failed = {"name": "Overlap", "success": False, "error": "no JSON"}
    return {
        "testCases": [{**case, "metricsData": [metric]}, {**case, "metricsData": [failed]}],
        "conversationalTestCases": [],
        "metricsScores": [{"metric": "Overlap", "scores": [0.75], "passes": 1, "fails": 0, "errors": 1}],
        "hyperparameters": {"model": "m", "prompt": "v1"},
        **changes,
    }


def test_deepeval_cases_without_names_are_repeats_by_input(tmp_path: Path):
    log = only(write_json(tmp_path / "a.json", deepeval_run()), passes=True)
    assert len({row.item for row in log.rows}) == 1
    assert [row.repeat for row in log.rows] == [1, 2]
    assert log.rows[1].missing == {"Overlap": "unreadable", "Overlap.pass": "unreadable"}
    assert own_score_differences(log) == []
    assert log.rows[0].fields["Overlap.explanation"] == "three words"
    latest = only(
        write_json(tmp_path / ".latest_test_run.json", {"testRunData": deepeval_run()}), passes=True
    )
    assert latest.rows == log.rows


def test_conversations_of_deepeval(tmp_path: Path):
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    case = {"name": "talk", "turns": turns, "metricsData": [{"name": "Kind", "score": 1.0}]}
    log = only(write_json(tmp_path / "a.json", deepeval_run(testCases=[], conversationalTestCases=[case])))
    assert (log.rows[0].source, log.rows[0].prediction, log.rows[0].scores) == ("Hi", "Hello", {"Kind": 1})


def test_a_document_of_deepeval_that_was_cut_off(tmp_path: Path):
    text = json.dumps(deepeval_run())
    (tmp_path / "a.json").write_text(text[: text.index("no JSON")], "utf-8")
    log = only(str(tmp_path / "a.json"))
    assert (log.facts.status, len(log.rows)) == ("truncated", 1)


def test_columns_of_ragas(tmp_path: Path):
    (tmp_path / "gpt.csv").write_text(
        "user_input,retrieved_contexts,response,reference,faithfulness,tone\n"
        "A?,['x'],one,One,0.5,kind\n"
        "B?,['x'],,Two,,rude\n"
        "A?,['x'],three,One,,kind\n"
        "C?,['x'],four,Four,nan,kind\n",
        "utf-8",
    )
    log = only(str(tmp_path / "gpt.csv"))
    assert log.facts.system == "gpt"
    assert list(log.facts.columns) == ["faithfulness"]  # a text is no number
    assert [row.repeat for row in log.rows] == [1, 1, 2, 1]
    assert [row.prediction for row in log.rows] == ["one", "", "three", "four"]
    assert [row.missing.get("faithfulness") for row in log.rows] == [
        None,
        "empty",
        "unreadable",
        "unreadable",
    ]


def test_frames_of_ragas_as_parquet(tmp_path: Path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"user_input": ["A?", "B?"], "response": ["a", "b"], "score": [1.0, math.nan]})
    parquet.write_table(table, tmp_path / "a.parquet")
    log = only(str(tmp_path / "a.parquet"))
    assert [row.scores for row in log.rows] == [{"score": 1.0}, {}]
    assert log.rows[1].missing == {"score": "unreadable"}


def test_tables_of_mlflow(tmp_path: Path):
    columns = ["question", "outputs", "judged/score", "judged/justification", "latency", "token"]
    data = [
        ["A?", "x", 1.0, "good", 0.5, None],
        ["B?", " ", None, "none", 0.25, None],
        ["C?", "z", None, None, 1, None],
    ]
    log = only(write_json(tmp_path / "a.json", {"columns": columns, "data": data}))
    assert list(log.facts.columns) == ["judged", "latency"]
    assert [row.item for row in log.rows] == ["0", "1", "2"]  # the table has no column "inputs"
    assert [row.missing for row in log.rows] == [{}, {"judged": "empty"}, {"judged": "absent"}]
    assert log.rows[0].fields == {"judged.explanation": "good"}


def test_frames_of_mlflow_genai(tmp_path: Path):
    def record(question: str, value: Any, **changes: Any) -> dict[str, Any]:
        feedback = {"value": value} if value is not None else {"error": {"error_code": "X"}}
        assessments = [
            {"assessment_name": "safe", "feedback": feedback, "rationale": "calm"},
            {"assessment_name": "facts", "expectation": {"value": 3}},
        ]
        return {
            "trace_id": f"tr-{question}",
            "state": "OK",
            "request": {"question": question},
            "response": "r",
            "safe/value": value,
            "facts/value": 3,
            "expected_response/value": "e",
            "assessments": assessments,
            **changes,
        }

    records = [
        record("A", True),
        record("B", None),
        record("C", None, state="ERROR", assessments=[]),
        record("A", False),
    ]
    log = only(write_json(tmp_path / "a.json", records))
    assert list(log.facts.columns) == ["safe"]  # expectations are no scores
    assert log.facts.columns["safe"].kind == "binary"
    assert [row.scores.get("safe") for row in log.rows] == [1, None, None, 0]
    assert [row.missing.get("safe") for row in log.rows] == [None, "unreadable", "error", None]
    assert [row.repeat for row in log.rows] == [1, 1, 1, 2]
    assert log.rows[0].fields["safe.explanation"] == "calm"
    assert log.rows[0].references == ["e"]


def test_a_run_of_helm(tmp_path: Path):
    log = only(
        helm_run(tmp_path / "mmlu:subject=law,model=openai_gpt2", {"id1": 1.0, "id2": 0.0, "id3": 0.0})
    )
    assert (log.facts.system, log.facts.task) == ("openai/gpt2", "mmlu:subject=law")
    assert list(log.facts.columns) == ["exact_match"]  # without bookkeeping and statistics with count 0
    assert own_score_differences(log) == []
    assert log.facts.own_scores == {"exact_match": pytest.approx(1 / 3)}
    row = log.rows[0]
    assert (row.source, row.references, row.prediction) == ("question id1", ["right"], " D")
    assert row.fields == {"split": "test", "seconds": 0.5}
    assert any("num_prompt_tokens" in note for note in log.facts.notes)


def test_further_statistics_of_helm(tmp_path: Path):
    log = only(helm_run(tmp_path / "run", {"id1": 1.0}), scores=["num_prompt_tokens"])
    assert log.rows[0].scores == {"exact_match": 1.0, "num_prompt_tokens": 40.0}


def test_trials_perturbations_and_failures_of_helm(tmp_path: Path):
    name = {"name": "exact_match", "split": "test"}

    def stats(item: str, mean: float, trial: int = 0, **changes: Any) -> dict[str, Any]:
        statistic = {"name": {**name, **changes}, "count": 1, "mean": mean}
        return {"instance_id": item, "train_trial_index": trial, "stats": [statistic], **changes}

    instances = [
        stats("a", 1.0),
        stats("a", 0.0, 1),
        stats("a", 0.0, perturbation={"name": "typos"}),
        stats("b", 0.0),
        {"instance_id": "c", "train_trial_index": 0, "stats": []},
    ]
    states = [
        {
            "instance": {"id": item, "input": {"text": item}},
            "train_trial_index": 0,
            "result": {"success": success},
        }
        for item, success in (("a", True), ("b", False))
    ]
    path = helm_run(
        tmp_path / "run",
        {"a": 1.0},
        **{"per_instance_stats.json": instances, "scenario_state.json": {"request_states": states}},
    )
    log = only(path)
    assert [(row.item, row.repeat, row.scores) for row in log.rows] == [
        ("a", 1, {"exact_match": 1}),
        ("a", 2, {"exact_match": 0}),
        ("b", 1, {}),
        ("c", 1, {}),
    ]
    assert [row.missing.get("exact_match") for row in log.rows] == [None, None, "error", "absent"]
    assert any("1 perturbed instance" in note for note in log.facts.notes)


def test_splits_of_helm_count_by_their_segments(tmp_path: Path):
    folder = tmp_path / "run"
    helm_run(folder, {"a": 1.0, "b": 1.0, "c": 0.0})
    state = json.loads((folder / "scenario_state.json").read_text("utf-8"))
    state["request_states"][2]["instance"]["split"] = "valid"
    write_json(folder / "scenario_state.json", state)
    means = [
        {"name": {"name": "exact_match", "split": split}, "count": 1, "mean": mean}
        for split, mean in (("test", 1.0), ("valid", 0.0))
    ]
    write_json(folder / "stats.json", means)
    log = only(str(folder))
    assert log.facts.own_scores == {"exact_match": pytest.approx(2 / 3)}
    assert own_score_differences(log) == []


def test_a_run_of_helm_without_texts(tmp_path: Path):
    absent = {"scenario_state.json": None, "run_spec.json": None, "stats.json": None}
    log = only(helm_run(tmp_path / "run", {"id1": 1.0}, **absent))
    assert (log.facts.system, log.rows[0].prediction, log.facts.own_scores) == ("run", None, {})
    assert any("no scenario_state.json" in note for note in log.facts.notes)


def test_instances_of_every_eval_ever(tmp_path: Path):
    lines = [instance("1", 1.0), instance("2", 0.0), instance("2", 1.0), instance("3", 0.0, error="timeout")]
    path = write_lines(tmp_path / "x_samples.jsonl", lines)
    config = {"lower_is_better": False, "min_score": 0, "max_score": 1}
    result = {"evaluation_name": "gsm8k", "metric_config": config, "score_details": {"score": 0.75}}
    write_json(tmp_path / "x.json", {"schema_version": "0.3.0", "evaluation_results": [result]})
    log = only(path)
    assert (log.facts.system, log.facts.task, log.facts.version) == ("org/m", "gsm8k", "0.3.0")
    assert [row.repeat for row in log.rows] == [1, 1, 2, 1]
    assert [row.scores.get("score") for row in log.rows] == [1, 0, 1, None]
    assert log.rows[3].missing == {"score": "error", "is_correct": "error"}
    assert own_score_differences(log) == []
    assert (log.facts.columns["score"].low, log.facts.columns["score"].high) == (0, 1)
    assert log.facts.columns["is_correct"].kind == "binary"
    row = log.rows[0]
    assert (row.source, row.references, row.prediction, row.digest) == ("question 1", ["4"], "four", "hash 1")
    assert row.fields == {"subject": "sums", "input_tokens": 3, "output_tokens": 1, "latency_ms": 12.5}


def test_models_and_results_of_every_eval_ever_are_separate(tmp_path: Path):
    lines = [
        instance("1", 1.0, evaluation_result_id="f1"),
        instance("1", 0.5, evaluation_result_id="em"),
        instance("1", 0.0, model_id="other/m"),
        instance(
            "1", 0.0, evaluation_name="mmlu", output=None, messages=[{"role": "assistant", "content": "end"}]
        ),
    ]
    first, other, mmlu = read_logs(write_lines(tmp_path / "x_samples.jsonl", lines))
    assert [row.scores for row in first.rows] == [
        {"f1.score": 1.0, "f1.is_correct": 1.0, "em.score": 0.5, "em.is_correct": 0.0}
    ]
    assert (other.facts.system, mmlu.facts.task, mmlu.rows[0].prediction) == ("other/m", "mmlu", "end")


def test_every_eval_ever_of_other_versions_and_cut_off(tmp_path: Path):
    old = instance("1", None, schema_version="instance_level_eval_0.2.2")
    log = only(write_lines(tmp_path / "a.jsonl", [old, instance("2", 0.75)]))
    assert log.facts.version == "0.2.2"
    assert log.rows[0].missing == {"score": "absent", "is_correct": "absent"}
    new = [instance("1", 1.0, schema_version="1.0"), {**instance("2", 1.0), "evaluation": []}]
    path = Path(write_lines(tmp_path / "b.jsonl", new))
    notes = " ".join(only(str(path)).facts.notes)
    assert "version 1.0 of every_eval_ever, newer than 0.3.0" in notes
    assert "1 row of 2 could not be read" in notes
    path = Path(write_lines(tmp_path / "c.jsonl", [instance("1", 1.0), instance("2", 1.0)]))
    path.write_bytes(path.read_bytes()[:-40])
    assert (only(str(path)).facts.status, len(only(str(path)).rows)) == ("truncated", 1)


def test_one_line_is_enough(tmp_path: Path):
    assert segment_mean(only(write_lines(tmp_path / "a.jsonl", [instance("1", 0.5)])).rows, "score") == 0.5
    assert math.isnan(segment_mean([], "score"))


def test_a_second_value_of_a_segment_of_helm_is_noted(tmp_path: Path):
    def stats(item: str, mean: float) -> dict[str, Any]:
        name = {"name": "exact_match", "split": "test"}
        values = [{"name": name, "count": 1, "sum": mean, "mean": mean}]
        return {"instance_id": item, "train_trial_index": 0, "stats": values}

    instances = [stats("id1", 1.0), stats("id1", 0.0), stats("id2", 1.0), stats("id2", 1.0)]
    log = only(helm_run(tmp_path / "run", {"id1": 1.0, "id2": 1.0}, **{"per_instance_stats.json": instances}))
    assert [row.scores["exact_match"] for row in log.rows] == [0.0, 1.0]
    assert "exact_match: 1 segment has several values; the last is read." in log.facts.notes
