"""BenchmarkCard: what a benchmark of human judgments is, under which license, and where to get it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class BenchmarkCard:
    """Facts about a benchmark that are known without its data.

    `reads` names the original files or directories that are read as they are released; `lower_is_better` names
    the published metric scores that fall as quality rises; `scores_only`: the texts are not available, so that
    only published metrics can be judged. `people` are systems that are persons, if the files do not mark them.
    """

    name: str
    title: str
    task: str
    languages: tuple[str, ...]
    dimensions: Mapping[str, str]
    paper: str
    license: str
    source: str
    how: str
    reads: tuple[str, ...] = ()
    notes: str = ""
    aliases: tuple[str, ...] = ()
    lower_is_better: frozenset[str] = field(default_factory=frozenset)
    scores_only: bool = False
    people: frozenset[str] = field(default_factory=frozenset)
    pairs: bool = False

    @classmethod
    def own(cls, path: Path, dimensions: Iterable[str], languages: Iterable[str | None]) -> BenchmarkCard:
        """Return the card of a user's file."""
        name = path.name.partition(".")[0] or path.name
        spoken = tuple(dict.fromkeys(filter(None, languages)))
        judged = dict.fromkeys(dimensions, "")
        return cls(name, f"own data: {path.name}", "", spoken, judged, "", "", str(path), "")

    def facts(self) -> dict[str, Any]:
        """Return the card as plain data, in the order in which it is read."""
        return {
            "name": self.name,
            "title": self.title,
            "task": self.task,
            "languages": ", ".join(self.languages),
            "dimensions": dict(self.dimensions),
            "texts": "scores only, without texts" if self.scores_only else "yes",
            "paper": self.paper,
            "license": self.license,
            "source": self.source,
            "how to get it": self.how,
            "reads": ", ".join(self.reads),
            "notes": self.notes,
            "other names": ", ".join(self.aliases),
        }
