"""Texts of error spans: targets by system, sources and references."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array


@dataclass(frozen=True, eq=False, repr=False)
class SpanTexts:
    """Texts of S systems on N segments.

    Parameters
    ----------
    systems : tuple of str
        Names of the S systems.
    segments : tuple
        Identifiers of the N segments.
    targets : ndarray of object, shape (S, N)
        Texts of the systems; None if a system has no text of a segment.
    sources : sequence of str or None, optional
        N source texts.
    references : sequence of str or None, optional
        N references: the first of each segment.
    documents : sequence of str or None, optional
        N document labels.
    groups : sequence of str, optional
        N group labels, such as language pairs.
    unreferenced : frozenset of str
        Systems without references, such as a human translation that is the reference of the others.
    """

    systems: tuple[str, ...]
    segments: tuple[Hashable, ...]
    targets: Array
    sources: Sequence[str | None] | None = None
    references: Sequence[str | None] | None = None
    documents: Sequence[str | None] | None = None
    groups: Sequence[str] | None = None
    unreferenced: frozenset[str] = frozenset()

    def text(self, side: str, system: int, segment: int) -> str | None:
        """Return the text of a side in a cell; None if it is missing.

        Parameters
        ----------
        side : {"target", "source", "reference"}
            Side.
        system : int
            Number of the system.
        segment : int
            Number of the segment.

        Returns
        -------
        str or None
            Text.
        """
        if side == "target":
            return self.targets[system, segment]  # type: ignore[no-any-return]
        if side == "reference" and self.systems[system] in self.unreferenced:
            return None
        column = self.sources if side == "source" else self.references
        return None if column is None else column[segment]

    def take(self, systems: Array, segments: Array) -> SpanTexts:
        """Return the texts of some systems and segments, by number.

        Parameters
        ----------
        systems : ndarray of int
            Numbers of the systems.
        segments : ndarray of int
            Numbers of the segments.

        Returns
        -------
        SpanTexts
            Texts of these systems and segments.
        """
        columns = {
            name: None if getattr(self, name) is None else [getattr(self, name)[i] for i in segments.tolist()]
            for name in ("sources", "references", "documents", "groups")
        }
        return SpanTexts(
            tuple(self.systems[i] for i in systems.tolist()),
            tuple(self.segments[i] for i in segments.tolist()),
            self.targets[np.ix_(systems, segments)],
            unreferenced=self.unreferenced,
            **columns,
        )
