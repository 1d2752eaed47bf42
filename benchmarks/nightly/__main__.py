"""python -m benchmarks.nightly: run the parts that are missing, and write the page."""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.nightly import __doc__ as described
from benchmarks.nightly import page
from benchmarks.nightly.figures import Figure, figures, judged
from benchmarks.nightly.parts import PARTS, Part
from benchmarks.nightly.peers import NOT_HERE
from benchmarks.workloads import rows_of

KEPT = page.ROOT / ".cache" / "verify"
_SOURCES = ("src", "native", "benchmarks", "tools")
_DATA = ("wmt24_esa", "llmbar", "summeval")


def fingerprint() -> str:
    """Return a hash of the sources that decide the figures."""
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((page.ROOT / folder).rglob("*")):
            if (
                path.suffix in (".py", ".pyi", ".cpp", ".hpp", ".h", ".toml", ".json", ".gz", ".txt")
                and path.is_file()
            ):
                digest.update(f"{path.relative_to(page.ROOT)}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kept() -> page.Kept:
    """Return the parts that were run with each size, also those of the page that another machine ran."""
    found: page.Kept = json.loads(page.DATA.read_text("utf-8")) if page.DATA.is_file() else {}
    for size in page.SIZES:
        of_size = found.setdefault(size, {})
        for part in PARTS:
            path = _path(part, size)
            if path.is_file():
                of_size[part.name] = json.loads(path.read_text("utf-8"))
    return found


def _path(part: Part, size: str) -> Path:
    return KEPT / size / f"{part.name}.json"


def run(part: Part, full: bool, sources: str) -> dict[str, Any]:
    """Run a part and return its figures."""
    runs = part.full if full else part.runs
    one: dict[str, Any] = {"runs": runs, "sources": sources, "commit": _commit()}
    one |= {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "seconds": 0.0,
        "exit": 0,
        "skipped": "",
        "bounds": [],
    }
    absent = [name for name in _DATA if part.needs_data and not rows_of(name)]
    if absent:
        return {**one, "skipped": f"{', '.join(absent)} not installed"}
    before = _seconds()
    done = subprocess.run(
        [sys.executable, "-m", *part.words(full)],
        cwd=page.ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "NLGAUGE_THREADS": "1"},
    )
    if done.returncode == NOT_HERE:
        return {**one, "skipped": done.stdout.strip().splitlines()[-1]}
    found = list(figures(done.stdout))
    bounds = [] if done.returncode else [_plain(bound._asdict()) for bound in judged(part, found, runs)]
    return {
        **one,
        "seconds": round(_seconds() - before, 1),
        "exit": done.returncode,
        "bounds": bounds,
        "figures": _shown(found),
    }


def _shown(found: list[Figure]) -> list[list[Any]]:
    return [list(one) for one in found]


def _plain(bound: dict[str, Any]) -> dict[str, Any]:
    """Return a bound that JSON can have."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in bound.items()
    }


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=page.ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def main() -> int:
    """Run the parts, write the page, and return 1 if a part failed or a figure is out."""
    parser = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [part.name for part in PARTS]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"parts: {', '.join(names)} (default: all)")
    parser.add_argument("--full", action="store_true", help="the sizes of the other pages, for a night")
    parser.add_argument("--again", action="store_true", help="run also parts whose figures are kept")
    parser.add_argument(
        "--page", action="store_true", help="run nothing, and write the page from the kept figures"
    )
    options = parser.parse_args()
    unknown = set(options.parts) - set(names)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; the parts are {', '.join(names)}")
    chosen = [part for part in PARTS if not options.parts or part.name in options.parts]
    size = page.FULL if options.full else page.SMALL
    if not options.page:
        sources = fingerprint()
        for part in chosen:
            path = _path(part, size)
            path.parent.mkdir(parents=True, exist_ok=True)
            before = json.loads(path.read_text("utf-8")) if path.is_file() else {}
            if _is_current(before, sources) and not options.again:
                print(f"{part.name}: kept", file=sys.stderr)
                continue
            print(f"{part.name}: {part.title}", file=sys.stderr, flush=True)
            one = run(part, options.full, sources)
            path.write_text(json.dumps(one, ensure_ascii=False), "utf-8")
            print(
                f"{part.name}: {page.verdict(one)}, {one['seconds']:.0f} CPU s", file=sys.stderr, flush=True
            )
            page.write(kept())
    found = kept()
    page.write(found)
    of_size = found[size]
    wrong = [
        part.name for part in chosen if part.name not in of_size or "**" in page.verdict(of_size[part.name])
    ]
    if wrong:
        print(
            f"not as expected: {', '.join(wrong)}; see {Path('docs/statistics/nightly.md')}", file=sys.stderr
        )
    return bool(wrong)


def _is_current(one: dict[str, Any], sources: str) -> bool:
    """Return True if a part ran without a failure on these sources."""
    return bool(one) and one["sources"] == sources and not one["exit"] and not one["skipped"]


if __name__ == "__main__":
    sys.exit(main())
