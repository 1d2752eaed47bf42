"""A Ray cluster: the same numbers as one process, whatever dies meanwhile; only what was started here is
ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import cli_cases
import numpy as np
import pytest
from marks import thorough
from segment_rows import rows_by_label

import nlgauge
from nlgauge.corpus import Corpus, records
from nlgauge.corpus.store.layout import is_stored
from nlgauge.engine.chunk import Chunk, Job, Task
from nlgauge.engine.executors import Serial, opened
from nlgauge.engine.executors import ray as ray_cluster
from nlgauge.engine.prepare import labeled
from nlgauge.errors import InputError, MissingExtraError, NlgaugeError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric.reduction import Reducer

if os.name == "nt":
    pytest.skip("Ray's clusters of several nodes are not for Windows", allow_module_level=True)
pytest.importorskip("ray", reason="Ray is not installed")

from nlgauge.engine.executors.ray import Ray
from nlgauge.engine.executors.ray.cluster import _place, loopback, shares
from nlgauge.engine.executors.ray.crew import _TRIES, _WINDOW, Crew, Member, _Run
from nlgauge.engine.executors.ray.watcher import MARK, processes_of

# Ray leaves pipes and log files of the processes that it starts to the garbage collector, whenever that runs.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*:pytest.PytestUnraisableExceptionWarning"),
]

PREDICTIONS = [f"the cat number {i} sat on {'the' if i % 3 else 'a'} mat" for i in range(40)] + [
    "",
    "猫が座った",
    "x\x00y",
]
REFERENCES = [[f"the cat number {i} sat on the mat", "a cat"] for i in range(40)] + [
    ["nothing"],
    ["猫が座る"],
    ["x y"],
]
METRICS = ["bleu", "chrf", "rouge", "wer", "cider"]
# A few segments each.
SMALL = 300


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with a core each."""
    import ray
    from ray.cluster_utils import Cluster

    quickly = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 1000,
        "health_check_failure_threshold": 5,
    }
    with loopback():
        made = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": quickly},
        )
        made.add_node(num_cpus=1)
        made.wait_for_nodes()
        try:
            yield made
        finally:
            ray.shutdown()
            made.shutdown()


@pytest.fixture
def joined(cluster) -> Iterator[Any]:
    """The cluster, to which this process is connected: to connect for each test takes long."""
    import ray

    if not ray.is_initialized():
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    return cluster


def assert_equal(found: nlgauge.Result, expected: nlgauge.Result) -> None:
    """Every statistic of every segment is the same, bit for bit."""
    assert found._tables.keys() == expected._tables.keys()
    for key, table in found._tables.items():
        for part, values in table.statistics.items():
            assert np.array_equal(values, expected._tables[key].statistics[part], equal_nan=True), key
    assert rows_by_label(found) == rows_by_label(expected)


def serial(**options: Any) -> nlgauge.Result:
    return nlgauge.score(PREDICTIONS, REFERENCES, executor="serial", **{"metrics": METRICS, **options})


def on_cluster(**options: Any) -> nlgauge.Result:
    arguments = {"metrics": METRICS, "executor": Ray(characters=SMALL), **options}
    return nlgauge.score(PREDICTIONS, REFERENCES, **arguments)


def stays_here(prediction: str, reference: str) -> float:
    return float(len(prediction)) + os.getpid() / 2**32


class Watched:
    """What happens to workers and chunks meanwhile; `when_ready` is called with each worker that has taken
    its task on, and its process.

    The first chunk is given when so many workers are ready.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        when_ready: Callable[[Member, int], None] | None = None,
        together: int = 1,
    ) -> None:
        import ray

        early: list[Member] = []

        self.nodes: dict[str, int] = {}
        self.returned: list[int] = []
        self.computed: list[int] = []
        take, lose = _Run._take, _Run._lose

        def watched_take(run: _Run, reference: Any) -> None:
            member, errand = run._asked[reference]
            take(run, reference)
            if errand is None and member.ready:
                node, process = ray.get(
                    member.actor.__ray_call__.remote(
                        lambda worker: (ray.get_runtime_context().get_node_id(), os.getpid())
                    )
                )
                self.nodes[node] = process
                if when_ready is not None:
                    when_ready(member, process)
                early.append(member)
                for waiting in early:
                    waiting.ready = len(early) >= together
            elif errand is not None and errand.number in run._done:
                self.computed.append(errand.number)

        def watched_lose(run: _Run, member: Member, error: Exception) -> None:
            self.returned += [
                errand.number
                for asked, errand in run._asked.values()
                if asked is member and errand is not None
            ]
            lose(run, member, error)

        monkeypatch.setattr(_Run, "_take", watched_take)
        monkeypatch.setattr(_Run, "_lose", watched_lose)

    def assert_each_once(self, stages: int = 1) -> None:
        chunks = len(Corpus.read(PREDICTIONS, REFERENCES).chunks(SMALL))
        assert chunks > 2 * _WINDOW
        assert sorted(self.computed) == sorted([*range(chunks)] * stages)


def after_handing_out(monkeypatch: pytest.MonkeyPatch, act: Callable[[_Run], None]) -> None:
    hand_out = _Run._hand_out

    def acting(run: _Run) -> None:
        hand_out(run)
        act(run)

    monkeypatch.setattr(_Run, "_hand_out", acting)


def test_the_numbers_are_those_of_one_process_and_come_from_both_nodes(joined, monkeypatch):
    watched = Watched(monkeypatch, together=2)
    found = on_cluster(weights=[1.0, 2.0] + [1.0] * (len(PREDICTIONS) - 2))
    assert_equal(found, serial(weights=[1.0, 2.0] + [1.0] * (len(PREDICTIONS) - 2)))
    assert len(watched.nodes) == 2
    assert os.getpid() not in watched.nodes.values()
    watched.assert_each_once(stages=2)
    assert set(found.costs.metrics) == set(METRICS)


# Each worker imports torch, which takes longer than all else.
@pytest.mark.parametrize("workers", [1, *thorough(2)])
def test_a_model_is_loaded_by_each_worker_and_gives_the_same_numbers(
    workers, joined, tiny_models, monkeypatch
):
    metrics = [f"bertscore(model={str(tiny_models['encoder'])!r}, layer=1, idf=True)", "wer"]
    watched = Watched(monkeypatch, together=workers)
    found = on_cluster(metrics=metrics, executor=Ray(workers=workers, characters=SMALL))
    expected = serial(metrics=metrics)
    for label in expected:
        assert found[label] == pytest.approx(expected[label], rel=0, abs=1e-5)
    for key, table in expected._tables.items():
        for part, values in table.statistics.items():
            np.testing.assert_allclose(found._tables[key].statistics[part], values, rtol=0, atol=1e-5)
    assert len(watched.nodes) == workers


def test_fits_and_scores_are_computed_by_the_same_workers(joined, monkeypatch):
    hired: list[Member] = []
    hire = Crew.hire
    monkeypatch.setattr(
        Crew, "hire", lambda crew, wanted: [hired.append(new) or new for new in hire(crew, wanted)]
    )
    # What is fitted or scored here would fail: it is done elsewhere.
    expected = serial(metrics="cider")
    monkeypatch.setattr("nlgauge.metrics.cider.DocumentFrequencies.partial", None)
    monkeypatch.setattr("nlgauge.metrics.cider.Cider.statistics", None)
    assert_equal(on_cluster(metrics="cider"), expected)
    assert 1 <= len(hired) <= 2


def test_metrics_that_cannot_travel_are_computed_here(joined):
    metrics = ["wer", nlgauge.metric_from(stays_here), "distinct"]
    assert_equal(on_cluster(metrics=metrics), serial(metrics=metrics))


def test_a_rule_of_reduction_that_is_a_function_keeps_everything_here(joined, monkeypatch):
    watched = Watched(monkeypatch)
    assert_equal(on_cluster(metrics="wer", reduce_fn=max), serial(metrics="wer", reduce_fn=max))
    assert not watched.computed


def test_a_worker_that_is_killed_costs_no_chunk_and_doubles_none(joined, monkeypatch):
    stopped: dict[Member, int] = {}

    def stop_the_first(member: Member, process: int) -> None:
        if not stopped:
            os.kill(process, signal.SIGSTOP)  # what it is given now it will not answer
            stopped[member] = process

    def kill(run: _Run) -> None:
        for member, process in stopped.items():
            if member.chunks and process:
                os.kill(process, signal.SIGKILL)
                stopped[member] = 0

    watched = Watched(monkeypatch, stop_the_first, together=2)
    after_handing_out(monkeypatch, kill)
    assert_equal(on_cluster(metrics=["bleu", "wer"]), serial(metrics=["bleu", "wer"]))
    assert list(stopped.values()) == [0]
    assert watched.returned
    watched.assert_each_once()


def test_a_node_that_is_lost_costs_no_chunk_and_doubles_none(joined, monkeypatch):
    node = joined.add_node(num_cpus=1)
    joined.wait_for_nodes()
    stopped: list[int] = []
    lost: list[Any] = []

    def stop_its_worker(member: Member, process: int) -> None:
        if node.node_id in watched.nodes and not stopped:
            os.kill(process, signal.SIGSTOP)
            stopped.append(process)
            lost.append(member)

    def remove(run: _Run) -> None:
        if lost and lost[0] is not None and lost[0].chunks:
            lost[0] = None
            # A process that was stopped goes on when its parent, the node's own, ends; it might then finish
            # its chunk.
            os.kill(stopped[0], signal.SIGKILL)
            joined.remove_node(node, allow_graceful=False)

    watched = Watched(monkeypatch, stop_its_worker, together=3)
    after_handing_out(monkeypatch, remove)
    try:
        found = on_cluster(metrics=["bleu", "wer"], executor=Ray(workers=3, characters=SMALL))
    finally:
        for process in stopped:
            with suppress(ProcessLookupError):  # Ray may have noticed by now
                os.kill(process, signal.SIGKILL)
    assert lost == [None], "the node had no worker"
    assert_equal(found, serial(metrics=["bleu", "wer"]))
    assert watched.returned
    watched.assert_each_once()


def test_a_chunk_that_kills_every_worker_is_an_error_that_names_it(joined, monkeypatch):
    import ray

    def arm(member: Member, process: int) -> None:
        def plant(worker: Any) -> None:
            class Bomb:
                job = worker._task.job

                def run(self, chunk: Any) -> None:
                    os._exit(1)

            worker._task = Bomb()

        ray.get(member.actor.__ray_call__.remote(plant))

    watched = Watched(monkeypatch, arm)
    with pytest.raises(
        NlgaugeError,
        match=rf"{_TRIES} workers of the cluster died while they computed the segments 0 to \d+, perhaps because a node",
    ):
        on_cluster(metrics="wer", executor=Ray(workers=1, characters=SMALL))
    assert not watched.computed


def test_an_unexpected_error_in_a_worker_is_ours(joined, monkeypatch):
    import ray

    Watched(
        monkeypatch,
        lambda member, process: ray.get(
            member.actor.__ray_call__.remote(lambda worker: setattr(worker, "_task", None))
        ),
    )
    with pytest.raises(NlgaugeError, match=r"worker.*AssertionError"):
        on_cluster(metrics="wer", executor=Ray(workers=1, characters=SMALL))


def test_an_error_of_ours_comes_back_as_itself(joined, monkeypatch):
    import ray

    def arm(member: Member, process: int) -> None:
        def plant(worker: Any) -> None:
            class Refusing:
                job = worker._task.job

                def run(self, chunk: Any) -> None:
                    raise ParameterError("there is no device 'cuda:99'", python="device", cli="--device")

            worker._task = Refusing()

        ray.get(member.actor.__ray_call__.remote(plant))

    Watched(monkeypatch, arm)
    with pytest.raises(
        ParameterError, match=r"a worker of the cluster: there is no device 'cuda:99'"
    ) as caught:
        on_cluster(metrics="wer", executor=Ray(workers=1, characters=SMALL))
    assert (caught.value.python, caught.value.cli) == ("device", "--device")


def test_a_node_that_would_give_other_numbers_is_refused(joined, monkeypatch):
    monkeypatch.setattr("nlgauge.metric.installed_version", lambda package: "0.0")
    with pytest.raises(
        NlgaugeError,
        match=r"wer.*nlgauge:0\.0",
    ):
        nlgauge.score(["a"], ["b"], metrics="wer", executor=Ray(workers=1))


def test_chunks_of_unknown_number_are_taken_as_they_are_needed(joined):
    corpus = Corpus.read(PREDICTIONS, REFERENCES)
    task = Task("score", Job(labeled("wer")), Reducer.of(None, corpus))
    taken = 0

    def chunks() -> Iterator[Chunk]:
        nonlocal taken
        for segments in corpus.chunks(1):
            taken += 1
            yield Chunk(corpus, segments, RunOptions())

    with opened(Ray(workers=1)) as executor:
        ahead = [taken - done for done, _ in enumerate(executor.map(task, chunks()))]
    assert len(ahead) == taken == len(corpus.chunks(1)) > 2 * _WINDOW
    assert max(ahead) <= _WINDOW


@pytest.mark.filterwarnings(
    r"ignore::DeprecationWarning:ray\.data\."
)  # Ray Data reads all of its settings, old ones too
def test_records_of_a_ray_dataset_are_stored_and_scored_block_by_block(joined, monkeypatch, tmp_path):
    pa = pytest.importorskip("pyarrow")
    data = pytest.importorskip("ray.data")
    rows = [
        {
            "id": f"s{i}",
            "system": system,
            "prediction": p,
            "references": r,
            "domain": "news" if i % 2 else "web",
        }
        for system in ("A", "B")
        for i, (p, r) in enumerate(zip(PREDICTIONS, REFERENCES, strict=True))
    ]
    dataset = data.from_arrow(
        [pa.Table.from_pylist(rows[start : start + 20]) for start in range(0, len(rows), 20)]
    )
    assert dataset.num_blocks() == 5
    monkeypatch.setattr(records, "_BLOCK", 7)
    expected = nlgauge.score(rows, metrics=["bleu", "wer"], executor="serial")
    for output in (None, tmp_path / "out"):
        found = nlgauge.score(dataset, metrics=["bleu", "wer"], executor=Ray(workers=2), output=output)
        assert_equal(found, expected)
        assert is_stored(found.corpus)
        assert found.corpus.records() == expected.corpus.records()
    assert Corpus.read(dataset).records() == expected.corpus.records()
    with pytest.raises(InputError, match=r"references.*records"):
        nlgauge.score(dataset, REFERENCES, metrics="wer")


# --- whose cluster it is


def test_a_cluster_that_was_running_goes_on_and_a_connection_that_was_there_stays(cluster):
    import ray

    ray.shutdown()
    assert_equal(
        on_cluster(metrics="wer", executor=Ray(cluster.address, characters=SMALL)), serial(metrics="wer")
    )
    assert not ray.is_initialized()
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    assert len([node for node in ray.nodes() if node["Alive"]]) >= 2
    on_cluster(metrics="wer", executor=Ray(cluster.address))
    on_cluster(metrics="wer", executor="ray")
    assert ray.is_initialized()
    with pytest.raises(ParameterError, match=r"address is '10\.1\.2\.3:6379'.*cluster"):
        on_cluster(metrics="wer", executor=Ray("10.1.2.3:6379"))


def test_the_address_may_be_in_the_environment(cluster, monkeypatch):
    import ray

    ray.shutdown()
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    with ray_cluster.connected(None, None):
        assert ray.get_runtime_context().gcs_address == cluster.address


def test_no_cluster_at_the_address(monkeypatch):
    import ray

    ray.shutdown()
    monkeypatch.setattr(
        ray, "init", lambda **options: (_ for _ in ()).throw(ConnectionError("nobody answers\nmore"))
    )
    with pytest.raises(
        NlgaugeError,
        match=(r"Ray.*'10\.1\.2\.3:6379'.*`ray start --head`"),
    ):
        on_cluster(metrics="wer", executor=Ray("10.1.2.3:6379"))


LOCAL = """
    import os, signal, sys, time
    from pathlib import Path
    import nlgauge
    from nlgauge.engine.executors.ray import Ray

    MARK = b"NLGAUGE_TEST_MARK=" + os.environ["NLGAUGE_TEST_MARK"].encode()

    def family():
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if int(process.name) != os.getpid() and MARK in (process / "environ").read_bytes():
                    found.append(process)
            except OSError:
                pass
        return found

    def listening(processes):
        sockets = set()
        for process in processes:
            for descriptor in (process / "fd").glob("*"):
                try:
                    sockets.add(os.readlink(descriptor).partition("[")[2].rstrip("]"))
                except OSError:
                    pass
        for table in ("tcp", "tcp6"):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in sockets:
                    yield fields[1].partition(":")[0]

    def left():
        until = time.monotonic() + 400
        while (processes := family()) and time.monotonic() < until:
            time.sleep(0.2)
        return [(process / "cmdline").read_bytes() for process in processes]

    seen = set()

    def look(prediction, reference):
        if not seen:
            seen.update(listening([*family(), Path("/proc/self")]))
            seen.add(len(family()) > 3)
            seen.add(os.environ.get("RAY_USAGE_STATS_ENABLED"))
        return 1.0

    def interrupt(prediction, reference):
        os.killpg(0, signal.SIGINT)  # as a terminal does: everybody gets it
        time.sleep(600)

    texts = ["a b c", "a c", "d"] * 20
    result = nlgauge.score(texts, texts[::-1], metrics=["wer", nlgauge.metric_from(look)], executor=Ray(characters=50))
    assert result["wer"] == nlgauge.score(texts, texts[::-1], metrics="wer")["wer"]
    assert {True, None, "0000000000000000FFFF00000100007F"} <= seen <= {True, None, "0100007F", "0000000000000000FFFF00000100007F"}, seen
    assert left() == []
    try:
        nlgauge.score(texts, texts[::-1], metrics=["wer", nlgauge.metric_from(interrupt)], executor="ray")
    except KeyboardInterrupt:
        assert left() == []
        print("interrupted")
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A short path: that of a socket has to fit in a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        yield Path(folder)


def alone(place: Path) -> dict[str, str]:
    """An environment in which a cluster of our own is started, below this place; all its processes can be
    told by it.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return {
        **kept,
        "NLGAUGE_THREADS": "1",
        "NLGAUGE_TEST_MARK": f"{os.getpid()}-{time.time_ns()}",
        "RAY_TMPDIR": str(place),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="processes and sockets are read from /proc")
def test_a_cluster_of_our_own_hears_this_machine_alone_and_is_gone_afterwards(tmp_path, place):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(LOCAL), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        check=False,
        capture_output=True,
        text=True,
        timeout=1000,
        env=alone(place),
        cwd=tmp_path,
        start_new_session=True,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
    assert done.stderr == ""
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [("/a/scratch/directory", "/a/scratch/directory"), ("/a/scratch/directory2", "/tmp")],
)
def test_sockets_are_where_their_paths_are_short_enough(given, expected, monkeypatch):
    monkeypatch.delenv("RAY_TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", given)
    assert _place() == expected
    monkeypatch.setattr(tempfile, "tempdir", "/elsewhere")
    monkeypatch.setenv("RAY_TMPDIR", given)
    assert _place() == expected


KILLED = """
    import time
    import nlgauge

    def wait(prediction, reference):
        print("running", flush=True)
        time.sleep(600)

    nlgauge.score(["a"], ["b"], metrics=["wer", nlgauge.metric_from(wait)], executor="ray")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")
@pytest.mark.parametrize("kill", [os.kill, *thorough(os.killpg)])
def test_a_cluster_of_our_own_is_gone_after_its_driver_was_killed(kill, place):
    environment = alone(place)
    command = [sys.executable, "-c", textwrap.dedent(KILLED)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, start_new_session=True) as driver:
        assert driver.stdout.readline() == b"running\n"
        (directory,) = place.iterdir()
        assert len(list(processes_of(str(directory)))) > 3
        kill(driver.pid, signal.SIGKILL)
    mark = f"NLGAUGE_TEST_MARK={environment['NLGAUGE_TEST_MARK']}".encode()

    def left() -> list[bytes]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").strip())
        return found

    # Ray's own agents end some time after their driver as well, but they leave the directory.
    until = time.monotonic() + 600  # this is given up then, however busy the machine is
    while (left() or any(place.iterdir())) and time.monotonic() < until:
        time.sleep(0.1)
    assert (left(), list(place.iterdir())) == ([], [])


@pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")
def test_processes_of_a_cluster_are_known_by_their_mark_or_by_where_they_print(tmp_path):
    """Ray's agents give themselves a title, which overwrites their environment as others see it."""
    directory = str(tmp_path)
    marked = subprocess.Popen(["sleep", "600"], env={MARK: directory, **os.environ})
    with (tmp_path / "log").open("w") as log:
        printing = subprocess.Popen(["sleep", "600"], stdout=log)
    other = subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: f"{directory}-other"})
    try:
        (tmp_path / "log").unlink()
        assert set(processes_of(directory)) == {marked.pid, printing.pid}
    finally:
        for process in (marked, printing, other):
            process.kill()
            process.wait()


def test_a_program_on_a_cluster_that_is_asked_to_end_says_what_is_kept(tmp_path, place):
    (tmp_path / "texts.txt").write_text(
        "".join(f"{i} {i % 7} is a text of some words and of {i % 13}\n" for i in range(100_000)),
        encoding="utf-8",
    )
    options = [
        "-m",
        "ter",
        "-r",
        "texts.txt",
        "B=texts.txt",
        "-o",
        "out",
        "--executor",
        "ray",
        "--jobs",
        "1",
        "--no-intervals",
    ]
    command = [sys.executable, "-m", "nlgauge", "score", "-q", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=alone(place), cwd=tmp_path)
    log = tmp_path / "out.unfinished" / "log.jsonl"
    while process.poll() is None and not (log.exists() and b"scored" in log.read_bytes()):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert (process.returncode, said) == (
        143,
        "interrupted; progress is saved in out.unfinished; run the same command with --resume to continue\n",
    )
    assert list(place.iterdir()) == []


# --- what is asked for


@pytest.mark.parametrize(
    ("nodes", "workers", "gpus", "expected"),
    [
        ([(4, 0)], None, 0, (4, 1)),
        ([(4, 0), (2, 0)], None, 0, (6, 1)),
        ([(4, 0), (2, 0)], 3, 0, (3, 2)),
        ([(8, 0)], 3, 0, (3, 2)),
        ([(2, 0)], 8, 0, (8, 1)),
        ([(64, 8), (64, 8), (32, 0)], None, 1, (16, 8)),
        ([(4, 1), (60, 1)], None, 1, (2, 4)),
        ([(16, 1)], None, 0.3, (3, 5)),
        ([(16, 1)], None, 0.1, (10, 1)),
        ([(4, 8)], None, 1, (4, 1)),
        ([(0, 0)], 2, 1, (2, 1)),
    ],
)
def test_cores_and_gpus_are_shared_out(nodes, workers, gpus, expected):
    described = [
        {"Alive": True, "Resources": {"CPU": float(cpu), **({"GPU": float(gpu)} if gpu else {})}}
        for cpu, gpu in nodes
    ]
    assert (
        shares([*described, {"Alive": False, "Resources": {"CPU": 99.0, "GPU": 99.0}}], workers, gpus)
        == expected
    )


@pytest.mark.parametrize(
    ("gpus", "message"),
    [(1, "cluster.*1 GPU"), (0, "node.*cluster")],
)
def test_a_cluster_without_room_is_an_error(gpus, message):
    with pytest.raises(ParameterError, match=message):
        shares([{"Alive": True, "Resources": {"CPU": 8.0 if gpus else 0.0}}], None, gpus)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"address": ""}, "address.*Ray"),
        ({"workers": 0}, "workers.*1.*0"),
        ({"workers": True}, "workers.*1.*True"),
        ({"gpus_per_worker": -1}, "gpus_per_worker.*0.*-1"),
        ({"gpus_per_worker": float("nan")}, "gpus_per_worker.*0"),
        ({"gpus_per_worker": 1.5}, "gpus_per_worker.*1.*1.5"),
        ({"characters": 0}, "characters.*1.*0"),
    ],
)
def test_what_cannot_be_asked_for(options, message):
    with pytest.raises(ParameterError, match=message):
        Ray(**options)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'Ray.*"nlgauge\[ray\]"'):
        nlgauge.Scorer("wer", executor="ray")


def test_workers_that_die_before_they_answer_end_the_run():
    class Lost(Exception):
        pass

    class Cluster:
        class exceptions:
            RayError = Lost

        def remote(self, kind: type) -> Any:
            return self

        def options(self, **options: Any) -> Any:
            return self

        def kill(self, actor: Any) -> None:
            raise Lost

    crew = Crew(Cluster(), 2, 1, 0)
    members = [Member(None) for _ in range(2 * _TRIES)]
    crew.members = list(members)
    for member in members[:-1]:
        crew.lose(member, Lost("gone"))
    with pytest.raises(NlgaugeError, match=f"{2 * _TRIES} workers.*ray status.*gone"):
        crew.lose(members[-1], Lost("gone"))


def test_the_command_line_joins_a_cluster(cluster, tmp_path, monkeypatch):
    import ray

    ray.shutdown()
    cli_cases.enter(tmp_path, monkeypatch)
    asked: list[Ray] = []
    check = Ray.__post_init__
    monkeypatch.setattr(Ray, "__post_init__", lambda executor: (check(executor), asked.append(executor)))
    arguments = "score", "-m", "bleu", "wer", "-r", "refs.txt", "sysA.txt", "sysB.txt"
    found = cli_cases.document(*arguments, "--executor", "ray", "--address", cluster.address, "--jobs", "1")
    assert found == cli_cases.document(*arguments)
    (executor,) = asked
    assert executor == Ray(cluster.address, 1)
    assert not ray.is_initialized()


def test_the_command_line_says_what_belongs_together(tmp_path, monkeypatch):
    cli_cases.enter(tmp_path, monkeypatch)
    arguments = "score", "-m", "wer", "-r", "refs.txt", "sysA.txt"
    assert "'rya' is not one of serial, threads, processes, ray (did you mean 'ray'?)" in cli_cases.refused(
        *arguments, "--executor", "rya"
    )
    assert "require --executor ray" in cli_cases.refused(*arguments, "--address", "auto")
    assert "require --executor ray" in cli_cases.refused(
        *arguments, "--executor", "processes", "--gpus-per-worker", "1"
    )
    assert "--jobs 2" in cli_cases.refused(*arguments, "--executor", "serial", "--jobs", "2")


def test_serial_chunks_and_those_of_a_cluster_have_one_size():
    assert Ray().characters == Serial().characters
