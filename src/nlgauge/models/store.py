"""Where weights are kept, and what is known of them; nothing is fetched here.

A fetched model is a directory of the cache with the weights (safetensors), the tokeniser, the licence, and `nlgauge-model.json`, which
records where the weights came from, their revision there, and their hash. A model of the hub may be named with its revision: NAME@REVISION.
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import BinaryIO

import msgspec

from nlgauge.errors import ModelError, did_you_mean
from nlgauge.models.catalogue import CATALOGUE, Entry
from nlgauge.models.revisions import PINNED
from nlgauge.user_folders import user_folder

MANIFEST = "nlgauge-model.json"
# What makes a directory one of word vectors, and the words that its rows are of.
VECTORS, WORDS = "vectors.safetensors", "words.txt"
KEPT_FILES = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "sentence_bert_config.json",
    "LICENSE",
)


class Manifest(msgspec.Struct):
    """nlgauge-model.json: the weights' origin, the file that was hashed, the hash, and the commit of the hub that was fetched."""

    name: str
    title: str
    source: str
    weights: str
    sha256: str
    licence: str
    revision: str = ""
    # What the file was converted as, and the repository and commit of the base that gave configuration and tokeniser.
    layout: str = ""
    base: str = ""


def cache_directory() -> Path:
    """The user's cache: NLGAUGE_CACHE, else the place that the operating system keeps for caches."""
    return user_folder("caches", "models", "NLGAUGE_CACHE")


def location(name: str) -> Path | None:
    """The directory of a model's files: a local path, the cache, an installed package, the hub's own cache; else None."""
    if any((Path(name) / file).is_file() for file in ("config.json", VECTORS)):
        return Path(name)
    cached = place_of(name)
    if (cached / MANIFEST).is_file():
        return cached
    entry = entry_of(name)
    wanted = name.partition("@")[2]
    if entry is not None and entry.package:
        weights = None if wanted else installed_weights(entry)
        return weights.parent if weights is not None and weights.suffix == ".safetensors" else None
    if entry is not None and not entry.repository:
        return None
    repository = entry.repository if entry is not None else name.partition("@")[0]
    revisions = [wanted] if wanted else [PINNED.get(repository, "main"), "main"]
    return next(filter(None, (_in_hub_cache(repository, one) for one in revisions)), None)


def entry_of(name: str) -> Entry | None:
    """What the catalogue says of a model, with or without a revision; None where it does not know it."""
    return CATALOGUE.get(name.partition("@")[0])


def place_of(name: str) -> Path:
    """Where a fetched model is kept."""
    return cache_directory() / name.replace("/", "--")


def require(name: str) -> Path:
    """The directory of a model's files, or an error that says the command to run."""
    if name.startswith("own:"):
        raise ModelError(f"{name!r} was an own model object, which is never saved; give it again as nlgauge.Model(model, tokenizer).")
    found = location(name)
    if found is not None:
        return found
    entry = entry_of(name)
    if entry is not None and entry.elsewhere:
        raise ModelError(f"the model {name!r} is not here ({entry.size}; licence {entry.licence}); {entry.elsewhere}")
    if entry is not None:
        command = f"nlgauge models get {name}{' --hub' if entry.repository else ''}"
        raise ModelError(f"the model {name!r} is not here ({entry.size}; licence {entry.licence}); run: {command}")
    looks_local = name.startswith((".", "~")) or Path(name).is_absolute() or os.sep in name.replace("/", "", 1)
    if looks_local or Path(name).exists():
        raise ModelError(f"{name!r} does not hold a model: a local model is a directory with config.json, weights as safetensors and a tokeniser.")
    raise ModelError(
        f"there is no model {name!r}{did_you_mean(name, CATALOGUE)}; give a directory, a name of `nlgauge models list`, "
        f"or fetch a hub repository with: nlgauge models get {name} --hub"
    )


def info(name: str) -> dict[str, str]:
    """What is known of a model, in words."""
    entry = entry_of(name)
    found = location(name)
    if entry is None and found is None:
        require(name)
    facts = {"name": name}
    if entry is not None:
        facts |= {"title": entry.title, "kind": entry.kind, "licence": entry.licence, "size": entry.size, "source": entry.source}
        facts["sha256"] = entry.sha256 or "not pinned"
        if entry.repository:
            facts["pinned revision"] = PINNED.get(entry.repository, "none")
    how = entry.elsewhere if entry and entry.elsewhere else f"run: nlgauge models get {name}{'' if entry and not entry.repository else ' --hub'}"
    facts["location"] = str(found) if found is not None else f"not here; {how}"
    if found is not None:
        facts["weights"] = weights_hash(found)
        facts["revision"] = revision(found) or "not recorded"
    return facts


def weights_hash(directory: Path) -> str:
    """The hash that signatures show: of the original weights where they were converted, else of the safetensors files."""
    manifest = _manifest(directory)
    if manifest is not None:
        return manifest.sha256
    files = fingerprint(directory)
    if not files:
        how = "`nlgauge models convert FILE --as bin` converts them"
        raise ModelError(f"{directory} has no weights as safetensors; other formats can run code and are not read ({how}).")
    return _hash_of(files)


def revision(directory: Path) -> str:
    """The commit of the hub that a model's files are of; "" where that is not known."""
    manifest = _manifest(directory)
    if manifest is not None:
        return manifest.revision
    return directory.name if directory.parent.name == "snapshots" else ""


def commits(directory: Path) -> dict[str, str]:
    """The repositories that a fetched model's files are from, each with its commit."""
    manifest = _manifest(directory)
    named = [] if manifest is None else [f"{manifest.source}@{manifest.revision}", manifest.base]
    return dict(one.rsplit("@", 1) for one in named if one)


def fetched(name: str) -> str:
    """Which commit of which repository a fetched model is, in a sentence; "" where it did not come from the hub."""
    manifest = _manifest(place_of(name))
    if manifest is None or not manifest.revision:
        return ""
    pinned = PINNED.get(manifest.source)
    if "@" in name or manifest.revision == pinned:
        how = "as asked for" if "@" in name else "the pinned one"
    elif pinned is None:
        how = "which later fetches into this cache ask for again"
    else:
        how = f"and not the pinned {pinned}, which is fetched once this directory is removed"
    base = f", with {manifest.base}" if manifest.base else ""
    return f"{name} is {manifest.source} at commit {manifest.revision}{base}, {how}"


def _manifest(directory: Path) -> Manifest | None:
    path = directory / MANIFEST
    return msgspec.json.decode(path.read_bytes(), type=Manifest) if path.is_file() else None


def fingerprint(directory: Path) -> tuple[tuple[str, int], ...]:
    """The weights of a directory, as files and their times of change; with word vectors, also the words."""
    place = directory.resolve()
    files = [*place.glob("*.safetensors"), *(place.glob(WORDS) if (place / VECTORS).is_file() else [])]
    return tuple((str(file), file.stat().st_mtime_ns) for file in sorted(files))


@lru_cache(maxsize=16)
def _hash_of(files: tuple[tuple[str, int], ...]) -> str:
    """The hash of the files' contents; their times of change are part of the key, so a changed file is read again."""
    digest = hashlib.sha256()
    for name, _ in files:
        with Path(name).open("rb") as stream:
            updated(digest, stream)
    return digest.hexdigest()


def distribution_files(entry: Entry) -> list[Path]:
    """The files of the installed carrier package that are kept."""
    try:
        package = distribution(entry.package.partition("==")[0])
    except PackageNotFoundError:
        return []
    kept = (*KEPT_FILES, entry.weights)
    return [Path(str(file.locate())) for file in package.files or [] if file.name in kept and not file.parent.name[:1].isdigit()]


def installed_weights(entry: Entry) -> Path | None:
    """The weights inside the installed carrier package, found by its file list: the package is not imported."""
    return next((path for path in distribution_files(entry) if path.name == entry.weights and path.is_file()), None)


def _in_hub_cache(repository: str, wanted: str) -> Path | None:
    """The snapshot of a repository in the hub's own cache, where a user may have it from other work; only looked at."""
    if repository.count("/") != 1:
        return None
    root = Path(os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface")) / "hub")
    folder = root / f"models--{repository.replace('/', '--')}"
    head = folder / "refs" / wanted
    snapshot = folder / "snapshots" / (head.read_text("utf-8").strip() if head.is_file() else wanted)
    return snapshot if (snapshot / "config.json").is_file() else None


def updated(digest: hashlib._Hash, stream: BinaryIO) -> hashlib._Hash:
    """The digest with all of a stream added."""
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest
