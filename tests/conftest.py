"""What all tests share: Hypothesis' settings, tiny random models."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import ModuleType

import pytest
from error_forms import checked
from hypothesis import HealthCheck, Phase, settings
from longest import LONGEST

from nlgauge import scoring
from nlgauge._core import backend
from nlgauge.errors import NlgaugeError
from nlgauge.metric import REGISTERED
from nlgauge.metric.registry import metric_classes

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Started by `nohup` or in the background of a script, pytest ignores Ctrl-C, and so would every program that
# a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Tiny models and several test processes on few cores: more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

PHASES = [Phase.explicit, Phase.generate, Phase.shrink]
settings.register_profile(
    "nlgauge",
    deadline=None,
    max_examples=40,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
    phases=PHASES,
)
settings.register_profile("thorough", settings.get_profile("nlgauge"), max_examples=500, derandomize=False)
settings.load_profile("nlgauge")


# Fixtures of models, of Chromium, of a Ray cluster, and of the built documentation.
_SLOW = {"tiny_models", "browser", "cluster", "site"}
_HERE = Path(__file__).parent
# After so many ticks of a minute a test counts as hung; on a busy machine the slowest takes three minutes. A process
# that does not run, because the machine is paused or swaps, gets one tick of all that it missed.
_PATIENCE = 15
_TICK = 60


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage meanwhile, nor look at the thousands of tests whenever garbage is collected afterwards."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fail a test that hangs, with the stacks of all threads, so that the other tests run and the summary names it.

    pytest's own limit (faulthandler_timeout) ends the test process instead, and then nothing says which test it was.
    """
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    ticks = iter(range(1, _PATIENCE))

    def tick(*_: object) -> None:
        if next(ticks, None) is None:
            _hung()

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _hung() -> None:
    faulthandler.dump_traceback(file=sys.__stderr__, all_threads=True)
    pytest.fail(f"the test hung for {_PATIENCE} minutes; the stacks of all threads are on stderr")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need a model, a browser, a cluster or the site as slow, and those of metrics with plain kernels as
    thorough: tests/kernels proves that both kinds of kernels give the same numbers.

    The longest files come first, then those with many slow tests.
    """
    for item in items:
        if not _SLOW.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        kernels = item.callspec.params.get("both_kernels") if hasattr(item, "callspec") else None
        if kernels == "python" and backend.NATIVE is not None and item.path.parent.name == "metrics":
            item.add_marker(pytest.mark.thorough)
    slow = Counter(
        item.path
        for item in items
        if any(item.iter_markers("slow")) and not any(item.iter_markers("thorough"))
    )
    items.sort(key=lambda item: (_place(item.path), -slow[item.path]))


def _place(path: Path) -> int:
    """Return the place of a file among the longest, or the one behind all of them."""
    inside = path.relative_to(_HERE).as_posix() if path.is_relative_to(_HERE) else ""
    return next(
        (place for place, name in enumerate(LONGEST) if f"{inside}/".startswith(f"{name}/")), len(LONGEST)
    )


@pytest.fixture(scope="session", autouse=True)
def _errors_speak_to_their_interface() -> Iterator[None]:
    """Fail at the end of the process if an error had options in Python, or keywords on the command line."""
    problems: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NlgaugeError, "__init__", checked(NlgaugeError.__init__, problems))
        yield
    assert not problems, "\n".join(sorted(problems))


@pytest.fixture(scope="module", params=["python", "native"])
def both_kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a module with plain and with compiled kernels."""
    if request.param == "native" and backend.NATIVE is None:
        pytest.skip("nothing was compiled")
    with backend.using(request.param):
        yield


@pytest.fixture(scope="session", autouse=True)
def own_judge_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keeps the replies of judges away from those of the user."""
    os.environ["NLGAUGE_JUDGE_CACHE"] = str(tmp_path_factory.mktemp("judges") / "judge.sqlite")


@pytest.fixture(scope="session", autouse=True)
def no_statistics_cache() -> None:
    """Has every row computed, in the tests that do not ask for more: a number of before would stand in
    for the one that is tested.
    """
    os.environ["NLGAUGE_STATISTICS_CACHE"] = "off"


@pytest.fixture(autouse=True)
def _no_scorers_of_other_tests() -> None:
    """Make `score` forget its scorers: the first call of a test takes the way through the engine, whatever ran before."""
    scoring._SCORERS.clear()


@pytest.fixture
def statistics_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a cache of statistics that is the test's own."""
    from nlgauge.engine.cache import location as place

    monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", str(tmp_path / "kept" / "own.sqlite"))
    monkeypatch.setattr(place, "_STORES", {})
    yield tmp_path / "kept" / "own.sqlite"
    for store in place._STORES.values():
        store.close()


@pytest.fixture
def costly_metrics(registered: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """An installed package with metrics whose statistics are cached."""
    from cache_cases import PLUG_IN

    about = tmp_path / "site" / "costly_metrics-1.0.dist-info"
    about.mkdir(parents=True)
    (tmp_path / "site" / "costly_metrics.py").write_text(PLUG_IN, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: costly-metrics\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[nlgauge.metrics]\nlengths = costly_metrics\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    yield import_module("costly_metrics")
    del sys.modules["costly_metrics"]


@pytest.fixture
def registered() -> Iterator[None]:
    """Forgets, after the test, the metrics that it registered."""
    metric_classes()  # now: what is loaded within the test alone would be forgotten with it
    classes, aliases = dict(REGISTERED.classes), dict(REGISTERED.aliases)
    yield
    REGISTERED.classes, REGISTERED.aliases = classes, aliases


class TinyModels(Mapping[str, Path]):
    """Directories of random models by catalog kind ("encoder", "causal", ...), and another of each ("other
    encoder", ...), made when asked for.

    tests/tiny/KIND.py has `make()`, which gives a model and its tokenizer, random by torch's generator, or
    `write(directory, seed)`.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._made: dict[str, Path] = {}
        self._lock = Lock()

    def __getitem__(self, name: str) -> Path:
        with self._lock:
            if name not in self._made:
                kind, seed = name.removeprefix("other "), 2 if name.startswith("other ") else 1
                directory = self._place / f"{kind}-{seed}"
                self._write(import_module(f"tiny.{kind}"), directory, seed)
                self._made[name] = directory
            return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def _write(self, maker: ModuleType, directory: Path, seed: int) -> None:
        if hasattr(maker, "write"):
            maker.write(directory, seed)
            return
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model, tokenizer = maker.make()
        model.eval().save_pretrained(directory)
        tokenizer.save_pretrained(directory)


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    """Random models by kind, such as `tiny_models["encoder"]`."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return TinyModels(tmp_path_factory.mktemp("models"))


@pytest.fixture
def text_file(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a text to a file of this name, and gives its path."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
