"""Marked text: words that flow as in a paragraph, each with marks on, above and below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from nlgauge._core.safe_text import visible
from nlgauge.show.plots.canvas import GRAY, SMALL, TEXT, TITLE, one_axes, page, plain, shown

if TYPE_CHECKING:
    from nlgauge.explanations import Span

# Marks of tokenizers for the beginning of a word, and for a token that continues a word.
_STARTS, _GOES_ON = ("Ġ", "▁", " ", "\n"), "##"
_GAP, _LINE, _EXTRA = 2.6, 15.0, 8.0


@dataclass(frozen=True)
class MarkedWord:
    """A word and its marks: the color behind it, a line below it (style and width), one through it, and
    small words above and below.
    """

    text: str
    fill: Any = None
    line: str = ""
    width: float = 1.0
    struck: bool = False
    color: str = "black"
    above: str = ""
    below: str = ""


@dataclass(frozen=True)
class Paragraph:
    """A small heading and words; `glued` is True for each word that follows the previous word without a
    space.
    """

    heading: str
    words: Sequence[MarkedWord]
    glued: Sequence[bool] = field(default=())


def cleaned(tokens: Sequence[str], spans: Sequence[Span | None] = ()) -> tuple[list[str], list[bool]]:
    """Return tokens without a tokenizer's marks, and which of them follow the token before without a space.

    `spans` has the start and end of each token in its text, if known; a gap between characters is a space.

    >>> cleaned(["play", "##ing", "cats"])
    (['play', 'ing', 'cats'], [False, True, False])
    >>> cleaned(["a", "c", "e"], [(0, 1), (2, 3), (3, 4)])
    (['a', 'c', 'e'], [True, False, True])
    """
    if tokens and all(len(token) <= 1 for token in tokens):
        gaps = [before and after and before[1] < after[0] for before, after in pairwise(spans)]
        glued = [True, *(not gap for gap in gaps)] if spans else [True] * len(tokens)
        return [visible(token) for token in tokens], glued
    marked = any(token.startswith(_STARTS) for token in tokens)
    glued = [token.startswith(_GOES_ON) or (marked and not token.startswith(_STARTS)) for token in tokens]
    # A token that is a blank is shown as one.
    names = [
        visible(shown(token.removeprefix(_GOES_ON).lstrip("".join(_STARTS)))) or "\u2423" for token in tokens
    ]
    return names, glued


def paragraphs(
    title: str, marked: Sequence[Paragraph], notes: Sequence[str] = (), ax: Axes | None = None
) -> Axes:
    """Draw paragraphs below each other on an axes with one point as its unit; the notes are at the end."""
    points = page() * 72 if ax is None else max(60.0, ax.get_window_extent().width / _dpi(ax) * 72)
    placed, height = _placed(marked, points)
    lines = [line for note in notes for line in _wrapped(note, points)]
    ax = one_axes(ax, page() + 0.1, (height + 11 * len(lines) + 26) / 72)
    ax.set_axis_off()
    ax.set_xlim(0, points)
    ax.set_ylim(height + 11 * len(lines), 0)
    ax.set_title(shown(visible(title)), loc="left", **plain(TITLE))
    for what, x, y, span in placed:
        if isinstance(what, str):
            ax.text(x, y, what, va="baseline", color=GRAY, in_layout=False, **plain(SMALL))
        else:
            _draw(ax, what, x, y, span)
    for number, line in enumerate(lines):
        note: Any = {"va": "baseline", "label": "note", "in_layout": False, **plain(SMALL)}
        ax.text(0, height + 11 * number + 6, line, color=GRAY, **note)
    return ax


def _dpi(ax: Any) -> float:
    return float(ax.figure.figure.dpi)


def _placed(
    marked: Sequence[Paragraph], points: float
) -> tuple[list[tuple[Any, float, float, float]], float]:
    """Return every heading and word with its place (left end of its base line) and width, and the end of the
    last line.
    """
    placed: list[tuple[Any, float, float, float]] = []
    y = 0.0
    for paragraph in marked:
        if paragraph.heading:
            y += 11
            headings = _wrapped(visible(paragraph.heading), points)
            placed += [(line, 0.0, y + 9 * place, 0.0) for place, line in enumerate(headings)]
            y += 9 * (len(headings) - 1)
        above, below = (any(getattr(word, side) for word in paragraph.words) for side in ("above", "below"))
        y += _LINE + _EXTRA * above
        x = 0.0
        glued = [*(paragraph.glued or [False] * len(paragraph.words)), False]
        widths = [_width(word) for word in paragraph.words]
        wholes = [*widths, 0.0]  # the width of each word with the words that are glued to it
        for place in reversed(range(len(widths))):
            wholes[place] += glued[place + 1] * wholes[place + 1]
        for place, (word, wide) in enumerate(zip(paragraph.words, widths, strict=True)):
            gap = 0.0 if not x or glued[place] else _GAP
            whole = wholes[place] if not glued[place] and wholes[place] <= points else wide
            if x and x + gap + whole > points:
                x, gap = 0.0, 0.0
                y += _LINE + 3 + _EXTRA * (above + below)
            placed.append((word, x + gap, y, wide))
            x += gap + wide
        y += 6 + _EXTRA * below
    return placed, y


def _width(word: MarkedWord) -> float:
    """Return the width of a word in points, with the small words above and below it."""
    small = (measured(text, SMALL - 1) + 1.5 for text in (word.above, word.below))
    return max(measured(word.text, TEXT), *small)


def _draw(ax: Axes, word: MarkedWord, x: float, y: float, wide: float) -> None:
    from matplotlib.patches import Rectangle

    if word.fill is not None:
        box: Any = {"edgecolor": "none", "zorder": 1, "label": word.text}
        ax.add_patch(Rectangle((x - 0.4, y - 8.5), wide + 0.8, 11.5, facecolor=word.fill, **box))
    base: Any = {"va": "baseline", "ha": "left", "zorder": 3, "in_layout": False}
    ax.text(x, y, word.text, color=word.color, label="word", **base, **plain(TEXT))
    for small, at in ((word.above, y - 9.5), (word.below, y + 9.5)):
        if small:
            ax.text(x, at, small, color=GRAY, label="small", **base, **plain(SMALL - 1))
    across = [x, x + wide]
    if word.line:
        color = word.color if word.color != "black" else "#333333"
        line: Any = {"linestyle": word.line, "solid_capstyle": "butt", "zorder": 2}
        ax.plot(across, [y + 2.6] * 2, color=color, linewidth=word.width, label=f"_below {word.text}", **line)
    if word.struck:
        through: Any = {"linewidth": 0.8, "zorder": 4, "label": f"_struck {word.text}"}
        ax.plot(across, [y - 3] * 2, color=word.color, **through)


def measured(text: str, size: float) -> float:
    """Return the width of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return (
        float(text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)[0])
        if text
        else 0.0
    )


def _wrapped(text: str, points: float) -> list[str]:
    """Return a text on lines that are not wider than this number of points."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and measured(longer, SMALL) > points:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
