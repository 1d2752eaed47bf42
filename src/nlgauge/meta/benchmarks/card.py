"""BenchmarkCard: what a benchmark of human judgments is, under which license, and where to get it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nlgauge._core.paths import name_problem


@dataclass(frozen=True)
class Download:
    """A file of a benchmark as its authors release it, pinned by its hash.

    Parameters
    ----------
    url : str
        Address of one version of the file.
    bytes : int
        Size.
    sha256 : str
        Hash of the content.
    path : str
        Path of the file among the files of the benchmark.
    """

    url: str
    bytes: int
    sha256: str
    path: str

    def __post_init__(self) -> None:
        parts = self.path.split("/")
        if any(name_problem(part) for part in parts):
            raise ValueError(f"{self.path!r} is not a safe path.")


@dataclass(frozen=True)
class BenchmarkCard:
    """Description of a benchmark, available without its data.

    Parameters
    ----------
    name : str
        Name of the benchmark.
    title : str
        Title.
    task : str
        Task.
    languages : tuple of str
        ISO language codes.
    dimensions : mapping of str to str
        Human dimensions with their descriptions.
    paper : str
        Publication.
    license : str
        License of the data.
    source : str
        Address of the data.
    how : str
        Instructions to obtain the data.
    reads : tuple of str, optional
        Original files or directories that can be read as released.
    notes : str, optional
        Further notes.
    aliases : tuple of str, optional
        Other names.
    lower_is_better : frozenset of str, optional
        Published metric scores that decrease with quality.
    scores_only : bool, default False
        True if the texts are not available, so that only published metrics can be evaluated.
    people : frozenset of str, optional
        Systems that are humans, if the files do not mark them.
    pairs : bool, default False
        True if the benchmark has better/worse pairs.
    corrections : mapping of str to mapping, optional
        Fields of all rows of a system that correct the released files, by system.
    downloads : tuple of Download, optional
        Files that `nlgauge benchmarks get` downloads.
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
    corrections: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    downloads: tuple[Download, ...] = ()

    @classmethod
    def own(cls, path: Path, dimensions: Iterable[str], languages: Iterable[str | None]) -> BenchmarkCard:
        """Return the card of a user's file.

        Parameters
        ----------
        path : Path
            File.
        dimensions : iterable of str
            Human dimensions.
        languages : iterable of str or None
            Languages of the texts.

        Returns
        -------
        BenchmarkCard
            Card named after the file.
        """
        name = path.name.partition(".")[0] or path.name
        spoken = tuple(dict.fromkeys(filter(None, languages)))
        judged = dict.fromkeys(dimensions, "")
        return cls(name, f"own data: {path.name}", "", spoken, judged, "", "", str(path), "")

    def facts(self) -> dict[str, Any]:
        """Return the card as plain data, in display order.

        Returns
        -------
        dict
            Fields with their values.
        """
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
            "downloads": ", ".join(each.url for each in self.downloads),
            "reads": ", ".join(self.reads),
            "notes": self.notes,
            "other names": ", ".join(self.aliases),
        }
