"""Real logs of six tools: their scores equal the numbers that each tool printed."""

from __future__ import annotations

import pytest
from log_cases import sample_log

from nlgauge.io.logs import Log, own_score_differences, read_logs, segment_mean, tasks_of

A, B = "inspect/*Y4wy*.eval", "inspect/*MBcr*.eval"


def only(pattern: str, **options: object) -> Log:
    [log] = read_logs(sample_log(pattern), **options)  # type: ignore[arg-type]
    return log


def means(log: Log) -> dict[str, float]:
    return {name: segment_mean(log.rows, name) for name in log.facts.columns}


@pytest.mark.parametrize("pattern", [A, B, "inspect/*.json.gz"])
def test_inspect_scores_are_those_of_inspect(pattern: str):
    log = only(pattern)
    assert log.facts.own_scores.keys() == {"match", "details.words", "details.polite", "unsure"}
    assert means(log) == pytest.approx(log.facts.own_scores, abs=1e-12)
    assert own_score_differences(log) == []
    assert (log.facts.tool, log.facts.version, log.facts.task) == ("inspect", "0.3.285", "capitals")
    assert log.facts.status == "success"
    assert len(log.rows) == 12
    assert {row.repeat for row in log.rows} == {1, 2}


def test_the_mean_over_epochs_of_inspect_is_reproduced():
    log = only(A)
    assert log.facts.own_scores["match"] == 0.5
    assert segment_mean(log.rows, "match") == 0.5
    # "N" is 0 and "P" is 0.5.
    assert log.facts.own_scores["unsure"] == pytest.approx(13 / 24)


def test_an_archive_and_a_document_of_inspect_have_the_same_rows():
    archive, document = only(A), only("inspect/*.json.gz")
    for log in (archive, document):
        for row in log.rows:
            row.fields.pop("seconds")
    assert archive.rows == document.rows
    assert archive.facts.columns == document.facts.columns
    first = archive.rows[0]
    assert first.source == "What is the capital of France?"
    assert first.references == ["Paris"]
    assert first.fields["region"] == "Europe"
    assert first.fields["details.explanation"] == "counted"
    assert first.scores == {"match": 0.0, "details.words": 14.0, "details.polite": 0.0, "unsure": 0.0}


def test_systems_of_inspect_are_named_after_the_differing_fact():
    tasks = tasks_of(read_logs([sample_log(A), sample_log(B)]))
    assert list(tasks) == ["capitals"]
    assert [log.facts.system for log in tasks["capitals"]] == [
        "mockllm/model prompt_version=a",
        "mockllm/model prompt_version=b",
    ]
    assert tasks["capitals"][1].rows[0].system == "mockllm/model prompt_version=b"


def test_scores_of_lm_eval_by_task_and_filter():
    logs = read_logs(sample_log("lm_eval/dummy/results_*.json"))
    assert [log.facts.task for log in logs] == ["tiny_gen", "tiny_mc"]
    for log in logs:
        assert means(log) == log.facts.own_scores
        assert own_score_differences(log) == []
        assert len(log.rows) == 4  # not one row per filter
        assert log.facts.version == "0.4.13"
    generation, choice = logs
    assert list(generation.facts.columns) == ["exact_match.first", "exact_match.vote"]
    assert generation.rows[0].prediction == "lol"
    assert generation.rows[0].source == "Capital of France?"
    assert generation.rows[0].fields == {
        "doc.q": "Capital of France?",
        "doc.a": "Paris",
        "doc.topic": "Europe",
    }
    assert any("chrf is a corpus metric" in note for note in generation.facts.notes)
    assert means(choice) == {"acc": 0.5, "acc_norm": 0.5}
    assert choice.rows[0].prediction is None


def test_a_file_of_samples_that_its_results_name_too_is_read_once():
    logs = read_logs(
        [sample_log("lm_eval/dummy/results_*.json"), sample_log("lm_eval/dummy/samples_tiny_mc_*.jsonl")]
    )
    assert [log.facts.task for log in logs] == ["tiny_gen", "tiny_mc"]


@pytest.mark.parametrize("pattern", ["promptfoo/out.json.gz", "promptfoo/out.jsonl"])
def test_promptfoo_has_three_segments_with_two_repeats(pattern: str):
    logs = read_logs(sample_log(pattern), references="want")
    assert [log.facts.system for log in logs] == [
        "model-a short",
        "model-a long",
        "model-b short",
        "model-b long",
    ]
    for log in logs:
        assert len({row.item for row in log.rows}) == 3
        assert sorted(row.repeat for row in log.rows) == [1, 1, 1, 2, 2, 2]
    failed = [row for row in logs[2].rows if row.fields["land"] == "Peru"]
    assert [row.scores for row in failed] == [{}, {}]
    assert set(failed[0].missing) == {"score", "pass", "correct", "brevity"}
    assert set(failed[0].missing.values()) == {"error"}
    assert failed[0].references == ["Lima"]
    # An empty answer has the score of its assertions.
    blank = next(row for row in logs[2].rows if row.fields["land"] == "Italy")
    assert (blank.prediction, blank.scores["score"], blank.missing) == ("", 0.5, {})


def test_promptfoo_scores_are_those_of_promptfoo_except_for_errors():
    for log in read_logs(sample_log("promptfoo/out.json.gz")):
        own, ours = log.facts.own_scores, means(log)
        assert ours["correct"] == pytest.approx(own["correct"], abs=1e-12)
        assert ours["brevity"] == pytest.approx(own["brevity"], abs=1e-12)
        share = 4 / 6 if log.facts.system.startswith("model-b") else 1  # two of six answers are errors
        assert ours["score"] * share == pytest.approx(own["score"], abs=1e-12)
        assert ours["pass"] * share == pytest.approx(own["pass"], abs=1e-12)
        differences = own_score_differences(log)
        assert len(differences) == (0 if share == 1 else 2)
        assert all("counts 2 errors of the provider as 0" in sentence for sentence in differences)


def test_prompts_that_differ_between_systems_are_no_sources():
    [task] = tasks_of(read_logs(sample_log("promptfoo/out.json.gz"))).values()
    assert {row.source for log in task for row in log.rows} == {None}
    assert {"Lima", "I think that it is Lima, but please look it up."} <= {
        row.fields["prompt"] for log in task for row in log.rows
    }


def test_a_failed_metric_of_deepeval_has_no_score():
    log = only("deepeval/*.json", passes=True)
    assert means(log) == pytest.approx(
        {**log.facts.own_scores, "Overlap.pass": 0.5, "Fragile [GEval].pass": 2 / 3}, abs=1e-12
    )
    assert log.facts.own_scores == pytest.approx({"Overlap": 0.5, "Fragile [GEval]": 2 / 3})
    assert own_score_differences(log) == []
    third = log.rows[2]
    assert third.scores == {"Overlap": 0.0, "Overlap.pass": 0.0}
    assert third.missing == {"Fragile [GEval]": "unreadable", "Fragile [GEval].pass": "unreadable"}
    assert third.prediction == ""
    assert "invalid JSON" in third.fields["Fragile [GEval].error"]
    assert (log.facts.system, third.item, third.fields["region"]) == ("stub-1", "capital-2", "other")
    assert list(only("deepeval/*.json").facts.columns) == ["Overlap", "Fragile [GEval]"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_ragas_means_are_those_that_ragas_printed(suffix: str):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    log = only(f"ragas/result.{suffix}")
    assert means(log) == {"exact_match": 0.5, "non_llm_string_similarity": 0.5, "faithfulness": 0.75}
    blank = log.rows[2]
    assert (blank.prediction, blank.missing) == ("", {"faithfulness": "empty"})
    assert log.facts.system == "result"


def test_tables_of_mlflow():
    log = only("mlflow/eval_results_table.json")
    assert means(log) == {"judged": 0.5}
    assert log.rows[2].missing == {"judged": "empty"}
    assert log.rows[1].fields == {"judged.explanation": "wrong"}
    assert (log.rows[1].source, log.rows[1].references, log.rows[1].prediction) == (
        "Capital of Italy?",
        ["Rome"],
        "Milan",
    )


def test_frame_of_mlflow_genai():
    log = only("mlflow/genai_result_df.json")
    assert means(log) == pytest.approx({"exact": 1 / 3, "length": 10 / 3})
    assert log.facts.columns["exact"].kind == "binary"
    assert log.rows[0].references == ["Paris"]
    assert log.rows[0].prediction == "Paris"
