"""The pages of explanations: one function per type of explanation.

Tones help, but every mark is there without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from itertools import zip_longest

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.page import Block, Cell, Line, Page, Sheet, Strip, Tone, column
from nlgauge._core.ragged import Array
from nlgauge.explanations import (
    Alignment,
    Distributions,
    Edits,
    Entailment,
    ErrorSpan,
    ErrorSpans,
    Explanation,
    Guesses,
    ModuleValue,
    NgramMatches,
    TokenScores,
    Transport,
    Verdict,
    WordAlignment,
    WordGroups,
)
from nlgauge.explanations.cause import cause

_SHADES: tuple[Tone, ...] = ("worst", "bad", "fair", "good", "perfect")
_MARKS = {"equal": "", "replace": "S", "delete": "D", "insert": "I", "shift": "", "jump": "J"}
# The displayed size of a matrix of entailments: number of texts and sentences, and of characters of each
# text.
_MOST_PREMISES, _MOST_HYPOTHESES, _SHOWN = 40, 12, 80
_TONES: dict[str, Tone] = {
    "equal": "",
    "replace": "replaced",
    "delete": "deleted",
    "insert": "inserted",
    "shift": "moved",
    "jump": "moved",
}
_SEVERITIES: dict[str, Tone] = {"minor": "fair", "major": "bad", "critical": "worst"}


def explanation_page(explanation: Explanation) -> Page:
    """Return the title of the explanation, the cause of the score and the blocks of its type."""
    sentence = cause(explanation)
    lines: list[Block] = [Line(sentence)] if sentence else []
    return Page([Line(explanation.title, "best"), *lines, *_blocks(explanation)])


@singledispatch
def _blocks(explanation: Explanation) -> list[Block]:
    """Return only the title for an unknown type of explanation."""
    return []


@_blocks.register
def _(explanation: NgramMatches) -> list[Block]:
    highest = max([1, *explanation.longest])
    stacks = [
        _stack([token, str(longest) if longest else "."], _shade(longest / highest) if longest else "missed")
        for token, longest in zip(explanation.tokens, explanation.longest, strict=True)
    ]
    note = Line(
        'Below each token: length of the longest matched n-gram containing it ("." = no match).', "quiet"
    )
    return [Strip(["prediction", "matched"], stacks), note, _orders(explanation)]


@_blocks.register
def _(explanation: Edits) -> list[Block]:
    stacks = []
    counts = dict.fromkeys(_MARKS, 0)
    shifts: list[Block] = []
    for edit in explanation.edits:
        if edit.kind == "shift":
            counts["shift"] += 1
            shifts.append(
                Line(f"shift {counts['shift']}: {' '.join(edit.prediction)}  to place {edit.target}", "moved")
            )
        elif edit.kind == "jump":
            counts["jump"] += 1
            stacks.append(_stack([None, f">{edit.target}", _MARKS["jump"]], _TONES["jump"]))
        for reference, prediction in (
            zip_longest(edit.reference, edit.prediction) if edit.kind != "shift" else ()
        ):
            counts[edit.kind] += 1
            stacks.append(_stack([reference, prediction, _MARKS[edit.kind]], _TONES[edit.kind]))
    counted = (
        f"{counts['replace']} substituted (S), {counts['delete']} deleted (D), {counts['insert']} inserted"
        f" (I), {counts['equal']} equal"
    )
    counted += f", {counts['shift']} shifted" * (counts["shift"] > 0) + f", {counts['jump']} jumped (J)" * (
        counts["jump"] > 0
    )
    return [*shifts, Strip(["reference", "prediction", "edits"], stacks), Line(counted)]


@_blocks.register
def _(explanation: Alignment) -> list[Block]:
    if not explanation.prediction or not explanation.reference:
        return [Line("One of the two texts has no tokens, so there is nothing to align.")]
    return [
        Line("Each token of the prediction with the nearest token of the reference (precision):", "quiet"),
        _matches(
            "prediction",
            explanation.prediction,
            explanation.reference,
            explanation.similarity,
            explanation.prediction_weights,
        ),
        Line("Each token of the reference with the nearest token of the prediction (recall):", "quiet"),
        _matches(
            "reference",
            explanation.reference,
            explanation.prediction,
            explanation.similarity.T,
            explanation.reference_weights,
        ),
    ]


@_blocks.register
def _(explanation: Transport) -> list[Block]:
    """Return each token of the prediction above the tokens that it moves to; the most expensive moves are the
    worst.
    """
    moved = explanation.plan * explanation.cost
    most = moved.max(initial=0.0) or 1.0
    stacks = []
    for i, token in enumerate(explanation.prediction):
        for j in np.flatnonzero(explanation.plan[i] > 1e-9):
            cells = [
                token,
                explanation.reference[j],
                f"{explanation.plan[i, j]:.3f}",
                f"{explanation.cost[i, j]:.2f}",
                f"{moved[i, j]:.4f}",
            ]
            stacks.append(_stack(cells, _shade(1 - moved[i, j] / most)))
    note = (
        "For each move: its share of the mass, the cost per unit, and their product. The products sum to"
        f" {moved.sum():.4f}."
    )
    return [Strip(["prediction", "reference", "mass", "cost", "product"], stacks), Line(note, "quiet")]


@_blocks.register
def _(explanation: Distributions) -> list[Block]:
    rows = []
    for token, predicted, expected in explanation.differences:
        tone: Tone = "inserted" if predicted > expected else "deleted"
        rows.append(
            [
                Cell(text, tone)
                for text in (token, f"{predicted:.4f}", f"{expected:.4f}", f"{predicted - expected:+.4f}")
            ]
        )
    return [
        _sheet(["token", "prediction", "reference", "difference"], rows),
        Line(
            f"The tokens whose probabilities differ most; together {100 * explanation.covered:.1f}% of the"
            " total difference.",
            "quiet",
        ),
        Line("Below each token: its probability, then the most likely tokens at this position.", "quiet"),
        _guesses("prediction", explanation.prediction),
        _guesses("reference", explanation.reference),
    ]


@_blocks.register
def _(explanation: TokenScores) -> list[Block]:
    names = list(explanation.values)
    first = np.array(explanation.values[names[0]]) if names else np.zeros(len(explanation.tokens))
    shares = (first - first.min(initial=0.0)) / (np.ptp([0.0, *first]) or 1.0)
    stacks = [
        _stack([token, *(f"{explanation.values[name][i]:.2f}" for name in names)], _shade(1 - shares[i]))
        for i, token in enumerate(explanation.tokens)
    ]
    totals, count = [], len(explanation.tokens)
    for name in names:
        total = sum(explanation.values[name])
        totals.append([Cell(name), Cell(f"{total:.4f}"), Cell(f"{total / count:.4f}" if count else "n/a")])
    return [Strip(["token", *names], stacks), _sheet(["", "total", "mean"], totals)]


@_blocks.register
def _(explanation: WordGroups) -> list[Block]:
    rows = [
        [Cell(name), Cell(str(len(words))), Cell(" ".join(words))]
        for name, words in explanation.groups.items()
    ]
    return [Sheet([column(""), column("number", "number"), column("words")], rows)]


@_blocks.register
def _(explanation: WordAlignment) -> list[Block]:
    reasons = {
        p: (r, reason, chunk)
        for (p, r, reason), chunk in zip(explanation.matches, explanation.chunks, strict=True)
    }
    stacks = []
    for p, word in enumerate(explanation.prediction):
        if p in reasons:
            r, reason, chunk = reasons[p]
            stacks.append(
                _stack(
                    [word, explanation.reference[r], reason, str(chunk)],
                    "good" if reason == "exact" else "fair",
                )
            )
        else:
            stacks.append(_stack([word, None, None, None], "missed"))
    matched = {r for _, r, _ in explanation.matches}
    missed = [word for r, word in enumerate(explanation.reference) if r not in matched]
    note = (
        f"{counted(len(explanation.matches), 'match', 'matches')} in"
        f" {counted(max(explanation.chunks, default=0), 'chunk')}; unmatched in the reference: "
    )
    return [
        Strip(["prediction", "reference", "match", "chunk"], stacks),
        Line(note + (" ".join(missed) or "nothing")),
    ]


@_blocks.register
def _(explanation: Verdict) -> list[Block]:
    """Return the levels with their probabilities, then every prompt with the replies to it."""
    blocks: list[Block] = [Line(f"criterion: {explanation.criterion}")]
    if explanation.reason:
        blocks.append(
            Line(
                f"no score: {explanation.reason}" if np.isnan(explanation.score) else explanation.reason,
                "bad",
            )
        )
    if explanation.read_by:
        blocks.append(Line(f"read by: {explanation.read_by}", "quiet"))
    if explanation.levels:
        most = max(explanation.levels.values()) or 1.0
        rows = [
            [Cell(name), Cell(f"{share:.4f}", _shade(share / most))]
            for name, share in explanation.levels.items()
        ]
        blocks.append(_sheet(["level", "probability"], rows))
    if not np.isnan(explanation.covered):
        blocks.append(
            Line(
                f"The levels cover {100 * explanation.covered:.1f}% of the probability of all replies.",
                "quiet",
            )
        )
    for number, (prompt, replies) in enumerate(
        zip_longest(explanation.prompts, explanation.replies, fillvalue=None), 1
    ):
        if prompt is not None:
            place = f" {number}" if len(explanation.prompts) > 1 else ""
            blocks += [Line(f"prompt{place}:", "quiet"), *_lines(prompt)]
        for reply in replies or ():
            blocks += [Line("reply:", "quiet"), *_lines(reply)]
    return blocks


def _lines(text: str) -> list[Block]:
    return [Line(f"  {line}") for line in text.split("\n")]


@_blocks.register
def _(explanation: Entailment) -> list[Block]:
    """Return each judged sentence with the text that decided it, then the first matrix as a whole, if it is
    small enough to read, then the numbers of all modules.
    """
    return [*_judged_sentences(explanation), *_modules(explanation.modules)]


def _modules(values: Sequence[ModuleValue]) -> list[Block]:
    """Return a row for each number of a module, with the name of the module at its first row."""
    rows, before = [], ("", "")
    for each in values:
        names = ("", "") if (each.module, each.model) == before else (each.module, each.model)
        before = each.module, each.model
        rows.append([*map(Cell, names), Cell(each.name), Cell(f"{each.value:.4f}"), Cell(each.meaning)])
    columns = [
        *map(column, ("module", "model", "number")),
        column("value", "number"),
        column("meaning", "words"),
    ]
    return [
        Line("The modules of the metric, in the order of computation.", "quiet"),
        Sheet(columns, rows),
    ] * bool(rows)


def _judged_sentences(explanation: Entailment) -> list[Block]:
    if not explanation.hypotheses or not explanation.premises:
        return [Line("There is no sentence to judge, or nothing to judge it by.")]
    names = list(explanation.probabilities)
    first = explanation.probabilities[names[0]]
    bad = names[0] in ("contradict", "incorrect")
    rows = []
    for j, (sentence, i) in enumerate(zip(explanation.hypotheses, explanation.best, strict=True)):
        tone = _shade(1 - first[i, j] if bad else first[i, j])
        values = [
            Cell(f"{explanation.probabilities[name][i, j]:.2f}", tone if name == names[0] else "")
            for name in names
        ]
        rows.append(
            [
                Cell(str(j + 1)),
                Cell(sentence, tone),
                *values,
                Cell(str(i + 1)),
                Cell(_shortened(explanation.premises[i])),
            ]
        )
    numbers = [column(name, "number") for name in names]
    sheet = Sheet(
        [column("", "number"), column("sentence"), *numbers, column("by", "number"), column("decided by")],
        rows,
    )
    if not 1 < len(explanation.premises) <= _MOST_PREMISES or len(explanation.hypotheses) > _MOST_HYPOTHESES:
        return [sheet]
    matrix = [
        [
            Cell(f"{i + 1} {_shortened(premise)}"),
            *(Cell(f"{value:.2f}", _shade(1 - value if bad else value)) for value in first[i]),
        ]
        for i, premise in enumerate(explanation.premises)
    ]
    note = f"The probability of {names[0]!r}: a row for each text, a column for each sentence."
    return [
        sheet,
        Line(note, "quiet"),
        _sheet(["", *(str(j + 1) for j in range(len(explanation.hypotheses)))], matrix),
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


@_blocks.register
def _(explanation: ErrorSpans) -> list[Block]:
    """Return the text word by word, errors with the severity below, then one row per error."""
    stacks, rows, done = [], [], 0
    for span in explanation.errors:
        wrong, tone = explanation.text[span.start : span.end], _SEVERITIES.get(span.severity, "bad")
        stacks += [_stack([word, ""], "") for word in explanation.text[done : span.start].split()]
        stacks += [_stack([word, span.severity], tone) for word in wrong.split() or ["-"]]
        rows.append(
            [
                Cell(text, tone)
                for text in (wrong, span.severity, f"{span.start}-{span.end}", _confidence(span))
            ]
        )
        done = max(done, span.end)
    stacks += [_stack([word, ""], "") for word in explanation.text[done:].split()]
    if not rows:
        return [Strip(["text", "error"], stacks), Line("No error was found.")]
    columns = [column("error"), column("severity"), column("place", "number"), column("confidence", "number")]
    return [Strip(["text", "error"], stacks), Sheet(columns, rows)]


def _confidence(span: ErrorSpan) -> str:
    return "n/a" if span.confidence is None else f"{span.confidence:.2f}"


def _stack(cells: Sequence[str | None], tone: Tone) -> list[Cell]:
    """Return the cells of one stack; a missing cell is shown as a dash."""
    return [Cell("-" if cell is None else cell, tone) for cell in cells]


def _matches(name: str, ours: list[str], theirs: list[str], similarity: Array, weights: Array) -> Strip:
    best = similarity.argmax(axis=1)
    weighted = len(set(np.round(weights, 6).tolist())) > 1
    stacks = []
    for i, token in enumerate(ours):
        cosine = float(similarity[i, best[i]])
        cells = [token, theirs[best[i]], f"{cosine:.2f}", *([f"{weights[i]:.2f}"] if weighted else [])]
        stacks.append(_stack(cells, _shade(cosine) if weights[i] else "quiet"))
    return Strip([name, "nearest", "cosine", *(["weight"] if weighted else [])], stacks)


def _guesses(name: str, places: list[Guesses]) -> Strip:
    shown = 3
    stacks = []
    for place in places:
        likeliest = [f"{token} {probability:.2f}" for token, probability in place.likeliest[:shown]]
        cells = [place.token, f"{place.probability:.2f}", *likeliest, *[None] * (shown - len(likeliest))]
        stacks.append(_stack(cells, _shade(place.probability)))
    return Strip([name, "probability", *(f"guess {i}" for i in range(1, shown + 1))], stacks)


def _orders(explanation: NgramMatches) -> Sheet:
    """Return the counts of each order: unmatched n-grams of the prediction or, if the reference is counted
    too, missed n-grams of the reference.
    """
    without = any(order.expected is None for order in explanation.orders)
    expects = any(order.expected is not None for order in explanation.orders)
    headings = ["", "matched", "predicted", "precision"]
    headings += [
        *(["not matched"] if without else []),
        *(["expected", "recall", "missed"] if expects else []),
    ]
    rows = []
    for order in explanation.orders:
        cells = [
            order.name,
            f"{order.matched:g}",
            f"{order.predicted:g}",
            _share(order.matched, order.predicted),
        ]
        if without:
            cells.append(f"{order.predicted - order.matched:g}" if order.expected is None else "")
        if expects:
            known = order.expected
            cells += (
                ["", "", ""]
                if known is None
                else [f"{known:g}", _share(order.matched, known), f"{known - order.matched:g}"]
            )
        rows.append([Cell(cell) for cell in cells])
    return _sheet(headings, rows)


def _sheet(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Sheet:
    return Sheet([column(heading, "number" if i else "words") for i, heading in enumerate(headings)], rows)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "n/a"


def _shade(share: float) -> Tone:
    """Return a tone from bad (0) to good (1)."""
    return _SHADES[min(max(int(share * len(_SHADES)), 0), len(_SHADES) - 1)]
