"""How explanations look in a terminal: one renderer per type of explanation. Colour helps, but every mark is there without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import zip_longest

import numpy as np
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from nlgauge.corpus.columns import Array
from nlgauge.explain import Alignment, Distributions, Edits, Explanation, Guesses, NgramMatches, TokenScores, Transport, WordAlignment, WordGroups
from nlgauge.terminal.text import visible

_SHADES = ("bold red", "red", "yellow", "green", "bold green")
_MARKS = {"equal": "", "replace": "S", "delete": "D", "insert": "I", "shift": "", "jump": "J"}
_STYLES = {"equal": "", "replace": "yellow", "delete": "red", "insert": "cyan", "shift": "magenta", "jump": "magenta"}


@singledispatch
def render(explanation: Explanation) -> RenderableType:
    """The explanation as something that rich prints; its title alone if its type has no renderer."""
    return _title(explanation)


@render.register
def _(explanation: NgramMatches) -> RenderableType:
    highest = max([1, *explanation.longest])
    stacks = [
        _stack([token, str(longest) if longest else "."], _shade(longest / highest) if longest else "dim red")
        for token, longest in zip(explanation.tokens, explanation.longest, strict=True)
    ]
    note = Text('Below each token: length of the longest matched n-gram containing it ("." = no match).', style="dim")
    return Group(_title(explanation), Stacks(["prediction", "matched"], stacks), note, _orders(explanation))


@render.register
def _(explanation: Edits) -> RenderableType:
    stacks = []
    counts = dict.fromkeys(_MARKS, 0)
    shifts = []
    for edit in explanation.edits:
        if edit.kind == "shift":
            counts["shift"] += 1
            shifts.append(Text(f"shift {counts['shift']}: {visible(' '.join(edit.prediction))}  to place {edit.target}", style=_STYLES["shift"]))
        elif edit.kind == "jump":
            counts["jump"] += 1
            stacks.append(_stack([None, f">{edit.target}", _MARKS["jump"]], _STYLES["jump"]))
        for reference, prediction in zip_longest(edit.reference, edit.prediction) if edit.kind != "shift" else ():
            counts[edit.kind] += 1
            stacks.append(_stack([reference, prediction, _MARKS[edit.kind]], _STYLES[edit.kind]))
    counted = f"{counts['replace']} substituted (S), {counts['delete']} deleted (D), {counts['insert']} inserted (I), {counts['equal']} equal"
    counted += f", {counts['shift']} shifted" * (counts["shift"] > 0) + f", {counts['jump']} jumped (J)" * (counts["jump"] > 0)
    return Group(_title(explanation), *shifts, Stacks(["reference", "prediction", "edits"], stacks), Text(counted))


@render.register
def _(explanation: Alignment) -> RenderableType:
    if not explanation.prediction or not explanation.reference:
        return Group(_title(explanation), Text("One of the two texts has no tokens, so there is nothing to align."))
    forward = _matches("prediction", explanation.prediction, explanation.reference, explanation.similarity, explanation.prediction_weights)
    backward = _matches("reference", explanation.reference, explanation.prediction, explanation.similarity.T, explanation.reference_weights)
    return Group(
        _title(explanation),
        Text("Each token of the prediction with the nearest token of the reference (precision):", style="dim"),
        forward,
        Text("Each token of the reference with the nearest token of the prediction (recall):", style="dim"),
        backward,
    )


@render.register
def _(explanation: Transport) -> RenderableType:
    """Each token of the prediction above the tokens that it moves to; the most expensive moves are red."""
    moved = explanation.plan * explanation.cost
    most = moved.max(initial=0.0) or 1.0
    stacks = []
    for i, token in enumerate(explanation.prediction):
        for j in np.flatnonzero(explanation.plan[i] > 1e-9):
            cells = [token, explanation.reference[j], f"{explanation.plan[i, j]:.3f}", f"{explanation.cost[i, j]:.2f}", f"{moved[i, j]:.4f}"]
            stacks.append(_stack(cells, _shade(1 - moved[i, j] / most)))
    note = Text(f"For each move: its share of the mass, the cost per unit, and their product. The products sum to {moved.sum():.4f}.", style="dim")
    return Group(_title(explanation), Stacks(["prediction", "reference", "mass", "cost", "product"], stacks), note)


@render.register
def _(explanation: Distributions) -> RenderableType:
    table = _table("token", "prediction", "reference", "difference")
    for token, predicted, expected in explanation.differences:
        style = "cyan" if predicted > expected else "red"
        numbers = [f"{predicted:.4f}", f"{expected:.4f}", f"{predicted - expected:+.4f}"]
        table.add_row(*(Text(visible(cell), style=style) for cell in (token, *numbers)))
    note = Text(f"The tokens whose probabilities differ most; together {100 * explanation.covered:.1f} % of the total difference.", style="dim")
    below = Text("Below each token: its probability, then the most likely tokens at this position.", style="dim")
    return Group(
        _title(explanation), table, note, below, _guesses("prediction", explanation.prediction), _guesses("reference", explanation.reference)
    )


@render.register
def _(explanation: TokenScores) -> RenderableType:
    names = list(explanation.values)
    first = np.array(explanation.values[names[0]]) if names else np.zeros(len(explanation.tokens))
    shares = (first - first.min(initial=0.0)) / (np.ptp([0.0, *first]) or 1.0)
    stacks = [
        _stack([token, *(f"{explanation.values[name][i]:.2f}" for name in names)], _shade(1 - shares[i]))
        for i, token in enumerate(explanation.tokens)
    ]
    totals = _table("", "total", "mean")
    for name in names:
        total, count = sum(explanation.values[name]), len(explanation.tokens)
        totals.add_row(Text(visible(name)), f"{total:.4f}", f"{total / count:.4f}" if count else "n/a")
    return Group(_title(explanation), Stacks(["token", *names], stacks), totals)


@render.register
def _(explanation: WordGroups) -> RenderableType:
    table = _table("", "number")
    table.add_column("words")
    for name, words in explanation.groups.items():
        table.add_row(Text(visible(name)), str(len(words)), Text(visible(" ".join(words))))
    return Group(_title(explanation), table)


@render.register
def _(explanation: WordAlignment) -> RenderableType:
    reasons = {p: (r, reason, chunk) for (p, r, reason), chunk in zip(explanation.matches, explanation.chunks, strict=True)}
    stacks = []
    for p, word in enumerate(explanation.prediction):
        if p in reasons:
            r, reason, chunk = reasons[p]
            stacks.append(_stack([word, explanation.reference[r], reason, str(chunk)], "green" if reason == "exact" else "yellow"))
        else:
            stacks.append(_stack([word, None, None, None], "dim red"))
    matched = {r for _, r, _ in explanation.matches}
    missed = [word for r, word in enumerate(explanation.reference) if r not in matched]
    note = f"{len(explanation.matches)} matches in {max(explanation.chunks, default=0)} chunks; unmatched in the reference: "
    note += " ".join(map(visible, missed)) or "nothing"
    return Group(_title(explanation), Stacks(["prediction", "reference", "match", "chunk"], stacks), Text(note))


@dataclass(frozen=True)
class Stacks:
    """Columns of cells, set side by side and broken into blocks that fit the width; each row begins with its name."""

    names: Sequence[str]
    stacks: Sequence[Sequence[Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        heads = [visible(name) for name in self.names]
        margin = max(cell_len(head) for head in heads) + 2
        # Characters need no gap between them, words do.
        gap = 0 if all(len(cell) <= 1 for stack in self.stacks for cell in stack) else 1
        for block in self._blocks(max(20, options.max_width - margin), gap):
            for row, head in enumerate(heads):
                line = Text(no_wrap=True, overflow="ignore").append(head + " " * (margin - cell_len(head)), style="dim")
                for width, stack in block:
                    line.append_text(stack[row])
                    line.append(" " * (width + gap - stack[row].cell_len))
                line.rstrip()
                yield line
            yield Text("")

    def _blocks(self, width: int, gap: int) -> Iterator[list[tuple[int, Sequence[Text]]]]:
        block: list[tuple[int, Sequence[Text]]] = []
        used = 0
        for stack in self.stacks:
            needed = max(cell.cell_len for cell in stack)
            if block and used + needed > width:
                yield block
                block, used = [], 0
            block.append((needed, stack))
            used += needed + gap
        if block or not self.stacks:
            yield block


def _stack(cells: Sequence[str | None], style: str) -> list[Text]:
    """The cells of one stack; a missing cell is shown as a dash, a space as an underscore."""
    return [Text("-" if cell is None else visible(cell).replace(" ", "_"), style=style) for cell in cells]


def _matches(name: str, ours: list[str], theirs: list[str], similarity: Array, weights: Array) -> Stacks:
    best = similarity.argmax(axis=1)
    weighted = len(set(np.round(weights, 6).tolist())) > 1
    stacks = []
    for i, token in enumerate(ours):
        cosine = float(similarity[i, best[i]])
        cells = [token, theirs[best[i]], f"{cosine:.2f}", *([f"{weights[i]:.2f}"] if weighted else [])]
        stacks.append(_stack(cells, _shade(cosine) if weights[i] else "dim"))
    return Stacks([name, "nearest", "cosine", *(["weight"] if weighted else [])], stacks)


def _guesses(name: str, places: list[Guesses]) -> Stacks:
    shown = 3
    stacks = []
    for place in places:
        likeliest = [f"{token} {probability:.2f}" for token, probability in place.likeliest[:shown]]
        cells = [place.token, f"{place.probability:.2f}", *likeliest, *[None] * (shown - len(likeliest))]
        stacks.append(_stack(cells, _shade(place.probability)))
    return Stacks([name, "probability", *(f"guess {i}" for i in range(1, shown + 1))], stacks)


def _orders(explanation: NgramMatches) -> Table:
    """The counts of each order: what of the prediction is not matched or, where the reference is counted too, what of the reference is missed."""
    without = any(order.expected is None for order in explanation.orders)
    expects = any(order.expected is not None for order in explanation.orders)
    headers = [*(["not matched"] if without else []), *(["expected", "recall", "missed"] if expects else [])]
    table = _table("", "matched", "predicted", "precision", *headers)
    for order in explanation.orders:
        cells = [f"{order.matched:g}", f"{order.predicted:g}", _share(order.matched, order.predicted)]
        if without:
            cells.append(f"{order.predicted - order.matched:g}" if order.expected is None else "")
        if expects and order.expected is not None:
            cells += [f"{order.expected:g}", _share(order.matched, order.expected), f"{order.expected - order.matched:g}"]
        table.add_row(Text(visible(order.name)), *cells)
    return table


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "n/a"


def _table(*headers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="right" if i else "left", no_wrap=i > 0)
    return table


def _shade(share: float) -> str:
    """A style from bad (0) to good (1)."""
    return _SHADES[min(max(int(share * len(_SHADES)), 0), len(_SHADES) - 1)]


def _title(explanation: Explanation) -> Text:
    return Text(visible(explanation.title), style="bold")
