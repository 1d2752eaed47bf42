"""The command line on 2,000 lines, BLEU and chrF: ours with intervals, sacreBLEU's without.

python -m benchmarks.commands
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.__main__ import environment
from benchmarks.workloads import l1


def cpu_seconds(command: list[str]) -> float:
    """User and system time of a command: the best of five runs."""
    found = []
    for _ in range(5):
        before = os.times()
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        )
        after = os.times()
        found.append(
            after.children_user - before.children_user + after.children_system - before.children_system
        )
    return min(found)


def main() -> None:
    texts = l1(2_000)
    with tempfile.TemporaryDirectory() as place:
        predictions, references = Path(place, "predictions.txt"), Path(place, "references.txt")
        predictions.write_text(
            "".join(f"{' '.join(text.split())}\n" for text in texts.predictions), encoding="utf-8"
        )
        references.write_text(
            "".join(f"{' '.join(text.split())}\n" for (text,) in texts.references), encoding="utf-8"
        )
        ours = [
            sys.executable,
            "-m",
            "nlgauge",
            "score",
            str(predictions),
            "-r",
            str(references),
            "-m",
            "bleu",
            "-m",
            "chrf",
        ]
        theirs = [
            sys.executable,
            "-m",
            "sacrebleu",
            str(references),
            "-i",
            str(predictions),
            "-m",
            "bleu",
            "chrf",
        ]
        print("| command | CPU s |\n|---|---|")
        for name, command in (("nlgauge score, with intervals", ours), ("sacrebleu, without", theirs)):
            print(f"| {name} | {cpu_seconds(command):.3f} |")


if __name__ == "__main__":
    main()
