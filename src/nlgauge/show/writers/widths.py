"""The widths of the columns of a table, and the breaks of names: at their joints, so that a table fits a
terminal and its words stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells

# A name may break after these, and before a bracket.
_JOINT = re.compile(r"(?<=[-_./,:;|@ ])(?=[^-_./,:;|@ ])|(?<=[^( ])(?=\()")
_WORD = re.compile(r"\s*\S+\s*|\s+")


def pieces(text: str) -> list[str]:
    """Return the parts between which a name may break.

    >>> pieces("de.Facebook-AI"), pieces("chrf(char_order=3, beta=2)")
    (['de.', 'Facebook-', 'AI'], ['chrf', '(char_', 'order=3, ', 'beta=2)'])
    """
    return _JOINT.split(text)


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text of this width: broken between words, else at the joints of a word, and
    inside words only as a last resort.

    >>> wrapped("the online-Facebook-AI", 12)
    ['the online-', 'Facebook-AI']
    """
    lines = [""]
    for word in _WORD.findall(text):
        for piece in [word] if cell_len(word.rstrip()) <= width else pieces(word):
            if cell_len(lines[-1] + piece.rstrip()) <= width:
                lines[-1] += piece
            elif cell_len(piece.rstrip()) <= width:
                lines.append(piece)
            else:
                lines += chop_cells(piece, width)
    return [line.rstrip() for line in lines if line.strip()] or [""]


def shortened(text: str, width: int) -> str:
    """Return a word that is wider than this without its middle.

    >>> shortened("averylongname", 8)
    'aver…ame'
    """
    if cell_len(text) <= width:
        return text
    head = (width - 1) - (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1) // 2 :]}"


def widths(natural: Sequence[int], floors: Sequence[Sequence[int]], room: int) -> list[int]:
    """Return the width of each column: its natural width, or the widest columns reduced first, down to each
    of the floors in turn, as far as needed.
    """
    found = list(natural)
    for floor in floors:
        while sum(found) > room:
            loose = [i for i, width in enumerate(found) if width > floor[i]]
            if not loose:
                break
            found[max(loose, key=lambda i: found[i])] -= 1
    return found
