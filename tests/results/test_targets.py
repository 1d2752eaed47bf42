"""Where results go: trackers of experiments receive numbers, tables and files; model cards YAML."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nlgauge
from nlgauge.errors import MissingExtraError, ParameterError, UnknownNameError
from nlgauge.results.model_index import yaml_of
from nlgauge.results.targets import numbers_of

TEXTS = [f"page {number} of the old book" for number in range(12)]
WORSE = [text.replace("old", "new") for text in TEXTS]


@pytest.fixture(scope="module")
def one() -> nlgauge.Result:
    return nlgauge.score(WORSE, TEXTS, metrics=["chrf", "words=wer", "rouge"])


@pytest.fixture(scope="module")
def two() -> nlgauge.Result:
    return nlgauge.score({"old": TEXTS, "a, b": WORSE}, TEXTS, metrics=["chrf(word_order=2)", "chrf"])


class Calls:
    """An object that notes the calls of its methods, with the signatures of the real ones."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def of(self, name: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == name]


class Client(Calls):
    """mlflow.MlflowClient."""

    def log_metric(self, run_id, key, value, timestamp=None, step=None, synchronous=None):
        self.calls.append(("metric", run_id, key, value, step))

    def set_tag(self, run_id, key, value, synchronous=None):
        self.calls.append(("tag", run_id, key, value))

    def log_table(self, run_id, data, artifact_file):
        self.calls.append(("table", run_id, data, artifact_file))

    def log_artifact(self, run_id, local_path, artifact_path=None):
        self.calls.append(("file", run_id, Path(local_path).read_bytes()[:15], artifact_path))


class Run(Calls):
    """A run of wandb."""

    config: Any

    def log(self, data, step=None, commit=None):
        self.calls.append(("log", data, step))

    def log_artifact(self, artifact_or_path, name=None, type=None, aliases=None):  # noqa: A002
        self.calls.append(("artifact", artifact_or_path))


@pytest.fixture
def mlflow(monkeypatch: pytest.MonkeyPatch) -> Client:
    client = Client()
    active = SimpleNamespace(info=SimpleNamespace(run_id="active"))
    module = SimpleNamespace(MlflowClient=lambda: client, active_run=lambda: active)
    monkeypatch.setitem(sys.modules, "mlflow", module)
    return client


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> Run:
    run = Run()
    run.config = SimpleNamespace(
        update=lambda values, allow_val_change=None: run.calls.append(("config", values, allow_val_change))
    )

    class Artifact(Calls):
        def __init__(self, name, type):  # noqa: A002
            super().__init__()
            self.name, self.type = name, type

        def add_file(self, local_path, name=None):
            self.calls.append(("file", Path(local_path).name))

    def table(columns=None, data=None):
        return columns, data

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=run, Table=table, Artifact=Artifact))
    return run


def test_mlflow_gets_numbers_tags_and_the_table(one, mlflow):
    one.log("mlflow", step=3)
    metrics = {key: value for run, key, value, step in mlflow.of("metric") if (run, step) == ("active", 3)}
    assert metrics["words"] == one["words"]["score"]
    assert metrics["words.low"] <= metrics["words"] <= metrics["words.high"]
    assert "rouge.rougeL" in metrics
    assert ("active", "nlgauge.signature.words", one.signatures["words"]) in mlflow.of("tag")
    ((run, table, name),) = mlflow.of("table")
    assert (run, name) == ("active", "nlgauge/segments.json")
    assert len(table["chrf"]) == 12 and not set(table) & {"prediction", "reference", "references"}
    assert mlflow.of("file") == []


def test_mlflow_gets_the_report_and_another_run(one, mlflow):
    one.log("mlflow", run="other", segments=False, report=True)
    assert mlflow.of("file") == [("other", b"<!doctype html>", "nlgauge")]
    assert mlflow.of("table") == []
    assert {run for run, *_ in mlflow.of("metric")} == {"other"}


def test_several_systems_have_names_that_trackers_accept(two, mlflow):
    names = numbers_of(two)
    assert {"old/chrf", "a_ b/chrf", "a_ b/chrf_word_order_2"} <= set(names)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_./ -") for name in names)
    two.log("mlflow")
    tags = dict(call[1:] for call in mlflow.of("tag"))
    assert tags["nlgauge.gain.a_ b/chrf"].startswith("-") and "p = " in tags["nlgauge.gain.a_ b/chrf"]


def test_wandb_gets_one_step_a_table_and_the_report(one, wandb):
    one.log("wandb", texts=True, report=True)
    numbers, table = (data for data, _ in wandb.of("log"))
    assert numbers["chrf"] == one["chrf"]["score"]
    columns, rows = table["nlgauge/segments"]
    assert len(rows) == 12 and WORSE[0] in rows[0] and len(columns) == len(rows[0])
    ((config, changes),) = wandb.of("config")
    assert changes and config["nlgauge"]["signature.chrf"] == one.signatures["chrf"]
    ((artifact,),) = wandb.of("artifact")
    assert (artifact.name, artifact.type, artifact.of("file")) == (
        "nlgauge-report",
        "report",
        [("report.html",)],
    )


def test_any_object_with_the_methods_is_a_target(one):
    class Own(Calls):
        def log_numbers(self, numbers, step):
            self.calls.append(("numbers", numbers))

        def log_texts(self, texts):
            self.calls.append(("texts", texts))

    own = Own()
    one.log(own, segments=False)
    assert [call[0] for call in own.calls] == ["numbers", "texts"]


@pytest.mark.parametrize("name", ["mlflow", "wandb"])
def test_a_missing_package_and_a_missing_run_are_errors(one, name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf'pip install "nlgauge\[{name}\]"'):
        one.log(name)
    idle = SimpleNamespace(active_run=lambda: None, MlflowClient=Client, run=None)
    monkeypatch.setitem(sys.modules, name, idle)
    with pytest.raises(
        ParameterError, match=f"no run of {name} is active" if name == "wandb" else "no run of MLflow"
    ):
        one.log(name)


def test_unknown_targets_are_named(one):
    with pytest.raises(ParameterError, match=r"unknown target 'mlfow' \(did you mean 'mlflow'\?\)"):
        one.log("mlfow")


def test_nothing_is_imported_before_a_target_is_named():
    code = "import sys, nlgauge; nlgauge.Result.log; print({'mlflow', 'wandb', 'nlgauge.results.targets'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_model_index_is_what_hugging_face_reads(one):
    hub = pytest.importorskip("huggingface_hub")
    text = one.to_model_index(
        "translation", {"type": "wmt21", "name": "WMT: 21", "split": "test"}, name="me/model"
    )
    card = hub.ModelCard(f"---\n{text}license: apache-2.0\n---\n# A model\n")
    assert card.data.model_name == "me/model"
    results = {each.metric_name: each for each in card.data.eval_results}
    assert {"chrf", "words", "rouge.rouge1", "rouge.rouge2", "rouge.rougeL"} <= set(results)
    words = results["words"]
    assert (words.metric_type, words.metric_value) == ("wer", one["words"]["score"])
    assert (words.task_type, words.dataset_type, words.dataset_name) == ("translation", "wmt21", "WMT: 21")
    assert words.dataset_split == "test"
    assert words.metric_args["low"] <= words.metric_value <= words.metric_args["high"]
    assert words.metric_args["signature"] == one.signatures["words"]


def test_a_model_index_has_one_system(two):
    with pytest.raises(ParameterError, match="name one of old, a, b"):
        two.to_model_index("x", "y")
    with pytest.raises(UnknownNameError):
        two.to_model_index("x", "y", system="none")
    assert 'name: "a, b"' in two.to_model_index("x", "y", system="a, b")


@pytest.mark.parametrize("dataset", ["", {}, {"name": "x"}, {"type": "x", "spilt": "test"}, 3])
def test_a_data_set_must_be_described(one, dataset):
    with pytest.raises(ParameterError, match="dataset"):
        one.to_model_index("x", dataset)


def test_yaml_reads_back():
    yaml = pytest.importorskip("yaml")
    values = {
        "name": "a: b # c\n\t\x7f\x85\u2028\ufeff\"'\\😀é",
        "no": ["yes", 1, -2.5, None, True, {"value": math.inf, "args": {"on": [{"low": 1}]}}],
        "task": {},
        "results": [{"metrics": [{"name": "x"}, {"name": "y"}]}],
    }
    assert yaml.safe_load(yaml_of(values)) == values
    assert math.isnan(yaml.safe_load(yaml_of({"value": math.nan}))["value"])
