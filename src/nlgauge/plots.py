"""Plots of results, explanations and studies: each takes `ax`, an axes of yours, and returns the axes it drew
on (an array where there are several).

Needs matplotlib: pip install "nlgauge[plot]"; it is imported when the first plot is asked for. `save(axes,
"figure.pdf")` writes what was drawn: reproducibly, with text as text, and with a sentence for those who do
not see it (`alt(axes)`).
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(__name__, __file__)
