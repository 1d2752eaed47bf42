"""The test suites of other programs, with nlgauge's numbers: python -m benchmarks.nightly.suites [--environment .venv-peers]

Each suite runs in .venv-peers as its authors released it (benchmarks/nightly/peer_suite.py). Every score that a passing test
computed must be nlgauge's, too. Nothing of the suites is in this repository: `make verify` downloads the source archives.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nlgauge
from benchmarks.nightly.peers import ENVIRONMENT, NOT_HERE, PEER, ROOT, ROUNDING
from nlgauge.errors import NlgaugeError

ARCHIVES = ROOT / ".cache" / "suites"
SUITES = ("sacrebleu", "jiwer", "rouge_score", "nltk")
# NLTK's function -> nlgauge's metric, and the factor from nlgauge's number to NLTK's.
_NLTK = {
    "bleu": ("bleu(tokenizer='none', smooth_method='none', effective_order=False)", 0.01),
    "gleu": ("gleu(tokenizer='whitespace')", 1.0),
    "ribes": ("ribes(tokenizer='whitespace', compat='nltk')", 1.0),
}


def ours(program: str, kind: str, parameters: dict[str, Any]) -> tuple[str, str, float]:
    """Return the metric that computes a score of a program, its output, and the factor to the program's unit."""
    if program == "sacrebleu":
        names = {"max_ngram_order": "max_order"}
        options = {
            names.get(name, name): value for name, value in parameters.items() if name != "trg_lang" or value
        }
        return f"{kind.lower()}({', '.join(f'{k}={v!r}' for k, v in options.items())})", "", 1
    if program == "rouge_score":
        return f"rouge(rouge_types=({kind!r},), tokenizer='google', stem={parameters['stem']})", kind, 1
    if program == "nltk":
        label, factor = _NLTK[kind.partition("_")[2]]
        return label, "", factor
    return kind, "", 1


def score(label: str, output: str, predictions: list[str], references: list[list[str]]) -> float:
    """Return nlgauge's score of the corpus."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = nlgauge.score(predictions, references, metrics=[label], show_progress=False)
    (scores,) = result.values()
    return float(scores[output or "score"])


def suite(program: str, environment: Path) -> dict[str, Any]:
    """Return what the suite of a program recorded."""
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists() or not list(ARCHIVES.glob(f"{program}-*.tar.gz")):
        print(f"{environment.name} or the source archive of {program} is missing: make .venv-peers/.peers")
        sys.exit(NOT_HERE)
    words = [python, "-I", PEER.with_name("peer_suite.py"), program, ARCHIVES]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the suite of {program} did not run:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(program: str, calls: list[list[Any]]) -> Iterator[tuple[str, int, int, int, float]]:
    """Yield kind, number of scores, how many nlgauge refuses, how many differ, and the largest difference."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    largest: dict[str, float] = defaultdict(float)
    for kind, parameters, predictions, references, value in calls:
        label, output, factor = ours(program, kind, parameters)
        counts[kind][0] += 1
        try:
            number = factor * score(label, output, predictions, references)
        except NlgaugeError as error:
            counts[kind][1] += 1
            print(f"{program}, {label}: {error}", file=sys.stderr)
            continue
        largest[kind] = max(largest[kind], abs(number - value))
        if not abs(number - value) <= ROUNDING * max(1.0, abs(value)):
            counts[kind][2] += 1
            print(f"{label}: {number!r}, {program} {value!r}: {predictions}, {references}", file=sys.stderr)
    for kind, (number_of, refused, differ) in counts.items():
        yield kind, number_of, refused, differ, largest[kind]


def main() -> None:
    """Print a table with one row per suite and score."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT)
    environment = parser.parse_args().environment
    print("| test suite of | tests passed | scores | refused | differ | largest difference |")
    print("|---|---|---|---|---|---|")
    for program in SUITES:
        recorded = suite(program, environment)
        head = f"{program} {recorded['version']}"
        for kind, number, refused, differ, largest in rows(program, recorded["calls"]):
            cells = f"{recorded['passed']} | {number} | {refused} | {differ} | {largest:.1e}"
            print(f"| {head}: {kind} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
