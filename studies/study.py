"""Long work that can be stopped and continued, and the correlations that all studies print."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.meta.coefficients import coefficient
from nlgauge.meta.intervals import percentile
from nlgauge.meta.levels import at_level
from nlgauge.meta.replicates import replicates
from nlgauge.meta.resampling import Draws

MEASURES = ("pearson", "spearman", "kendall")


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
    # Of all texts that have a score, also where a person did not judge one.
    return at_level(coefficient(measure), "system", metric, human, whole=np.nanmean(metric, axis=1)).value


def text_level(metric: np.ndarray, human: np.ndarray, measure: str) -> float:
    """The mean over segments of the correlation over systems; segments where one side is constant are left out."""
    return at_level(coefficient(measure), "input", metric, human).value


def interval(metric: np.ndarray, human: np.ndarray, level: Callable[..., float], measure: str, resamples: int = 1000) -> tuple[float, float]:
    """The middle 95 % over resamples of systems and of segments, both with replacement."""
    rng = np.random.default_rng(12345)
    systems, segments = (np.empty((resamples, size)) for size in metric.shape)
    for i in range(resamples):
        for counts in (systems, segments):
            size = counts.shape[1]
            counts[i] = np.bincount(rng.integers(size, size=size), minlength=size)
    drawn = replicates(coefficient(measure), {system_level: "system", text_level: "input"}[level], metric, human, Draws(systems, segments, "both"))
    found = percentile(drawn)
    return found.low, found.high


def table(header: list[str], lines: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    body = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *body])


def columns(values: Mapping[str, Mapping[str, Mapping[str, float]]], systems: list[str], output: str) -> np.ndarray:
    """(systems, segments) of one output, from segment -> system -> outputs."""
    return np.array([[by_system.get(system, {}).get(output, np.nan) for by_system in values.values()] for system in systems], dtype=float)
