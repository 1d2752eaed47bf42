"""Runs nlgauge and each peer alternately, every run in a process of its own; a Markdown table on standard
output.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.ahead import Compared, write
from benchmarks.contenders import BENCHES
from benchmarks.workloads import WORKLOADS

_HEADER = """\
| metric | workload | peer | peer CPU s | nlgauge CPU s | ratio | peer MB | nlgauge MB | largest difference |
|---|---|---|---|---|---|---|---|---|"""


def environment(threads: int | None = None) -> dict[str, str]:
    """The variables of a run: one thread unless told otherwise, no network, and bytecode as in an installed package."""
    wanted = str(threads or os.environ.get("NLGAUGE_THREADS", "1"))
    libraries = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **inherited,
        "NLGAUGE_THREADS": wanted,
        **{name: os.environ.get(name, wanted) for name in libraries},
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
    }


def run(module: str, *arguments: str, threads: int | None = None) -> dict[str, Any]:
    """What a module printed as JSON in a new process, or {"error": its last words}."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).resolve().parents[1],
        env=environment(threads),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(metric: str, workload: str, repeats: int) -> dict[str, Any]:
    """Every run of both sides, and the best of each."""
    sides = ("nlgauge", BENCHES[metric].peer)
    runs: dict[str, list[dict[str, Any]]] = {side: [] for side in sides}
    for _ in range(repeats):
        for side in sides:
            runs[side].append(run("benchmarks.worker", metric, workload, side))
    best = {side: min(found, key=lambda one: one.get("cpu", float("inf"))) for side, found in runs.items()}
    return {"metric": metric, "workload": workload, "peer": sides[1], "best": best, "runs": runs}


def row(found: dict[str, Any]) -> str:
    """One line of the table."""
    ours, peer = found["best"]["nlgauge"], found["best"][found["peer"]]
    failed = [f"{side}: {one['error']}" for side, one in found["best"].items() if "error" in one]
    cells = [found["metric"], found["workload"]]
    if failed:
        return f"| {' | '.join(cells)} | {found['peer']} | not run: {'; '.join(failed)} | | | | | |"
    difference = max(abs(ours["numbers"][name] - peer["numbers"][name]) for name in peer["numbers"])
    cells[1] += f" ({ours['origin']})"
    cells += [
        f"{found['peer']} {peer['version']}",
        f"{peer['cpu']:.3f}",
        f"{ours['cpu']:.3f}",
        f"{peer['cpu'] / ours['cpu']:.1f}",
    ]
    return "| " + " | ".join([*cells, f"{peer['rss']:.0f}", f"{ours['rss']:.0f}", f"{difference:.1e}"]) + " |"


def compared(found: dict[str, Any]) -> Compared | None:
    """The CPU seconds of both sides; None if one of them did not run."""
    ours, theirs = (found["best"][side].get("cpu") for side in ("nlgauge", found["peer"]))
    if ours is None or theirs is None:
        return None
    return Compared(f"{found['metric']}, {found['workload']}", found["peer"], ours, theirs, "CPU s")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Time nlgauge and its peers on the same texts."
    )
    parser.add_argument(
        "--metric", action="append", choices=list(BENCHES), help="only this metric; may be repeated"
    )
    parser.add_argument(
        "--workload",
        action="append",
        choices=list(WORKLOADS),
        help="only this workload; by default all but L3",
    )
    parser.add_argument(
        "--repeats", type=int, default=2, help="runs of each side, of which the best counts (default 2)"
    )
    parser.add_argument("--json", type=Path, help="write every run to this file")
    given = parser.parse_args()
    workloads = given.workload or [name for name in WORKLOADS if name != "L3"]
    print(_HEADER, flush=True)
    results = []
    for metric in given.metric or BENCHES:
        for workload in BENCHES[metric].workloads:
            if workload in workloads:
                results.append(compare(metric, workload, given.repeats))
                print(row(results[-1]), flush=True)
    write("metrics", [row for row in map(compared, results) if row is not None])
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "threads": environment()["NLGAUGE_THREADS"],
        }
        given.json.write_text(
            json.dumps({"machine": machine, "results": results}, indent=1), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
