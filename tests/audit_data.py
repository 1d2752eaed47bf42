"""Verdicts of two judges on LLMBar in both orders, with labels of people and numbers of other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

_DATA = json.loads((Path(__file__).parent / "data" / "judge_audit.json").read_text("utf-8"))
JUDGES = ("ChatGPT.Vanilla", "GPT-4.Vanilla")


def expected(judge: str) -> dict[str, Any]:
    """Return the numbers of other programs."""
    return _DATA[judge]["expected"]


def column(judge: str, name: str) -> np.ndarray:
    """Return human labels, verdicts, verdicts on exchanged texts, or log ratios of lengths."""
    values = _DATA[judge][name]
    return np.array(list(map(int, values)) if isinstance(values, str) else values, dtype=float)


def few_labels(judge: str) -> np.ndarray:
    """Return the labels of 100 drawn items; the others are missing."""
    labels = np.full(len(_DATA[judge]["human"]), np.nan)
    drawn = _DATA[judge]["labeled"]
    labels[drawn] = column(judge, "human")[drawn]
    return labels


def records(judge: str, labels: np.ndarray | None = None) -> list[dict[str, Any]]:
    """Return one record per item; missing labels are None."""
    data = _DATA[judge]
    labels = column(judge, "human") if labels is None else labels
    return [
        {
            "id": f"item{i}",
            "verdict": int(data["judge"][i]),
            "swapped": int(data["swapped"][i]),
            "label": None if np.isnan(labels[i]) else int(labels[i]),
            "ratio": data["log_length_ratio"][i],
            "subset": data["subsets"][int(data["subset"][i])],
        }
        for i in range(len(data["human"]))
    ]
