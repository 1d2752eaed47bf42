"""Draw the packages of nlgauge and their imports into CONTRIBUTING.md, from the code itself.

    python tools/house.py           write the section
    python tools/house.py --check   exit with code 1 if it is out of date

`tests/house/test_rooms.py` reads the imports through this module.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "nlgauge"
PAGE = ROOT / "CONTRIBUTING.md"
# A package may import itself and what stands before it.
ORDER = [
    "errors",
    "_core",
    "corpus",
    "io",
    "kernels",
    "models",
    "estimators",
    "explanations",
    "features",
    "stats",
    "spans",
    "metric",
    "judges",
    "metrics",
    "engine",
    "results",
    "preferences",
    "scoring",
    "meta",
    "advisor",
    "show",
    "plots",
    "annotate",
    "testing",
    "compat",
    "candidates",
    "reproduce",
    "verification",
    "cli",
    "__main__",
]
BEGIN, END = "<!-- house: written by tools/house.py -->\n", "<!-- house: end -->\n"


class Import(NamedTuple):
    """One import of a module, late if it runs inside a function."""

    module: str
    imported: str
    line: int
    is_late: bool

    @property
    def packages(self) -> tuple[str, str]:
        return package(self.module), package(self.imported)

    def __str__(self) -> str:
        return f"{self.module} imports {self.imported} (line {self.line})"


def package(module: str) -> str:
    return module.partition(".")[0]


@cache
def modules() -> dict[str, Path]:
    """Return the file of every module, by its name without `nlgauge.`."""
    paths = {
        ".".join(path.relative_to(SOURCES).with_suffix("").parts): path for path in SOURCES.rglob("*.py")
    }
    return {name.removesuffix("__init__").removesuffix("."): path for name, path in paths.items()}


@cache
def imports() -> list[Import]:
    """Return all imports between modules, but for those that only type checkers see."""
    return [found for module in modules() if module for found in _imports(module) if found.imported]


def _imports(module: str) -> Iterator[Import]:
    tree = ast.parse(modules()[module].read_text("utf-8"))
    for_types, late = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for_types |= set(ast.walk(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            late |= set(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in for_types:
            for name in _names(node):
                if package(name) == "nlgauge":
                    yield Import(
                        module,
                        _module_of(name.removeprefix("nlgauge").lstrip(".")),
                        node.lineno,
                        node in late,
                    )


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names]


def _module_of(name: str) -> str:
    while name not in modules():
        name = name.rpartition(".")[0]
    return name


def upward() -> list[Import]:
    """Return the imports of a package that stands later in the order."""
    place = {name: number for number, name in enumerate(ORDER)}
    return [found for found in imports() if place[found.packages[1]] > place[found.packages[0]]]


def arrows() -> dict[str, list[str]]:
    """Return what each package imports, without what it reaches through others."""
    reach: dict[str, set[str]] = {}
    direct: dict[str, set[str]] = defaultdict(set)
    for found in imports():
        importer, imported = found.packages
        if importer != imported and not found.is_late:
            direct[importer].add(imported)
    for name in ORDER:
        reach[name] = set().union(*(reach[other] | {other} for other in direct[name]))
    return {
        name: sorted(direct[name] - set().union(*(reach[other] for other in direct[name]))) for name in ORDER
    }


def purpose(name: str) -> str:
    """Return the first paragraph of a package's docstring."""
    text = ast.get_docstring(ast.parse(modules()[name].read_text("utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _rooms(package_name: str) -> str:
    folders = (name for name, path in modules().items() if path.name == "__init__.py")
    names = sorted(
        folder.removeprefix(f"{package_name}.") for folder in folders if folder.startswith(f"{package_name}.")
    )
    return ", ".join(f"`{room.replace('.', '/')}/`" for room in names)


def section() -> str:
    """Return the generated part of the page: a table of the packages and a drawing of their imports."""
    lines = ["| package | purpose | rooms |", "|---|---|---|"]
    for name in ORDER:
        folder = modules()[name].name == "__init__.py"
        lines.append(f"| `{name}{'/' if folder else '.py'}` | {purpose(name)} | {_rooms(name)} |")
    lines += ["", "```mermaid", "graph LR"]
    lines += [
        f"    {name.strip('_')} --> {other.strip('_')}"
        for name, others in arrows().items()
        for other in others
    ]
    return "\n".join([*lines, "```", ""])


def written(page: str) -> str:
    """Return the page with its generated part as the code is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{section()}\n{END}{after}"


def main() -> None:
    page = PAGE.read_text("utf-8")
    if "--check" in sys.argv:
        sys.exit(0 if written(page) == page else f"{PAGE.name} is out of date; run: python tools/house.py")
    PAGE.write_text(written(page), "utf-8")


if __name__ == "__main__":
    main()
