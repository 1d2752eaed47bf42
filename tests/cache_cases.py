"""What the tests of the cache of statistics share: a package with costly metrics that note what they
compute, and what a result says of the cache.
"""

from __future__ import annotations

from nlgauge.engine.cache import CACHED
from nlgauge.results.result import Result

PLUG_IN = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.errors import RowError
from nlgauge.metric import Metric, Output, register

COMPUTED = []


class Lengths(Metric):
    """How many characters the texts of a row have; every row that is computed is noted."""

    costly: ClassVar[bool] = True

    def outputs(self):
        return {"lengths": (Output("lengths", True),), "words": (Output("words", True),)}

    def statistics(self, view, fitted):
        rows = []
        for i in range(len(view)):
            references = [] if view.references is None else [view.text(text) for text in view.references[i]]
            sources = [] if view.sources is None else [view.text(view.sources[i])]
            texts = (view.text(view.predictions[i]), *references, *sources)
            if "refuse" in texts[0]:
                raise RowError("cannot be scored", i, texts)
            COMPUTED.append(texts)
            rows.append([np.nan if "nothing" in texts[0] else float(sum(map(len, texts))), 1.0])
        found = np.array(rows).reshape(-1, 2)
        return {"lengths": found, "words": np.column_stack([found, found[:, 0]])}

    def score(self, part, statistics):
        return {part: statistics[..., 0] / statistics[..., 1]}


@register
@dataclass(frozen=True)
class Pair(Lengths):
    scale: float = 1.0
    name: ClassVar[str] = "own_pair"


@register
@dataclass(frozen=True)
class Joint(Lengths):
    name: ClassVar[str] = "own_joint"
    takes: ClassVar[str] = "joint"
    source: ClassVar[bool] = True


@register
@dataclass(frozen=True)
class Cheap(Lengths):
    name: ClassVar[str] = "own_cheap"
    costly: ClassVar[bool] = False
'''


def cached(result: Result) -> int:
    """How many rows came from the cache."""
    return int(result.costs.used.get(CACHED, 0))
