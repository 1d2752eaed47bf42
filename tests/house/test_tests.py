"""Tests stand where their modules stand, and the mutants that they must see still fit the sources."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from longest import LONGEST

from tools.mutants import Mutant, mutants
from tools.tests_of import files_of

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
# Tests of the documentation and of all packages, of the sources themselves, and of studies/.
OTHERS = {".", "docs", "house", "studies"}
FILES = sorted(TESTS.rglob("test_*.py"))


def test_every_folder_of_tests_has_a_package_of_its_name():
    folders = {path.parent.relative_to(TESTS).as_posix() for path in FILES} - OTHERS
    assert [folder for folder in sorted(folders) if not (ROOT / "src" / "nlgauge" / folder).is_dir()] == []


def test_every_test_file_has_a_name_of_its_own():
    repeated = [name for name, count in Counter(path.name for path in FILES).items() if count > 1]
    assert repeated == []


def test_the_longest_files_are_there_and_named_once():
    assert [name for name in LONGEST if not (TESTS / name).exists()] == []
    assert len(set(LONGEST)) == len(LONGEST)


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.id)
def test_every_mutant_fits_the_sources_and_has_its_test(mutant: Mutant):
    """If the line has changed, change it in tools/mutants.toml too, and see `make mutants ONLY=ID` end well."""
    mutant.applied((ROOT / mutant.path).read_text("utf-8"))
    file, _, test = mutant.test.partition("::")
    name = test.partition("[")[0]
    assert re.search(rf"^def {name}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("stats/ties.py", {"stats/test_ties.py"}),
        (
            "metrics/_shared/error_rate.py",
            {f"metrics/test_{name}.py" for name in ("cer", "mer", "wer", "wil", "wip")},
        ),
        ("show/explorer/guard.py", {"show/test_explorer.py"}),
    ],
)
def test_the_tests_of_a_module_are_found_by_its_path(module: str, tests: set[str]):
    assert {path.relative_to(TESTS).as_posix() for path in files_of(Path(module))} == tests
