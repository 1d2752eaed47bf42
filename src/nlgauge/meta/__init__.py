"""Meta-evaluation: how well metrics agree with people, whether one is better than another, and what that
claim generalizes to.

>>> from nlgauge.meta import pearson
>>> round(float(pearson([1, 2, 3, 4], [1, 3, 2, 4])), 3)
0.8
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(__name__, __file__)
