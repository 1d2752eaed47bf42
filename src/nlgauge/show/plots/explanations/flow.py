"""Marked text: words that flow as in a paragraph, each with marks on, above and below it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from nlgauge._core.safe_text import visible
from nlgauge.show.plots.canvas import GRAY, SMALL, TEXT, TITLE, one_axes, page, plain, shown
from nlgauge.show.plots.directions import direction, in_order
from nlgauge.show.plots.fonts import further_families
from nlgauge.show.plots.presets import active, layout_text

if TYPE_CHECKING:
    from nlgauge.explanations import Span

# A word with its place (left end of its base line) and its width.
_Placed = tuple[Any, float, float, float]
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
    margin = 0.1  # of the figure, in inches; a preset fixes the width of both
    own = page() if active() is None else page() - margin
    points = own * 72 if ax is None else max(60.0, ax.get_window_extent().width / _dpi(ax) * 72)
    placed, height = _placed(marked, points)
    lines = [line for note in notes for line in _wrapped(note, points)]
    ax = one_axes(ax, page() + margin, (height + 11 * len(lines) + 26) / 72)
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


def _placed(marked: Sequence[Paragraph], points: float) -> tuple[list[_Placed], float]:
    """Return every heading and word with its place (left end of its base line) and width, and the end of the
    last line.
    """
    placed: list[_Placed] = []
    y = 0.0
    for paragraph in marked:
        if paragraph.heading:
            y += 11
            headings = _wrapped(visible(paragraph.heading), points)
            placed += [(line, 0.0, y + 9 * place, 0.0) for place, line in enumerate(headings)]
            y += 9 * (len(headings) - 1)
        words, glued = _joined(paragraph)
        above, below = (any(getattr(word, side) for word in words) for side in ("above", "below"))
        y += _LINE + _EXTRA * above
        x = 0.0
        line: list[_Placed] = []
        base = direction(" ".join(word.text for word in words))
        widths = [_width(word) for word in words]
        wholes = [*widths, 0.0]  # the width of each word with the words that are glued to it
        for place in reversed(range(len(widths))):
            wholes[place] += glued[place + 1] * wholes[place + 1]
        for place, (word, wide) in enumerate(zip(words, widths, strict=True)):
            gap = 0.0 if not x or glued[place] else _GAP
            whole = wholes[place] if not glued[place] and wholes[place] <= points else wide
            if x and x + gap + whole > points:
                placed += _ordered(line, base, points)
                x, gap, line = 0.0, 0.0, []
                y += _LINE + 3 + _EXTRA * (above + below)
            line.append((word, x + gap, y, wide))
            x += gap + wide
        placed += _ordered(line, base, points)
        y += 6 + _EXTRA * below
    return placed, y


def _ordered(line: list[_Placed], base: str, points: float) -> list[_Placed]:
    """Return the words of a line at their places in the order of writing: a paragraph from right to left
    begins at the right.
    """
    order = in_order([word.text for word, *_ in line], base)
    if base != "R" and order == list(range(len(line))):
        return line
    gaps = [
        x - (line[place - 1][1] + line[place - 1][3]) if place else 0.0
        for place, (_, x, *_) in enumerate(line)
    ]
    end = line[-1][1] + line[-1][3]
    x = points - end if base == "R" else 0.0
    moved = []
    for number, place in enumerate(order):
        word, _, y, wide = line[place]
        moved.append((word, x, y, wide))
        following = order[number + 1] if number + 1 < len(order) else place
        # The gap of two words is in front of the later one.
        x += wide + (gaps[max(place, following)] if abs(place - following) == 1 else _GAP)
    return moved


def _joined(paragraph: Paragraph) -> tuple[list[MarkedWord], list[bool]]:
    """Return the words of a paragraph, and which follow the word before without a space, with a last False: characters
    that are written in one stroke, or one above the other, are one word if their marks are the same.
    """
    words: list[MarkedWord] = []
    glued: list[bool] = []
    for word, follows in zip(paragraph.words, paragraph.glued or [False] * len(paragraph.words), strict=True):
        joins = direction(word.text[:1]) == "R" or unicodedata.category(word.text[:1] or " ").startswith("M")
        if (
            words
            and follows
            and joins
            and not word.above + word.below
            and replace(words[-1], text="") == replace(word, text="")
        ):
            words[-1] = replace(words[-1], text=words[-1].text + word.text)
        else:
            words.append(word)
            glued.append(follows)
    return words, [*glued, False]


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

    if not text:
        return 0.0
    own = FontProperties(size=layout_text(size))
    own.set_family([*own.get_family(), *further_families(text, tuple(own.get_family()))])
    return float(text_to_path.get_text_width_height_descent(text, own, False)[0])


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
