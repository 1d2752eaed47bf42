"""nlgauge: how good generated text is, how sure one can be of it, and why.

>>> import nlgauge
>>> result = nlgauge.score(["the cat sat on the mat"], ["the cat sat on the mat"], metrics=["bleu", "rouge"])
>>> result["rouge"]["rouge1"]
1.0
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(
    __name__, __file__, moved_to="compat.nlgmetricverse", packages=("meta", "plots", "preferences")
)
