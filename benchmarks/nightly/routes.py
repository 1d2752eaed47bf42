"""The same bits over kernels, threads, instructions and routes: python -m benchmarks.nightly.routes --cases 12 [--seed 1]

A case has four predictions with their references. The cases of a block are one corpus, which is scored by all metrics on
strings in one call, in chunks of a few segments, in threads, in processes, on a Ray cluster, as a stream of records, by the
command line from a file in chunks, and after a reload; with compiled and plain kernels; and with the processor's basic
instructions only. The statistics and the scores must have the same bits as those of the first route. Metrics with a compiled
form are compared with their ordinary form. Ray is left out if it is not installed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import nlgauge
from benchmarks.nightly.cases import case
from nlgauge._core.backend import NATIVE, using
from nlgauge.engine.executors import Serial, Threads
from nlgauge.engine.executors.processes import Processes
from tools.fuzz_native import _CORPUS_METRICS, compiled_difference, compiled_rewards, labels, same

# Key of an array -> the array, or the text of a score.
Values = Mapping[tuple[str, str], Any]
_TEXTS, _CASES_OF_BLOCK, _CHARACTERS, _TRIES = 4, 50, 400, 3


def block(seed: int, cases: range) -> list[tuple[str, list[str]]]:
    """Return the predictions and references of some cases."""
    return [case(seed, 1000 * number + i) for number in cases for i in range(_TEXTS)]


def values(result: nlgauge.Result) -> Values:
    """Return the statistics and the scores of a result."""
    return {
        **{
            (key[1], part): np.asarray(numbers)
            for key, table in result._tables.items()
            for part, numbers in getattr(table, "statistics", {}).items()
        },
        **{(label, "scores"): repr(scores) for label, scores in result.items()},
    }


def scored(texts: list[tuple[str, list[str]]], names: list[str], **options: Any) -> nlgauge.Result:
    """Return the result of one call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nlgauge.score(
            [p for p, _ in texts],
            [r for _, r in texts],
            [p for p, _ in texts],
            names,
            show_progress=False,
            **options,
        )


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let executors use so many threads or processes."""
    before = os.environ.get("NLGAUGE_THREADS", "")
    os.environ["NLGAUGE_THREADS"] = str(count)
    try:
        yield
    finally:
        os.environ["NLGAUGE_THREADS"] = before or "1"


def all_routes(texts: list[tuple[str, list[str]]], names: list[str]) -> Iterator[tuple[str, Values]]:
    """Yield the values of each route; the first is one call with compiled kernels and one thread."""
    assert NATIVE is not None
    for kernels, count in (("native", 1), ("native", 2), ("python", 1)):
        NATIVE.set_threads(count, worthwhile=1)
        with using(kernels):  # type: ignore[arg-type]
            yield f"a call, {kernels} kernels, threads: {count}", values(scored(texts, names))
    NATIVE.set_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer = nlgauge.Scorer(names)
        yield (
            "a Scorer, second run",
            values([scorer(*_sides(texts), show_progress=False) for _ in range(2)][1]),
        )
        stream = nlgauge.score(Stream(records(texts)), metrics=names, show_progress=False)
    yield "a stream of records", values(stream)
    yield "chunks of a few segments", values(scored(texts, names, executor=Serial(_CHARACTERS)))
    with threads(2):
        yield "threads", values(scored(texts, names, executor=Threads(_CHARACTERS)))
        yield "processes: 2", values(scored(texts, names, executor=Processes(_CHARACTERS)))
    with tempfile.TemporaryDirectory() as folder:
        scored(texts, names).save(Path(folder) / "result")
        yield "saved and loaded", values(nlgauge.load(Path(folder) / "result"))
        yield "the command line, chunks from disk", by_command(texts, names, Path(folder))


def ray_route(texts: list[tuple[str, list[str]]], names: list[str]) -> tuple[str, Values]:
    """Return the name and the values of a Ray cluster that is started and stopped here; no values if there is no cluster."""
    if importlib.util.find_spec("ray") is None:
        return "a Ray cluster (Ray is not installed)", {}
    from nlgauge.engine.executors.ray import Ray

    # Ray waits 30 seconds for its own processes, which is too short on a busy machine.
    for _ in range(_TRIES):
        try:
            with threads(2):
                return "a Ray cluster", values(scored(texts, names, executor=Ray(characters=_CHARACTERS)))
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    return f"a Ray cluster (it did not start in {_TRIES} tries)", {}


def _sides(texts: list[tuple[str, list[str]]]) -> tuple[list[str], list[list[str]], list[str]]:
    return [p for p, _ in texts], [r for _, r in texts], [p for p, _ in texts]


def records(texts: list[tuple[str, list[str]]]) -> list[dict[str, Any]]:
    """Return one record per text."""
    return [{"prediction": p, "references": r, "source": p} for p, r in texts]


class Stream:
    """Records in the form of an iterable dataset of `datasets`, which is read in blocks and never held whole."""

    column_names = ("prediction", "references", "source")

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)


def by_command(texts: list[tuple[str, list[str]]], names: list[str], folder: Path) -> Values:
    """Return the values of `nlgauge score --stream`."""
    file, output = folder / "system.jsonl", folder / "scored"
    file.write_text("".join(json.dumps(record) + "\n" for record in records(texts)), "utf-8")
    words = [sys.executable, "-m", "nlgauge", "score", str(file), "--stream", "-q", "-o", str(output)]
    words += [word for name in names for word in ("-m", name)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"nlgauge score failed:\n{done.stderr[-2000:]}")
    return values(nlgauge.load(output))


def digests(found: Values) -> dict[str, str]:
    """Return a hash of each value."""
    return {
        f"{label} {part}": hashlib.sha256(
            value.encode() if isinstance(value, str) else value.tobytes()
        ).hexdigest()
        for (label, part), value in found.items()
    }


def basic_instructions(seed: int, cases: range) -> dict[str, str]:
    """Return the hashes of a process without wide instructions of the processor."""
    words = [sys.executable, "-m", "benchmarks.nightly.routes", "--seed", str(seed)]
    words += ["--digests", str(cases.start), str(cases.stop)]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NLGAUGE_SIMD": "baseline"},
    )
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def differences(first: Values, other: Values) -> list[str]:
    """Return the keys of the first values that the others lack or have with other bits."""
    return [
        f"{label}, {part}" for (label, part), value in first.items() if not _equal(other, label, part, value)
    ]


def _equal(other: Values, label: str, part: str, value: Any) -> bool:
    return (label, part) in other and same(other[label, part], value)


def main() -> None:
    """Print a table with one row per route."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--digests", type=int, nargs=2, help="print hashes of the first route of these cases")
    options = parser.parse_args()
    if NATIVE is None:
        sys.exit("nlgauge was installed without compiled kernels")
    names = [label for label in labels() if label not in _CORPUS_METRICS]
    if options.digests:
        print(json.dumps(digests(values(scored(block(options.seed, range(*options.digests)), names)))))
        return
    compare(options.cases, options.seed, names)


def compare(cases: int, seed: int, names: list[str]) -> None:
    """Score all blocks by all routes, and print the table."""
    count: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    rewards = compiled_rewards(names)

    def note(route: str, number: int, wrong: list[str]) -> None:
        count[route] += number
        differ[route] += len(wrong)
        if wrong:
            print(f"{route}: {'; '.join(wrong[:20])}", file=sys.stderr)

    for start in range(0, cases, _CASES_OF_BLOCK):
        chosen = range(start, min(cases, start + _CASES_OF_BLOCK))
        texts = block(seed, chosen)
        first: Values = {}
        for route, found in all_routes(texts, names):
            first = first or found
            note(route, len(first), differences(first, found))
        if not start:
            # A cluster takes seconds to start, so it has one block.
            name, found = ray_route(texts, names)
            note(name, len(found), differences(first, found) if found else [])
        ours, basic = digests(first), basic_instructions(seed, chosen)
        note(
            "a process without wide instructions",
            len(ours),
            [key for key, value in ours.items() if basic.get(key) != value],
        )
        for place in range(0, len(texts), _TEXTS):
            predictions, references, _ = _sides(texts[place : place + _TEXTS])
            wrong = compiled_difference(rewards, predictions, references)
            note("compiled metrics and utilities", len(rewards), [wrong] if wrong else [])
    print("| route | values | differ |\n|---|---|---|")
    for route, number in count.items():
        print(f"| {route} | {number} | {differ[route]} |")


if __name__ == "__main__":
    main()
