"""A strip in a terminal: stacks of cells side by side, broken into blocks that fit the width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from nlgauge._core.page import Cell, Strip, Tone
from nlgauge._core.safe_text import visible

Stack = Sequence[Text]


def strip_lines(strip: Strip, width: int, styles: Mapping[Tone, str]) -> Iterator[Text]:
    """Yield the lines of the strip; each begins with its name, and an empty line follows each block.

    A space within a cell is an underscore.
    """
    heads = [visible(name) for name in strip.names]
    margin = max(cell_len(head) for head in heads) + 2
    stacks = [[_text(cell, styles) for cell in stack] for stack in strip.stacks]
    # Characters need no gap between them, words do.
    gap = 0 if all(len(cell) <= 1 for stack in stacks for cell in stack) else 1
    for block in _blocks(stacks, max(20, width - margin), gap):
        for row, head in enumerate(heads):
            line = Text(no_wrap=True, overflow="ignore").append(
                head + " " * (margin - cell_len(head)), style="dim"
            )
            for wide, stack in block:
                line.append_text(stack[row])
                line.append(" " * (wide + gap - stack[row].cell_len))
            line.rstrip()
            yield line
        yield Text("")


def _text(cell: Cell, styles: Mapping[Tone, str]) -> Text:
    return Text(visible(cell.text).replace(" ", "_"), style=styles[cell.tone])


def _blocks(stacks: Sequence[Stack], width: int, gap: int) -> Iterator[list[tuple[int, Stack]]]:
    block: list[tuple[int, Stack]] = []
    used = 0
    for stack in stacks:
        needed = max(cell.cell_len for cell in stack)
        if block and used + needed > width:
            yield block
            block, used = [], 0
        block.append((needed, stack))
        used += needed + gap
    if block or not stacks:
        yield block
