"""Examples of the documentation run as printed."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path

import pytest
from shell import printed

DOCS = Path(__file__).parents[2] / "docs"
# tests/meta/test_meta_page.py runs this page.
ELSEWHERE = {"statistics/meta-evaluation.md"}
CONSOLE = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if "\n>>> " in path.read_text("utf-8") and path.relative_to(DOCS).as_posix() not in ELSEWHERE
)
COMMANDS = ("start/first-report.md", "howto/tables-for-papers.md")
TUTORIALS = sorted((DOCS / "tutorials").glob("plot_*.py"))


@pytest.mark.parametrize("page", CONSOLE)
def test_python_prints_the_text_of_the_page(page: str) -> None:
    text = "".join(
        re.findall(r"^```python\n(>>>.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    )
    reports: list[str] = []
    example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(example, out=reports.append)
    assert "".join(reports) == ""


@pytest.mark.parametrize("page", COMMANDS)
def test_commands_of_the_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in re.findall(
        r"^```sh\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        for line in block.splitlines():
            assert printed(line) or not line.startswith("nlgauge ") or "-o" in line.split()


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_uses_public_names_only(path: Path) -> None:
    public = {"nlgauge", "nlgauge.meta", "nlgauge.plots"}
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert {name for name in modules if name.startswith("nlgauge")} <= public
