"""Long work that can be stopped and continued, and the correlations that all studies print."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau, pearsonr, spearmanr

MEASURES = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}


def resumable(path: Path, signature: str, ids: Iterable[str], compute: Callable[[str], Any]) -> dict[str, Any]:
    """id -> what `compute` gave, from a file to which one line per id is added; a file with another signature is refused."""
    done: dict[str, Any] = {}
    if path.exists():
        # A line that was cut while it was written is computed again.
        whole = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        head, *lines = [json.loads(line) for line in whole]
        if head["signature"] != signature:
            raise SystemExit(f"{path} holds another run ({head['signature']}); move it away, or run what it holds")
        done = {line["id"]: line["value"] for line in lines}
        path.write_text("".join(whole), encoding="utf-8")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"signature": signature}) + "\n", encoding="utf-8")
    ids = list(ids)
    missing = [one for one in ids if one not in done]
    started = time.monotonic()
    for count, one in enumerate(missing):
        if count:
            left = (time.monotonic() - started) / count * (len(missing) - count)
            print(f"\r{path.stem}: {len(ids) - len(missing) + count} of {len(ids)}, {left / 60:.0f} min left ", end="", file=sys.stderr, flush=True)
        done[one] = compute(one)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"id": one, "value": done[one]}) + "\n")
    if missing:
        print(file=sys.stderr)
    return {one: done[one] for one in ids}


def system_level(metric: np.ndarray, human: np.ndarray, measure: str) -> float:
    """The correlation of the systems' means; both (systems, segments)."""
    return _correlation(np.nanmean(metric, axis=1), np.nanmean(human, axis=1), measure)


def text_level(metric: np.ndarray, human: np.ndarray, measure: str) -> float:
    """The mean over segments of the correlation over systems; segments where one side is constant are left out."""
    found = [_correlation(metric[:, i], human[:, i], measure) for i in range(metric.shape[1])]
    return float(np.nanmean(found)) if np.isfinite(found).any() else float("nan")


def interval(metric: np.ndarray, human: np.ndarray, level: Callable[..., float], measure: str, resamples: int = 1000) -> tuple[float, float]:
    """The middle 95 % over resamples of systems and of segments, both with replacement."""
    rng = np.random.default_rng(12345)
    found = []
    for _ in range(resamples):
        systems = rng.integers(metric.shape[0], size=metric.shape[0])
        segments = rng.integers(metric.shape[1], size=metric.shape[1])
        found.append(level(metric[np.ix_(systems, segments)], human[np.ix_(systems, segments)], measure))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def table(header: list[str], lines: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    body = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *body])


def columns(values: Mapping[str, Mapping[str, Mapping[str, float]]], systems: list[str], output: str) -> np.ndarray:
    """(systems, segments) of one output, from segment -> system -> outputs."""
    return np.array([[by_system.get(system, {}).get(output, np.nan) for by_system in values.values()] for system in systems], dtype=float)


def _correlation(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    # Equal up to rounding is constant.
    if len(x) < 3 or np.ptp(x) <= 1e-12 * np.abs(x).max(initial=0) or np.ptp(y) == 0:
        return float("nan")
    return float(MEASURES[measure](x, y)[0])
