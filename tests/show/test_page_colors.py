"""The eight colors of systems can be told apart by everybody, and from the ground that they stand on, in
the light and in the dark.
"""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from nlgauge.show.report.page import WEB

# What eyes without one kind of cones make of linear red, green and blue (Machado, Oliveira and Fernandes
# 2009, severity 1).
_EYES = {
    "of most people": np.eye(3),
    "without red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "without green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "without blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# The least distance between any two of Okabe and Ito's eight colors, which were made for this, seen so.
_LEAST = 16.1
_OKABE_ITO = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"]
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def named(name: str) -> tuple[str, str]:
    """A color of the style sheet in the light and in the dark."""
    found = re.search(
        rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\);", (WEB / "base.css").read_text("utf-8")
    )
    assert found is not None
    return found[1], found[2]


def linear(color: str) -> np.ndarray:
    shares = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """Lightness and two axes of hue, in which a distance is about what is seen (CIELAB)."""
    x, y, z = np.cbrt(np.maximum(_TO_XYZ @ np.clip(light, 0, 1) / np.array([0.9505, 1, 1.089]), 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colors: list[str]) -> float:
    """The least distance between two of the colors, for the eyes that tell them apart least."""
    seen = [[lab(eyes @ linear(color)) for color in colors] for eyes in _EYES.values()]
    return min(
        float(np.linalg.norm(one - other)) for places in seen for one, other in combinations(places, 2)
    )


def contrast(one: str, other: str) -> float:
    lightest, darkest = sorted((float(_TO_XYZ[1] @ linear(color)) for color in (one, other)), reverse=True)
    return (lightest + 0.05) / (darkest + 0.05)


def test_the_measure_is_that_of_colors_made_for_this() -> None:
    assert nearest(_OKABE_ITO) == pytest.approx(_LEAST, abs=0.5)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [0, 1])
def test_systems_can_be_told_apart(theme: int) -> None:
    colors = [named(f"s{number}")[theme] for number in range(8)]
    assert nearest(colors) >= _LEAST
    for color in colors:
        for ground in ("bg", "surface"):
            assert contrast(color, named(ground)[theme]) >= 3, (color, ground)
