"""Explanations that are shares and probabilities: guesses of a model, entailment, and the verdict of a
judge.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted
from nlgauge._core.safe_text import visible
from nlgauge.explanations import Distributions, Entailment, Verdict
from nlgauge.show.plots import canvas
from nlgauge.show.plots.explanations.flow import cleaned

# The fill and hatch of a part of a bar, by label.
_PARTS = {
    "entail": (canvas.COLORS[3], None),
    "neutral": ("#e4e4e4", None),
    "contradict": (canvas.COLORS[2], "////"),
}


def guesses(explanation: Distributions, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the tokens whose probabilities differ most between two texts (InfoLM).

    Parameters
    ----------
    explanation : Distributions
        Explanation of a score.
    most : int, default 20
        Maximum number of tokens.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    Tokens that the reference makes more likely are on the left.
    """
    rows = explanation.differences[:most]
    names = [cleaned([token])[0][0] for token, _, _ in rows]
    gains = np.array([ours - theirs for _, ours, theirs in rows])
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.4, 0.18 * max(1, len(rows)) + 0.9, "x")
    for sign, color, hatch, label in (
        (1, canvas.COLORS[1], None, "prediction"),
        (-1, canvas.COLORS[4], "////", "reference"),
    ):
        places = [place for place, gain in enumerate(gains) if np.sign(gain) == sign]
        edge = canvas.GRAY if hatch else color
        bars: Any = {"height": 0.7, "color": color, "hatch": hatch, "edgecolor": edge, "linewidth": 0}
        ax.barh(places, gains[places], label=f"more likely for the {label}", **bars)
    ax.axvline(0, color="black", linewidth=canvas.THIN, label="zero")
    canvas.named_ticks(ax.yaxis, names)
    ax.set_ylim(max(1, len(rows)) - 0.4, -0.6)
    reach = float(np.abs(gains).max(initial=0.0)) * 1.05 or 1.0
    ax.set_xlim(-reach, reach)
    canvas.few_ticks(ax.xaxis, 4)
    ax.tick_params(axis="y", length=0)
    share = f"{100 * explanation.covered:.0f}% of the whole difference"
    canvas.titled(
        ax,
        explanation.title,
        f"probability for the reference \u2190 | \u2192 for the prediction\n(these tokens are {share})",
    )
    first = ", ".join(f"{name} {gain:+.3f}" for name, gain in list(zip(names, gains, strict=True))[:3])
    return canvas.described(
        ax, f"{explanation.title}: tokens that differ most, {first or 'none'}; together {share}."
    )


def entailment(explanation: Entailment, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of each label for each checked sentence, by the decisive premise.

    Parameters
    ----------
    explanation : Entailment
        Explanation of a score.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    labels = list(explanation.probabilities)
    names = [_sentence(text) for text in explanation.hypotheses]
    ax = canvas.one_axes(ax, canvas.PAGE, 0.34 * max(1, len(names)) + 1.0)
    left = np.zeros(len(names))
    for number, label in enumerate(labels):
        matrix = np.asarray(explanation.probabilities[label], dtype=np.float64)
        values = np.array(
            [matrix[premise, hypothesis] for hypothesis, premise in enumerate(explanation.best)]
        )
        color, hatch = _PARTS.get(label, (canvas.COLORS[number % len(canvas.COLORS)], None))
        bar: Any = {"height": 0.6, "hatch": hatch, "edgecolor": canvas.GRAY, "linewidth": 0.3, "label": label}
        ax.barh(range(len(names)), values, left=left, color=color, **bar)
        left = left + values
    for place, premise in enumerate(explanation.best):
        ax.text(
            1.02,
            place,
            f"by premise {premise + 1}",
            va="center",
            color=canvas.GRAY,
            clip_on=False,
            **canvas.plain(canvas.SMALL),
        )
    canvas.named_ticks(ax.yaxis, [])
    ax.set_yticks(range(len(names)), names, **canvas.plain(canvas.SMALL))
    ax.set_ylim(max(1, len(names)) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.tick_params(axis="y", length=0)
    ax.set_title(canvas.shown(visible(explanation.title)), loc="left", **canvas.plain(canvas.TITLE))
    ax.set_xlabel("probability", **canvas.plain())
    if names:
        below = (0, -0.35 / len(names) - 0.12)
        ax.legend(loc="upper left", bbox_to_anchor=below, ncols=3, frameon=False, fontsize=canvas.SMALL)
    first = labels[0] if labels else ""
    decided = [
        float(np.asarray(explanation.probabilities[first])[premise, place])
        for place, premise in enumerate(explanation.best)
    ]
    return canvas.described(
        ax,
        f"{explanation.title}: {first} of {counted(len(names), 'sentence')}:"
        f" {', '.join(map(canvas.decimals, decided)) or 'none'}.",
    )


def _sentence(text: str) -> str:
    short = textwrap.shorten(visible(canvas.shown(text)), 90, placeholder=" ...")
    return "\n".join(textwrap.wrap(short, 48)) or "-"


def verdict(explanation: Verdict, *, ax: Axes | None = None) -> Axes:
    """Draw the probability, or the share of replies, of each level of a judge, with the score.

    Parameters
    ----------
    explanation : Verdict
        Explanation of a score; a missing score has its reason.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    names = [visible(canvas.shown(name)) for name in explanation.levels]
    values = [float(share) for share in explanation.levels.values()]
    ax = canvas.one_axes(ax, canvas.COLUMN + canvas.room(names), 0.2 * max(1, len(names)) + 1.0, "x")
    ax.barh(range(len(names)), values, height=0.65, color=canvas.COLORS[1])
    for place, value in enumerate(values):
        ax.text(
            max(value, 0.0) + 0.02, place, canvas.decimals(value), va="center", **canvas.plain(canvas.SMALL)
        )
    canvas.named_ticks(ax.yaxis, names)
    ax.set_ylim(max(1, len(names)) - 0.4, -0.6)
    ax.set_xlim(0, 1.12)
    canvas.few_ticks(ax.xaxis, 4)
    ax.tick_params(axis="y", length=0)
    score = (
        f"score {canvas.decimals(float(explanation.score))}"
        if not explanation.reason
        else f"no score: {explanation.reason}"
    )
    covered = (
        "unknown"
        if math.isnan(explanation.covered)
        else f"the levels cover {100 * float(explanation.covered):.0f}%"
    )
    canvas.titled(
        ax,
        f"{explanation.title}\n{visible(canvas.shown(explanation.criterion))}: {visible(score)}",
        f"probability ({covered})",
    )
    return canvas.described(ax, f"{explanation.title}: {explanation.criterion}, {score}; {covered}.")
