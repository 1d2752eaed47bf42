"""What is drawn in a figure: its texts with their boxes, and which of them cover each other."""

import itertools

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.text import Text


def figure_of(drawn):
    """The whole figure of one axes, of several, or of a figure."""
    return np.asarray(drawn, dtype=object).flat[0].figure.figure


def texts(drawn):
    """Every text that is seen, of ticks only those within the axes' limits."""
    figure = figure_of(drawn)
    figure.draw_without_rendering()
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    hidden = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            seen = (
                {label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)}
                if ax.axison and ax.get_visible()
                else set()
            )
            every = {
                label
                for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
                for label in (tick.label1, tick.label2)
            }
            hidden |= every - seen
        if not ax.get_visible():
            hidden |= set(ax.findobj(Text))
    return [text for text in found if text not in hidden]


def words(figure):
    return [text.get_text() for text in texts(figure)]


def corners(text):
    """The corners of a text's box; those of a turned text are turned."""
    turn = text.get_rotation()
    text.set_rotation(0)
    box = text.get_window_extent()
    text.set_rotation(turn)
    if turn % 90 == 0:
        box = text.get_window_extent()
        return np.array([[box.x0, box.y0], [box.x1, box.y0], [box.x1, box.y1], [box.x0, box.y1]])
    x, y = text.axes.transData.transform(text.xy) + np.array(text.xyann) * text.figure.figure.dpi / 72
    angle = np.radians(turn)
    square = np.array(
        [
            [box.x0 - x, box.y0 - y],
            [box.x1 - x, box.y0 - y],
            [box.x1 - x, box.y1 - y],
            [box.x0 - x, box.y1 - y],
        ]
    )
    return square @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + (x, y)


def apart(one, other, slack=0.5):
    """Whether a side of either box separates them."""
    for box in (one, other):
        for side in np.diff(np.vstack([box, box[:1]]), axis=0):
            across = np.array([-side[1], side[0]]) / max(np.hypot(*side), 1e-9)
            a, b = one @ across, other @ across
            if a.max() <= b.min() + slack or b.max() <= a.min() + slack:
                return True
    return False


def covering(figure):
    """Pairs of texts that cover each other."""
    boxes = [(text.get_text(), corners(text)) for text in texts(figure)]
    return [(a, b) for (a, one), (b, other) in itertools.combinations(boxes, 2) if not apart(one, other)]


def cut_off(figure):
    """Texts that are not wholly on the page."""
    size = figure_of(figure).bbox
    return [
        text.get_text()
        for text in texts(figure)
        if (corners(text) < -1).any() or (corners(text) > (size.width + 1, size.height + 1)).any()
    ]


def check_readable(figure):
    assert covering(figure) == []
    assert cut_off(figure) == []


def lines(ax, label):
    """The (n, 2) data of the lines with this label."""
    return [line.get_xydata() for line in ax.get_lines() if line.get_label() == label]
