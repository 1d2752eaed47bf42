"""`import nlgauge` costs next to nothing, and offers exactly the public names."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

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
    "typer",
    "msgspec",
    "matplotlib",
)

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
    assert {module for module in found["modules"] if module.startswith("nlgauge")} == {"nlgauge"}
    assert [path for path in found["opened"] if not path.endswith((".py", ".pyc", ".pth", ".zip"))] == []
    assert found["connected"] == []


def test_scoring_strings_loads_no_torch_and_connects_nowhere():
    found = probe(
        "import nlgauge; nlgauge.score(['a b c'], ['a b d'], metrics=['bleu', 'chrf', 'rouge', 'wer',"
        " 'distinct']).intervals()"
    )
    roots = {module.partition(".")[0] for module in found["modules"]}
    assert roots.isdisjoint({"torch", "transformers", "scipy", "pandas", "polars", "matplotlib"})
    assert found["connected"] == []


def test_the_public_names():
    expected = {
        *(
            "score",
            "Scorer",
            "load",
            "Result",
            "Corpus",
            "NlgaugeError",
            "Metric",
            "CorpusMetric",
            "WholeMetric",
            "Output",
            "register",
            "Model",
        ),
        *(
            "NLGMetricverse",
            "Jury",
            "load_metric",
            "AutoMetric",
            "MetricForNLG",
            "MetricForLanguageGeneration",
            "DataLoaderStrategies",
        ),
        *(
            "card",
            "list_metrics",
            "filter_metrics",
            "get_metric_bounds",
            "Categories",
            "ApplTasks",
            "QualityDims",
        ),
        *(
            "metric_human_correlation",
            "metrics_correlation",
            "times_correlation",
            "CorrelationMeasures",
            "Benchmarks",
        ),
        *("similarity_word_matching", "n_gram_distance_visualization"),
        *("metric", "reward"),
    }
    assert expected == set(nlgauge.__all__) == set(dir(nlgauge))
    assert len(nlgauge.__all__) == len(set(nlgauge.__all__))


@pytest.mark.parametrize("name", nlgauge.__all__)
def test_every_public_name_is_there(name):
    assert getattr(nlgauge, name) is getattr(import_module(nlgauge._HOMES[name]), name)


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
    with pytest.raises(AttributeError, match="module 'nlgauge' has no attribute 'scores'"):
        nlgauge.scores  # noqa: B018
