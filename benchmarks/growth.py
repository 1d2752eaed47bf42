"""Growth of results with the number of segments: saving, loading, bytes on disk, resamples and the report.

python -m benchmarks.growth [--segments 1000000] [--report 100000]

Every step runs in a new process, on texts that are repeated with other words. The memory of a step is its peak above
the peak of the process before it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.__main__ import run
from benchmarks.worker import peak_megabytes
from benchmarks.workloads import l1, l3

_METRICS = ["bleu", "chrf", "wer"]
_RESAMPLES = (1_000, 4_000)
_RESAMPLED_SEGMENTS = 2_000


def spent(step: Callable[[], Any]) -> dict[str, float]:
    """CPU seconds and megabytes of a step."""
    memory, started = peak_megabytes(), time.process_time()
    step()
    return {"cpu": time.process_time() - started, "rss": peak_megabytes() - memory}


def save(segments: int, folder: Path) -> dict[str, float]:
    """Score segments and save the result; report only the saving."""
    import nlgauge

    texts = l3(segments)
    result = nlgauge.Scorer(_METRICS)(texts.predictions, texts.references)
    found = spent(lambda: result.save(folder))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    characters = sum(map(len, texts.predictions)) + sum(len(text) for (text,) in texts.references)
    return {**found, "bytes": size / segments, "characters": characters / segments}


def load(segments: int, folder: Path) -> dict[str, float]:
    """Load a saved result."""
    import nlgauge

    nlgauge.Scorer(_METRICS)(["a b"], ["a c"])
    return spent(lambda: nlgauge.load(folder))


def scores(segments: int, folder: Path) -> dict[str, float]:
    """Compute the score of each metric of a loaded result."""
    import nlgauge

    result = nlgauge.load(folder)
    return spent(lambda: [result[label]["score"] for label in _METRICS])


def report(segments: int, folder: Path) -> dict[str, float]:
    """Write the report of three systems."""
    import nlgauge

    texts, draw = l3(segments), random.Random(1)
    systems = {
        f"system {drop}": [
            " ".join(word for word in text.split() if draw.random() > drop / 10) or text
            for text in texts.predictions
        ]
        for drop in range(3)
    }
    result = nlgauge.Scorer(_METRICS)(systems, texts.references)
    path = folder / "report.html"
    return {**spent(lambda: result.report(path)), "bytes": path.stat().st_size / segments}


def resample(resamples: int, folder: Path) -> dict[str, float]:
    """Compute intervals of BLEU and chrF."""
    import nlgauge

    texts = l1(_RESAMPLED_SEGMENTS)
    result = nlgauge.Scorer(["bleu", "chrf"])(texts.predictions, texts.references)
    result.intervals(resamples=10)
    return spent(lambda: result.intervals(resamples=resamples))


_STEPS = {"save": save, "load": load, "scores": scores, "report": report, "resample": resample}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--segments", type=int, default=1_000_000, help="segments that are saved and loaded")
    parser.add_argument("--report", type=int, default=100_000, help="segments of the report")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        name, count, folder = given.step
        json.dump(_STEPS[name](int(count), Path(folder)), sys.stdout)
        return
    print("| step | CPU s | MB | bytes per segment |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            (f"save, {given.segments:,} segments", "save", given.segments),
            (f"load, {given.segments:,} segments", "load", given.segments),
            (f"scores of the loaded result, {given.segments:,} segments", "scores", given.segments),
            (f"report, 3 systems, {given.report:,} segments", "report", given.report),
            *((f"intervals, {count:,} resamples", "resample", count) for count in _RESAMPLES),
        ]
        for title, name, count in rows:
            place = Path(folder, "report" if name == "report" else "result")
            if name == "report":
                place.mkdir()
            found = run("benchmarks.growth", "--step", name, str(count), str(place))
            if "error" in found:
                print(f"| {title} | {found['error']} | | |", flush=True)
                continue
            size = f"{found['bytes']:.0f}" if "bytes" in found else ""
            if "characters" in found:
                size += f", of which {found['characters']:.0f} characters of texts"
            print(f"| {title} | {found['cpu']:.2f} | {found['rss']:.0f} | {size} |", flush=True)


if __name__ == "__main__":
    main()
