"""MLQE-PE, test set of 2020: archives of direct assessments and of post-edits, one of each per language pair."""

from __future__ import annotations

import csv
import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.originals.files import Opened, mean, number
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_ARCHIVE = re.compile(r"([a-z]{2}-[a-z]{2})-test\.tar\.gz")
_MOST_BYTES = 100_000_000


def knows(opened: Opened) -> bool:
    """Return True if this is a directory with the archives of both kinds."""
    return opened.place.is_dir() and all(_archives(opened.place, kind) for kind in _KINDS)


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per translation; its reference is its own post-edit."""
    edits = _archives(opened.place, "post-editing")
    for pair, place in _archives(opened.place, "direct-assessments").items():
        table = _members(place, ".short.tsv")
        if pair not in edits or len(table) != 1:
            raise InputError(
                f"{place} has no table of test20, or {pair} has no post-edits; use the released files."
            )
        texts = _members(edits[pair], ".pe", ".hter")
        edited, rates = (
            next((text.splitlines() for name, text in texts.items() if name.endswith(ending)), [])
            for ending in (".pe", ".hter")
        )
        rows = csv.DictReader(io.StringIO(*table.values()), delimiter="\t", quoting=csv.QUOTE_NONE)
        for at, row in enumerate(rows):
            if at >= min(len(edited), len(rates)):
                raise InputError(f"{edits[pair]} has fewer post-edits than {place} has translations.")
            scores = tuple(map(float, msgspec.json.decode(row["scores"], type=list[float])))
            human = {
                "da": mean(scores),
                "da_z": number(row["z_mean"], place, at + 1),
                "hter": -number(rates[at], place, at + 1),
            }
            meta = {
                "lp": pair,
                "reference": "post-edit",
                "model_log_probability": number(row["model_scores"], place, at + 1),
            }
            yield BenchmarkRow(
                f"{pair}:{next(iter(row.values()))}",
                "nmt",
                human,
                row["translation"],
                row["original"],
                (edited[at],),
                {"da": scores},
                meta=meta,
            )


_KINDS = ("direct-assessments", "post-editing")


def _archives(folder: Path, kind: str) -> dict[str, Path]:
    """Return the archives of a kind by language pair."""
    found = {}
    for path in sorted(folder.rglob("*-test.tar.gz")):
        match = _ARCHIVE.fullmatch(path.name)
        if match and path.parent.parent.name == kind and path.parent.name == "test":
            found[match[1]] = path
    return found


def _members(place: Path, *endings: str) -> Mapping[str, str]:
    """Return the texts of the files in an archive with one of these endings; nothing is unpacked to disk."""
    try:
        with tarfile.open(place, "r:gz") as archive:
            found = {}
            for member in archive:
                if member.isfile() and member.name.endswith(endings):
                    if member.size > _MOST_BYTES:
                        raise InputError(
                            f"{place}: {member.name} has {member.size} bytes, which is too large."
                        )
                    stream = archive.extractfile(member)
                    found[member.name] = stream.read().decode("utf-8") if stream else ""
            return found
    except (tarfile.TarError, EOFError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{place} is damaged ({error}); use the released file.") from error
