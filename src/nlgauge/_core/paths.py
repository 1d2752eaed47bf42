"""Paths: which names may become paths, how a file is written whole or not at all, and what may be removed."""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from nlgauge.errors import ParameterError

# Size, both times of change, and number on the disk.
Stamp = tuple[int, int, int, int]
# Characters that separate folders, name drives or are forbidden on some system.
_SEPARATORS = re.compile(r'[/\\:<>"|?*]')
# Names that Windows takes for devices, whatever their suffix is.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_LONGEST_NAME = 200
# The file that marks a directory in which something is being made.
MAKING = "nlgauge-making"
_UNFINISHED = ".unfinished"
_DAY = 24 * 60 * 60


def name_problem(name: str) -> str:
    """Say why a name cannot be the name of a file in a folder; "" if it can.

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
    found = _SEPARATORS.search(name)
    if found is not None:
        return f"it has {found[0]!r}"
    if _DEVICES.fullmatch(name):
        return "Windows takes it for a device"
    return "it is too long" if len(os.fsencode(name)) > _LONGEST_NAME else ""


def within(folder: Path, name: str, what: str) -> Path:
    """Return the path of a name in a folder; raise if the name could lead out of it."""
    problem = name_problem(name)
    if problem:
        raise ParameterError(
            f"{name!r} cannot be the name of {what}: {problem}; use letters, digits, '-', '_' and '.'."
        )
    return folder / name


def is_file(path: str | Path) -> bool:
    """Return whether there is such a file; a text that cannot be a path is none."""
    with suppress(OSError, ValueError):  # too long, or with a NUL
        return Path(path).is_file()
    return False


def stamp_of(file: Path) -> Stamp:
    """Return what changes when a file is written to or exchanged: size, both times of change, and number
    on the disk.
    """
    found = file.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def require_folder(path: Path) -> None:
    """Raise if the folder that a file or a result is to be written into does not exist; folders are never
    made on the way.
    """
    folder = path.absolute().parent
    if not folder.exists():
        raise ParameterError(
            f"cannot write {path.name}: the directory {path.parent} does not exist; create it first."
        )
    if not folder.is_dir():
        raise ParameterError(f"{folder} is a file, so {path} cannot be written; choose another place.")


@contextmanager
def replacing(path: str | Path, *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a file that takes its place when it is complete; if anything fails, a file that was there stays as
    it was.

    A link stays a link: the file that it leads to is replaced. Pipes and devices are written to directly.
    """
    given = Path(path)
    require_folder(given)
    target = given.resolve()
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
    """Write a file whole or not at all."""
    with replacing(path, text=isinstance(content, str)) as stream:
        stream.write(content)


@contextmanager
def making_beside(target: Path) -> Iterator[Path]:
    """Give a directory beside the target in which it is made, and which `put` moves there; if that does not
    happen, the directory is removed.

    What a killed process left there more than a day ago is removed, if the marker in it says that it is such
    a directory.
    """
    for left in target.parent.glob(f".{glob.escape(target.name)}-*{_UNFINISHED}"):
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
    """Move a directory to its place. What was there stays until that is done, and is put back if it fails;
    files in it that are not ours move along.

    `is_ours` says of the name of a file whether nlgauge wrote it.
    """
    (made / MAKING).unlink(missing_ok=True)
    if not directory.exists():
        made.replace(directory)
        return
    old = made.with_name(f"{made.name}-old")
    if old.exists():  # left by a program that was killed right after it had moved the new one to its place
        if old.is_symlink() or not all(is_ours(path.name) for path in old.iterdir()):
            raise ParameterError(f"{old} is in the way, and nlgauge did not write all of it; move it away.")
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
    """Remove a directory that nlgauge wrote, as the marker file in it says; links and directories without the
    marker are refused.

    The marker goes last, so that a removal that was interrupted can be repeated.
    """
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
