"""Annotation: collect ratings of people in the browser, in a directory that survives a crash, for
`nlgauge meta` and `nlgauge rank`.

>>> from nlgauge import annotate
>>> [question.id for question in annotate.protocol_of("likert", ["tone", "length"]).questions]
['tone', 'length']
"""

from nlgauge._core.public import public

__getattr__, __dir__, __all__ = public(__name__, __file__)
