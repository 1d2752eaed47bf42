"""Differential fuzzing against other programs, each in a process of .venv-peers, which has no nlgauge.

    python -m benchmarks.nightly.peers --cases 300 [--seed 1] [--environment .venv-peers]

Each program gets texts, columns of numbers and ratings as JSON, and returns its numbers (benchmarks/nightly/peer.py).
`make verify` installs the environment; its versions are in the table. Programs that need PyTorch are not in it:
`make test` compares TorchMetrics, BERTScore and others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import nlgauge
from benchmarks.nightly.cases import case, columns, ratings
from nlgauge.stats import coefficients
from nlgauge.stats.agreement import krippendorff
from nlgauge.stats.corrections import adjusted

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-peers"
PEER = Path(__file__).with_name("peer.py")
# Relative difference of sums in another order.
ROUNDING = 1e-9
# The exit code of a part that this machine cannot run; its last line says why.
NOT_HERE = 3


class Match(NamedTuple):
    """A number of a program, and nlgauge's metric that must equal it."""

    program: str
    name: str
    label: str
    output: str = ""
    # The factor from nlgauge's number to the program's.
    factor: float = 1
    # The program reads one reference.
    first: bool = False


METRICS = (
    Match("sacrebleu", "BLEU", "bleu"),
    Match("sacrebleu", "BLEU, intl, lowercase", "bleu(tokenizer='intl', lowercase=True)"),
    Match("sacrebleu", "BLEU, add-k", "bleu(smooth_method='add-k', effective_order=False)"),
    Match("sacrebleu", "chrF", "chrf"),
    Match("sacrebleu", "chrF++", "chrf(word_order=2)"),
    Match("sacrebleu", "TER", "ter"),
    Match("sacrebleu", "TER, normalized once", "ter(normalized=True, asian_support=True)"),
    *(
        Match("rouge-score", kind, f"rouge(rouge_types=('{kind}',), tokenizer='google')", kind)
        for kind in ("rouge1", "rouge2", "rougeL")
    ),
    *(Match("jiwer", name, name, first=True) for name in ("wer", "mer", "wil", "wip", "cer")),
    Match("rapidfuzz", "Levenshtein distance", "levenshtein", "distance", first=True),
    Match("rapidfuzz", "Levenshtein similarity", "levenshtein", first=True),
    Match("nltk", "sentence BLEU", "sentence_bleu(tokenizer='none')", factor=0.01),
    Match("nltk", "GLEU", "gleu(tokenizer='whitespace')"),
    Match("nltk", "RIBES", "ribes(tokenizer='whitespace', compat='nltk')"),
    Match("pycocoevalcap", "CIDEr-D", "cider(variant='d', tokenizer='whitespace')"),
    Match("pycocoevalcap", "ROUGE-L", "rouge(tokenizer='whitespace', compat='coco')"),
    Match("cer", "CharacTER", "character(compat='released')", first=True),
)
Columns = Callable[[Sequence[float], Sequence[float]], Any]
COEFFICIENTS: dict[str, Columns] = {
    "Pearson": coefficients.pearson,
    "Spearman": coefficients.spearman,
    "Kendall, tau-b": coefficients.kendall,
    "Kendall, tau-c": coefficients.kendall_c,
    "Somers' D": coefficients.somers,
    **{
        f"false discovery, {method}": lambda x, _, method=method: np.max(  # type: ignore[misc]
            adjusted([abs(value) % 1 for value in x], method)
        )
        for method in ("bh", "by")
    },
}


def answer(environment: Path, program: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return the version and the numbers of a program, which runs in its own process."""
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        print(f"{environment.name} is missing: make .venv-peers/.peers")
        sys.exit(NOT_HERE)
    done = subprocess.run(
        [python, "-I", PEER, program], input=json.dumps(data), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{program} failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ours(data: dict[str, Any]) -> Iterator[tuple[str, str, str, list[float]]]:
    """Yield program, the name of its number, nlgauge's name, and nlgauge's numbers, in the unit of the program."""
    for match in METRICS:
        values = metric_values(match, data["texts"])
        yield match.program, match.name, match.label, [match.factor * value for value in values]
    for name, function in COEFFICIENTS.items():
        yield "scipy", name, name, [float(function(x, z)) for x, z in data["columns"]]
    for scale in ("nominal", "ordinal", "interval"):
        table = [np.array(rows, float).T for rows in data["ratings"]]
        yield "krippendorff", scale, f"alpha, {scale}", [krippendorff(units, scale) for units in table]  # type: ignore[arg-type]


def metric_values(match: Match, texts: Sequence[tuple[str, list[str]]]) -> list[float]:
    """Return the segments' scores of a metric."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = nlgauge.score(
            [p for p, _ in texts],
            [r[:1] if match.first else r for _, r in texts],
            metrics=[match.label],
            show_progress=False,
        )
    (name,) = result.labels
    table = result._tables[result.systems[0], name]
    return [float(value) for value in table.segments()[match.output or table.leading()[0].name]]


def compared(cases: int, seed: int, environment: Path) -> None:
    """Print a table with one row per program and number."""
    data = {
        "texts": [case(seed, number) for number in range(cases)],
        "columns": [columns(seed, number) for number in range(cases)],
        "ratings": [ratings(seed, number) for number in range(cases)],
    }
    answers: dict[str, dict[str, Any]] = {}
    print("| program, number | cases | left out | differ | largest difference |\n|---|---|---|---|---|")
    for program, name, label, values in ours(data):
        if program not in answers:
            answers[program] = answer(environment, program, data)
        theirs = answers[program]["values"][name]
        differ, left_out, largest, shown = 0, 0, 0.0, ""
        for number, (one, other) in enumerate(zip(values, theirs, strict=True)):
            # A program refuses a case, such as an empty reference, or has no number for it.
            if other is None or other != other or one != one:
                left_out += 1
                continue
            largest = max(largest, abs(one - other))
            if abs(one - other) > ROUNDING * max(1.0, abs(other)):
                differ += 1
                shown = shown or f"{label}, case {number}: {one!r}, {program} {other!r}"
        version = answers[program]["version"]
        print(
            f"| {program} {version}: {name} | {cases} | {left_out} | {differ} | {largest:.1e} |", flush=True
        )
        if shown:
            print(shown, file=sys.stderr)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT)
    options = parser.parse_args()
    compared(options.cases, options.seed, options.environment)


if __name__ == "__main__":
    main()
