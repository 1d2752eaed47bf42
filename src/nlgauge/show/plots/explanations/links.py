"""Explanations that join the tokens of two texts: alignment and transport, as a matrix, as links between
two columns, or as shaded text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.explanations import Alignment, Transport
from nlgauge.show.plots import canvas
from nlgauge.show.plots.explanations.flow import MarkedWord, Paragraph, cleaned, paragraphs

# From white to dark, so that nothing is not the brightest of all.
_SHADES = "Blues"
# So many cells at most have their value in them.
_VALUES = 400


def alignment(explanation: Alignment, form: str = "matrix", *, ax: Axes | None = None) -> Axes:
    """Draw the similarity of the tokens of two texts (BERTScore).

    Parameters
    ----------
    explanation : Alignment
        Explanation of a score.
    form : {"matrix", "links", "text"}
        All similarities, links from each token to its nearest token, or shaded text.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    A frame in the matrix marks the reference token that is nearest to a prediction token. In the text, a token is darker if
    its nearest token is nearer (Figure 3.8 of the NLG-Metricverse thesis).
    """
    ours, theirs = cleaned(explanation.prediction), cleaned(explanation.reference)
    values = explanation.similarity
    known = bool(ours[0] and theirs[0])
    said = f"{explanation.title}: {counted(len(ours[0]), 'token')} of the prediction and {len(theirs[0])} of the reference"
    said += (
        f"; mean similarity of nearest tokens {canvas.decimals(float(values.max(axis=1).mean()))}."
        if known
        else "."
    )
    if form == "text" or not known:
        return canvas.described(_shaded(explanation, ours, theirs, ax), said)
    best = values.argmax(axis=1)
    if form == "matrix":
        axes = _matrix(explanation.title, ours[0], theirs[0], values, "similarity", ax)
        _framed(axes, best)
        return canvas.described(axes, said)
    if form == "links":
        joined = [(i, int(j), float(values[i, j]), float(values[i, j])) for i, j in enumerate(best)]
        note = "Each token of the prediction and the nearest token of the reference: the thicker the nearer."
        return canvas.described(
            _links(explanation.title, ours[0], theirs[0], joined, canvas.INDIGO, note, ax), said
        )
    raise ParameterError(f"form must be 'matrix', 'links' or 'text', got {form!r:.60}.")


def transport(explanation: Transport, form: str = "links", *, ax: Axes | None = None) -> Axes:
    """Draw the transport of mass between the tokens of two texts (MoverScore).

    Parameters
    ----------
    explanation : Transport
        Explanation of a score.
    form : {"links", "plan", "cost"}
        Links whose width is the mass and whose darkness is its cost, or a matrix of the plan or of the costs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    This is Figure 3.9 of the NLG-Metricverse thesis.
    """
    ours, theirs = cleaned(explanation.prediction)[0], cleaned(explanation.reference)[0]
    plan, cost = explanation.plan, explanation.cost
    total = float((plan * cost).sum())
    said = (
        f"{explanation.title}: {counted(int((plan > 1e-9).sum()), 'move')} between {len(ours)} and"
        f" {counted(len(theirs), 'token')};"
        f" total cost {canvas.decimals(total, 3)}."
    )
    if form in ("plan", "cost"):
        values, name = (plan, "mass") if form == "plan" else (cost, "cost")
        return canvas.described(_matrix(explanation.title, ours, theirs, values, name, ax), said)
    if form != "links":
        raise ParameterError(f"form must be 'links', 'plan' or 'cost', got {form!r:.60}.")
    most, dearest = (plan.max(initial=0.0) or 1.0), (cost.max(initial=0.0) or 1.0)
    moves = [
        (int(i), int(j), float(plan[i, j] / most), float(cost[i, j] / dearest))
        for i, j in zip(*np.nonzero(plan > 1e-9), strict=True)
    ]
    note = (
        f"The wider, the more mass; the darker, the higher the cost (highest {canvas.decimals(float(dearest))}). Total cost"
        f" {canvas.decimals(total, 3)}."
    )
    return canvas.described(_links(explanation.title, ours, theirs, moves, "#7a1f1f", note, ax), said)


def _shaded(
    explanation: Alignment,
    ours: tuple[list[str], list[bool]],
    theirs: tuple[list[str], list[bool]],
    ax: Axes | None,
) -> Axes:
    parts = []
    for name, (texts, glued), values in (
        ("prediction", ours, explanation.similarity),
        ("reference", theirs, explanation.similarity.T),
    ):
        near = values.max(axis=1) if values.size else np.zeros(len(texts))
        words = [
            MarkedWord(
                text, canvas.mixed(canvas.AMBER, _strength(value)), below=canvas.decimals(float(value))
            )
            for text, value in zip(texts, near, strict=True)
        ]
        parts.append(Paragraph(name, words, glued))
    note = "The darker, and the larger the number below, the nearer the nearest token of the other text."
    return paragraphs(explanation.title, parts, [note], ax)


def _strength(value: float) -> float:
    """Return the strength of a link; similarities of contextual vectors are seldom small, so 0.35 and less
    become 0.
    """
    return float(np.clip((value - 0.35) / 0.65, 0, 1) ** 1.5)


def _matrix(
    title: str, ours: Sequence[str], theirs: Sequence[str], values: Array, what: str, ax: Axes | None
) -> Axes:
    width, height = 0.3 * len(theirs) + canvas.room(ours) + 1.0, 0.22 * len(ours) + canvas.room(theirs) + 0.8
    ax = canvas.one_axes(ax, max(3.2, width), max(2.0, height))
    low, high = min(0.0, float(values.min(initial=0.0))), float(values.max(initial=0.0)) or 1.0
    image = ax.imshow(values, cmap=_SHADES, vmin=low, vmax=high, aspect="auto")
    if values.size <= _VALUES:
        for (i, j), value in np.ndenumerate(values):
            color = "white" if (value - low) / (high - low) > 0.55 else "black"
            if float(value) > 0:
                style: Any = {"ha": "center", "va": "center", **canvas.plain(canvas.SMALL - 1.5)}
                ax.text(j, i, canvas.short_decimals(float(value)), color=color, **style)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    canvas.named_ticks(ax.xaxis, theirs, rotation=90)
    canvas.named_ticks(ax.yaxis, ours)
    canvas.color_bar(image, ax, 0.7, what)
    canvas.titled(ax, title, "reference", "prediction")
    return ax


def _framed(ax: Axes, best: Array) -> None:
    from matplotlib.patches import Rectangle

    for i, j in enumerate(best):
        frame: Any = {"fill": False, "edgecolor": "black", "linewidth": 1.0, "label": "nearest"}
        ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, **frame))


def _links(
    title: str,
    ours: Sequence[str],
    theirs: Sequence[str],
    joined: Sequence[tuple[int, int, float, float]],
    color: str,
    note: str,
    ax: Axes | None,
) -> Axes:
    """Draw two columns of tokens, joined by curves: (left, right, width and darkness from 0 to 1)."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    rows = max(len(ours), len(theirs), 1)
    ax = canvas.one_axes(
        ax, max(canvas.COLUMN, 1.4 + canvas.room(ours) + canvas.room(theirs)), max(1.5, 0.17 * rows + 0.8)
    )
    left, right = (
        [(i + 0.5) * rows / max(len(side), 1) for i in range(len(side))] for side in (ours, theirs)
    )
    for i, j, wide, dark in sorted(joined, key=lambda link: link[2]):
        curve = Path(
            [(0, left[i]), (0.5, left[i]), (0.5, right[j]), (1, right[j])],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
        )
        look: Any = {
            "linewidth": 0.4 + 3.2 * wide,
            "zorder": 1 + dark,
            "label": f"{ours[i]}\u2192{theirs[j]}",
        }
        ax.add_patch(
            PathPatch(curve, facecolor="none", edgecolor=canvas.mixed(color, 0.2 + 0.8 * dark), **look)
        )
    ax.set_xlim(0, 1)
    ax.set_ylim(rows, 0)
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    ax.tick_params(length=0)
    canvas.named_ticks(ax.yaxis, ours, places=left)
    # The tokens of the other side are to the right of the axes, like the names of a second axis.
    for name, at in zip(theirs, right, strict=True):
        beside: Any = {"textcoords": "offset points", "va": "center", "ha": "left", "annotation_clip": False}
        ax.annotate(name, (1, at), (3, 0), **beside, **canvas.plain(canvas.SMALL))
    canvas.titled(ax, title, note, "prediction \u2192 reference")
    ax.xaxis.label.set_color(canvas.GRAY)
    return ax
