"""Explanations that are shares and probabilities: guesses of a model, entailment, and the verdict of a
judge.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from nlgauge._core.safe_text import visible
from nlgauge.explanations import Distributions
from nlgauge.show.plots.canvas import (
    COLOURS,
    COLUMN,
    GREY,
    PAGE,
    SMALL,
    THIN,
    decimals,
    few_ticks,
    named_ticks,
    plain,
    room,
    shown,
    titled,
)
from nlgauge.show.plots.flow import cleaned
from nlgauge.show.plots.place import one_axes, told

# What a part of a bar is filled and hatched with, by label.
_PARTS = {"entail": (COLOURS[3], None), "neutral": ("#e4e4e4", None), "contradict": (COLOURS[2], "////")}


def guesses(explanation: Distributions, *, most: int = 20, ax: Any = None) -> Any:
    """The tokens whose probabilities differ most between two distributions: to the left those that the
    reference makes more likely.
    """
    rows = explanation.differences[:most]
    names = [cleaned([token])[0][0] for token, _, _ in rows]
    gains = np.array([ours - theirs for _, ours, theirs in rows])
    ax = one_axes(ax, COLUMN * 1.4, 0.18 * max(1, len(rows)) + 0.9, "x")
    for sign, colour, hatch, label in (
        (1, COLOURS[1], None, "prediction"),
        (-1, COLOURS[4], "////", "reference"),
    ):
        places = [place for place, gain in enumerate(gains) if np.sign(gain) == sign]
        bars = {
            "height": 0.7,
            "color": colour,
            "hatch": hatch,
            "edgecolor": GREY if hatch else colour,
            "linewidth": 0,
        }
        ax.barh(places, gains[places], label=f"more likely for the {label}", **bars)
    ax.axvline(0, color="black", linewidth=THIN, label="zero")
    named_ticks(ax.yaxis, names)
    ax.set_ylim(max(1, len(rows)) - 0.4, -0.6)
    reach = float(np.abs(gains).max(initial=0.0)) * 1.05 or 1.0
    ax.set_xlim(-reach, reach)
    few_ticks(ax.xaxis, 4)
    ax.tick_params(axis="y", length=0)
    share = f"{100 * explanation.covered:.0f} % of the whole difference"
    titled(
        ax,
        explanation.title,
        f"probability for the reference \u2190 | \u2192 for the prediction\n(these tokens are {share})",
    )
    first = ", ".join(f"{name} {gain:+.3f}" for name, gain in list(zip(names, gains, strict=True))[:3])
    return told(ax, f"{explanation.title}: tokens that differ most, {first or 'none'}; together {share}.")


def entailment(explanation: Any, *, ax: Any = None) -> Any:
    """For each sentence that was checked, what the premise that decided says of it: the shares of each
    label as one bar.
    """
    labels = list(explanation.probabilities)
    names = [_sentence(text) for text in explanation.hypotheses]
    ax = one_axes(ax, PAGE, 0.34 * max(1, len(names)) + 1.0)
    left = np.zeros(len(names))
    for number, label in enumerate(labels):
        matrix = np.asarray(explanation.probabilities[label], dtype=np.float64)
        values = np.array(
            [matrix[premise, hypothesis] for hypothesis, premise in enumerate(explanation.best)]
        )
        colour, hatch = _PARTS.get(label, (COLOURS[number % len(COLOURS)], None))
        ax.barh(
            range(len(names)),
            values,
            left=left,
            height=0.6,
            color=colour,
            hatch=hatch,
            edgecolor=GREY,
            linewidth=0.3,
            label=label,
        )
        left = left + values
    for place, premise in enumerate(explanation.best):
        ax.text(
            1.02, place, f"by premise {premise + 1}", va="center", color=GREY, clip_on=False, **plain(SMALL)
        )
    named_ticks(ax.yaxis, [])
    ax.set_yticks(range(len(names)), names, **plain(SMALL))
    ax.set_ylim(max(1, len(names)) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.tick_params(axis="y", length=0)
    ax.set_title(shown(visible(explanation.title)), loc="left", **plain(9))
    ax.set_xlabel("probability", **plain())
    if names:
        ax.legend(
            loc="upper left",
            bbox_to_anchor=(0, -0.35 / max(1, len(names)) - 0.12),
            ncols=3,
            frameon=False,
            fontsize=SMALL,
        )
    first = labels[0] if labels else ""
    decided = [
        float(np.asarray(explanation.probabilities[first])[premise, place])
        for place, premise in enumerate(explanation.best)
    ]
    return told(
        ax,
        f"{explanation.title}: {first} of {len(names)} sentences:"
        f" {', '.join(map(decimals, decided)) or 'none'}.",
    )


def _sentence(text: str) -> str:
    short = textwrap.shorten(visible(shown(text)), 90, placeholder=" ...")
    return "\n".join(textwrap.wrap(short, 48)) or "-"


def verdict(explanation: Any, *, ax: Any = None) -> Any:
    """What a judge said: the probability, or the share of replies, of each level, and the score; a score
    that is missing has its reason.
    """
    names = [visible(shown(name)) for name in explanation.levels]
    values = [float(share) for share in explanation.levels.values()]
    ax = one_axes(ax, COLUMN + room(names), 0.2 * max(1, len(names)) + 1.0, "x")
    ax.barh(range(len(names)), values, height=0.65, color=COLOURS[1])
    for place, value in enumerate(values):
        ax.text(max(value, 0.0) + 0.02, place, decimals(value), va="center", **plain(SMALL))
    named_ticks(ax.yaxis, names)
    ax.set_ylim(max(1, len(names)) - 0.4, -0.6)
    ax.set_xlim(0, 1.12)
    few_ticks(ax.xaxis, 4)
    ax.tick_params(axis="y", length=0)
    score = (
        f"score {decimals(float(explanation.score))}"
        if not explanation.reason
        else f"no score: {explanation.reason}"
    )
    covered = f"the levels cover {100 * float(explanation.covered):.0f} %"
    titled(
        ax,
        f"{explanation.title}\n{visible(shown(explanation.criterion))}: {visible(score)}",
        f"probability ({covered})",
    )
    return told(ax, f"{explanation.title}: {explanation.criterion}, {score}; {covered}.")
