"""The scores of the InfoLM document: all measures from one reading per temperature, and the baselines.

The paper gives no grids. Temperatures are spaced around its best range, 1 to 2, and each measure has the values of
alpha and beta for which it is defined. Texts are lower-cased, because systems differ in casing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.settings import Settings

BERT = "bert-base-uncased"
TEMPERATURES = (0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0)
DEFAULT_TEMPERATURE = 1.0
# Measure at its default -> name in the paper.
MEASURES = {
    "fisher_rao": "R",
    "ab(0.5,0.5)": "D_AB",
    "alpha(0.5)": "D_alpha",
    "gamma(0.5)": "D_beta",
    "jeffreys": "JS",
    "kl": "KL",
    "l1": "L_1",
    "l2": "L_2",
    "l_infinity": "L_inf",
}
_NUMBERS = (-0.5, 0.25, 0.5, 0.75, 1.25, 1.5, 2.0)
GRIDS = {
    "D_AB": tuple(f"ab({a:g},{b:g})" for a, b in product(_NUMBERS, repeat=2) if a + b),
    "D_alpha": tuple(f"alpha({a:g})" for a in _NUMBERS),
    "D_beta": tuple(f"gamma({b:g})" for b in _NUMBERS),
}
# Baselines that need no model.
STRINGS = ("bleu", "rouge", "meteor", "ter", "cder", "eed", "character", "chrf")
_DIGITS = 4


def lowered(benchmark: Benchmark) -> Benchmark:
    """Return the benchmark with lower-cased texts."""
    rows = [
        replace(
            row,
            prediction=None if row.prediction is None else row.prediction.lower(),
            references=tuple(text.lower() for text in row.references),
        )
        for row in benchmark.rows
    ]
    return replace(benchmark, rows=tuple(rows))


def measured(settings: Settings, benchmark: Benchmark, grids: bool = False) -> Judgments:
    """Return InfoLM's scores: MEASURE@TEMPERATURE, with weights of tokens idf.MEASURE, and with `grids` those of
    alpha and beta at the default temperature, grid.MEASURE.
    """
    model, _ = settings.model(BERT)
    points = tuple(dict.fromkeys(point for grid in GRIDS.values() for point in grid if point not in MEASURES))
    everywhere = f"measure={tuple(MEASURES)!r}"
    metrics = [
        f"all=infolm(model={model!r}, {everywhere}, temperature={TEMPERATURES!r})",
        f"idf=infolm(model={model!r}, {everywhere}, temperature={DEFAULT_TEMPERATURE}, idf=True)",
    ]
    first = {"all": f"{next(iter(MEASURES))}@{TEMPERATURES[0]:g}", "idf": next(iter(MEASURES))}
    if grids:
        metrics.append(f"grid=infolm(model={model!r}, measure={points!r}, temperature={DEFAULT_TEMPERATURE})")
        first["grid"] = points[0]
    return _named(settings.judged(benchmark, *metrics, name="infolm", digits=_DIGITS), first)


def _named(judged: Judgments, first: Mapping[str, str]) -> Judgments:
    """Return the scores of measures by name, without counts; the first output of a metric has the metric's
    label.
    """
    names = {
        label: (f"{label}.{first[label]}" if label in first else label).removeprefix("all.")
        for label in judged.metrics
        if judged.higher_is_better.get(label) is not None
    }
    return replace(
        judged,
        metrics={name: judged.metrics[label] for label, name in names.items()},
        higher_is_better={name: judged.higher_is_better[label] for label, name in names.items()},
        system_scores={},
    )
