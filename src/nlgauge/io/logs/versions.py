"""Versions of harnesses: notes for logs of versions that were not tested."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from nlgauge._core.numbers import listed
from nlgauge.io.logs.rows import LogFacts


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version.

    >>> numbers_of("instance_level_eval_0.2.2"), numbers_of("0.3.285.dev1")
    ((0, 2, 2), (0, 3, 285))
    """
    match = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()


class Tested(msgspec.Struct, frozen=True):
    """Harness and the newest version that its reader was tested with."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    def is_older_than(self, version: str) -> bool:
        """Return True if a log has a newer version than the tested version."""
        return numbers_of(version) > numbers_of(self.version)

    def note(self, facts: LogFacts, keys: Collection[str] = (), known: Collection[str] = ()) -> None:
        """Add a note to the facts of a log with a newer version; it names the keys that are not known."""
        if not self.is_older_than(facts.version):
            return
        unknown = [key for key in keys if key not in known]
        fields = f" These fields are not read: {listed(unknown)}." if unknown else ""
        facts.notes.append(
            f"{facts.file} has version {facts.version} of {self.name}, newer than {self.version}, the newest tested"
            f" version.{fields}"
        )
