"""Labels that never cover each other: of points in the plane, and of the right ends of lines."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.show.plots.canvas import GRAY, SMALL, THIN, Look, plain, shown

# Directions from a point to its label, the best first, and distances in points.
_DIRECTIONS = [math.radians(angle) for angle in (40, 320, 140, 220, 0, 180, 90, 270, 20, 340, 160, 200)]
# Additional distance, in points, that is better than crossing a line.
_CROSSING = 8
_DISTANCES = (5, 9, 14, 20, 28, 38, 50, 65, 85, 110, 140)


def name_points(
    ax: Any, x: Sequence[float], y: Sequence[float], names: Sequence[object], lines: Sequence[Array] = ()
) -> list[Any]:
    """Place texts next to points: inside the axes, off all points and other labels, and, if possible, off
    `lines`; distant texts are joined to their point.

    `lines` are (ends, 2) arrays of coordinates. A name for which there is no room is left out with a warning.
    """
    figure = ax.figure.figure
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    inside = ax.get_window_extent()
    places = ax.transData.transform(np.column_stack([x, y]))
    known = [i for i in range(len(names)) if np.isfinite(places[i]).all()]
    blocked = [_box(places[i][0], places[i][1], 6 * scale, 6 * scale) for i in known]
    crossed = [
        np.sort(ax.transData.transform(line).reshape(-1, 2)[k : k + 2], axis=0).ravel()
        for line in lines
        for k in range(len(line) - 1)
    ]
    made, homeless = [], []
    for i in sorted(known, key=lambda i: (-places[i][1], places[i][0])):
        text = ax.annotate(
            shown(names[i]),
            (x[i], y[i]),
            (0, 0),
            textcoords="offset points",
            va="center",
            ha="center",
            **plain(SMALL),
        )
        size = text.get_window_extent()
        places_of = [
            (distance, _moved(places[i], size, angle, distance * scale))
            for distance in _DISTANCES
            for angle in _DIRECTIONS
        ]
        free = [
            (distance, box)
            for distance, box in places_of
            if _within(box, inside) and not _any_overlap(box, blocked)
        ]
        if not free:
            text.remove()
            homeless.append(shown(names[i]))
            continue
        distance, box = min(
            free, key=lambda place: place[0] + _CROSSING * sum(_overlap(place[1], line) for line in crossed)
        )
        blocked.append(box)
        center = (box[:2] + box[2:]) / 2
        text.set_position(tuple((center - places[i]) / scale))
        if distance > 9:
            edge = np.clip(places[i], box[:2], box[2:])
            ends = ax.transData.inverted().transform([places[i], edge])
            ax.plot(
                *ends.T, color=GRAY, linewidth=THIN / 2, zorder=1, scalex=False, scaley=False, label="_leader"
            )
        made.append(text)
    if homeless:
        warnings.warn(
            f"the figure has no room for the names of {', '.join(homeless)}; they are missing. Draw"
            " fewer points, or in Python pass larger axes as ax.",
            stacklevel=3,
        )
    return made


def name_ends(
    ax: Any, ends: Sequence[tuple[float, float]], names: Sequence[object], series: Sequence[Look]
) -> list[Any]:
    """Place texts to the right of the axes at the ends of lines, with their look, moved apart if they would
    overlap; a line without an end has none.
    """
    figure = ax.figure.figure
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    known = [i for i in range(len(ends)) if np.isfinite(ends[i]).all()]
    heights = np.array([ax.transData.transform(ends[i])[1] for i in known])
    box = ax.get_window_extent()
    spread = apart(heights, SMALL * 1.35 * scale, box.y0, box.y1)
    made = []
    for i, height in zip(known, spread, strict=True):
        share = (height - box.y0) / box.height
        look, inches = series[i], box.width / figure.dpi
        start = ax.transAxes.inverted().transform(ax.transData.transform(ends[i]))
        leader = {
            "color": look.color,
            "linestyle": look.dashes,
            "marker": look.marker,
            "markersize": 3,
            "markevery": [1],
            "linewidth": THIN,
        }
        ax.plot(
            [start[0], 1 + 0.16 / inches],
            [start[1], share],
            transform=ax.transAxes,
            clip_on=False,
            label="_leader",
            **leader,
        )
        at = {"xy": (1 + 0.22 / inches, share), "xycoords": "axes fraction"}
        made.append(
            ax.annotate(shown(names[i]), **at, va="center", ha="left", annotation_clip=False, **plain(SMALL))
        )
    return made


def apart(heights: Array, gap: float, low: float, high: float) -> Array:
    """Return the heights moved as little as needed, in the same order, to be `gap` apart, between low and
    high if there is room.

    >>> apart(np.array([5.0, 5.0, 20.0]), 2.0, 0.0, 30.0).tolist()
    [4.0, 6.0, 20.0]
    """
    order = np.argsort(heights, kind="stable")
    # Pools of neighbors: each has the sum of the first places that its members want, and their number.
    pools: list[list[float]] = []
    for height in np.clip(heights[order], low, max(low, high)):
        pools.append([height, 1.0])
        while len(pools) > 1 and _start(pools[-2]) + gap * pools[-2][1] > _start(pools[-1]):
            total, count = pools.pop()
            pools[-1] = [pools[-1][0] + total - gap * pools[-1][1] * count, pools[-1][1] + count]
    moved = np.empty(len(heights))
    if pools:
        steps = gap * np.arange(len(heights))
        spread = np.concatenate([_start(pool) + gap * np.arange(pool[1]) for pool in pools])
        moved[order] = np.maximum(np.minimum(spread, high - steps[::-1]), low + steps)
    return moved


def _start(pool: list[float]) -> float:
    return pool[0] / pool[1]


def _box(x: float, y: float, width: float, height: float) -> Array:
    return np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])


def _moved(point: Array, size: Any, angle: float, distance: float) -> Array:
    """Return the box of a text whose nearest edge lies at this distance from the point."""
    across, up = math.cos(angle), math.sin(angle)
    x = point[0] + across * distance + np.sign(round(across, 6)) * size.width / 2
    y = point[1] + up * distance + np.sign(round(up, 6)) * size.height / 2
    return _box(x, y, size.width + 1, size.height + 1)


def _any_overlap(box: Array, others: Sequence[Array]) -> bool:
    return any(_overlap(box, other) for other in others)


def _within(box: Array, inside: Any) -> bool:
    return bool(box[0] >= inside.x0 and box[1] >= inside.y0 and box[2] <= inside.x1 and box[3] <= inside.y1)


def _overlap(one: Array, other: Array) -> bool:
    return bool(one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3])
