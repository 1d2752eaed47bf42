"""Paths: safe file names, files that are written completely or not at all, and safe removal."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from nlgauge.errors import ParameterError

# Size, time of the last change of the content and of the inode (in nanoseconds), and inode number.
Stamp = tuple[int, int, int, int]
# Characters that separate directories, name drives, or are forbidden on some operating system.
_SEPARATORS = r'[/\\:<>"|?*]'
# Names of devices on Windows, with any suffix.
_DEVICES = r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?"
_LONGEST_NAME = 200
# The marker file in a directory whose content is still being written.
MAKING = "nlgauge-making"
_UNFINISHED = ".unfinished"
_DAY = 24 * 60 * 60


def name_problem(name: str) -> str:
    """Return the reason why a name cannot be the name of a file; "" if it can.

    >>> name_problem(".."), name_problem("my-vectors")
    ("it begins with '.'", '')
    """
    if not name:
        return "it is empty"
    if name[0] in ".~":
        return f"it begins with {name[0]!r}"
    if name[-1] in ". ":
        return f"it ends with {name[-1]!r}"
    if not name.isprintable():
        return "it has a control character"
    separator = re.search(_SEPARATORS, name)
    if separator is not None:
        return f"it has {separator[0]!r}"
    if re.fullmatch(_DEVICES, name):
        return "it is the name of a device on Windows"
    return "it is too long" if len(os.fsencode(name)) > _LONGEST_NAME else ""


def within(folder: Path, name: str, what: str) -> Path:
    """Return the path of a name in a directory; raise ParameterError if it is not a safe file name."""
    problem = name_problem(name)
    if problem:
        raise ParameterError(
            f"{name!r} cannot be the name of {what}: {problem}; use letters, digits, '-', '_' and '.'."
        )
    return folder / name


def is_file(path: str | Path) -> bool:
    """Return True if the path is an existing file; False for text that cannot be a path."""
    with suppress(OSError, ValueError):  # a path that is too long or contains a NUL character
        return Path(path).is_file()
    return False


def stamp_of(file: Path) -> Stamp:
    """Return values that change when a file is written to or replaced: size, times and inode number."""
    status = file.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def require_folder(path: Path) -> None:
    """Raise ParameterError if the parent directory of an output path does not exist; do not create it."""
    folder = path.absolute().parent
    if not folder.exists():
        raise ParameterError(
            f"cannot write {path.name}: the directory {path.parent} does not exist; create it first."
        )
    if not folder.is_dir():
        raise ParameterError(
            f"cannot write {path.name}: {folder} is not a directory; choose another directory."
        )


@contextmanager
def replacing(path: str | Path, *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    If the block raises an error, an existing file at `path` does not change. If `path` is a link, the file
    that it points to is replaced. Pipes and devices are written to directly.
    """
    import secrets

    require_folder(Path(path))
    target = Path(path).resolve()
    how: dict[str, Any] = {"mode": "w", "encoding": "utf-8", "newline": ""} if text else {"mode": "wb"}
    if target.exists() and not target.is_file():
        with target.open(**how) as stream:
            yield stream
        return
    making = target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(4)}")
    try:
        with making.open(**{**how, "mode": how["mode"].replace("w", "x")}) as stream:
            yield stream
        if target.exists():
            making.chmod(stat.S_IMODE(target.stat().st_mode))
        making.replace(target)
    except BaseException:
        making.unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, content: bytes | str) -> None:
    """Write a file completely or not at all."""
    with replacing(path, text=isinstance(content, str)) as stream:
        stream.write(content)


@contextmanager
def making_beside(target: Path) -> Iterator[Path]:
    """Create a temporary directory next to the target, in which the caller writes the new content.

    The caller moves the directory to the target with `put`; otherwise it is removed when the block ends.
    Temporary directories of the same target that killed processes left more than a day ago are removed first,
    if they contain the marker file.
    """
    import shutil
    import tempfile
    from glob import escape

    for left in target.parent.glob(f".{escape(target.name)}-*{_UNFINISHED}"):
        if (
            left.is_dir()
            and not left.is_symlink()
            and (left / MAKING).is_file()
            and left.stat().st_mtime < time.time() - _DAY
        ):
            remove_tree(left, MAKING)
    making = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=_UNFINISHED, dir=target.parent))
    try:
        (making / MAKING).touch()
        making.chmod(0o755)
        yield making
    finally:
        shutil.rmtree(making, ignore_errors=True)


def put(made: Path, directory: Path, is_ours: Callable[[str], bool]) -> None:
    """Move the directory `made` to `directory`, and replace an existing directory.

    The existing directory is deleted after the move, and restored if the move fails. Its files that nlgauge
    did not write are moved to the new directory. `is_ours` returns True for the name of a file that nlgauge
    wrote.
    """
    import shutil

    (made / MAKING).unlink(missing_ok=True)
    if not directory.exists():
        made.replace(directory)
        return
    old = made.with_name(f"{made.name}-old")
    if old.exists():  # left by a process that was killed right after it had moved the new directory
        if old.is_symlink() or not all(is_ours(path.name) for path in old.iterdir()):
            raise ParameterError(
                f"{old} already exists and is a link or has files that nlgauge did not write; move it to another"
                " directory."
            )
        shutil.rmtree(old)
    directory.replace(old)
    try:
        made.replace(directory)
    except BaseException:
        old.replace(directory)
        raise
    for path in old.iterdir():
        if not is_ours(path.name) and not (directory / path.name).exists():
            path.replace(directory / path.name)
    shutil.rmtree(old)


def remove_tree(directory: Path, marker: str) -> None:
    """Remove a directory that contains the marker file; raise ParameterError for any other, or a link.

    The marker is removed last, so that an interrupted removal can be repeated.
    """
    import shutil

    if directory.is_symlink() or not (directory / marker).is_file():
        raise ParameterError(
            f"{directory} was not written by nlgauge (it is a link, or has no {marker}), so it is not"
            " removed; remove it by hand."
        )
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != marker:
            path.unlink()
    shutil.rmtree(directory)
