"""Ten million pairs in bounded memory, runs that are killed at random moments, and what peers need for the same: `python -m benchmarks.endurance`.

Texts are lines of the human-judgement sets, if NLGAUGE_BENCHMARKS names a directory that holds them, else made up; repeated with a word changed here
and there until there are enough. Seconds are those of the processor, memory is what was resident at the most, both as the system reports them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import nlgauge

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "ran", "home", "to", "see", "dog", "bird", "tree", "house", "river", "was", "not", "there"]
METRICS = ["bleu", "chrf", "rouge", "wer"]
# A peer that needs more than this is stopped.
_PEER_SECONDS, _PEER_BYTES = 240, 12 << 30


class Spent(NamedTuple):
    """What a command took."""

    code: int
    seconds: float
    wall: float
    megabytes: float


def spent(command: Sequence[str], limit: int | None = None, seconds: float | None = None) -> Spent:
    """Runs a command to its end, or until it takes too much."""
    started = time.monotonic()
    limited = ["prlimit", f"--as={limit}"] if limit and shutil.which("prlimit") else []
    process = subprocess.Popen([*limited, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    code = None
    while code is None:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
        elif seconds is not None and time.monotonic() - started > seconds:
            process.kill()
            seconds = None
        else:
            time.sleep(0.2)
    return Spent(code, usage.ru_utime + usage.ru_stime, time.monotonic() - started, usage.ru_maxrss / 1024)


def lines() -> list[list[str]]:
    """Some thousands of real lines, or of made-up ones."""
    if os.environ.get("NLGAUGE_BENCHMARKS"):
        from nlgauge.meta.benchmarks import load

        rows = load("wmt17_da_seg").rows
        return [row.references[0].split() for row in rows if row.references and 3 < len(row.references[0].split()) < 25]
    rng = random.Random(1)
    return [[rng.choice(WORDS) for _ in range(rng.randrange(6, 14))] for _ in range(20_000)]


def write_pairs(count: int, folder: Path) -> tuple[Path, Path]:
    """Two files of so many lines."""
    base = lines()
    references, predictions = folder / f"references-{count}.txt", folder / f"predictions-{count}.txt"
    with references.open("w", encoding="utf-8") as right, predictions.open("w", encoding="utf-8") as left:
        for i in range(count):
            words = list(base[i % len(base)])
            words[i // len(base) % len(words)] = str(i)
            right.write(" ".join(words) + "\n")
            words[i * 7 % len(words)] = "x"
            left.write(" ".join(words) + "\n")
    return references, predictions


def growth(counts: Sequence[int], folder: Path) -> None:
    """Time and memory of one command as the files grow."""
    print("| pairs | files | CPU seconds | wall | peak memory | result on disk |")
    print("| --- | --- | --- | --- | --- | --- |")
    for count in counts:
        references, predictions = write_pairs(count, folder)
        command = [sys.executable, "-m", "nlgauge", "score", "-q", "-m", *METRICS, "-r", str(references), str(predictions), "-o", str(folder / "out")]
        found = spent([*command, "--stream", "--overwrite"])
        size = sum(path.stat().st_size for path in (folder / "out").iterdir())
        given = references.stat().st_size + predictions.stat().st_size
        print(
            f"| {count:,} | {given / 1e6:,.0f} MB | {found.seconds:,.0f} | {found.wall:,.0f} | {found.megabytes:,.0f} MB | {size / 1e6:,.0f} MB |",
            flush=True,
        )


def peers(count: int, folder: Path) -> None:
    """What sacreBLEU and evaluate need for as many pairs."""
    references, predictions = write_pairs(count, folder)
    read = "predictions, references = ([line.rstrip() for line in open(path, encoding='utf-8')] for path in sys.argv[1:])"
    programs = {
        "sacreBLEU, bleu and chrf": [sys.executable, "-m", "sacrebleu", str(references), "-i", str(predictions), "-m", "bleu", "chrf", "-b"],
        "rouge-score, as evaluate calls it": [
            sys.executable,
            "-c",
            f"import sys; from rouge_score.rouge_scorer import RougeScorer; {read}\n"
            "scorer = RougeScorer(['rouge1', 'rouge2', 'rougeL', 'rougeLsum'])\n"
            "found = [scorer.score(r, p) for r, p in zip(references, predictions)]",
            str(predictions),
            str(references),
        ],
        "nlgauge, bleu, chrf, rouge and wer": [
            *[sys.executable, "-m", "nlgauge", "score", "-q", "-m", *METRICS, "-r", str(references), str(predictions)],
            *["-o", str(folder / "out"), "--stream", "--overwrite", "--no-intervals"],
        ],
    }
    print(f"\n| {count:,} pairs | CPU seconds | peak memory |\n| --- | --- | --- |")
    for name, command in programs.items():
        found = spent(command, _PEER_BYTES, _PEER_SECONDS)
        stopped = "" if found.code == 0 else f" (stopped, {'memory' if found.code > 0 else 'time'})"
        print(f"| {name} | {found.seconds:,.0f}{stopped} | {found.megabytes:,.0f} MB |", flush=True)


def kills(count: int, times: int, folder: Path, metrics: Sequence[str], options: Sequence[str]) -> None:
    """Kills a run again and again at random moments, and compares what it ends with."""
    references, predictions = write_pairs(count, folder)
    command = [sys.executable, "-m", "nlgauge", "score", "-q", "-m", *metrics, "-r", str(references), str(predictions), "--no-intervals", *options]
    whole = folder / "whole"
    took = spent([*command, "-o", str(whole), "--overwrite"])
    rng = random.Random(count)
    out = folder / "killed"
    killed = 0
    while killed < times:
        process = subprocess.Popen(
            [*command, "-o", str(out), "--resume"], start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            process.wait(rng.uniform(0.2, max(1.0, 0.6 * took.wall)))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
        if (out / "run.json").exists():
            _compare(out, whole)
            shutil.rmtree(out)
    subprocess.run([*command, "-o", str(out), "--resume"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _compare(out, whole)
    left = [path.name for path in folder.iterdir() if path.is_dir() and path.name not in ("out", "whole", "killed")]
    what = " ".join([*metrics, *options])
    print(f"{what}: killed {killed} times; every result is that of the run that was not killed; left over: {left or 'nothing'}", flush=True)
    shutil.rmtree(out)


def _compare(one: Path, other: Path) -> None:
    ours, theirs = nlgauge.load(one), nlgauge.load(other)
    for key, table in theirs.tables.items():
        for part, rows in table.statistics.items():
            assert np.array_equal(rows, ours.tables[key].statistics[part], equal_nan=True), (key, part)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="*", default=[1_000_000, 10_000_000], help="how many pairs (default: %(default)s)")
    parser.add_argument("--peers", type=int, default=1_000_000, help="pairs for peers, 0 for none (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=20, help="kills of each kind of run (default: %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="endurance-") as folder:
        if given.pairs:
            growth(given.pairs, Path(folder))
        if given.peers:
            peers(given.peers, Path(folder))
        if given.kills:
            print()
            kills(40_000, given.kills, Path(folder), ["bleu", "chrf"], ["--stream"])
            kills(20_000, given.kills, Path(folder), ["bleu", "chrf"], ["--jobs", "2"])
            kills(300, given.kills, Path(folder), ["bertscore(model='minilm')"], [])


if __name__ == "__main__":
    main()
