"""Metrics that Hugging Face evaluate computes: scripts of other people, which run only where that was
allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_cases import refused, warned
from segment_rows import rows_by_label

import nlgauge
from nlgauge.compat import from_evaluate
from nlgauge.compat.nlgmetricverse import NLGMetricverse, load_metric
from nlgauge.errors import (
    InputError,
    MetricError,
    NotYetError,
    ParameterError,
    ResultError,
    UnknownMetricError,
)

PREDICTIONS, REFERENCES = ["a cat", "a dog", "a cow"], ["a cat", "a dog", "a hen"]

SCRIPT = """
import datasets
import evaluate
from pathlib import Path

Path({marker!r}).touch()


class Overlap(evaluate.Metric):
    def _info(self):
        features = datasets.Features({{name: datasets.Value("string") for name in {inputs!r}}})
        return evaluate.MetricInfo(description="Share of equal texts.", citation="", inputs_description="Texts.", features=features)

    def _compute(self, predictions, references=(), scale=1):
        equal = [one == other for one, other in zip(predictions, references)]
        return {{"overlap": scale * sum(equal) / len(predictions), "texts": len(predictions), "config": self.config_name}}
"""


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps what evaluate writes away from the user's files; it asks for the places once, when it is
    imported.
    """
    place = tmp_path_factory.mktemp("evaluate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_MODULES_CACHE", str(place / "modules"))
        patch.setenv("HF_EVALUATE_CACHE", str(place / "cache"))
        pytest.importorskip("evaluate", reason="evaluate is not installed")
        yield


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A directory with a metric script, which leaves a file `ran` beside it when it is run."""
    return write(tmp_path, "overlap", ("predictions", "references"))


def write(folder: Path, name: str, inputs: tuple[str, ...]) -> Path:
    directory = folder / name
    directory.mkdir()
    (directory / f"{name}.py").write_text(SCRIPT.format(marker=str(folder / "ran"), inputs=inputs))
    return directory


def ran(directory: Path) -> bool:
    return (directory.parent / "ran").exists()


@pytest.mark.parametrize("form", ["directory", "file", "parameters", "dictionary"])
def test_a_script_is_computed_by_evaluate(script: Path, form: str) -> None:
    file = script / "overlap.py"
    dictionary = {"path": str(script), "resulting_name": "mine", "scale": 3, "config_name": "first"}
    spec: Any = {
        "directory": str(script),
        "file": str(file),
        "parameters": f"{file}(scale=3)",
        "dictionary": dictionary,
    }[form]
    with pytest.warns(UserWarning, match="runs the code of") as told:
        result = nlgauge.score(PREDICTIONS, REFERENCES, metrics=[spec, "chrf"], allow_remote_code=True)
    assert ran(script)
    assert f"runs the code of {file.resolve()}" in str(told[0].message)
    assert told[0].filename == __file__
    label, scale = (
        "mine" if form == "dictionary" else "overlap",
        3 if form in ("parameters", "dictionary") else 1,
    )
    found = dict(result[label])
    assert found.pop("config") == ("first" if form == "dictionary" else "default")
    assert found == {"score": scale * 2 / 3, "overlap": scale * 2 / 3, "texts": 3}
    signature = result.signatures[label]
    assert signature.startswith("metric:evaluate overlap|")
    assert ("scale:3" in signature, "config_name:first" in signature) == (scale == 3, form == "dictionary")
    assert math.isnan(result.intervals()[label]["overlap"].low)


def test_a_signature_names_the_text_of_the_script(script: Path) -> None:
    def signature() -> str:
        with pytest.warns(UserWarning, match="runs the code of"):
            return nlgauge.score(
                PREDICTIONS, REFERENCES, metrics=str(script), allow_remote_code=True
            ).signatures["overlap"]

    first = signature()
    assert first == signature()
    file = script / "overlap.py"
    file.write_text(file.read_text() + "\n# another version\n")
    assert first != signature()


def test_nothing_runs_without_permission(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(script.parent)
    for name in (str(script), str(script / "overlap.py"), "overlap"):
        for call in (
            lambda name=name: nlgauge.score(PREDICTIONS, REFERENCES, metrics=name),
            lambda name=name: nlgauge.Scorer([{"path": name}]),
            lambda name=name: load_metric(name),
            lambda name=name: load_metric(name, allow_remote_code=True, use_nlgmetricverse_only=True),
            lambda name=name: NLGMetricverse(metrics=[f"{name}()"]),
        ):
            with pytest.raises(UnknownMetricError):
                call()
    with pytest.raises(
        UnknownMetricError,
        match=(r"Hugging Face.*allow_remote_code=True"),
    ):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=str(script))
    with pytest.raises(UnknownMetricError, match="Hugging Face evaluate"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="code_eval")
    with pytest.raises(UnknownMetricError, match=r"shows all metrics\.$"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="blue")
    with pytest.raises(ParameterError, match=r"allow_remote_code.*True or False.*'yes'"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=str(script), allow_remote_code="yes")  # type: ignore[arg-type]
    assert not ran(script)


def test_known_names_stay_nlgauges_own(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(script.parent, "chrf", ("predictions", "references"))
    monkeypatch.chdir(script.parent)
    assert rows_by_label(nlgauge.score(PREDICTIONS, REFERENCES, metrics="chrf", allow_remote_code=True))
    assert not ran(script)


def test_what_is_not_there_says_so(script: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("NLGAUGE_OFFLINE", "0")

    def not_found(name: str, why: str) -> None:
        with pytest.raises(UnknownMetricError, match=why):
            nlgauge.score(PREDICTIONS, REFERENCES, metrics=name, allow_remote_code=True)

    not_found("code_eval", "metric 'code_eval'.*HF_HUB_OFFLINE.*path")
    not_found("somebody/overlap", "because HF_HUB_OFFLINE is set")
    monkeypatch.setenv("NLGAUGE_OFFLINE", "1")
    not_found("code_eval", "because NLGAUGE_OFFLINE is set")
    not_found(str(tmp_path / "nothing"), "Hugging Face evaluate has no script")
    not_found("nothing.py", "Hugging Face evaluate has no script")
    (script / "overlap.py").write_text("raise RuntimeError('out of order')")
    with pytest.warns(UserWarning, match="runs the code of"):
        not_found(str(script), "evaluate.*RuntimeError: out of order")
    monkeypatch.setattr(from_evaluate.importlib.util, "find_spec", lambda name: None)
    not_found(
        "code_eval", "Hugging Face evaluate, which may have it, is not installed; run: pip install evaluate"
    )


def test_a_hub_name_is_named_before_evaluate_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    import evaluate

    asked = []

    def load(path: str, *options: Any, **more: Any) -> None:
        asked.append(path)
        raise FileNotFoundError("nothing of that name")

    monkeypatch.setattr(evaluate, "load", load)
    for variable in ("HF_HUB_OFFLINE", "NLGAUGE_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)
    for name, place in (("code_eval", "evaluate-metric/code_eval"), ("somebody/overlap", "somebody/overlap")):
        with (
            pytest.warns(
                UserWarning,
                match=(f"'{name}'.*Hugging Face.*{place}.*Hugging Face"),
            ),
            pytest.raises(
                UnknownMetricError,
                match=r"evaluate.*FileNotFoundError",
            ),
        ):
            nlgauge.Scorer(name, allow_remote_code=True)
    assert asked == ["code_eval", "somebody/overlap"]


def test_a_result_is_saved_and_loads_where_evaluate_is_not(script: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="runs the code of"):
        result = nlgauge.score(
            {"A": PREDICTIONS, "B": REFERENCES},
            REFERENCES,
            metrics=[f"{script}(scale=2)", "chrf"],
            allow_remote_code=True,
        )
    result.save(tmp_path / "result")
    (script / "overlap.py").unlink()
    again = nlgauge.load(tmp_path / "result")
    assert [again[system]["overlap"]["score"] for system in "AB"] == [2 * 2 / 3, 2.0]
    assert (again.signatures, again.labels) == (result.signatures, ("overlap", "chrf"))
    assert again["A"]["chrf"] == result["A"]["chrf"]
    assert "overlap" in again.to_text()
    again.save(tmp_path / "again")
    assert nlgauge.load(tmp_path / "again")["B"]["overlap"]["texts"] == 3
    with pytest.raises(ResultError, match=r"class.*'overlap'"):
        again.add(predictions={"C": PREDICTIONS})


def test_nothing_of_the_registry_takes_the_place_of_a_saved_one(tmp_path: Path) -> None:
    directory = write(tmp_path, "chrf", ("predictions", "references"))
    with pytest.warns(UserWarning, match="runs the code of"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=str(directory), allow_remote_code=True).save(
            tmp_path / "result"
        )
    again = nlgauge.load(tmp_path / "result")
    assert again["chrf"]["texts"] == 3
    assert rows_by_label(again)[0].keys() == {"segment", "system"}


def test_what_a_script_does_not_take_is_an_error_of_the_metric(script: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="runs the code of"):
        scorer = nlgauge.Scorer(str(script), allow_remote_code=True)
    with pytest.raises(MetricError, match=r"overlap fails on these texts: \w+: "):
        scorer(PREDICTIONS, [[text, text] for text in REFERENCES])
    with pytest.raises(InputError, match="overlap needs references"):
        scorer(PREDICTIONS)
    alone = write(tmp_path, "counted", ("predictions",))
    with pytest.warns(UserWarning, match="runs the code of"):
        assert nlgauge.score(PREDICTIONS, metrics=str(alone), allow_remote_code=True)["counted"]["texts"] == 3
    other = write(tmp_path, "measured", ("data",))
    with (
        pytest.warns(UserWarning, match="runs the code of"),
        pytest.raises(UnknownMetricError, match=r"data.*predictions"),
    ):
        nlgauge.score(PREDICTIONS, metrics=str(other), allow_remote_code=True)


def test_load_metric_and_its_scorers_ask_for_the_same_permission(script: Path) -> None:
    with pytest.warns(UserWarning, match="runs the code of"):
        metric = load_metric(str(script), "mine", compute_kwargs={"scale": 2}, allow_remote_code=True)
    assert metric.compute(PREDICTIONS, REFERENCES)["mine"]["score"] == 4 / 3
    assert nlgauge.score(PREDICTIONS, REFERENCES, metrics=metric)["mine"]["score"] == 4 / 3
    with pytest.warns(UserWarning, match="runs the code of"):
        scorer = NLGMetricverse(
            metrics=["chrf", {"path": str(script / "overlap.py"), "resulting_name": "mine"}],
            allow_remote_code=True,
        )
    assert scorer(PREDICTIONS, REFERENCES)["mine"]["overlap"] == 2 / 3
    with pytest.warns(UserWarning, match="runs the code of"):
        scorer.add_metric(str(script))
    assert scorer(PREDICTIONS, REFERENCES)["overlap"]["overlap"] == 2 / 3
    with pytest.raises(ParameterError, match=r"allow_remote_code.*metric"):
        NLGMetricverse(metrics=[{"path": str(script), "allow_remote_code": True}])
    with pytest.raises(NotYetError, match="carburacy"):
        load_metric("carburacy")


def test_a_directory_of_nlg_metricverse_is_loaded_as_before(script: Path) -> None:
    (script / "overlap.py").write_text(
        "from nlgauge.compat.nlgmetricverse import MetricForNLG\n\n__main_class__ = 'Own'\n\n\nclass Own(MetricForNLG):\n    def"
        " _compute_single_pred_single_ref(self, preds, refs, reduce_fn=None, **kwargs):\n        return"
        " 0.25\n"
    )
    for allowed in (False, True):
        metric = load_metric(str(script), allow_remote_code=allowed)
        assert metric.compute(PREDICTIONS, REFERENCES)["Own"]["score"] == 0.25


def test_the_command_line_asks_for_the_flag(script: Path, tmp_path: Path) -> None:
    for name, lines in (("p.txt", PREDICTIONS), ("r.txt", REFERENCES)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    arguments = ["score", "-m", str(script), "-r", str(tmp_path / "r.txt"), str(tmp_path / "p.txt")]
    assert "--allow-remote-code" in " ".join(refused(*arguments).split())
    assert not ran(script)
    shown = warned(*arguments, "--allow-remote-code")
    assert (shown.exit_code, ran(script)) == (0, True)
    assert "0.6667" in shown.stdout
    assert "runs the code of" in " ".join(shown.stderr.split())
