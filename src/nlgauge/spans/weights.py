"""Weights of errors: the rule with the longest name decides, and the score of a text is minus their sum.

    severity=weight                          major=5
    severity/category=weight                 major/non-translation!=25
    severity/category/subcategory=weight     minor/fluency/punctuation=0.1

A score is minus the sum of the weights of a text, so that 0 is a text without errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.spans.columns import Spans
from nlgauge.stats.arrays import mean_of_known

LEVELS = ("segment", "system")
PER = "100 words"
_WORDS = 100


@dataclass(frozen=True)
class Weights:
    """Rules of weights; at most `most` per text, and only the `worst` errors of a text if it is set."""

    rules: Mapping[str, float]
    most: float = math.inf
    worst: int | None = None

    def weight(self, severity: str, category: str) -> float:
        """Return the weight of an error; raise InputError if no rule fits."""
        levels = [severity, *category.split("/")] if category else [severity]
        for length in range(len(levels), 0, -1):
            rule = "/".join(levels[:length])
            if rule in self.rules:
                return self.rules[rule]
        raise InputError(
            f"severity {severity!r:.60} has no weight",
            python=f"pass weights={{..., {severity!r:.60}: 5}}",
            cli=f"add it to the weights, such as --weights mqm,{severity:.60}=5",
        )


_MQM = {
    "major": 5.0,
    "minor": 1.0,
    "neutral": 0.0,
    "major/non-translation!": 25.0,
    "minor/fluency/punctuation": 0.1,
}
WEIGHTS: Mapping[str, Weights] = {
    "mqm": Weights(_MQM),
    "sqm25": Weights(_MQM, most=25.0),
    "xcomet": Weights({"critical": 10.0, "major": 5.0, "minor": 1.0}, most=25.0),
    "gemba": Weights({"critical": 25.0, "major": 5.0, "minor": 1.0}, most=25.0, worst=5),
}


def weights_of(weights: str | Mapping[str, float] | Weights) -> Weights:
    """Return weights by name, from rules, or from a text such as "mqm,critical=10".

    >>> weights_of("mqm,critical=10").weight("critical", "style")
    10.0
    >>> weights_of("High=5,Low=1").rules
    {'High': 5.0, 'Low': 1.0}
    """
    if isinstance(weights, Weights):
        return weights
    if not isinstance(weights, str):
        return Weights({rule: _checked(rule, value) for rule, value in weights.items()})
    first, *rest = [part.strip() for part in weights.split(",")]
    base = Weights({})
    if "=" in first:
        rest = [first, *rest]
    elif first in WEIGHTS:
        base = WEIGHTS[first]
    else:
        raise ParameterError(no_such("weights", first, WEIGHTS))
    rules = dict(base.rules)
    for part in rest:
        rule, equals, value = part.rpartition("=")
        if not equals or not rule:
            raise ParameterError(f"a weight is SEVERITY=NUMBER, got {part!r:.60}.")
        rules[rule] = _checked(rule, value)
    return replace(base, rules=rules)


def _checked(rule: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(value, bool):
        raise ParameterError(f"the weight of {rule!r:.60} must be a number, got {value!r:.60}.")
    return number


def score(
    spans: Spans | Sequence[Spans],
    weights: str | Mapping[str, float] | Weights = "mqm",
    level: str = "segment",
    per: str | None = None,
) -> Array:
    """Score texts by the weights of their errors.

    Parameters
    ----------
    spans : Spans or sequence of Spans
        Spans of one or several annotators on the same texts. The score of a text is the mean over its annotators.
    weights : str, mapping or Weights, default "mqm"
        Name of weights ("mqm", "sqm25", "xcomet", "gemba"), a text such as "mqm,critical=10", or weights by rule.
    level : {"segment", "system"}
        Scores of texts, or their means by system.
    per : {"100 words"}, optional
        Divide the sum of the weights by the number of words of the text, times 100.

    Returns
    -------
    ndarray of shape (S, N) or (S,)
        Scores, 0 is best; NaN if a text was not read.

    Raises
    ------
    InputError
        If an error has no weight, or the texts are unknown and `per` needs them.
    ParameterError
        If an option is invalid.

    Notes
    -----
    "mqm" are the weights of google/wmt-mqm-human-evaluation. "gemba" counts the worst five errors, as GEMBA-MQM does.
    """
    if level not in LEVELS:
        raise ParameterError(no_such("level", level, LEVELS))
    if per not in (None, PER):
        raise ParameterError(f"per must be {PER!r} or None, got {per!r:.60}.")
    several = [spans] if isinstance(spans, Spans) else list(spans)
    if not several:
        raise InputError("spans of at least one annotator are needed.")
    rules = weights_of(weights)
    by_annotator = np.stack([_of_one(each, rules, per) for each in several], axis=-1)
    scores = mean_of_known(by_annotator)
    return scores if level == "segment" else mean_of_known(scores)


def _of_one(spans: Spans, rules: Weights, per: str | None) -> Array:
    """Return the scores of the texts of one annotator."""
    weights = np.zeros(len(spans))
    codes = spans.severity.astype(np.int64) * max(1, len(spans.categories)) + spans.category
    kinds, places = np.unique(codes, return_inverse=True)
    values = [
        rules.weight(
            spans.severities[kind // len(spans.categories)], spans.categories[kind % len(spans.categories)]
        )
        for kind in kinds.tolist()
    ]
    if len(kinds):
        weights = np.array(values)[places]
    weights[spans.continues] = 0.0
    owners = spans.owners
    if rules.worst is not None:
        order = np.lexsort((-weights, owners))
        ranks = np.arange(len(order)) - spans.offsets[owners[order]]
        weights[order[ranks >= rules.worst]] = 0.0
    sums = np.bincount(owners, weights, len(spans.offsets) - 1).reshape(spans.looked.shape)
    # 0.0 is added, because a score of minus zero would be printed.
    scores = np.where(spans.looked, -np.minimum(sums, rules.most) + 0.0, np.nan)
    return scores if per is None else scores / _words(spans) * _WORDS


def _words(spans: Spans) -> Array:
    """Return the number of words of each text; NaN without words."""
    if spans.texts is None:
        raise InputError("a score per 100 words needs the texts of the systems; read the spans with texts.")
    counts = np.array(
        [[np.nan if text is None else len(text.split()) for text in row] for row in spans.texts.targets],
        float,
    ).reshape(spans.looked.shape)
    return np.where(counts > 0, counts, np.nan)
