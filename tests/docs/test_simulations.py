"""Pictures of simulations show the tables of the pages, and their descriptions have the same numbers."""

from __future__ import annotations

import re

import pytest

from tools.site.files import Target
from tools.site.simulations import PAGES, PICTURES, numbers, rows, write

IMAGES = [
    (path.name, name, alt)
    for path in sorted(PAGES.glob("*.md"))
    for name, alt in re.findall(
        r"^```\{image\} pictures/([\w-]+)\.svg\n:alt: (.+)$", path.read_text("utf-8"), re.MULTILINE
    )
]
TABLES = " ".join(
    line
    for path in sorted(PAGES.glob("*.md"))
    for line in path.read_text("utf-8").splitlines()
    if line.startswith("|")
)


def test_every_picture_is_on_a_page() -> None:
    assert {name for _, name, _ in IMAGES} == set(PICTURES)


@pytest.mark.parametrize(("page", "name", "alt"), IMAGES, ids=[f"{page}-{name}" for page, name, _ in IMAGES])
def test_a_description_has_numbers_of_the_tables(page: str, name: str, alt: str) -> None:
    measured = [number for number in re.findall(r"\d+\.\d+%?", alt) if number not in ("0.05", "0.5")]
    assert len(measured) >= 2
    assert [number for number in measured if not re.search(rf"(?<![\d.]){re.escape(number)}", TABLES)] == []


def test_a_table_is_read_by_headings() -> None:
    first = rows("simulations.md", "segments")[0]
    assert numbers(first["coverage of 95% intervals"]) == (0.935, 0.951)
    assert numbers(first["type I error: bootstrap"]) == (0.047, 0.065)
    assert [row["correction"] for row in rows("meta-many.md", "correction")][:3] == [
        "none",
        "bonferroni",
        "holm",
    ]
    with pytest.raises(ValueError, match="no table"):
        rows("simulations.md", "documents")


def test_all_pictures_are_drawn(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = Target(tmp_path_factory.mktemp("site"))
    write(target)
    for name in PICTURES:
        text = (target.directory / "statistics" / "pictures" / f"{name}.svg").read_text("utf-8")
        assert text.count("<path") > 10
