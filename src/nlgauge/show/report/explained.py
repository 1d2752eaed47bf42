"""The explanations that a report contains: which segments and systems, in parts of some segments, within
a size.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nlgauge._core.safe_text import visible
from nlgauge.explanations import Alignment, Explanations, Transport
from nlgauge.metric import Metric
from nlgauge.results.explain import explain_segments
from nlgauge.show.page_data.choose import BESIDE
from nlgauge.show.page_data.parts import explanation_part

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Segments in one part of explanations, which a page opens whole.
_BLOCK = 16
# An explanation that takes longer than this (CPU seconds) is made for fewer segments.
_SLOW = 0.05
# Kinds of explanations with a matrix of tokens by tokens.
_LARGE = (Alignment, Transport)


def embedded(parts: Mapping[str, bytes]) -> float:
    """Return the size of parts in a page, as base64."""
    return sum(map(len, parts.values())) * 4 / 3


@dataclass
class Explained:
    """Explanations of a result for a page: `parts` with their bytes, and their description in `meta`.

    `few` are the segments for which slow explanations are made. If there are more systems than a page shows
    side by side, explanations with a matrix are made only for the two systems that the page compares at
    first.
    """

    result: Result
    few: Sequence[int]
    pair: Sequence[int]
    every: bool
    parts: dict[str, bytes] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    systems: dict[str, list[str]] = field(default_factory=dict)

    def add(self, segments: Sequence[int], room: float) -> int:
        """Add the explanations of segments as long as all parts take no more than `room` bytes; return
        the number of segments left out.
        """
        labels = [
            label for label in self.result.labels if isinstance(self.result._job.metrics.get(label), Metric)
        ]
        for start in range(0, len(segments), _BLOCK):
            explanations = self._block(segments[start : start + _BLOCK], labels)
            part = explanation_part(explanations)
            if embedded(self.parts | {"next": part}) > room:
                return len(segments) - start
            self.places |= {str(segment): len(self.parts) for segment in explanations}
            self.parts[f"why{len(self.parts)}"] = part
            for label in labels:
                self.counts[label] = self.counts.get(label, 0) + sum(
                    label in of_segment for of_segment in explanations.values()
                )
        return 0

    def meta(self) -> dict[str, Any]:
        """Return what a page must know: the part of each segment, segments by label, and the systems of
        labels that have only some.
        """
        numbers = {system: number for number, system in enumerate(self.result.systems)}
        return {
            "why": self.places,
            "explained": {visible(label): count for label, count in self.counts.items() if count},
            "partly": {
                visible(label): [numbers[system] for system in systems]
                for label, systems in self.systems.items()
            },
        }

    def _block(
        self, segments: Sequence[int], labels: Sequence[str]
    ) -> dict[int, dict[str, dict[str, Explanations]]]:
        block: dict[int, dict[str, dict[str, Explanations]]] = defaultdict(lambda: defaultdict(dict))
        for label in labels:
            self._limit(label, segments[0])
            wanted = [segment for segment in segments if label not in self.slow or segment in self.few]
            began, made = time.process_time(), 0
            for (_, system, segment), explanations in explain_segments(
                self.result, wanted, [label], self.systems.get(label)
            ).items():
                if explanations:
                    block[segment][label][system] = explanations
                    made += 1
            if not self.every and made and (time.process_time() - began) / made > _SLOW:
                self.slow.add(label)
        return block

    def _limit(self, label: str, segment: int) -> None:
        """Limit a label with large explanations to the two systems that are compared at first, if there
        are many systems.
        """
        if len(self.result.systems) <= BESIDE or label in self.systems:
            return
        pair = [self.result.systems[number] for number in self.pair]
        made = explain_segments(self.result, [segment], [label], pair[:1])
        if any(isinstance(one, _LARGE) for explanations in made.values() for one in explanations):
            self.systems[label] = pair
