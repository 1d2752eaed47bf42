"""Which cluster is used, and what it has room for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from nlgauge._core.threads import threads
from nlgauge.engine.executors.ray import watcher
from nlgauge.errors import NlgaugeError, ParameterError

_LOOPBACK = "127.0.0.1"
# What Ray reads when it starts a cluster: no report to its makers, and (a switch that is named after the
# systems whose default it is) no address but loopback.
_PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
# The path of a socket has 103 bytes at the most on some systems, and Ray's are up to 83 longer than the place
# that our directory is in.
_LONGEST_PLACE = 20


@contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """The module `ray`, connected to a cluster: the one that this process has joined already, the one at the
    address, or one of our own.

    Only what was begun here is ended: our own cluster, or the connection to somebody else's.
    """
    import ray

    if ray.is_initialized():
        _check_same(ray, address)
        yield ray
        return
    wanted = address or os.environ.get("RAY_ADDRESS") or None
    with ExitStack() as ending:
        if wanted is None:
            directory = ending.enter_context(_watched())
            ending.callback(ray.shutdown)
            _start(ray, workers, directory)
        else:
            ending.callback(ray.shutdown)
            _join(ray, wanted)
        yield ray


def shares(nodes: Sequence[Mapping[str, Any]], workers: int | None, gpus: float) -> tuple[int, int]:
    """How many workers there are, and how many cores each of them gets: as many as possible, so that all
    workers find a place.
    """
    alive = [node["Resources"] for node in nodes if node["Alive"]]

    def places(cores: int) -> int:
        with_cores = [
            (int(has.get("CPU", 0)) // cores, int(has.get("GPU", 0) / gpus + 1e-9) if gpus else None)
            for has in alive
        ]
        return sum(
            by_cores if by_gpus is None else min(by_cores, by_gpus) for by_cores, by_gpus in with_cores
        )

    count = workers or places(1)
    if not count:
        kind = f"{gpus:g} GPU and a core" if gpus else "a core"
        raise ParameterError(
            f"no node of the cluster has {kind} for a worker; add nodes, or set the number of workers to"
            " wait for them."
        )
    most = max((int(has.get("CPU", 0)) for has in alive), default=0)
    return count, max((cores for cores in range(1, most + 1) if places(cores) >= count), default=1)


@contextmanager
def loopback() -> Iterator[None]:
    """Clusters that are started meanwhile can be reached from this machine alone, and tell nobody of
    themselves.
    """
    from ray._private import ray_constants

    # Ray has read the switch already where it was imported before.
    enabled = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        with _environment(_PRIVATE):
            yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = enabled


@contextmanager
def _own_signals() -> Iterator[None]:
    """What SIGTERM does stays as it was: Ray would end the process when it comes, before anybody could
    say what is kept.
    """
    from ray._private import utils

    theirs, before = utils.set_sigterm_handler, signal.getsignal(signal.SIGTERM)
    utils.set_sigterm_handler = lambda handler: None
    try:
        yield
    finally:
        utils.set_sigterm_handler = theirs
        # Beneath Python, Ray has put one more handler in front, which prints where the process was.
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """What is started meanwhile has these values in its environment."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _watched() -> Iterator[str]:
    """A directory for a cluster, which goes, with the cluster's processes, when this process leaves or ends:
    Ray leaves both behind where its driver is killed, and the directory always."""
    # A session of its own: what ends this process and all that belong to it is not to end the watcher.
    command = [sys.executable, "-P", watcher.__file__]
    process = subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    try:
        directory = tempfile.mkdtemp(prefix="nlgauge-", dir=_place())
        process.stdin.write(directory.encode())
        process.stdin.flush()
        yield directory
    finally:
        with suppress(BrokenPipeError):
            process.stdin.write(b"\n")  # all was ended in order
            process.stdin.close()
        process.wait()


def _place() -> str:
    """Where temporary files go, unless the paths of sockets would be too long there."""
    given = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    return "/tmp" if os.name == "posix" and len(os.fsencode(given)) > _LONGEST_PLACE else given  # noqa: S108


def _start(ray: Any, workers: int | None, directory: str) -> None:
    with loopback(), _own_signals(), _environment({watcher.MARK: directory}):
        ray.init(
            address="local",
            num_cpus=max(threads(), workers or 1),
            include_dashboard=False,
            _node_ip_address=_LOOPBACK,
            _temp_dir=directory,
            log_to_driver=False,
            logging_level="ERROR",
        )
    found = ray.util.get_node_ip_address()
    if found != _LOOPBACK:
        raise NlgaugeError(
            f"this version of Ray opens its ports on {found} instead of {_LOOPBACK}, so the cluster was stopped;"
            " start a cluster with `ray start --head` and pass its address."
        )


def _join(ray: Any, address: str) -> None:
    try:
        with _own_signals():
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise NlgaugeError(
            f"cannot find a Ray cluster at {address!r} ({first}); start a cluster with `ray start --head`, or"
            " leave the address out."
        ) from error


def _check_same(ray: Any, address: str | None) -> None:
    joined = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", joined):
        raise ParameterError(
            f"address is {address!r}, but this process has joined the cluster at {joined!r}; call"
            " ray.shutdown(), or leave the address out."
        )
