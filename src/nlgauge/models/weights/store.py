"""Where weights are kept, and what is known of them; nothing is fetched here.

A fetched model is a directory of the cache with the weights (safetensors), the tokeniser, the license, and
`nlgauge-model.json`, which records where the weights came from, their revision there, their hash, and the
hash of every file. A model of the hub may be named with its revision: NAME@REVISION.
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
from nlgauge.models.weights.catalogue import Entry, catalogue, pinned_commits
from nlgauge.models.weights.contents import RECORD, combined, hash_of_file, hashes

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
    """nlgauge-model.json: the weights' origin, the file that was hashed, the hash, and the commit of the
    hub that was fetched.
    """

    name: str
    title: str
    source: str
    weights: str
    sha256: str
    license: str
    revision: str = ""
    # What the file was converted as, and the repository and commit of the base that gave configuration and
    # tokeniser.
    layout: str = ""
    base: str = ""
    # The sha256 of every file that was written, by its path in the directory.
    files: dict[str, str] = {}


def cache_directory() -> Path:
    """The user's cache: NLGAUGE_CACHE, else the place that the operating system keeps for caches."""
    return user_folder("caches", "models", "NLGAUGE_CACHE")


def location(name: str) -> Path | None:
    """The directory of a model's files: a local path, the cache, an installed package, the hub's own
    cache; else None.
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
    return next(filter(None, (_in_hub_cache(repository, one) for one in revisions)), None)


def entry_of(name: str) -> Entry | None:
    """What the catalogue says of a model, with or without a revision; None where it does not know it."""
    return catalogue().get(name.partition("@")[0])


def place_of(name: str) -> Path:
    """Return where a fetched model is kept; a name that could lead out of the cache is refused."""
    return within(cache_directory(), _flat(name), "a model")


def _flat(name: str) -> str:
    """Return the name of a model's directory in the cache: repositories are OWNER/NAME, and revisions may
    have slashes too.
    """
    return name if name.startswith("/") or name.endswith("/") else name.replace("/", "--")


def require(name: str) -> Path:
    """The directory of a model's files, or an error that says the command to run."""
    if name.startswith("own:"):
        raise ModelError(
            f"{name!r} is a custom model object, which is not saved; pass it again as nlgauge.Model(model,"
            " tokenizer)."
        )
    found = location(name)
    if found is not None:
        return found
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
        f"unknown model {name!r}{did_you_mean(name, catalogue())}; use a directory or a name of `nlgauge models"
        f" list`, or download a hub repository with: nlgauge models get {name} --hub"
    )


def info(name: str) -> dict[str, str]:
    """What is known of a model, in words."""
    entry = entry_of(name)
    found = location(name)
    if entry is None and found is None:
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
    facts["location"] = str(found) if found is not None else f"not here; {how}"
    if found is not None:
        facts["weights"] = weights_hash(found)
        facts["revision"] = revision(found) or "not recorded"
    return facts


def weights_hash(directory: Path) -> str:
    """Return the hash that signatures show: of the weights as they were fetched, if these files are still
    what was made of them, else of the files.

    A file counts as unchanged while its size, its times of change and its number on the disk are the same;
    else it is read and hashed again.
    """
    files = weight_files(directory)
    if not files:
        how = "`nlgauge models convert FILE --as bin` converts them"
        raise ModelError(
            f"{directory} has no weights as safetensors; other formats can run code and are not read ({how})."
        )
    manifest = manifest_of(directory)
    if manifest is None:
        return combined(hashes(files))
    found = hashes(files, directory / RECORD)
    if {name: manifest.files[name] for name in _weights_among(manifest.files)} == found:
        return manifest.sha256
    if manifest.files:
        _warn_of_change(directory, tuple(sorted(found.items())))
    return combined(found)


@lru_cache(maxsize=64)
def _warn_of_change(directory: Path, found: tuple[tuple[str, str], ...]) -> None:
    """Warn, once for each content, that weights are not those that were fetched."""
    warnings.warn(
        f"the weights in {directory} have changed since they were installed; signatures show the new hash."
        " `nlgauge models verify` lists the files that changed.",
        stacklevel=4,
    )


def changed_files(directory: Path) -> list[str]:
    """Read every file of a fetched model, and list those that are not what was fetched, are missing or
    were added.
    """
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
    """Return the files of a model's directory by their path in it, without the two that nlgauge keeps for
    itself.
    """
    files = (path for path in sorted(directory.rglob("*")) if path.is_file() or path.is_symlink())
    return {
        path.relative_to(directory).as_posix(): path for path in files if path.name not in (MANIFEST, RECORD)
    }


def revision(directory: Path) -> str:
    """The commit of the hub that a model's files are of; "" where that is not known."""
    manifest = manifest_of(directory)
    if manifest is not None:
        return manifest.revision
    return directory.name if directory.parent.name == "snapshots" else ""


def commits(directory: Path) -> dict[str, str]:
    """The repositories that a fetched model's files are from, each with its commit."""
    manifest = manifest_of(directory)
    named = [] if manifest is None else [f"{manifest.source}@{manifest.revision}", manifest.base]
    return dict(one.rsplit("@", 1) for one in named if one)


def fetched(name: str) -> str:
    """Which commit of which repository a fetched model is, in a sentence; "" where it did not come from
    the hub.
    """
    manifest = manifest_of(place_of(name))
    if manifest is None or not manifest.revision:
        return ""
    pinned = pinned_commits().get(manifest.source)
    if "@" in name or manifest.revision == pinned:
        how = "as asked for" if "@" in name else "the pinned one"
    elif pinned is None:
        how = "which later fetches into this cache ask for again"
    else:
        how = f"and not the pinned {pinned}, which is fetched once this directory is removed"
    base = f", with {manifest.base}" if manifest.base else ""
    return f"{name} is {manifest.source} at commit {manifest.revision}{base}, {how}"


def manifest_of(directory: Path) -> Manifest | None:
    """Read what is recorded of a fetched model; None if the directory is not one."""
    path = directory / MANIFEST
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise ModelError(
            f"{path} is damaged ({error}); remove {directory} by hand, and fetch the model again."
        ) from None


def weight_files(directory: Path) -> list[Path]:
    """List the files with the weights of a directory; with word vectors, also the words."""
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
    """Return the weights of a directory as files, each with what changes when it is written to or
    exchanged.
    """
    return tuple((str(file), stamp_of(file)) for file in weight_files(directory))


def distribution_files(entry: Entry) -> list[Path]:
    """The files of the installed carrier package that are kept."""
    try:
        package = distribution(entry.package.partition("==")[0])
    except PackageNotFoundError:
        return []
    kept = (*KEPT_FILES, entry.weights)
    return [
        Path(str(file.locate()))
        for file in package.files or []
        if file.name in kept and not file.parent.name[:1].isdigit()
    ]


def installed_weights(entry: Entry) -> Path | None:
    """The weights inside the installed carrier package, found by its file list: the package is not
    imported.
    """
    return next(
        (path for path in distribution_files(entry) if path.name == entry.weights and path.is_file()), None
    )


def _in_hub_cache(repository: str, wanted: str) -> Path | None:
    """The snapshot of a repository in the hub's own cache, where a user may have it from other work; only
    looked at.
    """
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
