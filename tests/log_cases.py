"""Logs of harnesses that tests write, and real logs in shared/ beside the repository.

Real logs are looked for in the folder NLGAUGE_LOGS, else in shared/spec/decisions/samples beside the repository; tests
that need one are skipped without it.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get("NLGAUGE_LOGS")
    or Path(__file__).resolve().parents[2] / "shared" / "spec" / "decisions" / "samples"
)


def sample_log(pattern: str) -> str:
    """Return the only real log of a pattern, or skip the test."""
    paths = sorted(FOLDER.glob(pattern))
    if not paths:
        pytest.skip(f"{pattern} is not in {FOLDER}; set NLGAUGE_LOGS to the folder that has the samples")
    [path] = paths
    return str(path)


def write_lines(path: Path, rows: Iterable[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def write_json(path: Path, value: Any, **options: Any) -> str:
    path.write_text(json.dumps(value, **options), "utf-8")
    return str(path)


def inspect_header(**changes: Any) -> dict[str, Any]:
    run = {"task": "capitals", "model": "m", "packages": {"inspect_ai": "0.3.285"}, **changes.pop("eval", {})}
    return {"version": 2, "status": "success", "eval": run, **changes}


def inspect_sample(item: str, value: Any, epoch: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "id": item,
        "epoch": epoch,
        "input": f"question {item}",
        "target": "yes",
        "output": {"completion": f"answer {item}"},
        "scores": {"match": {"value": value}},
        "events": [{"event": "state", "data": {"deep": [1, 2]}}],
        **changes,
    }


def write_archive(path: Path, members: Mapping[str, Any], method: int = zipfile.ZIP_DEFLATED) -> str:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return str(path)


def write_eval(
    path: Path,
    samples: Iterable[dict[str, Any]],
    header: dict[str, Any] | None = None,
    method: int = zipfile.ZIP_DEFLATED,
) -> str:
    """Write an Inspect log as its programs do: the start of the run, the samples, the header."""
    header = inspect_header() if header is None else header
    members = {"_journal/start.json": {"version": 2, "eval": header["eval"]}}
    members |= {f"samples/{each['id']}_epoch_{each.get('epoch', 1)}.json": each for each in samples}
    return write_archive(path, {**members, "header.json": header}, method)


def helm_run(folder: Path, scores: Mapping[str, float], **changes: Any) -> str:
    """Write the directory of a HELM run with one score for each instance."""
    folder.mkdir()
    name = {"name": "exact_match", "split": "test"}
    tokens = {"name": "num_prompt_tokens", "split": "test"}
    instances = [
        {
            "instance_id": item,
            "train_trial_index": 0,
            "stats": [
                {"name": name, "count": 1, "sum": score, "mean": score},
                {"name": tokens, "count": 1, "mean": 40.0},
                {"name": {"name": "f1_score", "split": "test"}, "count": 0},
            ],
        }
        for item, score in scores.items()
    ]
    states = [
        {
            "instance": {
                "id": item,
                "split": "test",
                "input": {"text": f"question {item}"},
                "references": [
                    {"output": {"text": "right"}, "tags": ["correct"]},
                    {"output": {"text": "wrong"}, "tags": []},
                ],
            },
            "train_trial_index": 0,
            "request": {"prompt": "long"},
            "result": {"success": True, "completions": [{"text": " D", "logprob": 0.0}], "request_time": 0.5},
        }
        for item in scores
    ]
    mean = sum(scores.values()) / len(scores)
    run = {
        "name": "mmlu:subject=law,model=openai_gpt2",
        "adapter_spec": {"model": "openai/gpt2", "method": "generation", "temperature": 0.0},
        "metric_specs": [],
    }
    files = {
        "per_instance_stats.json": instances,
        "scenario_state.json": {"adapter_spec": {}, "request_states": states},
        "run_spec.json": run,
        "stats.json": [{"name": name, "count": 1, "mean": mean}],
        **changes,
    }
    for file, value in files.items():
        if value is not None:
            write_json(folder / file, value)
    return str(folder)


def promptfoo_result(**changes: Any) -> dict[str, Any]:
    return {
        "provider": {"id": "p", "label": "model-a"},
        "prompt": {"raw": "Say Paris", "label": "short"},
        "promptIdx": 0,
        "testIdx": 0,
        "vars": {"land": "France", "want": "Paris"},
        "testCase": {"description": "fr"},
        "namedScores": {"correct": 1},
        "score": 1,
        "success": True,
        "response": {"output": "Paris"},
        "failureReason": 0,
        **changes,
    }


def promptfoo_document(
    results: list[dict[str, Any]], prompts: Iterable[dict[str, Any]] = ()
) -> dict[str, Any]:
    return {
        "evalId": "e",
        "results": {"version": 3, "prompts": list(prompts), "results": results, "stats": {}},
        "config": {"description": "capitals"},
        "metadata": {"promptfooVersion": "0.121.20"},
    }


def instance(item: str, score: float | None, **changes: Any) -> dict[str, Any]:
    """Return a line of Every Eval Ever."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "gsm8k/m/1",
        "model_id": "org/m",
        "evaluation_name": "gsm8k",
        "sample_id": item,
        "sample_hash": f"hash {item}",
        "interaction_type": "single_turn",
        "input": {"raw": f"question {item}", "reference": ["4"], "formatted": None},
        "output": {"raw": ["four"], "reasoning_trace": []},
        "messages": None,
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": None if score is None else score > 0.5},
        "token_usage": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
        "performance": {"latency_ms": 12.5},
        "error": None,
        "metadata": {"subject": "sums"},
        **changes,
    }
