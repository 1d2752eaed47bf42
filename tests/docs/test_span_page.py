"""The commands and the code of the page on files of error spans run as printed, on the file that the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shell import printed

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "error-spans-commands.md").read_text("utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore")
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    for name, example in zip(("spans.jsonl", "outputs.jsonl"), _blocks("json"), strict=True):
        Path(name).write_text(example, "utf-8")
    for block in _blocks("sh"):
        for line in block.splitlines():
            command = line.partition("  #")[0].strip()
            assert printed(command) or "-o" in command.split() or command.startswith("nlgauge spans add")
    [code] = _blocks("python")
    exec(code, {})
    assert "4 texts of 2 annotators (nlgauge): 3 spans" in capsys.readouterr().out
