"""Installation and removal of the directories of models.

A directory is filled next to its target and then moved there. It is removed only if nlgauge wrote all of its
files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from nlgauge._core.paths import MAKING, making_beside, put, remove_tree
from nlgauge.errors import ModelError
from nlgauge.models.weights.contents import RECORD, hash_of_file
from nlgauge.models.weights.store import MANIFEST, Manifest, manifest_of, weights_hash, written_files


def installed(target: Path, fill: Callable[[Path], Manifest]) -> Path:
    """Fill a directory next to the target, write its manifest, and move the directory to the target.

    If this fails, an existing model at the target does not change.
    """
    check_removable(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with making_beside(target) as making:
        manifest = fill(making)
        manifest.files = {
            name: hash_of_file(path) for name, path in written_files(making).items() if name != MAKING
        }
        (making / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        check_removable(target)
        put(making, target, lambda _: True)
    weights_hash(target)  # saves the record of sizes, times and hashes
    return target


def check_removable(directory: Path) -> None:
    """Raise ModelError if an existing directory contains anything that nlgauge did not write."""
    if directory.is_symlink():
        raise ModelError(
            f"{directory} is a link, so nothing is written or removed there; remove the link by hand."
        )
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    manifest = manifest_of(directory)
    if manifest is None:
        raise ModelError(
            f"{directory} already exists and was not written by nlgauge (it has no {MANIFEST}); choose another"
            " name, or remove it by hand."
        )
    added = [name for name in written_files(directory) if manifest.files and name not in manifest.files]
    if added:
        raise ModelError(
            f"{directory} contains {', '.join(added[:5])}, which nlgauge did not write; move these files first."
        )


def remove(directory: Path) -> None:
    """Remove an installed model; raise ModelError for any other directory."""
    check_removable(directory)
    remove_tree(directory, MANIFEST)


def size_of(directory: Path) -> int:
    """Return the size of the files of a model in bytes."""
    return sum(
        path.stat().st_size
        for path in (*written_files(directory).values(), directory / MANIFEST, directory / RECORD)
        if path.is_file()
    )
