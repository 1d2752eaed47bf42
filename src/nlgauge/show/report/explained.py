"""The explanations that a report contains: which segments and systems, in parts of some segments, within
a size.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nlgauge._core.safe_text import visible
from nlgauge.explanations import Explanations
from nlgauge.metric import Metric
from nlgauge.results.explain import explain_segments
from nlgauge.show.page_data.choose import BESIDE, shown_first
from nlgauge.show.page_data.data import PageData
from nlgauge.show.page_data.parts import MATRICES, explanation_part

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# Explanations by segment, label and system.
OfSegments = dict[int, dict[str, dict[str, Explanations]]]

# Segments in one part of explanations, which a page opens whole.
_BLOCK = 16
# An explanation that takes longer than this (CPU seconds) is made for fewer segments.
_SLOW = 0.05


def embedded(parts: Mapping[str, bytes]) -> float:
    """Return the size of parts in a page, as base64."""
    return sum(map(len, parts.values())) * 4 / 3


@dataclass
class Explained:
    """Explanations of a result for a page: `parts` with their bytes, and their description in `meta`.

    `few` are the segments for which slow explanations are made. If there are more systems than a page shows
    side by side, explanations with a matrix are made only for the systems that it shows first, and from the
    block on that does not fit, all explanations are.
    """

    result: Result
    view: PageData
    few: Sequence[int]
    every: bool
    parts: dict[str, bytes] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    large: dict[str, bool] = field(default_factory=dict)
    narrow: bool = False

    def add(self, segments: Sequence[int], room: float) -> int:
        """Add the explanations of segments as long as all parts take no more than `room` bytes; return
        the number of segments left out.
        """
        labels = [
            label for label in self.result.labels if isinstance(self.result._job.metrics.get(label), Metric)
        ]
        for start in range(0, len(segments), _BLOCK):
            numbers = segments[start : start + _BLOCK]
            explanations = self._block(numbers, labels)
            part = explanation_part(explanations)
            if self._is_over(part, room) and not self.narrow and self._has_many_systems():
                self.narrow = True
                explanations = {segment: self._shown(segment, of) for segment, of in explanations.items()}
                part = explanation_part(explanations)
            if self._is_over(part, room):
                return len(segments) - start
            self.places |= {str(segment): len(self.parts) for segment in explanations}
            self.parts[f"why{len(self.parts)}"] = part
            for label in labels:
                self.counts[label] = self.counts.get(label, 0) + sum(
                    label in of_segment for of_segment in explanations.values()
                )
        return 0

    def meta(self) -> dict[str, Any]:
        """Return what a page must know: the part of each segment, segments by label, and the labels that are
        explained only for the systems that a page shows first.
        """
        partly = [label for label in self.counts if self.narrow or self.large.get(label)]
        return {
            "why": self.places,
            "explained": {visible(label): count for label, count in self.counts.items() if count},
            "partly": [visible(label) for label in partly if self.counts[label]],
        }

    def _is_over(self, part: bytes, room: float) -> bool:
        return embedded(self.parts) + embedded({"next": part}) > room

    def _has_many_systems(self) -> bool:
        return len(self.result.systems) > BESIDE

    def _block(self, segments: Sequence[int], labels: Sequence[str]) -> OfSegments:
        block: OfSegments = defaultdict(lambda: defaultdict(dict))
        for label in labels:
            wanted = [segment for segment in segments if label not in self.slow or segment in self.few]
            began, made = time.process_time(), 0
            for numbers, systems in self._asked(label, wanted):
                for (_, system, segment), explanations in explain_segments(
                    self.result, numbers, [label], systems
                ).items():
                    if explanations:
                        block[segment][label][system] = explanations
                        made += 1
            if not self.every and made and (time.process_time() - began) / made > _SLOW:
                self.slow.add(label)
        return block

    def _asked(
        self, label: str, segments: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Sequence[str] | None]]:
        """Yield segments with the systems to explain; None is all systems."""
        if segments and self._has_many_systems() and (self.narrow or self._is_large(label, segments[0])):
            for segment in segments:
                yield [segment], self._first(label, segment)
        else:
            yield segments, None

    def _is_large(self, label: str, segment: int) -> bool:
        """Return whether the explanations of a label have a matrix."""
        if label not in self.large:
            made = explain_segments(self.result, [segment], [label], self.result.systems[:1])
            self.large[label] = any(isinstance(one, MATRICES) for some in made.values() for one in some)
        return self.large[label]

    def _first(self, label: str, segment: int) -> list[str]:
        numbers = shown_first(
            self.view.meta["outputs"], self.view.columns, visible(label), segment, self.view.meta["pair"]
        )
        return [self.result.systems[number] for number in numbers]

    def _shown(self, segment: int, explanations: Mapping[str, dict[str, Explanations]]) -> Any:
        return {
            label: {system: of[system] for system in self._first(label, segment) if system in of}
            for label, of in explanations.items()
        }
