"""What a run costs beside seconds: memory, and on request energy and CO2."""

from __future__ import annotations

import json
import logging
import math
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli_cases import document, enter, printed, refused

import nlgauge
from nlgauge.compat import nlgmetricverse as nmv
from nlgauge.engine import carbon, memory
from nlgauge.engine.carbon import Tracking, checked_country
from nlgauge.engine.costs import Costs
from nlgauge.engine.electricity import Carbon
from nlgauge.errors import InputError, MissingExtraError, ParameterError
from nlgauge.meta import Findings
from nlgauge.show.page_data.data import view_of
from nlgauge.show.pages.costs import amount

PREDICTIONS, REFERENCES = ["the cat sat", "a dog ran"], ["the cat sat down", "the dog ran"]


@pytest.fixture
def codecarbon() -> Any:
    return pytest.importorskip(
        "codecarbon", reason='codecarbon is not installed: pip install "nlgauge[carbon]"'
    )


def handlers() -> list[logging.Handler]:
    """Those of codecarbon's logger now: its own since it was imported, and pytest's."""
    return list(logging.getLogger("codecarbon").handlers)


@pytest.fixture
def slow() -> Any:
    """A metric that takes long enough to be tracked."""

    def slow(prediction: str, reference: str) -> float:
        time.sleep(0.05)
        return float(prediction == reference)

    return nlgauge.metric_from(slow)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Carbon:
    """What every tracked run reads, without a tracker: 2 Wh and 1 g."""
    found = Carbon("DEU", 2e-3, 1e-3, "processor estimated from a constant")

    class Read(Tracking):
        def __enter__(self) -> Read:
            self.found = None if self._country is None else found
            return self

        def __exit__(self, *problem: object) -> None:
            pass

    monkeypatch.setattr("nlgauge.engine.carbon.Tracking", Read)
    for place in ("nlgauge.engine.carbon", "nlgauge.compat.nlgmetricverse.scorer"):
        monkeypatch.setattr(f"{place}.checked_country", lambda code: code)
    return found


# --- memory


def test_the_memory_of_a_run_is_its_peak(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import nlgauge\n"
        "def large(prediction, reference):\n"
        "    return float(len(bytes(b'x') * 150_000_000) > 0)\n"
        "for metric in (nlgauge.metric_from(large), 'wer'):\n"
        "    costs = nlgauge.score(['a'], ['b'], metrics=metric).costs\n"
        "    print(costs.memory, costs.memory_note, sep='|')\n"
    )
    found = subprocess.run(
        [sys.executable, str(script)], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    (first, exact), (second, bound) = (line.split("|") for line in found)
    assert 150e6 < float(first) < 1e9
    assert exact == ""
    assert float(second) == float(first)
    assert bound == "an upper bound: the process had reached this size before the run"


def test_the_memory_of_workers_is_added() -> None:
    alone = nlgauge.score(PREDICTIONS, REFERENCES, metrics="chrf").costs.memory
    together = nlgauge.score(PREDICTIONS, REFERENCES, metrics="chrf", run_concurrent=True).costs
    assert 0 < alone <= memory.peak().bytes < together.memory


def test_a_worker_does_not_count_the_memory_of_who_started_it() -> None:
    held = b"x" * 300_000_000
    found = subprocess.run(
        [sys.executable, "-c", "from nlgauge.engine.memory import peak; print(peak().bytes)"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert float(found.stdout) < len(held)


def test_memory_is_read_on_other_platforms_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_STATUS", "/nowhere/status")
    monkeypatch.setattr(memory, "_usage_is_own", lambda: False)
    monkeypatch.setattr(
        memory,
        "resource",
        SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: SimpleNamespace(ru_maxrss=5000)),
    )
    for platform, expected in (("linux", 5000 * 1024), ("darwin", 5000)):
        monkeypatch.setattr(sys, "platform", platform)
        assert memory.peak() == (expected, "")
        assert memory.peak_since(memory.peak()) == (
            expected,
            "an upper bound: the process had reached this size before the run",
        )
        assert memory.peak_since(memory.Memory(1)) == (expected, "")
    monkeypatch.setattr(memory, "resource", None)
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer")
    assert math.isnan(result.costs.memory)
    assert result.costs.memory_note.startswith("the memory of a process is not measured on ")
    assert "n/a" in result.to_text(costs=True)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((0.0, ""), (5.0, ""), (5.0, "")),
        ((5.0, ""), (3.0, "bound"), (5.0, "")),
        ((3.0, "bound"), (5.0, ""), (5.0, "")),
        ((5.0, ""), (5.0, "bound"), (5.0, "")),
        ((5.0, "bound"), (5.0, ""), (5.0, "")),
        ((5.0, ""), (math.nan, "unknown"), (math.nan, "unknown")),
        ((math.nan, "unknown"), (5.0, ""), (math.nan, "unknown")),
    ],
)
def test_of_two_runs_the_higher_memory_stays(one: Any, other: Any, expected: Any) -> None:
    total = Costs(memory=one[0], memory_note=one[1])
    total.add(Costs(memory=other[0], memory_note=other[1]))
    assert (total.memory, total.memory_note) == (pytest.approx(expected[0], nan_ok=True), expected[1])


# --- energy and CO2


def ended(threads: set[threading.Thread]) -> bool:
    """Whether threads that were told to end do so."""
    for thread in threads:
        thread.join(600)
    return not any(thread.is_alive() for thread in threads)


def test_energy_and_co2_of_a_run(
    codecarbon: Any,
    slow: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing is written, printed, sent or left behind, whatever codecarbon's configuration says."""
    (tmp_path / ".codecarbon.config").write_text(
        "[codecarbon]\nsave_to_file = true\nemissions_endpoint = http://localhost:9\nlog_level = debug\n"
    )
    settings = {
        "CO2_SIGNAL_API_TOKEN": "token",
        "OUTPUT_METHODS": "csv,api",
        "OUTPUT_DIR": "/nowhere",
        "CLOUD_PROVIDER": "gcp",
    }
    settings |= {
        "CLOUD_REGION": "us-east1",
        "ALLOW_MULTIPLE_RUNS": "false",
        "TRACKING_MODE": "process",
        "FORCE_CARBON_INTENSITY_G_CO2E_KWH": "5",
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"CODECARBON_{name}", value)
    monkeypatch.chdir(tmp_path)
    connections: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *given: connections.append(given))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **more: connections.append(given))
    threads, before = set(threading.enumerate()), handlers()
    found = {
        country: nlgauge.score(PREDICTIONS, REFERENCES, metrics=slow, carbon=country).costs.carbon
        for country in ("DEU", "fra")
    }
    germany, france = found["DEU"], found["fra"]
    assert germany is not None
    assert france is not None
    assert (germany.country, france.country, germany.reason, france.reason) == ("DEU", "FRA", "", "")
    assert germany.energy > 0
    # Grams per kilowatt-hour of the country, and not those of the configuration.
    assert 1000 * germany.co2 / germany.energy > 250 > 100 > 1000 * france.co2 / france.energy > 10
    assert "processor " in germany.method
    assert "memory estimated from its size" in germany.method
    assert [path.name for path in tmp_path.iterdir()] == [".codecarbon.config"]
    assert capfd.readouterr() == ("", "")
    assert not connections
    assert ended(set(threading.enumerate()) - threads)
    logger = logging.getLogger("codecarbon")
    assert (logger.handlers, logger.filters) == (before, [])


def test_codecarbon_leaves_no_handler_where_it_was_not_imported_before(codecarbon: Any) -> None:
    script = (
        "import logging, nlgauge\nfound = nlgauge.score(['a'], ['b'], metrics='wer',"
        " carbon='DEU').costs.carbon\nprint(found.country, logging.getLogger('codecarbon').handlers,"
        " logging.getLogger('codecarbon').filters)"
    )
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("DEU [] []\n", "")


def test_handlers_of_the_user_stay(codecarbon: Any) -> None:
    before = handlers()
    logger, handler = logging.getLogger("codecarbon"), logging.StreamHandler()
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR)
    try:
        inside, outside = Tracking("DEU"), Tracking("FRA")
        # Two runs in two threads, of which neither ends within the other.
        outside.__enter__()
        inside.__enter__()
        outside.__exit__()
        assert logger.filters
        inside.__exit__()
        assert (logger.handlers, logger.level, logger.filters) == ([*before, handler], logging.ERROR, [])
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("stage", ["__init__", "start", "stop", "swallowed", "nothing", "infinite"])
def test_no_failure_of_the_tracker_ends_a_run(
    codecarbon: Any, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(codecarbon.OfflineEmissionsTracker):  # type: ignore[misc, name-defined]
        def start(self) -> None:
            super().start()
            if stage == "infinite":
                self._total_energy *= math.inf

        def stop(self) -> Any:
            found = super().stop()
            if stage == "nothing":
                del self.final_emissions_data
            if stage == "stop":
                raise RuntimeError("no sensor")
            return found

    def fail(*given: Any, **more: Any) -> None:
        raise RuntimeError("no sensor")

    if stage in ("__init__", "start"):
        monkeypatch.setattr(Broken, stage, fail)
    elif stage == "swallowed":  # codecarbon itself catches what happens in here, and logs it
        monkeypatch.setattr(Broken, "_ensure_hardware_ready", fail)
    monkeypatch.setattr(carbon, "_SHORTEST_SECONDS", 0.0)
    monkeypatch.setattr(codecarbon, "OfflineEmissionsTracker", Broken)
    before = handlers()
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", carbon="DEU")
    assert result["wer"] == nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer")["wer"]
    found = result.costs.carbon
    assert found is not None
    reasons = {
        "nothing": "the tracker returned no reading",
        "infinite": "the tracker's numbers are not finite",
    }
    assert reasons.get(stage, "no sensor") in found.reason
    assert math.isnan(found.co2)
    assert logging.getLogger("codecarbon").handlers == before


def test_an_error_of_the_run_ends_the_tracker(codecarbon: Any) -> None:
    def fails(prediction: str, reference: str) -> float:
        raise ZeroDivisionError

    threads = set(threading.enumerate())
    with pytest.raises(nlgauge.NlgaugeError):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=nlgauge.metric_from(fails), carbon="DEU")
    assert ended(set(threading.enumerate()) - threads)
    assert logging.getLogger("codecarbon").filters == []


def test_a_run_may_be_too_short(codecarbon: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carbon, "_SHORTEST_SECONDS", math.inf)
    found = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", carbon="DEU").costs.carbon
    assert found is not None
    assert math.isnan(found.energy)
    assert "too short to be tracked" in found.reason


def test_the_country_must_be_one(codecarbon: Any) -> None:
    for given, said in (
        ("DE", r"carbon is 'DE' \(did you mean DEU\?\)"),
        ("germany", r"'germany' \(did you mean DEU\?\)"),
        ("XQZ", "'XQZ'"),
        (3, "3"),
    ):
        with pytest.raises(ParameterError, match=f"{said}.*ISO code.*DEU"):
            nlgauge.Scorer("wer", carbon=given)  # type: ignore[arg-type]
    assert checked_country(" usa") == "USA"


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carbon, "find_spec", lambda name: None)
    with pytest.raises(
        MissingExtraError,
        match=r'CO2.*"nlgauge\[carbon\]"',
    ):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", carbon="DEU")
    with Tracking("DEU") as tracked:
        pass
    assert tracked.found is not None
    assert "nlgauge[carbon]" in tracked.found.reason


def test_what_is_measured_and_what_is_estimated() -> None:
    def piece(kind: str, printed: str, **facts: Any) -> Any:
        return type(kind, (), {"description": lambda self: printed, **facts})()

    said = carbon._method(
        [
            piece("RAM", "RAM()"),
            piece("CPU", "CPU(Intel Rapl)", _tdp=85),
            piece("CPU", "CPU(Cpu Load)", _tdp=8),
            piece("CPU", "CPU(A chip > 85W [generic])", _tdp=85),
            piece("GPU", "GPU(gpu_ids=None)"),
        ]
    )
    assert said.split(", ") == [
        "memory estimated from its size",
        "processor measured (Intel Rapl)",
        "processor estimated from its load and a constant of 8 W",
        "processor estimated from a constant of 85 W",
        "graphics card measured",
    ]


def test_workers_and_their_parent_have_one_tracker(codecarbon: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    tracker = codecarbon.OfflineEmissionsTracker
    monkeypatch.setattr(
        codecarbon, "OfflineEmissionsTracker", lambda **given: made.append(given) or tracker(**given)
    )
    found = nlgauge.score(
        PREDICTIONS, REFERENCES, metrics="chrf", run_concurrent=True, carbon="DEU"
    ).costs.carbon
    assert [given["tracking_mode"] for given in made] == ["machine"]
    assert found is not None
    assert found.energy > 0


# --- results that were tracked


def test_costs_are_saved_and_loaded(tmp_path: Path, read: Carbon) -> None:
    result = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", carbon="DEU")
    assert result.costs.carbon == read
    result.costs.memory_note = "said"
    result.save(tmp_path / "result")
    again = nlgauge.load(tmp_path / "result").costs
    assert (again.carbon, again.memory, again.memory_note) == (read, result.costs.memory, "said")
    result.costs.carbon = Carbon("FRA", reason="no sensor")
    result.save(tmp_path / "result", overwrite=True)
    unknown = nlgauge.load(tmp_path / "result").costs.carbon
    assert unknown is not None
    assert math.isnan(unknown.energy)
    assert (unknown.country, unknown.reason) == ("FRA", "no sensor")


def test_a_result_whose_memory_is_not_known_loads(tmp_path: Path) -> None:
    nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer").save(tmp_path / "result")
    file = tmp_path / "result" / "run.json"
    run = json.loads(file.read_text())
    run |= {"memory": {"peak": None, "note": "it was not recorded"}, "carbon": None}
    file.write_text(json.dumps(run))
    loaded = nlgauge.load(tmp_path / "result")
    assert math.isnan(loaded.costs.memory)
    assert (loaded.costs.memory_note, loaded.costs.carbon) == ("it was not recorded", None)
    assert math.isnan(loaded.add("chrf").costs.memory)
    assert "it was not recorded" in loaded.to_text(costs=True)


def test_what_is_added_to_a_tracked_result_is_tracked(read: Carbon) -> None:
    tracked = nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer", carbon="DEU").add("chrf").costs.carbon
    assert tracked == Carbon("DEU", 4e-3, 2e-3, read.method)
    assert nlgauge.score(PREDICTIONS, REFERENCES, metrics="wer").add("chrf").costs.carbon is None
    assert read.plus(Carbon("FRA", 1e-3, 1e-3, reason="why")) == Carbon(
        "DEU; FRA", 3e-3, 2e-3, read.method, "why"
    )
    assert read.plus(None) == read


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0 µs"),
        (2e-7, "0.2 µs"),
        (0.0123, "12.3 ms"),
        (1.0, "1 s"),
        (12345.6, "12,346 s"),
        (math.nan, "n/a"),
    ],
)
def test_amounts_have_the_unit_that_fits(value: float, shown: str) -> None:
    assert amount(value, {"s": 1.0, "ms": 1e-3, "µs": 1e-6}) == shown


def test_tables_show_costs_on_request(read: Carbon) -> None:
    result = nlgauge.score(
        {"A": PREDICTIONS, "B": REFERENCES},
        REFERENCES,
        metrics=["wer", "chrf"],
        carbon="DEU",
        fields={"kind": ["x", "y"]},
    )
    result.costs.metrics, result.costs.features = {"wer": 0.5, "chrf": 2.0}, {"Tokens('13a')": 0.25}
    result.costs.memory, result.costs.memory_note, result.costs.used = (
        3.2e8,
        "said of it",
        {"judge requests": 7.0},
    )
    for found in (result, result.by("kind")):
        shown = [
            line.split() for line in found.to_text(costs=True, intervals=False, tests=False).splitlines()
        ]
        rows = shown[shown.index(["Cost"]) :]
        order = [
            ["chrf", "2", "s"],
            ["wer", "500", "ms"],
            ["Tokens('13a')", "250", "ms"],
            ["judge", "requests", "7"],
        ]
        places = [rows.index(row) for row in order]
        assert places == sorted(places)
        text = " ".join(" ".join(row) for row in rows)
        assert "peak memory 320 MB [1] energy 2 Wh [2] CO2-equivalents, DEU 1 g" in text
        assert "[1] said of it" in text
        assert "[2] of the whole machine: processor estimated from a constant" in text
        assert "Cost" not in found.to_text()
    assert "CO2-equivalents" in result.to_markdown(costs=True)
    assert result.to_csv(costs=True) == result.to_csv()
    whole = view_of(result, "title", resamples=10).meta["costs"]["whole"]
    assert [(one["name"], one["value"]) for one in whole] == [
        ("peak memory", "320 MB"),
        ("energy", "2 Wh"),
        ("CO2-equivalents, DEU", "1 g"),
    ]
    assert whole[0]["note"] == "said of it"


def test_commands_show_costs_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Carbon
) -> None:
    enter(tmp_path, monkeypatch)
    arguments = ["score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "--no-intervals"]
    assert "peak memory" not in printed(*arguments)
    assert "peak memory" in printed(*arguments, "--costs")
    shown = printed(*arguments, "--carbon", "DEU", "-o", "out")
    assert "peak memory" in shown
    assert "1 g" in shown
    assert "1 g" in printed("show", "out", "--costs")
    assert "costs" not in document("show", "out")
    assert document("show", "out", "--costs")["costs"]["carbon"] == {**vars(read)}


def test_the_command_refuses_wrong_countries(
    codecarbon: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(tmp_path, monkeypatch)
    said = refused("score", "-m", "wer", "-r", "refs.txt", "sysA.txt", "--carbon", "DE")
    assert "three-letter ISO code" in " ".join(said.split())


# --- NLG-Metricverse


def test_metricverse_reports_co2(read: Carbon) -> None:
    assert (
        nmv.NLGMetricverse(metrics=["bleu"], carbon="DEU")(PREDICTIONS, REFERENCES)["total_CO2_emitted"]
        == 1e-3
    )
    assert "total_CO2_emitted" not in nmv.NLGMetricverse(metrics=["bleu"])(PREDICTIONS, REFERENCES)


def test_co2_of_each_metric_against_agreement(read: Carbon) -> None:
    pytest.importorskip("matplotlib")
    found = nmv.times_correlation(PREDICTIONS, REFERENCES, ["chrf", "wer"], carbon="DEU")
    assert found.co2 == {"chrf": 1e-3, "wer": 1e-3}
    assert [bar.get_width() for bar in found.plot(co2=True).patches] == [1e-3, 1e-3]
    rows = Findings(
        [
            {"metric": name, "value": value, "low": 0.1, "high": 0.9}
            for name, value in (("chrf", 0.5), ("wer", 0.4))
        ]
    )
    axes = found.plot(correlations=rows, co2=True)
    assert axes.get_xlabel() == "grams of CO2-equivalents per 1,000 texts"
    point = next(line for line in axes.lines if line.get_label() == "chrf")
    assert point.get_xdata()[0] == pytest.approx(1000 * 1e-3 * 1000 / 2)
    assert found.plot(correlations=rows).get_xlabel() == "seconds per 1,000 texts"
    untracked = nmv.times_correlation(PREDICTIONS, REFERENCES, ["wer"])
    assert untracked.co2 == {}
    with pytest.raises(InputError, match="CO2 was not tracked"):
        untracked.plot(co2=True)
