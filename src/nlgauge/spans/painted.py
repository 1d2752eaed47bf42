"""Labels of characters: the worst severity that an annotator marked, and Krippendorff's alpha over characters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.spans.columns import Spans
from nlgauge.spans.span import SIDES

# Other severities, such as minor, are 1.
_LEVELS = {"major": 2, "critical": 2}


def painted(spans: Spans, system: int, segment: int, length: int, levels: bool = True) -> Array:
    """Return a label per character of a target: 0 without an error, 1 minor, 2 major or critical."""
    labels = np.zeros(length, np.int8)
    cell = system * len(spans.segments) + segment
    for number in range(int(spans.offsets[cell]), int(spans.offsets[cell + 1])):
        start, end = int(spans.start[number]), int(spans.end[number])
        if start >= 0 and SIDES[spans.side[number]] == "target":
            level = _LEVELS.get(spans.severities[spans.severity[number]], 1) if levels else 1
            labels[start:end] = np.maximum(labels[start:end], level)
    return labels


def alpha_over_characters(people: Sequence[Spans], which: Array, levels: bool) -> float:
    """Return Krippendorff's alpha, nominal, over the characters of some texts.

    Characters with equal labels of all annotators are counted together.
    """
    texts = people[0].texts
    assert texts is not None
    patterns: Counter[tuple[float, ...]] = Counter()
    for s, n in np.argwhere(which).tolist():
        readers = [each for each in people if each.looked[s, n]]
        columns = np.stack([painted(each, s, n, len(texts.targets[s, n]), levels) for each in readers])
        rows, numbers = np.unique(columns, axis=1, return_counts=True)
        for row, number in zip(rows.T.tolist(), numbers.tolist(), strict=True):
            # Alpha does not depend on which annotator has which label.
            patterns[tuple(sorted(row))] += number
    return _alpha(patterns)


def _alpha(patterns: Counter[tuple[float, ...]]) -> float:
    """Return alpha from the number of units with each pattern of labels."""
    together: defaultdict[tuple[float, float], float] = defaultdict(float)
    for labels, number in patterns.items():
        for i, a in enumerate(labels):
            for j, b in enumerate(labels):
                if i != j:
                    together[a, b] += number / (len(labels) - 1)
    totals: defaultdict[float, float] = defaultdict(float)
    for (a, _), share in together.items():
        totals[a] += share
    n = sum(totals.values())
    observed = sum(share for (a, b), share in together.items() if a != b)
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    return 1 - observed * (n - 1) / expected if expected else float("nan")
