"""Path and size limit of the statistics cache: NLGAUGE_STATISTICS_CACHE and NLGAUGE_CACHE_LIMIT."""

from __future__ import annotations

import atexit
import os
import re
from pathlib import Path

from nlgauge.engine.cache.store import FORMAT, Store
from nlgauge.errors import ParameterError
from nlgauge.models.weights.store import cache_directory

OFF = "off"
_DEFAULT_LIMIT = "2GB"
_UNITS = {
    "": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}
_STORES: dict[Path, Store] = {}


def common_file() -> Path | None:
    """Return the path of the statistics cache; None if the cache is off.

    The path is NLGAUGE_STATISTICS_CACHE, by default statistics.sqlite in the directory of the models.
    """
    named = os.environ.get("NLGAUGE_STATISTICS_CACHE")
    return None if named == OFF else Path(named or cache_directory() / FORMAT.file_name).absolute()


def limit() -> int:
    """Return the maximum size of the file in bytes: NLGAUGE_CACHE_LIMIT, such as 500MB or 1.5GB.

    >>> limit()
    2000000000
    """
    setting = os.environ.get("NLGAUGE_CACHE_LIMIT") or _DEFAULT_LIMIT
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", setting.strip(), re.IGNORECASE)
    if match is None or match[2].upper() not in _UNITS:
        raise ParameterError(
            "NLGAUGE_CACHE_LIMIT must be a number of bytes, optionally with a unit, such as 500MB or 2GB;"
            f" got {setting!r:.60}."
        )
    return int(float(match[1]) * _UNITS[match[2].upper()])


def common_store() -> Store | None:
    """Return the store of this process; None if the cache is off."""
    file = common_file()
    if file is None:
        return None
    if file not in _STORES:
        atexit.register(_STORES.setdefault(file, Store(file, limit())).close)
    store = _STORES[file]
    store.limit = limit()
    return store
