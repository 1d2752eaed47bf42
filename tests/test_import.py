"""`import nlgauge` costs next to nothing, and offers exactly the public names."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import nlgauge

HEAVY = (
    "torch",
    "transformers",
    "sacrebleu",
    "nltk",
    "scipy",
    "pandas",
    "polars",
    "numpy",
    "rapidfuzz",
    "regex",
    "rich",
    "click",
    "msgspec",
    "matplotlib",
)
SOURCES = Path(nlgauge.__file__).parent
STUBS = sorted(SOURCES.rglob("*.pyi"))

PROBE = """
import json, sys
opened, connected = [], []
def listen(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])
    if event.startswith("socket."):
        connected.append(event)
sys.addaudithook(listen)
before = set(sys.modules)
{statement}
print(json.dumps({{"modules": sorted(set(sys.modules) - before), "opened": opened, "connected": connected}}))
"""


def probe(statement: str) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(statement=statement)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_import_loads_nothing_heavy_and_reads_no_data():
    found = probe("import nlgauge")
    assert {module.partition(".")[0] for module in found["modules"]}.isdisjoint(HEAVY)
    assert {module for module in found["modules"] if module.startswith("nlgauge")} == {
        "nlgauge",
        "nlgauge._core",
        "nlgauge._core.public",
    }
    data = [path for path in found["opened"] if not path.endswith((".py", ".pyc", ".pth", ".zip"))]
    assert data == [str(SOURCES / "__init__.pyi")]
    assert found["connected"] == []


def test_scoring_strings_loads_no_torch_and_connects_nowhere():
    found = probe(
        "import nlgauge; nlgauge.score(['a b c'], ['a b d'], metrics=['bleu', 'chrf', 'rouge', 'wer',"
        " 'distinct']).intervals()"
    )
    roots = {module.partition(".")[0] for module in found["modules"]}
    assert roots.isdisjoint({"torch", "transformers", "scipy", "pandas", "polars", "matplotlib"})
    assert found["connected"] == []


def test_a_reward_loads_what_its_metric_needs():
    found = probe("import nlgauge; nlgauge.reward('bleu')")
    roots = {module.partition(".")[0] for module in found["modules"]}
    assert roots.isdisjoint(set(HEAVY) - {"numpy"} | {"email", "hashlib", "logging", "pathlib", "sqlite3"})
    assert not {"nlgauge.io", "nlgauge.results", "nlgauge.explanations", "nlgauge.models.loader"} & set(
        found["modules"]
    )
    assert found["connected"] == []


def test_the_public_names():
    expected = (
        "score Scorer load Result Corpus Metric CorpusMetric Output Model register metric_from reward"
        " list_metrics card choose from_scores read_log plan NlgaugeError mbr rerank utilities self_similarity Consensus embed"
    )
    assert nlgauge.__all__ == dir(nlgauge) == sorted(expected.split())


@pytest.mark.parametrize("name", ["meta", "plots", "preferences"])
def test_public_packages_are_attributes_after_a_plain_import(name):
    code = f"import nlgauge; print(nlgauge.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"nlgauge.{name}"


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.relative_to(SOURCES).as_posix())
def test_a_stub_declares_the_names_that_its_package_has(stub):
    name = ".".join(("nlgauge", *stub.relative_to(SOURCES).with_suffix("").parts)).removesuffix(".__init__")
    if name == "nlgauge.plots":
        pytest.importorskip("matplotlib")
    package = import_module(name)
    declared = [
        (node.module, alias.name)
        for node in ast.parse(stub.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]
    assert package.__all__ == sorted(name for _, name in declared)
    for home, public in declared:
        assert getattr(package, public) is getattr(import_module(home), public)


def test_a_public_name_stays_itself_after_its_module_was_imported():
    code = (
        "import nlgauge as n; first = [getattr(n, k) for k in dir(n)]; print(all(getattr(n, k) is f for k, f"
        " in zip(dir(n), first)))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "True\n"
    )


def test_the_version_is_that_of_the_installed_package():
    assert nlgauge.__version__ == version("nlgauge")


def test_other_names_are_not():
    with pytest.raises(AttributeError, match=r"'nlgauge'.*'scores'"):
        nlgauge.scores  # noqa: B018
