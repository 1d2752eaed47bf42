"""Explanations that are marks on a text: tokens, ngrams, words, groups, edits, errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted, part_of
from nlgauge._core.safe_text import visible
from nlgauge.errors import ParameterError
from nlgauge.explanations import Edits, ErrorSpans, NgramMatches, TokenScores, WordAlignment, WordGroups
from nlgauge.show.plots import canvas
from nlgauge.show.plots.explanations.flow import MarkedWord, Paragraph, cleaned, paragraphs

if TYPE_CHECKING:
    from nlgauge.explanations import Edit

# The line below a matched word, by why it was matched.
_REASONS = {"exact": "-", "stem": "--", "synonym": ":", "paraphrase": "-."}
_KINDS = {
    "equal": "equal",
    "replace": "substituted",
    "insert": "inserted",
    "delete": "deleted",
    "shift": "moved",
    "jump": "jumped",
}
# Thickness of the line below an error.
_SEVERITIES = {"minor": 0.8, "major": 1.8, "critical": 2.8}


def tokens(
    explanation: TokenScores, values: str | Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the tokens of a text, darker for larger values, with one paragraph per value (Shannon 1).

    Parameters
    ----------
    explanation : TokenScores
        Explanation of a score.
    values : str or sequence of str, optional
        Names of the values to show, on one scale. Default: all.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    If the explanation has the information of tokens with and without a summary, a further paragraph shows the effect of the
    summary: tokens that it makes more predictable are underlined, less predictable tokens have a dashed line.
    """
    names = (
        list(explanation.values) if values is None else [values] if isinstance(values, str) else list(values)
    )
    for name in names:
        if name not in explanation.values:
            raise ParameterError(f"unknown values {name!r}; choose from {', '.join(explanation.values)}.")
    texts, glued = cleaned(explanation.tokens)
    known = {name: np.array(explanation.values[name], dtype=np.float64) for name in names}
    most = (
        max((float(np.nanmax(np.abs(column), initial=0.0)) for column in known.values()), default=0.0) or 1.0
    )
    parts = []
    for name, column in known.items():
        total = f"{name}: total {canvas.decimals(float(np.nansum(column)))}, darkest {canvas.decimals(most)}"
        words = [
            MarkedWord(text, canvas.mixed(canvas.INDIGO, 0.65 * abs(value) / most), "--" if value < 0 else "")
            for text, value in zip(texts, column, strict=True)
        ]
        parts.append(Paragraph(total, words, glued))
    if explanation.text == "source" and len(names) > 1:
        helps = known[names[0]] - known[names[1]]
        words = [_helped(text, gain, most) for text, gain in zip(texts, helps, strict=True)]
        parts.append(
            Paragraph(
                f"{names[0]} less {names[1]}: total {canvas.decimals(float(np.nansum(helps)))}", words, glued
            )
        )
    said = "; ".join(
        f"{name} sums to {canvas.decimals(float(np.nansum(column)))} over {counted(len(texts), 'token')}"
        for name, column in known.items()
    )
    return canvas.described(paragraphs(explanation.title, parts, ax=ax), f"{explanation.title}: {said}.")


def _helped(text: str, gain: float, most: float) -> MarkedWord:
    return MarkedWord(
        text,
        canvas.mixed(canvas.INDIGO if gain > 0 else canvas.RED, 0.65 * abs(gain) / most),
        "-" if gain > 0.5 else "--" if gain < -0.5 else "",
    )


def ngrams(explanation: NgramMatches, *, ax: Axes | None = None) -> Axes:
    """Draw the prediction with the tokens of matched n-grams marked (BLEU).

    Parameters
    ----------
    explanation : NgramMatches
        Explanation of a score.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    Longer n-grams are darker and have a thicker line below. Spaces are shown as in the text, also for metrics that ignore
    them (chrF).
    """
    most = max([1, *explanation.longest])
    texts, glued = cleaned(explanation.tokens, explanation.spans.get("prediction", ()))
    words = [
        MarkedWord(text, canvas.mixed(canvas.AMBER, 0.25 + 0.75 * n / most), "-", 0.5 + 0.6 * min(n, 4))
        if n
        else MarkedWord(text, color=canvas.GRAY)
        for text, n in zip(texts, explanation.longest, strict=True)
    ]
    matched = sum(n > 0 for n in explanation.longest)
    counts = [f"{order.name}: {order.matched:g} of {order.predicted:g}" for order in explanation.orders[:8]]
    notes = [f"Marked: part of a match of up to {counted(most, 'token')}. {'; '.join(counts)}."]
    axes = paragraphs(explanation.title, [Paragraph("prediction", words, glued)], notes, ax)
    return canvas.described(
        axes,
        f"{explanation.title}: {part_of(matched, len(words), 'token', 'are part of a match')}; {'; '.join(counts)}.",
    )


def words(explanation: WordAlignment, *, ax: Axes | None = None) -> Axes:
    """Draw both texts with matched words underlined and the number of the chunk below each (METEOR).

    Parameters
    ----------
    explanation : WordAlignment
        Explanation of a score.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    Lines are dashed for matches by stem and dotted for matches by synonym.
    """
    ours = {
        p: (reason, chunk)
        for (p, _, reason), chunk in zip(explanation.matches, explanation.chunks, strict=True)
    }
    theirs = {
        r: (reason, chunk)
        for (_, r, reason), chunk in zip(explanation.matches, explanation.chunks, strict=True)
    }
    parts = []
    for name, texts, matched in (
        ("prediction", explanation.prediction, ours),
        ("reference", explanation.reference, theirs),
    ):
        marked = []
        for place, text in enumerate(cleaned(texts)[0]):
            if place not in matched:
                marked.append(MarkedWord(text, color=canvas.GRAY))
                continue
            reason, chunk = matched[place]
            fill, line = canvas.mixed(canvas.AMBER, 0.3 + 0.4 * (chunk % 2)), _REASONS.get(reason, "-")
            marked.append(MarkedWord(text, fill, line, canvas.LINE, below=str(chunk)))
        parts.append(Paragraph(name, marked))
    counts = Counter(reason for _, _, reason in explanation.matches)
    said = f"{counted(len(explanation.matches), 'match', 'matches')} in {counted(len(set(explanation.chunks)), 'chunk')}"
    said += f" ({', '.join(f'{count} {reason}' for reason, count in counts.items())})" if counts else ""
    notes = [f"{said}. Below a word: its chunk. Lines: exact unbroken, stem dashed, synonym dotted."]
    return canvas.described(paragraphs(explanation.title, parts, notes, ax), f"{explanation.title}: {said}.")


def groups(explanation: WordGroups, *, ax: Axes | None = None) -> Axes:
    """Draw the words of each group with their number (SARI).

    Parameters
    ----------
    explanation : WordGroups
        Explanation of a score.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    parts = [
        Paragraph(f"{name} ({len(of)})", [MarkedWord(word, "#eeeeee") for word in cleaned(of)[0]])
        for name, of in explanation.groups.items()
    ]
    said = ", ".join(f"{name} {len(of)}" for name, of in explanation.groups.items())
    return canvas.described(
        paragraphs(explanation.title, parts, ax=ax), f"{explanation.title}: number of words by group: {said}."
    )


def errors(explanation: ErrorSpans, *, ax: Axes | None = None) -> Axes:
    """Draw a text with its errors underlined, thicker if worse, and the confidence below each.

    Parameters
    ----------
    explanation : ErrorSpans
        Explanation of a score.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    parts: list[MarkedWord] = []
    glued: list[bool] = []
    end = 0

    def add(text: str, **marks: Any) -> None:
        for number, piece in enumerate(text.split()):
            # A word may be cut by the end of an error; what follows belongs to it.
            glued.append(
                bool(
                    number == 0 and parts and not text[:1].isspace() and not left.endswith((" ", "\n", "\t"))
                )
            )
            parts.append(
                MarkedWord(
                    visible(piece), **{**marks, "below": marks.get("below", "") if number == 0 else ""}
                )
            )

    left = ""
    for error in sorted(explanation.errors, key=lambda error: error.start):
        plain_text = explanation.text[end : error.start]
        add(plain_text)
        left = plain_text or left
        sure = "" if error.confidence is None else canvas.decimals(error.confidence)
        start = max(error.start, end)
        add(
            explanation.text[start : error.end],
            fill=canvas.mixed(canvas.RED, 0.25),
            line="-",
            width=_SEVERITIES.get(error.severity, 1.2),
            color=canvas.RED,
            below=sure,
        )
        left = explanation.text[start : error.end]
        end = max(end, error.end)
    add(explanation.text[end:])
    counts = Counter(error.severity for error in explanation.errors)
    said = ", ".join(f"{count} {severity}" for severity, count in counts.items()) or "no error found"
    return canvas.described(
        paragraphs(explanation.title, [Paragraph("", parts, glued)], [said], ax),
        f"{explanation.title}: {said}.",
    )


def edits(explanation: Edits, form: str = "lines", *, ax: Axes | None = None) -> Axes:
    """Draw the edits that turn the reference into the prediction (TER).

    Parameters
    ----------
    explanation : Edits
        Explanation of a score.
    form : {"lines", "lattice"}
        Text with its changes, or the path through the lattice of both texts.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    The reference word is above a substituted word. Inserted words are underlined, deleted words struck out.
    """
    if form not in ("lines", "lattice"):
        raise ParameterError(f"form must be 'lines' or 'lattice', got {form!r:.60}.")
    counts: Counter[str] = Counter()
    for edit in explanation.edits:
        counts[edit.kind] += (
            1 if edit.kind in ("shift", "jump") else max(len(edit.reference), len(edit.prediction))
        )
    said = ", ".join(
        f"{counts[kind]} {name}"
        for kind, name in _KINDS.items()
        if counts[kind] or kind not in ("shift", "jump")
    )
    if form == "lattice":
        return canvas.described(_lattice(explanation, ax), f"{explanation.title}: {said}.")
    every = [token for edit in explanation.edits for token in (*edit.prediction, *edit.reference)]
    together = bool(every) and all(len(token) <= 1 for token in every)
    marked = [word for edit in explanation.edits for word in _edited(edit)]
    moved = [
        f"Moved first: {' '.join(edit.prediction)} to place {edit.target}."
        for edit in explanation.edits
        if edit.kind == "shift"
    ]
    parts = [
        Paragraph(
            "prediction, with the words of the reference above it or struck out",
            marked,
            [together] * len(marked),
        )
    ]
    return canvas.described(
        paragraphs(explanation.title, parts, [*moved, f"{said}."], ax), f"{explanation.title}: {said}."
    )


def _edited(edit: Edit) -> list[MarkedWord]:
    ours, theirs = ([cleaned([token])[0][0] for token in side] for side in (edit.prediction, edit.reference))
    if edit.kind == "equal":
        return [MarkedWord(text) for text in ours]
    if edit.kind == "insert":
        return [
            MarkedWord(text, canvas.mixed(canvas.PETROL, 0.25), "-", canvas.LINE, color=canvas.PETROL)
            for text in ours
        ]
    if edit.kind == "delete":
        return [MarkedWord(text, struck=True, color=canvas.RED) for text in theirs]
    if edit.kind == "jump":
        return [MarkedWord(f"\u2192{edit.target}", color=canvas.GRAY)]
    if edit.kind != "replace":
        return []
    return [
        MarkedWord(text, canvas.mixed(canvas.AMBER, 0.4), above=theirs[place] if place < len(theirs) else "")
        for place, text in enumerate(ours)
    ]


def _lattice(explanation: Edits, ax: Axes | None) -> Axes:
    """Draw the prediction across, the reference down, and the path between them: dashes for differing tokens,
    arrows for jumps.
    """
    ours = dict(enumerate(explanation.prediction))
    theirs: list[str] = []
    steps: list[tuple[str, int, int, int, int]] = []
    p = 0
    for edit in explanation.edits:
        r = len(theirs)
        if edit.kind == "shift":
            continue
        if edit.kind == "jump":
            steps.append(("jump", p, r, int(edit.target or 0), r))
            p = int(edit.target or 0)
            continue
        ours.update({p + i: token for i, token in enumerate(edit.prediction)})
        theirs += edit.reference
        across, down = len(edit.prediction), len(edit.reference)
        corners = [(p + min(i, across), r + min(i, down)) for i in range(max(across, down) + 1)]
        steps += [(edit.kind, *start, *end) for start, end in pairwise(corners)]
        p += across
    names = [canvas.shown(ours.get(i, "")) for i in range(max(ours, default=-1) + 1)]
    # Cells of many tokens, such as characters, are small enough for a page.
    cells = min(0.25, 6 / max(1, len(names))), min(0.2, 8 / max(1, len(theirs)))
    width, height = (
        cells[0] * len(names) + canvas.room(theirs) + 1.6,
        cells[1] * len(theirs) + canvas.room(names) + 0.7,
    )
    ax = canvas.one_axes(ax, max(2.5, width), max(1.8, height))
    looks = {
        "equal": ("black", "-"),
        "replace": (canvas.RED, "--"),
        "delete": (canvas.RED, ":"),
        "insert": (canvas.PETROL, ":"),
        "jump": (canvas.GRAY, "-."),
    }
    for kind, x, y, to_x, to_y in steps:
        color, dashes = looks[kind]
        ax.plot([x, to_x], [y, to_y], color=color, linestyle=dashes, linewidth=canvas.LINE, label=kind)
    ax.set_xlim(-0.3, len(names) + 0.3)
    ax.set_ylim(len(theirs) + 0.3, -0.3)
    ax.set_xticks(np.arange(len(names) + 1), minor=True)
    ax.set_yticks(np.arange(len(theirs) + 1), minor=True)
    ax.grid(which="minor", color=canvas.PALE, linewidth=canvas.THIN)
    ax.tick_params(length=0, which="both")
    canvas.named_ticks(ax.xaxis, names, canvas.SMALL, [i + 0.5 for i in range(len(names))], rotation=90)
    canvas.named_ticks(ax.yaxis, theirs, canvas.SMALL, [i + 0.5 for i in range(len(theirs))])
    canvas.titled(ax, explanation.title, "prediction", "reference")
    seen = {kind: _KINDS[kind] for kind, *_ in steps}
    handles = [next(line for line in ax.get_lines() if line.get_label() == kind) for kind in seen]
    canvas.legend_beside(ax, handles, list(seen.values()))
    return ax
