"""Locations of installed models, and facts about them; this module downloads nothing.

An installed model is a directory of the cache with the weights (safetensors), the tokenizer, the license, and
`nlgauge-model.json`, which records the source of the weights, their revision, their hash, and the hash of
every file. The name of a hub model may include a revision: NAME@REVISION.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import msgspec

from nlgauge._core.folders import user_folder
from nlgauge._core.paths import Stamp, is_file, name_problem, stamp_of, within
from nlgauge.errors import ModelError, did_you_mean
from nlgauge.models.weights.catalog import Entry, catalog, pinned_commits
from nlgauge.models.weights.contents import RECORD, combined, hash_of_file, hashes

MANIFEST = "nlgauge-model.json"
# The file that identifies a directory of word vectors, and the file with the word of each row.
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
    """The content of nlgauge-model.json.

    `source` is the origin of the weights, `weights` the file that was hashed, `sha256` its hash, and
    `revision` the commit that was downloaded from the hub.
    """

    name: str
    title: str
    source: str
    weights: str
    sha256: str
    license: str
    revision: str = ""
    # The layout that the file was converted from, and REPOSITORY@COMMIT of the configuration and the
    # tokenizer.
    layout: str = ""
    base: str = ""
    # The sha256 of every installed file, by its path in the directory.
    files: dict[str, str] = {}


def cache_directory() -> Path:
    """Return the directory of models: NLGAUGE_CACHE, by default in the user's cache directory."""
    return user_folder("caches", "models", "NLGAUGE_CACHE")


def location(name: str) -> Path | None:
    """Return the directory of a model's files; None if the model is not installed.

    It is a local path, or a directory of the cache, of an installed package, or of the hub's own cache.
    """
    if name and any(is_file(Path(name) / file) for file in ("config.json", VECTORS)):
        return Path(name)
    if not name_problem(_flat(name)):
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
    revisions = [wanted] if wanted else [pinned_commits().get(repository, "main"), "main"]
    return next(filter(None, (_in_hub_cache(repository, revision) for revision in revisions)), None)


def entry_of(name: str) -> Entry | None:
    """Return the catalog entry of a name with or without a revision; None if the name is unknown."""
    return catalog().get(name.partition("@")[0])


def place_of(name: str) -> Path:
    """Return the directory of a model in the cache; raise ParameterError for an unsafe name."""
    return within(cache_directory(), _flat(name), "a model")


def _flat(name: str) -> str:
    """Return the name of a model's directory in the cache, with "--" instead of slashes.

    Repositories are OWNER/NAME, and revisions may also contain slashes.
    """
    return name if name.startswith("/") or name.endswith("/") else name.replace("/", "--")


def require(name: str) -> Path:
    """Return the directory of a model's files; raise ModelError, with the command to run, if missing."""
    if name.startswith("own:"):
        raise ModelError(
            f"{name!r} is a custom model object, which is not saved; pass it again as nlgauge.Model(model,"
            " tokenizer)."
        )
    directory = location(name)
    if directory is not None:
        return directory
    entry = entry_of(name)
    if entry is not None and entry.elsewhere:
        raise ModelError(
            f"the model {name!r} is not installed ({entry.size}; license {entry.license}); {entry.elsewhere}"
        )
    if entry is not None:
        command = f"nlgauge models get {name}{' --hub' if entry.repository else ''}"
        raise ModelError(
            f"the model {name!r} is not installed ({entry.size}; license {entry.license}); run: {command}"
        )
    looks_local = (
        name.startswith((".", "~")) or Path(name).is_absolute() or os.sep in name.replace("/", "", 1)
    )
    if looks_local or Path(name).exists():
        raise ModelError(
            f"{name!r} does not contain a model; a local model is a directory with config.json, weights as"
            " safetensors and a tokenizer."
        )
    raise ModelError(
        f"unknown model {name!r}{did_you_mean(name, catalog())}; use a directory or a name of `nlgauge models"
        f" list`, or download a hub repository with: nlgauge models get {name if '/' in name else 'OWNER/NAME'}"
        " --hub"
    )


def require_network(name: str) -> Path:
    """Return the directory of a model's files; raise ModelError also if it contains word vectors."""
    directory = require(name)
    if not (directory / "config.json").is_file() and (directory / VECTORS).is_file():
        raise ModelError(f"{name!r} contains word vectors, not a model; use another model.")
    return directory


def info(name: str) -> dict[str, str]:
    """Return the facts about a model, for display."""
    entry = entry_of(name)
    directory = location(name)
    if entry is None and directory is None:
        require(name)
    facts = {"name": name}
    if entry is not None:
        facts |= {
            "title": entry.title,
            "kind": entry.kind,
            "license": entry.license,
            "size": entry.size,
            "source": entry.source,
        }
        facts["sha256"] = entry.sha256 or "not pinned"
        if entry.repository:
            facts["pinned revision"] = pinned_commits().get(entry.repository, "none")
    how = (
        entry.elsewhere
        if entry and entry.elsewhere
        else f"run: nlgauge models get {name}{'' if entry and not entry.repository else ' --hub'}"
    )
    facts["location"] = str(directory) if directory is not None else f"not installed; {how}"
    if directory is not None:
        facts["weights"] = weights_hash(directory)
        facts["revision"] = revision(directory) or "not recorded"
    return facts


def weights_hash(directory: Path) -> str:
    """Return the hash of weights that signatures show.

    It is the hash of the original weights if the files have not changed since the installation, otherwise the
    hash of the files. A file whose size, times and inode are the same is not read again.
    """
    files = weight_files(directory)
    if not files:
        how = "`nlgauge models convert FILE --as bin -o DIR` converts them"
        raise ModelError(
            f"{directory} has no weights as safetensors; other formats can run code and are not read ({how})."
        )
    manifest = manifest_of(directory)
    if manifest is None:
        return combined(hashes(files))
    current = hashes(files, directory / RECORD)
    if {name: manifest.files[name] for name in _weights_among(manifest.files)} == current:
        return manifest.sha256
    if manifest.files:
        _warn_of_change(directory, tuple(sorted(current.items())))
    return combined(current)


@lru_cache(maxsize=64)
def _warn_of_change(directory: Path, current: tuple[tuple[str, str], ...]) -> None:
    """Warn, once for each content, that weights have changed since they were installed."""
    warnings.warn(
        f"the weights in {directory} have changed since they were installed; signatures show the new hash."
        " `nlgauge models verify` lists the files that changed.",
        stacklevel=4,
    )


def changed_files(directory: Path) -> list[str]:
    """Read all files of an installed model; list the changed, missing and added files."""
    manifest = manifest_of(directory)
    if manifest is None or not manifest.files:
        return []
    there = written_files(directory)
    changed = [
        name
        for name, sha256 in manifest.files.items()
        if name in there and hash_of_file(there[name]) != sha256
    ]
    missing = [f"{name} (missing)" for name in manifest.files if name not in there]
    return sorted([*changed, *missing, *(f"{name} (added)" for name in there if name not in manifest.files)])


def written_files(directory: Path) -> dict[str, Path]:
    """Return the files of a model's directory by their path in it, without the manifest and the record."""
    files = (path for path in sorted(directory.rglob("*")) if path.is_file() or path.is_symlink())
    return {
        path.relative_to(directory).as_posix(): path for path in files if path.name not in (MANIFEST, RECORD)
    }


def revision(directory: Path) -> str:
    """Return the hub commit of a model's files; "" if it is unknown."""
    manifest = manifest_of(directory)
    if manifest is not None:
        return manifest.revision
    return directory.name if directory.parent.name == "snapshots" else ""


def commits(directory: Path) -> dict[str, str]:
    """Return the repositories of an installed model's files, each with its commit."""
    manifest = manifest_of(directory)
    sources = [] if manifest is None else [f"{manifest.source}@{manifest.revision}", manifest.base]
    return dict(source.rsplit("@", 1) for source in sources if source)


def fetched(name: str) -> str:
    """Return a sentence with the repository and commit of an installed model; "" if not from the hub."""
    manifest = manifest_of(place_of(name))
    if manifest is None or not manifest.revision:
        return ""
    pinned = pinned_commits().get(manifest.source)
    if "@" in name or manifest.revision == pinned:
        how = "as requested" if "@" in name else "the pinned commit"
    elif pinned is None:
        how = "which later downloads into this cache will use again"
    else:
        how = f"not the pinned commit {pinned}; remove this directory to download the pinned commit"
    base = f", with {manifest.base}" if manifest.base else ""
    return f"{name} is {manifest.source} at commit {manifest.revision}{base}, {how}"


def manifest_of(directory: Path) -> Manifest | None:
    """Read the manifest of an installed model; return None if the directory has no manifest."""
    path = directory / MANIFEST
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise ModelError(
            f"{path} is damaged ({error}); remove {directory} by hand, and install the model again."
        ) from None


def weight_files(directory: Path) -> list[Path]:
    """List the files of weights in a directory; for word vectors, also the file of words."""
    place = directory.resolve()
    return [
        place / name for name in _weights_among([path.name for path in place.glob("*") if path.is_file()])
    ]


def _weights_among(names: Collection[str]) -> list[str]:
    return sorted(
        name
        for name in names
        if "/" not in name and (name.endswith(".safetensors") or (name == WORDS and VECTORS in names))
    )


def fingerprint(directory: Path) -> tuple[tuple[str, Stamp], ...]:
    """Return the paths of the weights in a directory, each with its stamp."""
    return tuple((str(file), stamp_of(file)) for file in weight_files(directory))


def distribution_files(entry: Entry) -> list[Path]:
    """Return the needed files of the installed package that contains a model."""
    try:
        package = distribution(entry.package.partition("==")[0])
    except PackageNotFoundError:
        return []
    needed = (*KEPT_FILES, entry.weights)
    return [
        Path(str(file.locate()))
        for file in package.files or []
        if file.name in needed and not file.parent.name[:1].isdigit()
    ]


def installed_weights(entry: Entry) -> Path | None:
    """Return the path of the weights in the installed package of a model; do not import the package."""
    return next(
        (path for path in distribution_files(entry) if path.name == entry.weights and path.is_file()), None
    )


def _in_hub_cache(repository: str, wanted: str) -> Path | None:
    """Return the snapshot of a repository in the hub's own cache, which is only read; None if missing."""
    if repository.count("/") != 1 or any(map(name_problem, (*repository.split("/"), *wanted.split("/")))):
        return None
    root = Path(
        os.environ.get("HF_HUB_CACHE")
        or Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface")) / "hub"
    )
    folder = root / f"models--{repository.replace('/', '--')}"
    head = folder / "refs" / wanted
    snapshot = folder / "snapshots" / (head.read_text("utf-8").strip() if head.is_file() else wanted)
    return snapshot if (snapshot / "config.json").is_file() else None
