"""The directory of benchmarks and its files."""

from __future__ import annotations

from pathlib import Path

from nlgauge._core.folders import user_folder
from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.card import BenchmarkCard

SUFFIXES = (".jsonl.gz", ".scores.jsonl.gz", ".jsonl")
# Benchmarks that are part of the package.
SHIPPED = ("sample", "mlqe_sample")


def folder() -> Path:
    """Return the directory of benchmarks.

    Returns
    -------
    Path
        NLGAUGE_BENCHMARKS if it is set, otherwise the directory of the operating system for user data.
    """
    return user_folder("data", "benchmarks", "NLGAUGE_BENCHMARKS")


def place_of(name: str) -> Path | None:
    """Return the file of a benchmark in the directory; None if it does not exist."""
    return next((path for suffix in SUFFIXES if (path := folder() / f"{name}{suffix}").is_file()), None)


def peers_of(place: Path) -> Path | None:
    """Return the file of published metric scores next to a benchmark's file; None if it does not exist."""
    stem = next(place.name.removesuffix(suffix) for suffix in SUFFIXES if place.name.endswith(suffix))
    path = place.with_name(f"{stem}.peer_metrics.jsonl.gz")
    return path if path.is_file() else None


def missing(card: BenchmarkCard) -> InputError:
    """Return the error for a benchmark that is not on this machine."""
    return InputError(
        f"the benchmark {card.name} is not in {folder()} (NLGAUGE_BENCHMARKS sets another directory). License:"
        f" {card.license}. Source: {card.source}. {card.how}"
    )
