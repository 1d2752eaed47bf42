"""The calls of NLG-Metricverse and Jury, as in the NLG-Metricverse thesis and in the published packages.

Scores are those of nlgauge: directions, scales, empty texts and several references follow the card of each
metric, nothing is dropped from the lists, and a call returns a plain dictionary. What `load_metric` returns
can be used in `nlgauge.score` as well. Metric classes such as `Rouge` are here too, with `construct`.

>>> from nlgauge.compat.nlgmetricverse import Wer
>>> Wer.construct(lowercase=True).compute(["A cat"], ["a cat"])["wer"]["score"]
0.0
"""

from typing import Any

from nlgauge._core.public import public

_get, __dir__, __all__ = public(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name in __all__ or not name[0].isupper():
        return _get(name)
    from nlgauge.compat.nlgmetricverse.loading import named_metric

    return named_metric(name) or _get(name)
