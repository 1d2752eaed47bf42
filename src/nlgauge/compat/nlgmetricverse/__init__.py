"""Interface of NLG-Metricverse and Jury, as in the NLG-Metricverse thesis and the published packages.

The scores are the scores of nlgauge: directions, scales, empty texts and several references follow the card of each
metric, no item of a list is dropped, and a call returns a plain dictionary. `nlgauge.score` also accepts metrics that
`load_metric` returns. The module also has metric classes such as `Rouge`, with the method `construct`.

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
