"""docs/migration: every pair of calls is run, yours where the library is installed, and the values are
what the page says.
"""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nlgauge.compat import nlgmetricverse
from nlgauge.compat.nlgmetricverse.loading import LATER

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "migration"
LIBRARIES = [
    "sacreBLEU",
    "rouge-score",
    "jiwer",
    "bert-score",
    "Hugging Face evaluate",
    "Jury",
    "NLG-Metricverse",
    "torchmetrics",
    "pycocoevalcap",
]
_ROW = re.compile(
    r"^\| `(?P<yours>[^`]+)` \| `(?P<ours>[^`]+)` \| (?P<values>equal|differ) \| (?P<why>[^|]*)\|$",
    re.MULTILINE,
)
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
# Its metrics are scripts that it downloads; tests/compat/test_compat_evaluate.py has what they gave.
_DOWNLOADS = ("Hugging Face evaluate",)


class Pair(NamedTuple):
    library: str
    yours: str
    ours: str
    values: str


def _sections() -> dict[str, str]:
    """Return the text of each page by its title, and the introduction by an empty title."""
    texts = [path.read_text("utf-8") for path in sorted(PAGES.glob("*.md"))]
    titles = [text.partition("\n")[0].removeprefix("# ") for text in texts]
    return {
        "" if title == "Coming from another library" else title: text
        for title, text in zip(titles, texts, strict=True)
    }


SECTIONS = _sections()
PAIRS = [
    Pair(name, row["yours"], row["ours"], row["values"])
    for name, text in SECTIONS.items()
    for row in _ROW.finditer(text)
]


def _names(library: str, side: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the blocks of the page define for one side."""
    names = dict(given)
    lines = [
        line
        for text in (SECTIONS[""], SECTIONS[library])
        for block in _BLOCK.findall(text)
        for line in block.splitlines()
    ]
    for line in lines:
        code, _, whose = line.partition("  # ")
        if whose in ("", side):
            exec(code, names)
    return names


@pytest.mark.filterwarnings(
    "ignore:The given NumPy array is not writable", "ignore:.*:DeprecationWarning", "ignore:.*:FutureWarning"
)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.library}-{pair.yours[:60]}")
def test_the_pair_is_what_the_page_says(pair: Pair, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    given: dict[str, Any] = {}
    if pair.library == "bert-score":
        baseline = tmp_path / "baseline.csv"
        baseline.write_text("LAYER,P,R,F\n0,0,0,0\n1,0.3,0.2,0.25\n", encoding="utf-8")
        given = {"model": str(request.getfixturevalue("tiny_models")["encoder"]), "baseline": str(baseline)}
    ours = eval(pair.ours, _names(pair.library, "ours", given))
    assert all(math.isfinite(number) for number in _numbers(ours))
    if pair.library in _DOWNLOADS:
        return
    try:
        names = _names(pair.library, "yours", given)
    except ImportError:
        pytest.skip(f"ours runs; {pair.library} is not installed")
    yours = eval(pair.yours, names)
    assert (_numbers(ours) == pytest.approx(_numbers(yours), rel=1e-5, abs=1e-5)) == (
        pair.values == "equal"
    ), (ours, yours)


def _numbers(value: Any) -> list[float]:
    """Every number in a value, in order."""
    if isinstance(value, dict):
        return [number for name in value for number in _numbers(value[name])]
    if isinstance(value, list | tuple):
        return [number for item in value for number in _numbers(item)]
    return [float(value)]


def test_every_library_has_a_section_with_pairs() -> None:
    counts = {name: sum(pair.library == name for pair in PAIRS) for name in LIBRARIES}
    assert all(3 <= count <= 8 for count in counts.values()), counts
    assert sum(counts.values()) == len(PAIRS)
    rows = [line for text in SECTIONS.values() for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == len(PAIRS)  # a row that the pattern above does not match would not be run
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", SECTIONS[""]))
    assert linked == {path.stem for path in PAGES.glob("*.md")} - {"index"}


def test_what_comes_later_is_listed() -> None:
    named = set(re.findall(r"`([\w.]+)`", SECTIONS["What comes with later releases"]))
    raising = [
        name
        for name in nlgmetricverse.__all__
        if "Comes with a later release" in (getattr(nlgmetricverse, name).__doc__ or "")
    ]
    assert raising == []
    assert named == set(LATER)


def test_the_calls_are_expressions() -> None:
    for pair in PAIRS:
        for call in (pair.yours, pair.ours):
            assert isinstance(ast.parse(call, mode="eval").body, ast.expr), call
