"""Ten million pairs in bounded memory, what peers need for the same, runs that are killed at random moments,
and a run that is known by heart: `python -m benchmarks.endurance`. Exit code 1 where a bound does not hold.

Texts are lines of the human-judgment sets, if NLGAUGE_BENCHMARKS names a directory that holds them, else
made up; repeated with a word changed here and there until there are enough. Seconds are those of the
processor, memory is what was resident at the most, both as the system reports them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.kills import KINDS, kills

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "and",
    "ran",
    "home",
    "to",
    "see",
    "dog",
    "bird",
    "tree",
    "house",
    "river",
    "was",
    "not",
    "there",
]
METRICS = ["bleu", "chrf", "rouge", "wer"]
# A peer that needs more than this is stopped.
_PEER_SECONDS, _PEER_BYTES = 120, 12 << 30
# What is promised: peak memory, the time of ten times the pairs, and the wall time of a run whose rows are
# all cached.
_MOST_MEGABYTES, _MOST_GROWTH, _MOST_CACHED_SECONDS = 600, 10.5, 2.0
# evaluate fetches its scripts from the network; this one gives rouge-score the same work, and runs without.
_EVALUATE_SCRIPT = """
import datasets
import evaluate
from rouge_score.rouge_scorer import RougeScorer

class Rouge(evaluate.Metric):
    def _info(self):
        features = datasets.Features({name: datasets.Value("string") for name in ("predictions", "references")})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
        scores = [scorer.score(reference, prediction) for reference, prediction in zip(references, predictions)]
        return {"rouge1": sum(score["rouge1"].fmeasure for score in scores) / len(scores)}
"""


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
        return [
            row.references[0].split()
            for row in rows
            if row.references and 3 < len(row.references[0].split()) < 25
        ]
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


def growth(counts: Sequence[int], folder: Path) -> bool:
    """Time and memory of one command, intervals included, as the files grow; whether both stay within
    their bounds.
    """
    print("| pairs | files | CPU seconds | wall | peak memory | result on disk |")
    print("| --- | --- | --- | --- | --- | --- |")
    took = []
    for count in counts:
        references, predictions = write_pairs(count, folder)
        command = [
            sys.executable,
            "-m",
            "nlgauge",
            "score",
            "-q",
            "-m",
            *METRICS,
            "-r",
            str(references),
            str(predictions),
            "-o",
            str(folder / "out"),
        ]
        found = spent([*command, "--stream", "--overwrite"])
        took.append(found)
        size = sum(path.stat().st_size for path in (folder / "out").iterdir())
        given = references.stat().st_size + predictions.stat().st_size
        print(
            f"| {count:,} | {given / 1e6:,.0f} MB | {found.seconds:,.0f} | {found.wall:,.0f} |"
            f" {found.megabytes:,.0f} MB | {size / 1e6:,.0f} MB |",
            flush=True,
        )
        shutil.rmtree(folder / "out")
    factor, times = counts[-1] / counts[0], took[-1].seconds / took[0].seconds
    print(f"\n{factor:g} times the pairs take {times:.1f} times the CPU seconds.", flush=True)
    return all(found.megabytes < _MOST_MEGABYTES for found in took) and times <= factor * _MOST_GROWTH / 10


def peers(count: int, folder: Path) -> None:
    """What sacreBLEU and evaluate need for as many pairs."""
    references, predictions = write_pairs(count, folder)
    script = folder / "own_rouge.py"
    script.write_text(_EVALUATE_SCRIPT, encoding="utf-8")
    read = (
        "predictions, references = ([line.rstrip() for line in open(path, encoding='utf-8')] for path in"
        " files)"
    )
    score = "evaluate.load(script).compute(predictions=predictions, references=references)"
    programs = {
        "sacreBLEU, bleu and chrf": [
            sys.executable,
            "-m",
            "sacrebleu",
            str(references),
            "-i",
            str(predictions),
            "-m",
            "bleu",
            "chrf",
            "-b",
        ],
        "evaluate, rouge": [
            *[
                "env",
                f"HF_HOME={folder / 'huggingface'}",
                sys.executable,
                "-c",
                f"import sys, evaluate; script, *files = sys.argv[1:]; {read}; {score}",
            ],
            *[str(script), str(predictions), str(references)],
        ],
        "nlgauge, bleu, chrf, rouge and wer": [
            *[
                sys.executable,
                "-m",
                "nlgauge",
                "score",
                "-q",
                "-m",
                *METRICS,
                "-r",
                str(references),
                str(predictions),
            ],
            *["-o", str(folder / "out"), "--stream", "--overwrite", "--no-intervals"],
        ],
    }
    print(f"\n| {count:,} pairs | CPU seconds | peak memory |\n| --- | --- | --- |")
    for name, command in programs.items():
        found = spent(command, _PEER_BYTES, _PEER_SECONDS)
        # One that may have no more memory ends by itself.
        stopped = (
            "" if found.code == 0 else " (stopped)" if found.code < 0 else f" (ended with code {found.code})"
        )
        print(f"| {name} | {found.seconds:,.0f}{stopped} | {found.megabytes:,.0f} MB |", flush=True)


def cached(count: int, folder: Path) -> bool:
    """A command on so many documents and summaries, and again; whether the second time is quick enough."""
    rng = random.Random(3)
    documents = [
        [f"{' '.join(rng.choices(WORDS, k=8)).capitalize()}." for _ in range(rng.choice((2, 3)))]
        for _ in range(count)
    ]
    sources, summaries = folder / "documents.txt", folder / "summaries.txt"
    sources.write_text("".join(f"{' '.join(document)}\n" for document in documents), encoding="utf-8")
    summaries.write_text("".join(f"{document[-1]}\n" for document in documents), encoding="utf-8")
    command = [
        "env",
        f"NLGAUGE_STATISTICS_CACHE={folder / 'statistics.sqlite'}",
        sys.executable,
        "-m",
        "nlgauge",
    ]
    runs = [
        spent([*command, "score", "-q", "-m", "shannon", "-s", str(sources), str(summaries)])
        for _ in range(2)
    ]
    print(
        f"\n| shannon on {count:,} documents | CPU seconds | wall | peak memory |\n| --- | --- | --- | --- |"
    )
    for name, found in zip(("first", "cached"), runs, strict=True):
        print(f"| {name} | {found.seconds:.1f} | {found.wall:.1f} | {found.megabytes:,.0f} MB |", flush=True)
    return all(found.code == 0 for found in runs) and runs[1].wall < _MOST_CACHED_SECONDS


def main() -> int:
    """Prints the tables; 0 where all bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--pairs",
        type=int,
        nargs="*",
        default=[1_000_000, 10_000_000],
        help="how many pairs (default: %(default)s)",
    )
    parser.add_argument(
        "--peers", type=int, default=1_000_000, help="pairs for peers, 0 for none (default: %(default)s)"
    )
    parser.add_argument(
        "--documents",
        type=int,
        default=100,
        help="documents for a cached run, 0 for none (default: %(default)s)",
    )
    parser.add_argument(
        "--kills",
        type=int,
        default=20,
        help="kills of each kind of run, fewer on Ray and with a model, 0 for none (default: %(default)s)",
    )
    given = parser.parse_args()
    holds = True
    # A short name: Ray's sockets are below it, and their paths may have no more than a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="e-") as name:
        folder = Path(name)
        if given.pairs:
            holds = growth(given.pairs, folder)
        if given.peers:
            peers(given.peers, folder)
        if given.documents:
            holds = cached(given.documents, folder) and holds
        if given.kills:
            print(
                "\n| runs | killed | with rows on disk | same results in the end | left behind |\n| --- | ---"
                " | --- | --- | --- |"
            )
            for kind in KINDS:
                kills(kind, given.kills, folder, write_pairs)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
