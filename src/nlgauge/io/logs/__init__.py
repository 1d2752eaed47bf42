"""Readers of logs of evaluation harnesses: rows with scores, and facts about each run.

    inspect           Inspect: .eval and .json files, also of runs that did not end
    lm_eval           lm-evaluation-harness: samples_TASK_TIME.jsonl next to results_TIME.json
    promptfoo         promptfoo: -o out.json or -o out.jsonl
    deepeval          deepeval: test_run_TIME.json
    ragas             ragas: the frame of a result as CSV, JSON lines or Parquet
    mlflow            MLflow: eval_results_table.json, or the frame of mlflow.genai.evaluate
    helm              HELM: the directory of a run
    every_eval_ever   Every Eval Ever: NAME_samples.jsonl next to NAME.json

The content of a file determines its reader. Nothing in a log is executed, unpickled or written to disk; archives are
unpacked in memory with limits, and JSON that is nested more than 200 levels deep is an error.
"""

from nlgauge.io.logs.own_scores import own_score_differences, segment_mean
from nlgauge.io.logs.readers import READERS, read_logs
from nlgauge.io.logs.rows import Log, LogFacts, LogRow, ScoreColumn
from nlgauge.io.logs.systems import tasks_of

__all__ = [
    "READERS",
    "Log",
    "LogFacts",
    "LogRow",
    "ScoreColumn",
    "own_score_differences",
    "read_logs",
    "segment_mean",
    "tasks_of",
]
