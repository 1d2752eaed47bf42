"""Plots of results, explanations and studies, one function each.

Every function takes `ax`, an axes to draw on, and returns the axes that it drew on (an array if there are
several, which then take the place of `ax`). Without `ax` a new figure is made, which a notebook shows.
`save(axes, "figure.pdf")` writes it: reproducibly, with text as text, and with the description in words that
`alt(axes)` returns.

Needs matplotlib: pip install "nlgauge[plot]"; it is imported at the first use of a plot.
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(__name__, __file__)
