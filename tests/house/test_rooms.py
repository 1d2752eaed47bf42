"""The rooms of the house: imports point one way, no folder is a corridor, tests stand where their modules stand."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "nlgauge"
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
    "metric",
    "judges",
    "metrics",
    "engine",
    "results",
    "scoring",
    "meta",
    "show",
    "plots",
    "testing",
    "compat",
    "cli",
    "__main__",
]
# Values that show themselves call upwards when they are shown; nothing else may.
DOORS = {
    "_core.shown": {"show"},
    "explanations": {"show"},
    "metric.card": {"show"},
    "results.comparison": {"show"},
    "results.groups": {"show"},
    "results.ranks": {"show"},
    "results.result": {"show", "scoring"},
    "meta.findings": {"plots"},
    "engine.prepare": {"compat"},
    "metrics": {"compat"},
}
LARGEST_FOLDER = 20


class Import(NamedTuple):
    module: str
    imported: str
    line: int
    is_late: bool

    def __str__(self) -> str:
        return f"{self.module} imports {self.imported} (line {self.line})"


def _modules() -> dict[str, Path]:
    paths = {
        ".".join(path.relative_to(SOURCES).with_suffix("").parts): path for path in SOURCES.rglob("*.py")
    }
    return {name.removesuffix("__init__").removesuffix("."): path for name, path in paths.items()}


MODULES = _modules()


def _imports(module: str) -> Iterator[Import]:
    """Yield every import of a module, but for those that only type checkers see."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    for_types = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    late = {child for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if node in for_types or not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for name in _names(node):
            if name.split(".")[0] == "nlgauge":
                yield Import(
                    module, _module_of(name.removeprefix("nlgauge").lstrip(".")), node.lineno, node in late
                )


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names]


def _module_of(name: str) -> str:
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def _package(module: str) -> str:
    return module.partition(".")[0]


IMPORTS = [found for module in MODULES if module for found in _imports(module) if found.imported]


def test_every_package_has_its_place_in_the_order():
    assert {_package(module) for module in MODULES if module} <= set(ORDER)


def test_imports_point_one_way():
    upwards = [
        str(found)
        for found in IMPORTS
        if ORDER.index(_package(found.imported)) > ORDER.index(_package(found.module))
        and not (found.is_late and _package(found.imported) in DOORS.get(found.module, ()))
    ]
    assert upwards == []


def test_every_door_is_used():
    used = defaultdict(set)
    for found in IMPORTS:
        if found.is_late and ORDER.index(_package(found.imported)) > ORDER.index(_package(found.module)):
            used[found.module].add(_package(found.imported))
    assert dict(used) == DOORS


def test_no_folder_is_a_corridor():
    sizes: dict[str, int] = defaultdict(int)
    for path in SOURCES.rglob("*.py"):
        sizes[path.parent.relative_to(SOURCES).as_posix()] += path.name != "__init__.py"
    large = {folder: size for folder, size in sizes.items() if size > LARGEST_FOLDER and folder != "metrics"}
    assert large == {}
