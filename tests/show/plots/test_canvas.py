"""The canvas: colors that can be told apart, and a check of texts that sees what covers and what is cut."""

import itertools

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from nlgauge.show.plots import canvas
from tests.show.plots.drawn import boxes_of, covering, cut_off


def test_colors_differ_in_lightness():
    def lightness(color):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
        y = float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
        return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y

    found = sorted(map(lightness, canvas.COLORS))
    assert min(b - a for a, b in itertools.pairwise(found)) > 7
    assert found[-1] < 90
    assert len(set(canvas.looks(24))) == 24
    assert len({(look.color, look.marker) for look in canvas.looks(24)}) == 24


def test_the_check_of_texts_sees_what_covers_and_what_is_cut():
    figure = Figure(figsize=(3, 3))
    figure.text(0.5, 0.5, "one")
    figure.text(0.52, 0.5, "two")
    figure.text(0.97, 0.9, "beyond the page")
    boxes = boxes_of(figure)
    assert covering(boxes) == [("one", "two")]
    assert cut_off(boxes, figure.bbox) == ["beyond the page"]
