"""A table of the leaderboard as Markdown."""

from __future__ import annotations

import math

from studies import study
from studies.leaderboard.comparisons import BLEUS, LENGTH, RANDOM
from studies.leaderboard.tables import Line, Table, Value

DRAWS = 1000
LEVELS = {"system": "systems", "input": "texts of an input", "global": "all texts"}
COEFFICIENTS = {"kendall": "Kendall's tau-b", "spearman": "Spearman", "pearson": "Pearson", "darr": "DARR"}


def shown(table: Table, claims: bool = True) -> list[str]:
    """A table with what it is of, what was claimed of it, and what is left out."""
    levels = list(table.board.coefficients)
    human = table.human
    grouped = " of each language pair" if "language pairs" in table.size else ""
    texts = "All texts" if table.drawn is None else f"A sample of {table.drawn} inputs{grouped}"
    about = [
        f"**{texts}** ({table.size}), judged by {human}:"
        f" {'; '.join(title(table, level) for level in levels)}."
    ]
    ceilings = [
        f"{table.ceilings[human, level]:.2f} ({LEVELS[level]})"
        for level in levels
        if not math.isnan(table.ceilings[human, level])
    ]
    if table.board.most_draws < DRAWS:
        about.append(f"At most {table.board.most_draws} resamples.")
    if ceilings:
        about.append(f"One annotator against the mean of the others: {', '.join(ceilings)}.")
    if claims:
        about += planned(table)
        about += [
            f"Over {LEVELS[level]}, {made:,} of {pairs:,} pairs of metrics differ significantly after"
            " correction for all of them."
            for level, (made, pairs) in table.claims().items()
        ]
    header = ["metric"]
    for level in reversed(levels):
        header += [f"{LEVELS[level]} [95%]", "planned", "cluster"]
    header.append("s per 1,000 texts")
    lines = []
    for line in table.lines:
        cells = [shown_name(line)]
        for level in reversed(levels):
            place = line.places.get(level)
            cells += [
                agreement(line.values.get((human, level), Value())),
                verdicts(table, line, level),
                "" if place is None else f"{place.cluster}{'' if place.beaten else ' •'}",
            ]
        lines.append([*cells, _cost(line)])
    labels = ", ".join(f"`{label}`" for label in table.undefined)
    undefined = (
        [f"Without a value (the same for all texts, or without a score for most): {labels}."]
        if labels
        else []
    )
    return [" ".join(about), study.table(header, lines), *undefined]


def compared(table: Table, line: Line, level: str) -> dict[str, int]:
    """The verdict on a metric against random numbers (R), the length (L), BLEU (B) and the best of its class (C)."""
    named = {RANDOM: "R", LENGTH: "L", **dict.fromkeys(BLEUS, "B")}
    found: dict[str, int] = {}
    for other, one in line.planned.get(level, {}).items():
        if other in named:
            found[named[other]] = one.verdict
        if other == table.best.get(line.metric):
            found["C"] = one.verdict
    return {letter: found[letter] for letter in "RLBC" if letter in found}


def verdicts(table: Table, line: Line, level: str) -> str:
    """The letters of what a metric is significantly better than, and with a minus of what is better than it."""
    found = compared(table, line, level)
    shown = [{1: letter, -1: f"-{letter}"}[verdict] for letter, verdict in found.items() if verdict]
    return " ".join(shown) or ("none" if found else "")


def planned(table: Table) -> list[str]:
    """One sentence per level on the planned comparisons."""
    sentences = []
    for level, pairs in table.families.items():
        each = [compared(table, line, level) for line in table.lines]
        parts = []
        for letter, name in {"R": RANDOM, "L": LENGTH, "B": "BLEU", "C": "the best of their class"}.items():
            known = [one[letter] for one in each if letter in one]
            if known:
                parts.append(
                    f"{known.count(1)} of {len(known)} metrics better and {known.count(-1)} worse than {name}"
                )
        if parts:
            sentences.append(
                f"Planned comparisons over {LEVELS[level]}, corrected only for these {pairs} pairs:"
                f" {'; '.join(parts)}."
            )
    best = sorted({f"`{label}`" for label in table.best.values()})
    return [*sentences, f"Best of a class on other data: {', '.join(best)}."] if best else sentences


def title(table: Table, level: str) -> str:
    """The coefficient and the level of a column."""
    return f"{COEFFICIENTS[table.board.coefficients[level]]} over {LEVELS[level]}"


def shown_name(line: Line) -> str:
    """A metric, with the mark of those that have no direction."""
    return f"`{line.metric}`" + ("" if line.directed or line.metric == RANDOM else " ±")


def agreement(one: Value) -> str:
    """A coefficient with its interval; nothing where there is none."""
    if math.isnan(one.value):
        return ""
    found = f"{one.value:.2f}" if math.isnan(one.low) else f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
    return found if not math.isnan(one.ranked) else f"{found} on {one.defined:.0%} of inputs"


def _cost(line: Line) -> str:
    return "" if not line.seconds else f"{line.seconds:.2g}" if line.seconds < 100 else f"{line.seconds:.0f}"
