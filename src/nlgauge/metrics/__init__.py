"""One small file per metric, with its card beside it; and the names that `nlgmetricverse.metrics` has, such
as `Rouge`, with `construct`.

>>> from nlgauge.metrics import Wer
>>> Wer.construct(lowercase=True).compute(["A cat"], ["a cat"])["wer"]["score"]
0.0
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        from nlgauge.compat import nlgmetricverse

        if name in nlgmetricverse.__all__ or name[0].isupper():
            return getattr(nlgmetricverse, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
