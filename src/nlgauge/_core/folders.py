"""Where the operating system keeps a user's files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

# Of each kind: the folder of macOS in Library, and the variable and the folder in the user's home of other
# systems.
_KINDS = {
    "caches": ("Caches", "XDG_CACHE_HOME", ".cache"),
    "data": ("Application Support", "XDG_DATA_HOME", ".local/share"),
}


def user_folder(kind: Literal["caches", "data"], name: str, variable: str) -> Path:
    """The folder that the environment variable names, else nlgauge's of this name where the operating
    system keeps caches or data.
    """
    given = os.environ.get(variable)
    if given:
        return Path(given)
    library, of_others, folder = _KINDS[kind]
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / library
    else:
        home = Path(os.environ.get(of_others, Path.home() / folder))
    return home / "nlgauge" / name
