"""get: download the original files of a benchmark whose authors release them as plain files, and install it.

Each file is pinned: address, size and hash are part of the package, and a file that differs is refused. No archive is
unpacked, so no name from outside becomes a path.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path

from nlgauge._core.numbers import counted
from nlgauge._core.progress import report
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.card import BenchmarkCard, Download
from nlgauge.meta.benchmarks.catalog import CATALOG, card
from nlgauge.meta.benchmarks.loading import imported
from nlgauge.meta.benchmarks.places import folder, place_of

_BLOCK = 1 << 16
_SECONDS = 60


def described(known: BenchmarkCard) -> list[str]:
    """Return what would be downloaded, from where, how large it is, and the license."""
    size = sum(each.bytes for each in known.downloads)
    return [
        f"{known.name}: {counted(len(known.downloads), 'file')}, {size:,} bytes",
        *(f"  {each.url} ({each.bytes:,} bytes, SHA-256 {each.sha256})" for each in known.downloads),
        f"license: {known.license}",
    ]


def get(
    name: str, *, overwrite: bool = False, say: Callable[[str], None] = lambda _: None
) -> tuple[Benchmark, Path]:
    """Download the files of a benchmark, check them, and install it.

    Parameters
    ----------
    name : str
        Name of a benchmark.
    overwrite : bool, default False
        Replace an installed benchmark.
    say : callable, optional
        Function that is called with messages before and during the download.

    Returns
    -------
    benchmark : Benchmark
        Judged texts.
    path : Path
        File in the directory of benchmarks.

    Raises
    ------
    ParameterError
        If the benchmark has no files that can be downloaded.
    InputError
        If the benchmark is already installed, NLGAUGE_OFFLINE is set, or a file cannot be downloaded or has another
        size or hash. Nothing is installed then.
    """
    known = card(name)
    check(known)
    if place_of(known.name) is not None and not overwrite:
        raise InputError(
            f"{known.name} is already in {folder()}",
            python="pass overwrite=True to replace it",
            cli="use --overwrite to replace it",
        )
    if os.environ.get("NLGAUGE_OFFLINE", "") not in ("", "0"):
        raise InputError(
            f"{known.name} must be downloaded, but NLGAUGE_OFFLINE is set; unset it to allow the download."
        )
    for line in described(known):
        say(line)
    with tempfile.TemporaryDirectory() as scratch:
        for each in known.downloads:
            _fetch(each, Path(scratch) / each.path)
        whole = len(known.downloads) > 1
        paths = [Path(scratch)] if whole else [Path(scratch) / known.downloads[0].path]
        return imported(*paths, name=known.name, overwrite=overwrite)


def check(known: BenchmarkCard) -> None:
    """Raise ParameterError if a benchmark has no files that can be downloaded."""
    if not known.downloads:
        others = ", ".join(name for name, one in CATALOG.items() if one.downloads)
        raise ParameterError(
            f"{known.name} has no files that nlgauge downloads (it downloads {others}). {known.source} {known.how}"
        )


def _fetch(wanted: Download, target: Path) -> None:
    """Download a file; raise unless it has the pinned size and hash."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(wanted.url, timeout=_SECONDS) as source, target.open("wb") as stream:  # noqa: S310
            while size <= wanted.bytes and (block := source.read(_BLOCK)):
                size += len(block)
                digest.update(block)
                stream.write(block)
                report(target.name, size, wanted.bytes)
    except OSError as error:
        raise InputError(f"could not download {wanted.url}: {error}; nothing was installed.") from error
    if size != wanted.bytes or digest.hexdigest() != wanted.sha256:
        raise InputError(
            f"{wanted.url} has {'more than ' if size > wanted.bytes else ''}{min(size, wanted.bytes):,} bytes with"
            f" SHA-256 {digest.hexdigest()}, expected {wanted.bytes:,} bytes with {wanted.sha256}; nothing was"
            " installed. Its authors may have changed it: download it by hand and import it with `nlgauge benchmarks"
            " import`."
        )
