"""Corpora: texts of systems, references and sources, and everything that reads them; see `nlgauge.corpus.corpus`.

The class is imported at its first use: a reward needs no corpus before it is called.
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(__name__, __file__)
