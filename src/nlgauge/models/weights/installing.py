"""How a model's directory comes into being, and goes: filled beside its place and then moved there whole;
removed only if nlgauge wrote all of it.
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
    """Fill a directory beside the target, write its manifest and move it to the target; if that fails,
    what was there stays.
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
    weights_hash(target)  # keeps a record of what the files look like now
    return target


def check_removable(directory: Path) -> None:
    """Raise if a directory is there that is not a model that nlgauge wrote, or that holds files which
    nlgauge did not write.
    """
    if directory.is_symlink():
        raise ModelError(
            f"{directory} is a link, so nothing is written or removed there; remove the link by hand."
        )
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    manifest = manifest_of(directory)
    if manifest is None:
        raise ModelError(
            f"{directory} is there and was not written by nlgauge (it has no {MANIFEST}); choose another"
            " name, or remove it by hand."
        )
    added = [name for name in written_files(directory) if manifest.files and name not in manifest.files]
    if added:
        raise ModelError(
            f"{directory} contains {', '.join(added[:5])}, which nlgauge did not write; move these files first."
        )


def remove(directory: Path) -> None:
    """Remove a fetched model; anything else is refused."""
    check_removable(directory)
    remove_tree(directory, MANIFEST)


def size_of(directory: Path) -> int:
    """Return how many bytes the files of a model take."""
    return sum(
        path.stat().st_size
        for path in (*written_files(directory).values(), directory / MANIFEST, directory / RECORD)
        if path.is_file()
    )
