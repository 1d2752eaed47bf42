"""Corpora: `Corpus` stores predictions, references and sources of all supported forms of input.

The class is imported at its first use, because a metric does not need it.
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(__name__, __file__)
