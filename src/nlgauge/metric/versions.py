"""Versions of installed packages, for signatures."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def installed_version(package: str) -> str:
    """The version of an installed package, "" where it is not installed; its metadata is read once.

    >>> installed_version("no-such-package")
    ''
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
