"""How a model's directory comes into being: filled beside its place, then moved there whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from nlgauge.models.store import MANIFEST, Manifest

UNFINISHED = ".unfinished"


def installed(target: Path, fill: Callable[[Path], Manifest]) -> Path:
    """Fills a directory beside the target, writes its manifest and moves it to the target; where filling fails nothing is kept."""
    target.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=UNFINISHED, dir=target.parent))
    try:
        manifest = fill(making)
        (making / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        making.chmod(0o755)
        shutil.rmtree(target, ignore_errors=True)
        making.replace(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return target
