"""The rooms of the house: imports point one way, no folder is a corridor, and the page of contributors says so."""

from __future__ import annotations

import re
from collections import defaultdict

from tools import house

# Values that show themselves call upwards when they are shown; nothing else may.
DOORS = {
    "_core.shown": {"show"},
    "explanations": {"show"},
    "metric.card": {"show"},
    "results.plans.aa": {"show"},
    "results.comparison": {"show"},
    "results.groups": {"show"},
    "results.plans.plan": {"show"},
    "results.ranks": {"show"},
    "results.result": {"show", "scoring"},
    "meta.findings": {"plots"},
    "advisor.advice": {"show"},
    "engine.prepare": {"compat"},
}
LARGEST_FOLDER = 22


def test_every_package_has_its_place_in_the_order():
    assert {house.package(module) for module in house.modules() if module} == set(house.ORDER)


def test_imports_point_one_way():
    assert [str(found) for found in house.upward() if not found.is_late] == []


def test_late_imports_go_up_through_known_doors_only():
    upward = defaultdict(set)
    for found in house.upward():
        upward[found.module].add(found.packages[1])
    assert dict(upward) == DOORS


def test_no_folder_is_a_corridor():
    sizes: dict[str, int] = defaultdict(int)
    for path in house.modules().values():
        sizes[path.parent.relative_to(house.SOURCES).as_posix()] += path.name != "__init__.py"
    assert {name: size for name, size in sizes.items() if size > LARGEST_FOLDER and name != "metrics"} == {}


def test_a_folder_of_metrics_holds_metrics_only():
    from nlgauge.metric.registry import metric_classes

    names = {
        name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")
    }
    assert {path.stem for path in (house.SOURCES / "metrics").glob("*.py")} - {"__init__"} == names


def test_the_page_of_contributors_draws_the_house_as_it_is():
    page = house.PAGE.read_text("utf-8")
    assert house.written(page) == page, "run: python tools/house.py"


def test_public_names_are_declared_in_stubs_only():
    """A package whose names are imported at first use has a stub, and its code lists none of them."""
    stubs = sorted(path.with_suffix(".py") for path in house.SOURCES.rglob("*.pyi"))
    assert [path.relative_to(house.SOURCES).as_posix() for path in stubs] == [
        "__init__.py",
        "annotate/__init__.py",
        "compat/nlgmetricverse/__init__.py",
        "corpus/__init__.py",
        "meta/__init__.py",
        "plots.py",
    ]
    for path in stubs:
        code = path.read_text("utf-8").rpartition('"""')[2]
        assert "public(__name__, __file__" in "".join(code.split()).replace(",__file__", ", __file__")
        declared = re.findall(r" as (\w+)$", path.with_suffix(".pyi").read_text("utf-8"), re.MULTILINE)
        assert declared
        assert [name for name in declared if re.search(rf"\b{name}\b", code)] == []
