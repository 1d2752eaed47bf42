"""Name the test files of a module: python tools/tests_of.py src/nlgauge/stats/ties.py

They are in the folder of tests/ with the module's path: the file of its name, and those that import it. If there
are none, they are those of the modules in the same package that import it, and at last all of the folder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES, TESTS = ROOT / "src" / "nlgauge", ROOT / "tests"


def files_of(module: Path) -> list[Path]:
    """Return the test files of a module, whose path is below src/nlgauge."""
    folder = next(place for place in (TESTS / parent for parent in module.parents) if place.is_dir())
    found = set(_own(folder, module))
    if not found:
        package = SOURCES / module.parts[0]
        users = (path.relative_to(SOURCES) for path in _importing(package.rglob("*.py"), module))
        found = {test for user in users for test in _own(folder, user)}
    return sorted(found) or sorted(folder.glob("test_*.py")) or sorted(folder.rglob("test_*.py"))


def _own(folder: Path, module: Path) -> Iterator[Path]:
    """Yield the tests in a folder that have a module's name, or import it."""
    tests = sorted(folder.rglob("test_*.py"))
    name = module.parent.name if module.name == "__init__.py" else module.stem
    yield from (test for test in tests if test.stem == f"test_{name}")
    yield from _importing(tests, module)


def _importing(files: Iterator[Path] | list[Path], module: Path) -> Iterator[Path]:
    """Yield the files that import a module."""
    parts = ("nlgauge", *module.with_suffix("").parts)
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    package, name = re.escape(".".join(parts[:-1])), re.escape(parts[-1])
    imports = re.compile(
        rf"\bfrom {package}\.{name} import|\bimport {package}\.{name}\b|\bfrom {package} import .*\b{name}\b"
    )
    yield from (path for path in files if imports.search(path.read_text("utf-8")))


if __name__ == "__main__":
    given = Path(sys.argv[1]).resolve()
    if not given.is_relative_to(SOURCES):
        sys.exit(f"{sys.argv[1]} is not below src/nlgauge; name a module of the package")
    print(*(test.relative_to(ROOT) for test in files_of(given.relative_to(SOURCES))))
