"""What is drawn in a figure: its texts with their boxes, and which of them cover each other."""

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


def boxes_of(figure):
    """Every text that is seen, with the corners of its box."""
    return [(text.get_text(), corners(text)) for text in texts(figure)]


def covering(boxes):
    """Pairs of texts that cover each other."""
    places = np.array([[box.min(axis=0), box.max(axis=0)] for _, box in boxes]).reshape(-1, 2, 2)
    low, high = places[:, 0], places[:, 1]
    # Most texts are far from each other: all of one is above all of the other, or beside it.
    near = ((low[:, None] < high) & (low < high[:, None])).all(axis=2)
    return [
        (boxes[i][0], boxes[j][0])
        for i, j in np.argwhere(np.triu(near, 1))
        if not apart(boxes[i][1], boxes[j][1])
    ]


def cut_off(boxes, size):
    """Texts that are not wholly on a page of this size."""
    return [
        text for text, box in boxes if (box < -1).any() or (box > (size.width + 1, size.height + 1)).any()
    ]


def check_readable(figure):
    boxes = boxes_of(figure)
    assert covering(boxes) == []
    assert cut_off(boxes, figure_of(figure).bbox) == []


def lines(ax, label):
    """The (n, 2) data of the lines with this label."""
    return [line.get_xydata() for line in ax.get_lines() if line.get_label() == label]
