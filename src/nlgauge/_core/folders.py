"""The directories in which the operating system stores files of a user."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

# For each kind of file: the directory in Library on macOS; on other Unix systems the environment variable,
# and the directory in the home of the user that is used without it.
_KINDS = {
    "caches": ("Caches", "XDG_CACHE_HOME", ".cache"),
    "data": ("Application Support", "XDG_DATA_HOME", ".local/share"),
}


def user_folder(kind: Literal["caches", "data"], name: str, variable: str) -> Path:
    """Return the directory that `variable` names, or by default nlgauge's directory for this kind.

    The default is the directory `name` in `nlgauge`, below the operating system's directory for caches or
    data.
    """
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen)
    library, xdg_variable, folder = _KINDS[kind]
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / library
    else:
        home = Path(os.environ.get(xdg_variable, Path.home() / folder))
    return home / "nlgauge" / name
