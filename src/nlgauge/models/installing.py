"""How a model's directory comes into being, and goes: filled beside its place and then moved there whole; removed only if nlgauge wrote all of it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from nlgauge.errors import ModelError
from nlgauge.models.contents import RECORD, hash_of_file
from nlgauge.models.store import MANIFEST, Manifest, cache_directory, manifest_of, weights_hash, written_files
from nlgauge.paths import remove_tree

UNFINISHED = ".unfinished"
# What says that a directory is one in which nlgauge was making a model.
_MAKING = "nlgauge-making"
_DAY = 24 * 60 * 60


def installed(target: Path, fill: Callable[[Path], Manifest]) -> Path:
    """Fill a directory beside the target, write its manifest and move it to the target; if that fails, what was there stays."""
    check_removable(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=UNFINISHED, dir=target.parent))
    (making / _MAKING).touch()
    try:
        manifest = fill(making)
        manifest.files = {name: hash_of_file(path) for name, path in written_files(making).items() if name != _MAKING}
        (making / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        making.chmod(0o755)
        check_removable(target)
        _exchange(making, target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    weights_hash(target)  # keeps a record of what the files look like now
    return target


def _exchange(making: Path, target: Path) -> None:
    """Move a directory to its place; what was there is removed when that is done, and put back if it fails."""
    old = making.with_name(f"{making.name.removesuffix(UNFINISHED)}-old{UNFINISHED}")
    if target.exists():
        (target / _MAKING).touch()  # what is left of it after a crash is removed like everything unfinished
        target.replace(old)
    try:
        (making / _MAKING).unlink()
        making.replace(target)
    except BaseException:
        if old.exists():
            old.replace(target)
            (target / _MAKING).unlink()
        raise
    shutil.rmtree(old, ignore_errors=True)


def check_removable(directory: Path) -> None:
    """Raise if a directory is there that is not a model that nlgauge wrote, or that holds files which nlgauge did not write."""
    if directory.is_symlink():
        raise ModelError(f"{directory} is a link, so nothing is written or removed there; remove the link by hand.")
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    manifest = manifest_of(directory)
    if manifest is None:
        raise ModelError(f"{directory} is there and was not written by nlgauge (it has no {MANIFEST}); choose another name, or remove it by hand.")
    added = [name for name in written_files(directory) if manifest.files and name not in manifest.files]
    if added:
        raise ModelError(f"{directory} holds {', '.join(added[:5])}, which nlgauge did not write; move that away first.")


def remove(directory: Path) -> None:
    """Remove a fetched model; anything else is refused."""
    check_removable(directory)
    remove_tree(directory, MANIFEST)


def remove_unfinished() -> None:
    """Remove what was left in the cache by a fetch that was killed more than a day ago."""
    for path in cache_directory().glob(f".*{UNFINISHED}"):
        if path.is_dir() and not path.is_symlink() and path.stat().st_mtime < time.time() - _DAY and (path / _MAKING).is_file():
            remove_tree(path, _MAKING)


def size_of(directory: Path) -> int:
    """Return how many bytes the files of a model take."""
    return sum(path.stat().st_size for path in (*written_files(directory).values(), directory / MANIFEST, directory / RECORD) if path.is_file())
