"""Chapter 4's automatic means by several definitions, and the effect of length, which the chapter does not mention."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.meta.benchmarks import Benchmark, BenchmarkRow
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Verdict
from nlgauge.reproduce.tables import interval
from nlgauge.reproduce.verdicts import difference_verdict, of_all

# Row of Figure 4.3 -> function of textstat.
_TEXTSTAT = {
    "Gunning Fog Index": "gunning_fog",
    "Flesch-Kincaid": "flesch_kincaid_grade",
    "Coleman-Liau Index": "coleman_liau_index",
}
_SHORTER = ("succinctness", "factualness")


def released_abstractness(prediction: str, reference: str) -> float:
    """Return abstractness as the released program defines it: the share of words that are no substring of the
    reference; words are separated by single spaces.

    >>> released_abstractness("a cat sat", "the cats")
    0.3333333333333333
    """
    words = prediction.split(" ")
    return sum(word not in reference for word in words) / len(words)


def released_repetitiveness(prediction: str) -> float:
    """Return repetitiveness as the released program computes it, divided by 100: the numbers of words and of
    repeated word types, added, and divided by 10.

    >>> released_repetitiveness("a cat and a dog")
    0.006
    """
    words = prediction.split(" ")
    repeated = sum(number > 1 for number in Counter(words).values())
    return (len(words) + repeated) / 1000


def definitions(rows: Sequence[BenchmarkRow], means: Mapping[str, float], settings: Settings) -> Table:
    """Return the means of one system by the definitions of nlgauge, of the released program and of textstat.

    `means` are the means by nlgauge's definitions, by row of Figure 4.3.
    """
    texts = [row.prediction or "" for row in rows]
    pooled = [
        (len(words), sum(word not in row.references[0] for word in words))
        for row, words in zip(rows, (text.split(" ") for text in texts), strict=True)
    ]
    released = {
        "Abstractness": sum(novel for _, novel in pooled) / sum(count for count, _ in pooled),
        "Repetitiveness": float(np.mean([released_repetitiveness(text) for text in texts])),
    }
    found = settings.keep("textstat", lambda: _textstat(texts))
    table = printed("thesis-figure-4-3")
    return Table(
        "definitions",
        "Figure 4.3",
        "Automatic means by definition",
        f"means over {len(rows)} texts",
        rows=[
            {
                "metric": name,
                "printed": table.value(name, "value"),
                "nlgauge": value,
                "released program": released.get(name),
                "textstat": found["means"].get(name),
            }
            for name, value in means.items()
        ],
        remarks=[
            "The released abstractness is pooled over words, and the released repetitiveness divided by 100.",
            f"textstat {found['version']}." if found["version"] else "textstat is not installed.",
        ],
    )


def _textstat(texts: Sequence[str]) -> dict[str, Any]:
    """Return textstat's means by row of Figure 4.3; empty if it is not installed."""
    if find_spec("textstat") is None:
        return {"version": "", "means": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counting = import_module("textstat").textstat
    means = {name: np.mean([getattr(counting, of)(text) for text in texts]) for name, of in _TEXTSTAT.items()}
    return {"version": version("textstat"), "means": means}


def length_verdict(benchmark: Benchmark, system: str, settings: Settings) -> Verdict:
    """Return the verdict that long summaries of a system are rated lower."""
    chosen = replace(benchmark, rows=tuple(row for row in benchmark.rows if row.system == system))
    judged = chosen.judgments()
    words: Array = np.full((1, len(judged.segments)), np.nan)
    for row in chosen.rows:
        words[0, judged.segments.index(row.segment)] = len((row.prediction or "").split())
    long = replace(judged, metrics={"words": words}, higher_is_better={"words": True})
    parts, verdicts = [], []
    for human in _SHORTER:
        found = _correlation(long, human, settings)
        verdicts.append(difference_verdict(-found["high"], -found["low"]))
        parts.append(f"words with {human} {interval((found['value'], found['low'], found['high']))}")
    return Verdict(
        of_all(verdicts),
        "; ".join(parts),
        f"Pearson correlation over the texts of {system}, 95% interval over texts",
    )


def _correlation(judged: Judgments, human: str, settings: Settings) -> Mapping[str, Any]:
    (row,) = judged.correlate(
        "global", "pearson", human, interval="inputs", resamples=settings.resamples, seed=settings.seed
    )
    return row
