"""Ray cluster of a run: how it is joined or started, and the workers for which it has room."""

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
# Environment variables for a cluster that is started here: no usage report, and no address but loopback. Ray
# named the second variable after the systems on which loopback is the default.
_PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
# Maximum length of the directory in which a cluster's directory is created. A socket path has at most 103 bytes
# on some systems, and Ray's socket paths are up to 83 bytes longer than that directory.
_LONGEST_PLACE = 20


@contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Connect to a Ray cluster, and yield the module `ray`.

    If this process has already joined a cluster, that cluster is used and stays connected. Otherwise the
    process joins the cluster at the address (or RAY_ADDRESS) and disconnects at the end. Without an address,
    a cluster on this machine is started, and stopped at the end.
    """
    import ray

    if ray.is_initialized():
        _check_same(ray, address)
        yield ray
        return
    target = address or os.environ.get("RAY_ADDRESS") or None
    with ExitStack() as ending:
        if target is None:
            directory = ending.enter_context(_watched())
            ending.callback(ray.shutdown)
            _start(ray, workers, directory)
        else:
            ending.callback(ray.shutdown)
            _join(ray, target)
        yield ray


def shares(nodes: Sequence[Mapping[str, Any]], workers: int | None, gpus: float) -> tuple[int, int]:
    """Return the number of workers, and the cores of each: as many as leave room for all workers."""
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
            f"no node of the cluster has {kind} for a worker",
            python="add nodes, or set the number of workers with Ray(workers=...) to wait for nodes",
            cli="add nodes, or set the number of workers with --jobs to wait for nodes",
        )
    most = max((int(has.get("CPU", 0)) for has in alive), default=0)
    return count, max((cores for cores in range(1, most + 1) if places(cores) >= count), default=1)


@contextmanager
def loopback() -> Iterator[None]:
    """Make Ray start clusters inside the block on loopback only, without a usage report."""
    from ray._private import ray_constants

    # If Ray was imported before, it has already read the environment variable.
    enabled = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        with _environment(_PRIVATE):
            yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = enabled


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep Ray from changing the handler of SIGTERM inside the block.

    Ray's handler would end the process before nlgauge can report which results were saved.
    """
    from ray._private import utils

    theirs, before = utils.set_sigterm_handler, signal.getsignal(signal.SIGTERM)
    utils.set_sigterm_handler = lambda handler: None
    try:
        yield
    finally:
        utils.set_sigterm_handler = theirs
        # Below Python, Ray also installs a handler that prints a stack trace; this call replaces it.
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables inside the block, for the programs that are started there."""
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
    """Yield a directory for a cluster; a watcher removes it and the cluster's processes at the end.

    The watcher also acts if this process is killed. Ray then leaves the processes of the cluster running, and
    it never removes the directory.
    """
    # A separate session: a signal to the process group of this process must not end the watcher.
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
            process.stdin.write(b"\n")  # the cluster was shut down
            process.stdin.close()
        process.wait()


def _place() -> str:
    """Return the directory for temporary files; /tmp if socket paths would be too long there."""
    directory = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    is_too_long = os.name == "posix" and len(os.fsencode(directory)) > _LONGEST_PLACE
    return "/tmp" if is_too_long else directory  # noqa: S108


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
    opened_at = ray.util.get_node_ip_address()
    if opened_at != _LOOPBACK:
        raise NlgaugeError(
            f"this version of Ray opens its ports on {opened_at} instead of {_LOOPBACK}, so the cluster was"
            " stopped",
            python="start a cluster with `ray start --head`, and pass its address: Ray(address=...)",
            cli="start a cluster with `ray start --head`, and name its address with --address",
        )


def _join(ray: Any, address: str) -> None:
    try:
        with _own_signals():
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise NlgaugeError(
            f"cannot find a Ray cluster at {address!r} ({first})",
            python="start a cluster with `ray start --head`, or leave the address out",
            cli="start a cluster with `ray start --head`, or omit --address",
        ) from error


def _check_same(ray: Any, address: str | None) -> None:
    joined = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", joined):
        raise ParameterError(
            f"address is {address!r}, but this process has joined the cluster at {joined!r}; call"
            " ray.shutdown(), or leave the address out."
        )
