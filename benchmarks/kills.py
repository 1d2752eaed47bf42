"""Runs that are killed at random moments, of each kind: string metrics and a model, in one process, in
several, and on a Ray cluster of their own.

A kill ends the driver alone or all that it started, in turn. After each of them no process and no temporary
directory of the run may be left, and its directory may hold nothing that loads, or the whole result. The run
is then taken up, and whatever it ends with must be what it ends with undisturbed.

String metrics run as commands. A model runs as `python -m benchmarks.kills EXECUTOR REFERENCES PREDICTIONS
OUT`, with chunks that are small enough for some of them to be done before it is killed.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import nlgauge
from nlgauge.engine.executors import Executor, Serial
from nlgauge.engine.executors.processes import Processes
from nlgauge.engine.executors.ray import Ray
from nlgauge.errors import ResultError
from nlgauge.results.storage.checkpoint import ROWS, unfinished

_MODEL = "bertscore(model='minilm')"
# About forty pairs.
_CHARACTERS = 3_000
# Of a model other sizes of batches may change the last digits.
_TOLERANCE = 1e-5
# A process that was killed together with its driver may need a moment to go, and so may a cluster.
_GRACE_SECONDS = 20
_MARK = "NLGAUGE_ENDURANCE"


@dataclass(frozen=True)
class Kind:
    """A kind of run: its name, how many pairs it scores, which share of the kills it gets, its command
    with two files, how far results may differ.
    """

    name: str
    pairs: int
    share: float
    command: Callable[[str, str], list[str]]
    tolerance: float = 0.0


def _of_strings(share: float, *options: str) -> Kind:
    def command(references: str, predictions: str) -> list[str]:
        return [
            "nlgauge",
            "score",
            "-q",
            "--no-intervals",
            "-m",
            "bleu",
            "chrf",
            "-r",
            references,
            predictions,
            "--resume",
            *options,
            "-o",
        ]

    return Kind(" ".join(["bleu chrf", *options]), 150_000, share, command)


def _of_model(executor: str) -> Kind:
    return Kind(
        f"{_MODEL}, {executor}", 300, 0.3, lambda *files: ["benchmarks.kills", executor, *files], _TOLERANCE
    )


# Where Ray or torch has to start first, a kill takes long, and there are fewer.
KINDS = (
    _of_strings(1.0, "--stream"),
    _of_strings(1.0, "--jobs", "2"),
    _of_strings(0.5, "--stream", "--executor", "ray", "--jobs", "2"),
    _of_model("serial"),
    _of_model("processes"),
    _of_model("ray"),
)


class Runs:
    """The runs of one kind in a folder, with a place of their own for temporary files."""

    def __init__(self, kind: Kind, folder: Path, files: tuple[Path, Path]) -> None:
        self.kind, self.out, self.whole = kind, folder / "killed", folder / "whole"
        self._temporary = folder / "t"
        self._temporary.mkdir(exist_ok=True)
        own = {
            "TMPDIR": str(self._temporary),
            # Every row is computed, not found in the cache of an earlier run.
            "NLGAUGE_STATISTICS_CACHE": "off",
            "NLGAUGE_THREADS": "2",
            # What torch keeps for all of its runs would be with the temporary files.
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "torch"),
            _MARK: f"{os.getpid()}-{time.time_ns()}",
        }
        self._environment = {**os.environ, **own}
        self._mark = f"{_MARK}={own[_MARK]}".encode()
        self._command = [sys.executable, "-m", *kind.command(*map(str, files))]

    def start(self, out: Path) -> subprocess.Popen[bytes]:
        """A run, in a session of its own."""
        return subprocess.Popen(
            [*self._command, str(out)],
            env=self._environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
        )

    def undisturbed(self, out: Path) -> float:
        """Runs to the end; the seconds that it took."""
        started = time.monotonic()
        code = self.start(out).wait()
        assert code == 0, f"{self.kind.name} ended with {code}"
        return time.monotonic() - started

    def check_cleared(self) -> None:
        """Raises where a process or a temporary file stays."""
        until = time.monotonic() + _GRACE_SECONDS
        while (left := [*self._processes(), *self._temporary.iterdir()]) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left, f"{self.kind.name} left {left}"

    def _processes(self) -> list[bytes]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self._mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes())
        return found

    def is_finished(self) -> bool:
        """Whether a whole result is there; raises where something loads that is not."""
        try:
            ours = nlgauge.load(self.out)
        except ResultError:
            return False
        theirs = nlgauge.load(self.whole)
        assert ours._tables.keys() == theirs._tables.keys()
        for key, table in theirs._tables.items():
            for part, rows in table.statistics.items():
                same = np.allclose(
                    rows,
                    ours._tables[key].statistics[part],
                    self.kind.tolerance,
                    self.kind.tolerance,
                    equal_nan=True,
                )
                assert same, (self.kind.name, key, part)
        return True

    def rows_kept(self) -> int:
        """The bytes of the rows on disk of a run that is not finished."""
        with suppress(OSError):
            return (unfinished(self.out) / ROWS).stat().st_size
        return 0

    def wait_for_rows(self, process: subprocess.Popen[bytes]) -> None:
        """Waits until a run that was started has added rows, or has ended."""
        before = self.rows_kept()
        while process.poll() is None and self.rows_kept() <= before:
            time.sleep(0.01)


def kills(
    kind: Kind, times: int, folder: Path, write_pairs: Callable[[int, Path], tuple[Path, Path]]
) -> None:
    """Kills runs of a kind so many times, or their share of it, and prints what became of them."""
    runs = Runs(kind, folder, write_pairs(kind.pairs, folder))
    took = runs.undisturbed(runs.whole)
    rng = random.Random(kind.name)
    ways: Sequence[Callable[[int, int], None]] = (os.kill, os.killpg)
    killed = with_rows = finished = 0
    while killed < times * kind.share:
        process = runs.start(runs.out)
        amid = (
            killed % 4 >= 2
        )  # half of the kills come when chunks are being finished, which is a small part of a short run
        if amid:
            runs.wait_for_rows(process)
        try:
            process.wait(rng.uniform(0.0, 0.05) * took if amid else rng.uniform(0.1, 0.95) * took)
        except subprocess.TimeoutExpired:
            ways[killed % 2](process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
            with_rows += runs.rows_kept() > 0
        runs.check_cleared()
        if runs.is_finished():
            finished += 1
            shutil.rmtree(runs.out)
    runs.undisturbed(runs.out)
    runs.check_cleared()
    assert runs.is_finished()
    left = sorted(
        {path.name for path in folder.iterdir() if path.is_dir()}
        - {"out", "whole", "killed", "t", "torch", "huggingface"}
    )
    assert not left, f"{kind.name} left {left}"
    for directory in (runs.out, runs.whole):
        shutil.rmtree(directory)
    print(f"| {kind.name} | {killed} | {with_rows} | {finished + 1} | nothing |", flush=True)


def main(executor: str, references: str, predictions: str, out: str) -> None:
    """Scores files with a model, or goes on with it."""
    executors: dict[str, Executor] = {
        "serial": Serial(_CHARACTERS),
        "processes": Processes(_CHARACTERS),
        "ray": Ray(workers=2, characters=_CHARACTERS),
    }
    texts = [Path(file).read_text(encoding="utf-8").splitlines() for file in (predictions, references)]
    nlgauge.Scorer(_MODEL, executor=executors[executor], output=out, resume=True)(*texts)


if __name__ == "__main__":
    main(*sys.argv[1:])
