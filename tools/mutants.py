"""Apply each mutant of tools/mutants.toml to a copy of the checkout, and run the test that must see it.

    python tools/mutants.py                    every mutant
    python tools/mutants.py J01 stats/ties.py  those of an id, or of a file below src/nlgauge

The tests first run without any mutant, since one that fails anyway sees nothing. The exit code is 1 if a mutant
survives, or if it no longer fits the sources.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tools" / "mutants.toml"
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "demo-*", "build", "dist")
# An editable installation finds the package before PYTHONPATH does.
_NO_EDITABLE = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
"""
_FAILED = 1


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Return the names that no test of a mutant reads; packages of the sources are called benchmarks, too."""
    return {*_LEFT_OUT(folder, names), *(["benchmarks"] if Path(folder) == ROOT else [])}


@dataclass(frozen=True)
class Mutant:
    """A change of one place, and the test that must fail after it."""

    id: str
    harm: str
    file: str
    old: str
    new: str
    test: str

    @property
    def path(self) -> Path:
        return Path("src", "nlgauge", self.file)

    def applied(self, text: str) -> str:
        """Change the text of the file; raise ValueError if the mutant does not fit it."""
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.id}: old occurs {text.count(self.old)} times in {self.path}, not once; adapt {DATA.name}"
            )
        changed = text.replace(self.old, self.new)
        ast.parse(changed)
        return changed


def mutants(chosen: Collection[str] = ()) -> list[Mutant]:
    """Read the mutants of these ids and files, or all."""
    known = [Mutant(**fields) for fields in tomllib.loads(DATA.read_text("utf-8"))["mutant"]]
    if missing := set(chosen) - {name for mutant in known for name in (mutant.id, mutant.file)}:
        raise SystemExit(f"{DATA.name} has no mutant {', '.join(sorted(missing))}")
    return [mutant for mutant in known if not chosen or {mutant.id, mutant.file} & set(chosen)]


class Copy:
    """A copy of the checkout whose tests import its own sources."""

    def __init__(self, place: Path, number: int) -> None:
        self.root, first = place / f"copy-{number}", place / "first"
        shutil.copytree(ROOT, self.root, ignore=_left_out)
        native = find_spec("nlgauge._native")
        if native is not None and native.origin is not None:
            shutil.copy2(native.origin, self.root / "src" / "nlgauge")
        first.mkdir(exist_ok=True)
        (first / "sitecustomize.py").write_text(_NO_EDITABLE, "utf-8")
        self._environment = {
            "NLGAUGE_BENCHMARKS": str(ROOT.parent / "shared" / "benchmarks"),
            "OMP_NUM_THREADS": "1",
            "NLGAUGE_THREADS": "1",
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(first)]),
        }
        self._changes = 0

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def test(self, *tests: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "pytest", "-q", "-x", "-rs", "--tb=short", "-p", "no:randomly", *tests)

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        path = self.root / mutant.path
        before, times = path.read_bytes(), path.stat()
        path.write_text(mutant.applied(path.read_text("utf-8")), "utf-8")
        # Python takes a compiled file for that of a source with the same second and size.
        self._changes += 1
        os.utime(path, (times.st_atime, times.st_mtime + self._changes))
        yield
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def verdict(copy: Copy, mutant: Mutant) -> str:
    """Return what is wrong: the mutant survives, or does not fit; nothing if its test sees it."""
    try:
        with copy.changed(mutant):
            ended = copy.test(mutant.test)
    except (ValueError, SyntaxError) as error:
        return f"DOES NOT FIT: {error}"
    if ended.returncode == _FAILED:
        return ""
    return "SURVIVED: " + (mutant.harm if ended.returncode == 0 else f"\n{ended.stdout}{ended.stderr}")


def main() -> int:
    """Try the mutants that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chosen", nargs="*", help="ids, or files below src/nlgauge; otherwise all")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    options = parser.parse_args()
    asked = mutants(options.chosen)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        made = [Copy(Path(folder).resolve(), number) for number in range(options.jobs)]
        for copy in made:
            copies.put(copy)
        package = made[0].run("-c", "import nlgauge; print(nlgauge.__file__)").stdout
        if not package.startswith(str(made[0].root)):
            raise SystemExit(f"the copy would not be tested, but {package or 'nothing'}")
        clean = made[0].test(*dict.fromkeys(mutant.test for mutant in asked))
        if clean.returncode != 0:
            print(f"the tests fail without any mutant:\n{clean.stdout}{clean.stderr}")
            return 1
        print(clean.stdout.strip().splitlines()[-1], "without any mutant", flush=True)

        def tried(mutant: Mutant) -> str:
            copy = copies.get()
            try:
                return verdict(copy, mutant)
            finally:
                copies.put(copy)

        wrong = 0
        with ThreadPoolExecutor(options.jobs) as pool:
            for mutant, result in zip(asked, pool.map(tried, asked), strict=True):
                print(f"{mutant.id}  {mutant.file}  {result or 'seen'}", flush=True)
                wrong += bool(result)
    print(f"{len(asked) - wrong} of {len(asked)} mutants are seen")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
