"""Examples of the documentation run as printed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from shell import printed

from nlgauge.models.weights.store import location

DOCS = Path(__file__).parents[2] / "docs"
# tests/meta/test_meta_page.py runs these pages.
ELSEWHERE = {"statistics/meta-evaluation.md", "statistics/meta-many.md"}
CONSOLE = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if "\n>>> " in path.read_text("utf-8") and path.relative_to(DOCS).as_posix() not in ELSEWHERE
)
_BLOCK = re.compile(r"^(?:<!-- needs ([\w-]+) -->\n)?```python\n(>>>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = ("start/first-report.md", "howto/tables-for-papers.md")


def _blocks(page: str) -> list[tuple[str, str]]:
    """List the blocks of a page, each with the model that it needs ("" for none)."""
    return _BLOCK.findall((DOCS / page).read_text("utf-8"))


def _models(page: str) -> list[str]:
    return sorted({model for model, _ in _blocks(page)})


@pytest.mark.parametrize(("page", "needs"), [(page, model) for page in CONSOLE for model in _models(page)])
def test_python_prints_the_text_of_the_page(page: str, needs: str) -> None:
    """Run the blocks of a page that need no model, or those that follow `<!-- needs MODEL -->`."""
    if needs:
        pytest.importorskip("torch")
        if location(needs) is None:
            pytest.skip(f"{needs} is not installed; run: nlgauge models get {needs}")
    text = "".join(body for model, body in _blocks(page) if model == needs)
    reports: list[str] = []
    example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert example.examples
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
