"""The versions of installed packages; each is looked up once per process, because that takes a
millisecond.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def installed_version(package: str) -> str:
    """The version of a package; "" where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
