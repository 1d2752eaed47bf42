"""Collect the English of the repository: every piece with its kind and place.

Kinds: help (help strings and docstrings of commands), error, warning, message (other sentences in string literals),
docstring-public, docstring-private, comment, card, docs, readme, changelog, commit.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

KINDS = (
    "help",
    "error",
    "warning",
    "message",
    "docstring-public",
    "docstring-private",
    "comment",
    "card",
    "docs",
    "readme",
    "changelog",
    "commit",
)
PAGES = {"README.md": "readme", "CHANGELOG.md": "changelog", "CONTRIBUTING.md": "docs"}
# Lists whose texts `nlgauge benchmarks info` and `nlgauge models info` print.
CATALOGS = ("benchmarks.toml", "models.toml")
WARN = {"warn", "_warn", "warn_once", "_warn_once", "caution"}
KEYWORDS = {"help": "help", "short_help": "help", "epilog": "help", "warning": "warning"}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Piece(NamedTuple):
    """One piece of prose: its kind, file, first line and text."""

    kind: str
    path: str
    line: int
    text: str


def pieces(root: Path, commits: int = 0) -> Iterator[Piece]:
    """Yield all prose below the root of a repository, with the subjects of the last commits."""
    package = root / "src" / "nlgauge"
    for path in sorted((*package.rglob("*.py"), *package.rglob("*.pyi"))):
        yield from _Python(path.relative_to(root).as_posix(), path.read_text("utf-8")).pieces()
    for path in sorted(package.rglob("*.md")):
        yield from _markdown(path, root, "card")
    for name in CATALOGS:
        yield from _catalog(package / "data" / name, root)
    for path in sorted((root / "docs").rglob("*.md")):
        yield from _markdown(path, root, "docs")
    for path in sorted((root / "docs" / "tutorials").glob("*.py")):
        script = _Python(path.relative_to(root).as_posix(), path.read_text("utf-8"))
        yield from (piece._replace(kind="docs") for piece in script.pieces())
    for name, kind in PAGES.items():
        if (root / name).exists():
            yield from _markdown(root / name, root, kind)
    if commits:
        command = ["git", "-C", str(root), "log", f"-{commits}", "--format=%h %s"]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            commit, _, subject = line.partition(" ")
            yield Piece("commit", commit, 1, subject)


class _Python:
    """The prose of one Python file."""

    def __init__(self, path: str, source: str) -> None:
        self._path, self._source = path, source
        self._pieces: list[Piece] = []
        self._strings: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self._docstrings: set[ast.AST] = set()

    def pieces(self) -> list[Piece]:
        self._visit(ast.parse(self._source), "message")
        self._comments()
        return self._pieces

    def _add(self, kind: str, line: int, text: str) -> None:
        self._pieces.append(Piece(kind, self._path, line, text))

    def _visit(self, node: ast.AST, kind: str) -> None:
        """Collect the strings below a node; those in a call that raises or warns are of its kind."""
        if isinstance(node, ast.Constant | ast.JoinedStr):
            self._string(node, kind)
            return
        if isinstance(node, DOCUMENTED):
            self._docstring(node)
        elif isinstance(node, ast.Raise):
            kind = "error"
        elif isinstance(node, ast.Call):
            kind = _kind_of_call(_last_name(node.func), kind)
        elif isinstance(node, ast.keyword):
            kind = KEYWORDS.get(node.arg or "", kind)
        for field in node._fields:
            value = getattr(node, field)
            if isinstance(value, ast.AST):
                self._visit(value, kind)
            elif isinstance(value, list):
                for child in value:
                    if isinstance(child, ast.AST):
                        self._visit(child, kind)

    def _docstring(self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        first = node.body[0] if node.body else None
        if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
            return
        text = first.value.value
        if not isinstance(text, str):
            return
        self._docstrings.add(first.value)
        name = getattr(node, "name", "")
        kind = f"docstring-{'private' if re.match('_(?!_)', name) else 'public'}"
        if "/cli/" in self._path and isinstance(node, ast.FunctionDef) and _is_command(node):
            kind = "help"
        prose = (
            line for line in inspect.cleandoc(text).splitlines() if not re.match(r"\s*(>>>|\.\.\.)", line)
        )
        self._add(kind, first.lineno, "\n".join(prose))

    def _string(self, node: ast.Constant | ast.JoinedStr, kind: str) -> None:
        """Collect a string literal, and those in the fields of an f-string, with `{}` for each field."""
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            return
        place = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        self._strings.append(place)
        if node in self._docstrings:
            return
        if isinstance(node, ast.JoinedStr):
            texts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            text = "".join(map(str, texts))
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    self._visit(part.value, kind)
        else:
            text = str(node.value)
        if len(text.split()) > (3 if kind == "message" else 1):
            self._add(kind, node.lineno, text)

    def _comments(self) -> None:
        """Collect comments; consecutive lines with nothing else are one piece."""
        self._strings.sort()
        starts = [start for start, _ in self._strings]
        block: list[tuple[int, str]] = []
        for number, line in enumerate(self._source.splitlines(), 1):
            column = self._comment_column(number, line, starts) if "#" in line else -1
            text = line[column:].lstrip("#: ") if column >= 0 else ""
            if re.match(r"type:|noqa|ruff:|fmt:|pragma:", text):
                text = ""
            if block and (not text or line[:column].strip() or block[-1][0] != number - 1):
                self._comment(block)
                block = []
            if text:
                block.append((number, text))
                if line[:column].strip():
                    self._comment(block)
                    block = []
        self._comment(block)

    def _comment(self, block: list[tuple[int, str]]) -> None:
        text = "\n".join(line for _, line in block)
        if len(text.split()) > 2:
            self._add("comment", block[0][0], text)

    def _comment_column(self, number: int, line: str, starts: list[tuple[int, int]]) -> int:
        """Return the column of the first `#` outside of string literals, or -1."""
        for match in re.finditer("#", line):
            place = number, len(line[: match.start()].encode())
            before = bisect_right(starts, place) - 1
            if before < 0 or self._strings[before][1] <= place:
                return match.start()
        return -1


def _last_name(node: ast.expr) -> str:
    """Return `c` for `a.b.c`, and for `a.b.c(...)`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _kind_of_call(name: str, kind: str) -> str:
    if name in WARN:
        return "warning"
    if name == "Group":
        return "help"
    return "error" if name.endswith("Error") else kind


def _is_command(node: ast.FunctionDef) -> bool:
    """Return True if a decorator makes an object of a class (`@Command`) or of click (`@click.command()`)."""
    names = map(_last_name, node.decorator_list)
    return any(name[:1].isupper() or name in ("command", "group") for name in names)


def _catalog(path: Path, root: Path) -> Iterator[Piece]:
    """Yield the texts of four words or more in a catalog."""
    if not path.exists():
        return
    content = path.read_text("utf-8")
    for match in re.finditer(r'"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', content, re.S):
        text = (match[1] or match[2] or "").replace("\\\n", "")
        if len(text.split()) > 3:
            line = content.count("\n", 0, match.start()) + 1
            yield Piece("card", path.relative_to(root).as_posix(), line, text)


def _markdown(path: Path, root: Path, kind: str) -> Iterator[Piece]:
    """Yield the paragraphs of a page, without its TOML header, code blocks and inline code with quoted text."""
    text = re.sub(r"`[^`\n]*['\"][^`\n]*`", "`code`", path.read_text("utf-8"))
    for code in (r"\A\+\+\+\n.*?^\+\+\+$", r"^ *```.*?^ *```"):
        text = re.sub(code, lambda match: "\n" * match[0].count("\n"), text, flags=re.S | re.M)
    lines = text.splitlines()
    breaks = [
        0,
        *(n for n, line in enumerate(lines, 1) if not line.strip() or line.startswith("    ")),
        len(lines) + 1,
    ]
    for before, after in pairwise(breaks):
        if after - before > 1:
            yield Piece(
                kind, path.relative_to(root).as_posix(), before + 1, "\n".join(lines[before : after - 1])
            )
