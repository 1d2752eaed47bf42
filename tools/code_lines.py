"""Count the lines of code of the package, without docstrings, comments and blank lines.

    python tools/code_lines.py [DIRECTORY]

A temporary copy of the Python files (by default those of src/nlgauge) is formatted at 110 columns first, so that
the number does not depend on the line length of the project.
"""

from __future__ import annotations

import ast
import io
import shutil
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "nlgauge"
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """Count the lines that hold a token of code; a long string counts with all of its lines unless it is a docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(text))


def docstring_lines(text: str) -> set[int]:
    owners = (
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )
    strings = [owner.body[0] for owner in owners if ast.get_docstring(owner, clean=False) is not None]
    return {line for string in strings for line in range(string.lineno, (string.end_lineno or 0) + 1)}


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "copy"
        shutil.copytree(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE, copy)
        ruff = [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--isolated",
            "--quiet",
            "--line-length",
            "110",
            "--target-version",
            "py311",
        ]
        subprocess.run([*ruff, str(copy)], check=True)
        print(sum(code_lines(file.read_text("utf-8")) for file in copy.rglob("*.py")))


if __name__ == "__main__":
    main()
