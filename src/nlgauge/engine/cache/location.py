"""Where statistics are kept, and how much room they may take: NLGAUGE_STATISTICS_CACHE and
NLGAUGE_CACHE_LIMIT.
"""

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
    """Name the file of statistics: NLGAUGE_STATISTICS_CACHE, else statistics.sqlite beside the models; None
    if it is "off".
    """
    named = os.environ.get("NLGAUGE_STATISTICS_CACHE")
    return None if named == OFF else Path(named or cache_directory() / FORMAT.file_name).absolute()


def limit() -> int:
    """How many bytes the file may have: NLGAUGE_CACHE_LIMIT, such as 500MB or 1.5GB.

    >>> limit()
    2000000000
    """
    given = os.environ.get("NLGAUGE_CACHE_LIMIT") or _DEFAULT_LIMIT
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", given.strip(), re.IGNORECASE)
    if found is None or found[2].upper() not in _UNITS:
        raise ParameterError(
            "NLGAUGE_CACHE_LIMIT must be a number of bytes, with a unit if you like, such as 500MB or 2GB;"
            f" got {given!r:.60}."
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])


def common_store() -> Store | None:
    """The store of this process; None where nothing is kept."""
    file = common_file()
    if file is None:
        return None
    if file not in _STORES:
        atexit.register(_STORES.setdefault(file, Store(file, limit())).close)
    store = _STORES[file]
    store.limit = limit()
    return store
