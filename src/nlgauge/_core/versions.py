"""The versions of installed packages; each is looked up once per process."""

from __future__ import annotations

import os
import sys
from functools import cache


@cache
def installed_version(package: str) -> str:
    """Return the version of a package; "" if it is not installed.

    The version is read from the metadata file of the package, because `importlib.metadata` takes ten
    milliseconds to import; it looks up packages that are installed in another way.
    """
    for folder in sys.path:
        entry = _entry(folder or ".", package)
        if entry:
            return _version_in(f"{entry}/METADATA") or _looked_up(package)
    return _looked_up(package)


def _entry(folder: str, package: str) -> str:
    """Return the path of the metadata of a package in a folder; "" if the folder has none."""
    name = _normalized(package)
    try:
        entries = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return ""
    for entry in entries:
        if entry.endswith((".dist-info", ".egg-info")) and _normalized(_name_of(entry)) == name:
            return f"{folder}/{entry}"
    return ""


def _name_of(entry: str) -> str:
    """Return the name of the package in NAME-VERSION.dist-info, NAME-VERSION-py3.egg-info or NAME.egg-info."""
    return entry.rpartition(".")[0].partition("-")[0]


def _normalized(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def _version_in(file: str) -> str:
    """Return the version in a metadata file; "" if there is none."""
    try:
        with open(file, encoding="utf-8") as lines:  # noqa: PTH123
            return next((line[8:].strip() for line in lines if line.startswith("Version:")), "")
    except (OSError, UnicodeDecodeError):
        return ""


def _looked_up(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
