"""Start of the package and of the command line beside peers: CPU seconds of new processes.

python -m benchmarks.commands

Every command runs once to write its bytecode, then seven times, all commands in turn; the best run counts. Command
lines score files of short lines: nlgauge computes intervals unless -b is given, sacreBLEU computes none.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.__main__ import environment
from benchmarks.ahead import Compared, write
from benchmarks.workloads import l1

_ROUNDS = 7
_IMPORTS = {
    "python -c pass": "pass",
    "import numpy": "import numpy",
    'import nlgauge; nlgauge.reward("bleu")': 'import nlgauge; nlgauge.reward("bleu")',
    "import nlgauge; nlgauge.Scorer": "import nlgauge; nlgauge.Scorer",
    "import sacrebleu": "import sacrebleu",
    "import jiwer": "import jiwer",
    "import rouge_score.rouge_scorer": "import rouge_score.rouge_scorer",
}
# Row, peer, the command of nlgauge and that of the peer.
_PAIRS = [
    (
        f"start: {metric}, {count} lines",
        peer,
        f"nlgauge score -m {metric} -b, {count} lines",
        f"{peer}{arguments}, {count} lines",
    )
    for metric, peer, arguments in (("bleu", "sacrebleu", " -m bleu -b"), ("wer", "jiwer", ""))
    for count in ("500", "2,000")
] + [
    (
        "start: bleu and chrf, 2,000 lines",
        "sacrebleu",
        "nlgauge score -m bleu chrf, 2,000 lines, with intervals",
        "sacrebleu -m bleu chrf, 2,000 lines, without",
    ),
    ("import and reward", "sacrebleu", 'import nlgauge; nlgauge.reward("bleu")', "import sacrebleu"),
]


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands by name; their files are written to the folder."""
    found = {name: [sys.executable, "-c", code] for name, code in _IMPORTS.items()}
    nlgauge = [sys.executable, "-m", "nlgauge"]
    found |= {f"nlgauge {option}": [*nlgauge, option] for option in ("--version", "--help")}
    for count in (500, 2_000):
        predictions, references = written(folder, count)
        ours, theirs = (
            [*nlgauge, "score", predictions, "-r", references],
            [sys.executable, "-m", "sacrebleu", references, "-i", predictions],
        )
        found |= {
            f"nlgauge score -m bleu -b, {count:,} lines": [*ours, "-m", "bleu", "-b"],
            f"sacrebleu -m bleu -b, {count:,} lines": [*theirs, "-m", "bleu", "-b"],
            f"nlgauge score -m wer -b, {count:,} lines": [*ours, "-m", "wer", "-b"],
            f"jiwer, {count:,} lines": [
                sys.executable,
                "-m",
                "jiwer.cli",
                "-r",
                references,
                "-h",
                predictions,
            ],
        }
    return found | {
        "nlgauge score -m bleu chrf, 2,000 lines, with intervals": [*ours, "-m", "bleu", "chrf"],
        "sacrebleu -m bleu chrf, 2,000 lines, without": [*theirs, "-m", "bleu", "chrf"],
    }


def written(folder: Path, count: int) -> tuple[str, str]:
    """Write predictions and references, one per line; return the names of both files."""
    texts = l1(count)
    columns = {"predictions": texts.predictions, "references": [text for (text,) in texts.references]}
    for name, column in columns.items():
        lines = "".join(f"{' '.join(text.split())}\n" for text in column)
        Path(folder, f"{name}-{count}.txt").write_text(lines, encoding="utf-8")
    return str(folder / f"predictions-{count}.txt"), str(folder / f"references-{count}.txt")


def cpu_seconds(command: list[str]) -> float:
    """User and system time of a command."""
    variables = environment()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = commands(Path(folder))
        for command in run.values():
            cpu_seconds(command)
        rounds = [{name: cpu_seconds(command) for name, command in run.items()} for _ in range(_ROUNDS)]
    best = {name: min(seconds[name] for seconds in rounds) for name in run}
    print("| command | CPU s |\n|---|---|")
    for name, seconds in best.items():
        print(f"| {name} | {seconds:.3f} |")
    write(
        "commands",
        [Compared(row, peer, best[ours], best[theirs], "CPU s") for row, peer, ours, theirs in _PAIRS],
    )


if __name__ == "__main__":
    main()
