"""CPU time of small calls, as training loops, unit tests and notebooks make them, next to the fastest peers.

python -m benchmarks.calls [--instructions]

Calls of 1, 8 and 64 pairs, with other texts in every call: some peers remember the texts that they have tokenized. Both
sides run in turn in one process, and the best of seven rounds counts. The last lines name the rows in which a peer is
ahead of `reward`, which returns what the peers return. With --instructions, valgrind counts the instructions of each row
instead, which do not depend on the load of the machine; the exit code is 1 if a row takes more than its budget.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.ahead import Compared, write
from benchmarks.peers import nltk_pair
from benchmarks.workloads import l1

# Pairs in a call, and the calls with them; no two calls have the same texts.
_SIZES = {1: 300, 8: 240, 64: 30}
_ROUNDS = 7
# Thousands of instructions for one pair that a call may take, and how much more is tolerated.
_SLACK = 1.15
_BUDGETS = {
    "wer, reward": 40,
    "bleu, reward": 60,
    "rouge, reward": 55,
    "chrf, reward": 80,
    "wer, Scorer": 200,
    "bleu, Scorer": 250,
    "chrf, Scorer": 270,
}

Call = Callable[[list[str], list[str]], object]


class Row(NamedTuple):
    """A way to score pairs."""

    metric: str
    name: str
    call: Call


def ours() -> list[Row]:
    """The ways of nlgauge."""
    import nlgauge

    rows = []
    for metric, spec in (
        ("wer", "wer"),
        ("bleu", "bleu"),
        ("rouge", "rouge"),
        ("rougeL", "rouge(rouge_types=('rougeL',), tokenizer='google')"),
        ("chrf", "chrf"),
        ("chrf++", "chrf(word_order=2)"),
        ("cer", "cer"),
        ("character distance", "levenshtein"),
        ("ter", "ter"),
        ("character", "character"),
        ("ribes", "ribes(compat='nltk', tokenizer='whitespace')"),
        ("squad", "squad"),
        ("gleu", "gleu"),
        ("eed", "eed(compat='python')"),
        ("meteor", "meteor(version='2005')"),
    ):
        rows.append(Row(metric, "reward", nlgauge.reward(spec)))
        scorer = nlgauge.Scorer([spec])
        (label,) = scorer.metrics

        def scored(
            predictions: list[str], references: list[str], scorer: Any = scorer, label: str = label
        ) -> Any:
            return scorer(predictions, references)[label]["score"]

        rows.append(Row(metric, "Scorer", scored))
        if metric in ("wer", "bleu", "chrf"):

            def called(predictions: list[str], references: list[str], spec: str = spec) -> Any:
                return nlgauge.score(predictions, references, metrics=spec)[spec]["score"]

            rows.append(Row(metric, "score", called))
    return rows


def peers(has_torch: bool = True) -> list[Row]:
    """The ways of other packages, as far as they are installed."""
    rows: list[Row] = []

    def pairwise(function: Callable[[str, str], object]) -> Call:
        return lambda predictions, references: list(map(function, predictions, references))

    def add(package: str, make: Callable[[], list[Row]]) -> None:
        try:
            rows.extend(make())
        except ImportError:
            print(f"{package} is not installed", file=sys.stderr)

    def sacrebleu() -> list[Row]:
        from sacrebleu import sentence_bleu, sentence_chrf, sentence_ter

        return [
            Row("bleu", "sacrebleu", pairwise(lambda p, r: sentence_bleu(p, [r]))),
            Row("chrf", "sacrebleu", pairwise(lambda p, r: sentence_chrf(p, [r]))),
            Row("chrf++", "sacrebleu", pairwise(lambda p, r: sentence_chrf(p, [r], word_order=2))),
            Row("ter", "sacrebleu", pairwise(lambda p, r: sentence_ter(p, [r]))),
        ]

    def bleuscore() -> list[Row]:
        import bleuscore

        return [Row("bleu", "bleuscore", lambda p, r: bleuscore.compute([[text] for text in r], p))]

    def rouge_score() -> list[Row]:
        from rouge_score.rouge_scorer import RougeScorer

        every, longest = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"]), RougeScorer(["rougeL"])
        return [
            Row("rouge", "rouge-score", pairwise(lambda p, r: every.score(r, p))),
            Row("rougeL", "rouge-score", pairwise(lambda p, r: longest.score(r, p))),
        ]

    def rouge_rs() -> list[Row]:
        from rouge_rs import RougeLScorer

        scorer = RougeLScorer()
        return [Row("rougeL", "rouge-rs", pairwise(lambda p, r: scorer.score(r, p)))]

    def jiwer() -> list[Row]:
        import jiwer

        return [
            Row("wer", "jiwer", lambda p, r: jiwer.wer(r, p)),
            Row("cer", "jiwer", lambda p, r: jiwer.cer(r, p)),
        ]

    def rapidfuzz() -> list[Row]:
        from rapidfuzz.distance import Levenshtein

        words = pairwise(lambda p, r: Levenshtein.distance(p.split(), r.split()))
        return [
            Row("wer", "rapidfuzz, words", words),
            Row("character distance", "rapidfuzz", pairwise(Levenshtein.distance)),
        ]

    def fastchrf() -> list[Row]:
        import fastchrf

        return [Row("chrf", "fastchrf", pairwise(lambda p, r: fastchrf.pairwise_chrf([[p]], [[r]])))]

    def cer() -> list[Row]:
        from cer import calculate_cer

        return [Row("character", "cer", pairwise(lambda p, r: calculate_cer(p.split(), r.split())))]

    def nltk() -> list[Row]:
        from nltk.translate.gleu_score import sentence_gleu
        from nltk.translate.ribes_score import sentence_ribes

        meteor = nltk_pair()
        return [
            Row("gleu", "nltk", pairwise(lambda p, r: sentence_gleu([r.split()], p.split()))),
            Row("ribes", "nltk", pairwise(lambda p, r: sentence_ribes([r.split()], p.split()))),
            Row("meteor", "nltk", pairwise(lambda p, r: meteor(r, p))),
        ]

    def torchmetrics() -> list[Row]:
        from torchmetrics.functional.text import extended_edit_distance
        from torchmetrics.functional.text import squad as torch_squad

        def squad(predictions: list[str], references: list[str]) -> object:
            answers = [{"prediction_text": text, "id": str(i)} for i, text in enumerate(predictions)]
            questions = [
                {"answers": {"answer_start": [0], "text": [text]}, "id": str(i)}
                for i, text in enumerate(references)
            ]
            return torch_squad(answers, questions)

        return [
            Row("squad", "torchmetrics", squad),
            Row("eed", "torchmetrics", lambda p, r: extended_edit_distance(p, [[text] for text in r])),
        ]

    for make in (
        *(sacrebleu, bleuscore, rouge_score, rouge_rs, jiwer, rapidfuzz, fastchrf),
        *(cer, nltk),
        *((torchmetrics,) if has_torch else ()),
    ):
        add(make.__name__, make)
    return rows


def batches(size: int) -> list[tuple[list[str], list[str]]]:
    """The arguments of successive calls: news sentences and one reference each, which calls of other sizes do not get."""
    workload = l1(sum(pairs * calls for pairs, calls in _SIZES.items()))
    references = [texts[0] for texts in workload.references]
    first = sum(pairs * calls for pairs, calls in _SIZES.items() if pairs < size)
    return [
        (workload.predictions[start : start + size], references[start : start + size])
        for start in range(first, first + size * _SIZES[size], size)
    ]


def microseconds(rows: list[Row], size: int) -> dict[Row, float]:
    """CPU microseconds for each pair: the best round of each row, all rows in turn."""
    calls = batches(size)
    share = len(calls) // _ROUNDS
    best = dict.fromkeys(rows, float("inf"))
    for row in rows:
        row.call(*calls[-1])  # compiles, imports and warns
    for number in range(_ROUNDS):
        own = calls[number * share : (number + 1) * share]
        for row in rows:
            for arguments in calls[-3:]:
                row.call(*arguments)  # brings the code of the row into the processor's caches
            started = time.process_time()
            for arguments in own:
                row.call(*arguments)
            best[row] = min(best[row], (time.process_time() - started) / len(own) / size * 1e6)
    return best


def measured() -> None:
    """Print the tables, and the rows in which a peer is ahead."""
    mine, others = ours(), peers()
    compared: list[Compared] = []
    for size in _SIZES:
        times = microseconds([*mine, *others], size)
        print(f"\n| {size} pair{'s' * (size > 1)} per call | CPU us per pair | of peers |\n|---|---|---|")
        for row in mine:
            rivals = {rival: times[rival] for rival in others if rival.metric == row.metric}
            listed = ", ".join(f"{rival.name} {spent:.1f}" for rival, spent in rivals.items())
            print(f"| {row.metric}, {row.name} | {times[row]:.2f} | {listed} |")
            if row.name == "reward":
                name = f"{row.metric}, {size} pair{'s' * (size > 1)}"
                compared += [
                    Compared(name, rival.name, times[row], spent, "us") for rival, spent in rivals.items()
                ]
    write("calls", compared)


def counted() -> None:
    """Print thousands of instructions per pair, counted by valgrind in one process."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed, so no instructions are counted.")
        return
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "callgrind"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", "--dump-before=getppid"]
        done = subprocess.run(
            [*command, sys.executable, "-m", "benchmarks.calls", "--phases"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        print("| call, pairs | thousands of instructions per pair | budget |\n|---|---|---|")
        over = []
        for number, (name, pairs) in enumerate(json.loads(done.stdout.splitlines()[-1])):
            dump = Path(f"{output}.{2 * number + 2}").read_text("utf-8")
            total = next(line for line in dump.splitlines() if line.startswith(("summary:", "totals:")))
            thousands = int(total.split()[1]) / pairs / 1000
            budget = _BUDGETS.get(name.removesuffix(", 1"))
            print(f"| {name} | {thousands:.0f} | {budget or ''} |")
            if budget and thousands > _SLACK * budget:
                over.append(name)
        print(f"\nRows above their budget: {len(over)} of {len(_BUDGETS)}", *over, sep="\n- ")
        if over:
            sys.exit(1)


def phases() -> None:
    """Execute each row between two calls of getppid, before which callgrind writes a dump."""
    found = []
    rows = [*ours(), *peers(has_torch=False)]  # the import of PyTorch would take minutes
    for size in (1, 64):
        calls = batches(size)
        for row in rows:
            for arguments in calls[-2:]:
                row.call(*arguments)
            os.getppid()
            own = calls[: 40 if size == 1 else 4]
            for arguments in own:
                row.call(*arguments)
            os.getppid()
            found.append((f"{row.metric}, {row.name}, {size}", len(own) * size))
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instructions", action="store_true", help="count instructions with valgrind")
    parser.add_argument("--phases", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.phases:
        phases()
    elif options.instructions:
        counted()
    else:
        measured()


if __name__ == "__main__":
    main()
