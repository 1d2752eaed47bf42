"""The step of chapter 4: its tables and figures.

The thesis' automatic means are of 999 texts that are not public; here they are of the 30 public texts of the
same system, so they can be inside an interval and rarely equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nlgauge import plots
from nlgauge.compat.nlgmetricverse.loading import load_metric
from nlgauge.errors import NlgaugeError
from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.diagnostics.annotators import pairwise_kendall
from nlgauge.meta.diagnostics.between import between_metrics
from nlgauge.meta.diagnostics.costs import cost
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Picture, labeled
from nlgauge.reproduce.tables import mean_interval
from nlgauge.reproduce.thesis.claims import verdicts
from nlgauge.reproduce.thesis.study import (
    ABSTRACTNESS,
    BARTSCORE,
    BASELINE,
    BERTSCORE,
    DIMENSIONS,
    STAND_IN,
    SYSTEM,
    available,
    correlations,
    first_outputs,
    mean_kendall,
    named,
)
from nlgauge.reproduce.thesis.texts import definitions, released_abstractness, released_repetitiveness
from nlgauge.reproduce.verdicts import Computed

# Row of Figure 4.3 -> metric, output and the reason why its value differs from print.
_ROWS = {
    "ROUGE-1": ("rouge", "rouge1", "data"),
    "ROUGE-2": ("rouge", "rouge2", "data"),
    "ROUGE-L": ("rouge", "rougeL", "data"),
    "Gunning Fog Index": ("gunning_fog", "score", "definition"),
    "Flesch-Kincaid": ("flesch_kincaid", "score", "definition"),
    "Coleman-Liau Index": ("coleman_liau", "score", "definition"),
}
_TEXTS = "30 of 999 texts"
_STRINGS = (
    "rouge",
    ABSTRACTNESS,
    "repetitiveness",
    "gunning_fog",
    "flesch_kincaid",
    "coleman_liau",
)
# Row of Figure 4.3 -> metric, output by the definitions of nlgauge.
_DEFINED = {
    "Abstractness": (ABSTRACTNESS, ""),
    "Repetitiveness": ("repetitiveness", ""),
    **{name: (metric, output) for name, (metric, output, why) in _ROWS.items() if why == "definition"},
}
_POWER = (
    "With 30 texts a correlation differs significantly from 0 at 5% only above .36 in magnitude, and a true"
    " correlation of .49 is needed to show that in 80 of 100 studies."
)


def compute(settings: Settings) -> Answer:
    """Return the tables, figures and claims of the chapter."""
    benchmark = settings.benchmark("cdsr_cogito")
    models = {
        name: spec for name, spec in (("BERTScore", BERTSCORE), ("BARTScore", BARTSCORE)) if available(spec)
    }
    specs: list[Any] = [*_STRINGS, *models.values()]
    if "BERTScore" not in models and available(STAND_IN):
        specs.append(STAND_IN)
    # Without the cache, so that the times of Figure 4.1 are known.
    judged, seconds = settings.scored(benchmark, *specs, name="texts", cache=False)
    chosen = first_outputs(judged)
    system = chosen.taken(systems=np.array([benchmark.systems.index(SYSTEM)]))
    settings.say("correlating metrics with people")
    agreement = {
        "one": correlations(system, settings),
        "all": correlations(chosen, settings),
    }
    means = _means(judged, benchmark.systems.index(SYSTEM), settings)
    return Answer(
        {
            "thesis-figure-4-3": _figure_4_3(benchmark, means, models, settings),
            "thesis-section-4-2": _section_4_2(benchmark, seconds, models),
        },
        [
            definitions(
                [row for row in benchmark.rows if row.system == SYSTEM],
                {
                    name: means[_label(metric, output, means)][0]
                    for name, (metric, output) in _DEFINED.items()
                },
                settings,
            ),
            _table_a_1(),
            _human_table(benchmark, settings),
            _correlation_table(
                "rl", "Figure A.4", agreement["one"], "30 outputs of one system; texts are resampled"
            ),
            _correlation_table(
                "all", "Figure A.4", agreement["all"], "90 outputs of three systems; texts are resampled"
            ),
        ],
        _pictures(system, agreement["one"], seconds),
        verdicts(benchmark, system, agreement, settings),
        [
            "The human ratings are from the thesis. Its automatic means are of 999 texts that are not public;"
            " here they are of 30 texts of the same system.",
            _POWER,
        ],
    )


def _means(judged: Judgments, place: int, settings: Settings) -> dict[str, tuple[float, float, float]]:
    return {label: mean_interval(values[place], settings) for label, values in judged.metrics.items()}


def _figure_4_3(
    benchmark: Benchmark,
    means: Mapping[str, tuple[float, float, float]],
    models: Mapping[str, str],
    settings: Settings,
) -> dict[tuple[str, str], Computed]:
    place = benchmark.systems.index(SYSTEM)
    computed: dict[str, Computed] = {}
    for dimension in DIMENSIONS:
        computed[dimension] = Computed(*mean_interval(benchmark.human(dimension)[place], settings), n=30)
    rows = [row for row in benchmark.rows if row.system == SYSTEM]
    released = {
        "Abstractness": [released_abstractness(row.prediction or "", row.references[0]) for row in rows],
        "Repetitiveness": [released_repetitiveness(row.prediction or "") for row in rows],
    }
    for name, values in released.items():
        computed[name] = Computed(
            *mean_interval(np.array(values), settings),
            why="data",
            stand_in=_TEXTS,
            metric="definition of the released program",
            n=len(rows),
        )
    for name, (metric, output, why) in _ROWS.items():
        label = _label(metric, output, means)
        computed[name] = Computed(*means[label], why=why, stand_in=_TEXTS, metric=label, n=30)
    for row, stand_in in (("BERTScore", STAND_IN), ("BARTScore", "")):
        if row in models:
            computed[row] = Computed(
                *means[models[row]], why="data", stand_in=_TEXTS, metric=models[row], n=30
            )
        elif stand_in in means:
            computed[row] = Computed(
                *means[stand_in], why="model", stand_in="MiniLM for roberta-large", metric=stand_in, n=30
            )
        else:
            computed[row] = Computed(why="weights")
    return {(row, "value"): value for row, value in computed.items()}


def _label(metric: str, output: str, means: Mapping[str, Any]) -> str:
    return f"{metric}.{output}" if f"{metric}.{output}" in means else metric


def _section_4_2(
    benchmark: Benchmark, seconds: Mapping[str, float], models: Mapping[str, str]
) -> dict[tuple[str, str], Computed]:
    table = printed("thesis-section-4-2")
    agreement, ratio, statement = table.names
    slower = Computed(why="weights")
    if "BARTScore" in models:
        slower = Computed(seconds[models["BARTScore"]] / seconds["rouge"], why="hardware", metric=BARTSCORE)
    return {
        (agreement, "value"): Computed(mean_kendall(benchmark), n=30),
        (ratio, "value"): slower,
        (statement, "value"): Computed(why="a statement: see the claims"),
    }


def _table_a_1() -> Table:
    table = printed("thesis-table-a-1")
    rows = []
    for name, (parameters,) in zip(table.names, table.values, strict=True):
        metric = {"BARTScore": "bartscore", "BERTScore": "bertscore"}.get(name, name.lower())
        try:
            load_metric(metric, compute_kwargs=parameters)
            accepted = "yes"
        except NlgaugeError as error:
            accepted = f"no: {error}"
        rows.append({"metric": name, "parameters": str(parameters), "accepted": accepted})
    return Table(
        table.id,
        table.number,
        table.caption,
        table.units,
        rows=rows,
        calls=["nlgauge.compat.nlgmetricverse.load_metric(metric, compute_kwargs=parameters)"],
    )


def _human_table(benchmark: Benchmark, settings: Settings) -> Table:
    rows = []
    for system in benchmark.systems:
        place = benchmark.systems.index(system)
        for dimension in DIMENSIONS:
            human = benchmark.human(dimension)
            mean, low, high = mean_interval(human[place], settings)
            gain = 100 * (mean / float(human[benchmark.systems.index(BASELINE)].mean()) - 1)
            ratings = benchmark.ratings(dimension)
            rows.append(
                {
                    "system": system,
                    "dimension": dimension,
                    "mean": mean,
                    "low": low,
                    "high": high,
                    f"gain over {BASELINE}, %": gain,
                    "Kendall of annotators": pairwise_kendall(ratings[place])
                    if ratings is not None
                    else None,
                }
            )
    remarks = [
        "Mean Kendall of annotators by system: "
        + ", ".join(f"{system} {mean_kendall(benchmark, system):.3f}" for system in benchmark.systems),
        "The paper of the summarizer prints a gain of 12.46% in factualness.",
    ]
    return Table(
        "human-means", "Section 4.2", "Human means of the three systems", "1 to 5", rows=rows, remarks=remarks
    )


def _correlation_table(name: str, number: str, found: Findings, units: str) -> Table:
    keys = ("metric", "human", "value", "low", "high", "p", "n")
    rows = [{key: row[key] for key in keys} for row in named(found)]
    outside = sum(row["low"] > 0 or row["high"] < 0 for row in found)
    remarks = [
        f"{outside} of {len(found)} intervals exclude 0; about {len(found) * 0.05:.1f} would by chance."
    ]
    return Table(
        f"correlations-{name}",
        number,
        f"Pearson correlation of metrics with people, {units}",
        "Pearson",
        rows=rows,
        remarks=remarks,
        calls=["nlgauge meta cdsr_cogito -m rouge bertscore ... --level global --coefficient pearson"],
    )


def _pictures(judged: Judgments, agreement: Findings, seconds: Mapping[str, float]) -> list[Picture]:
    """Return Figures 4.1, 4.2 and A.4."""
    absolute = Findings(
        [{**row, "value": abs(row["value"])} for row in agreement], agreement.made, drawn_as="pareto"
    )
    known = {label: seconds[label] for label in judged.labels if label in seconds}
    costs, between = (named(found) for found in (cost(absolute, known), between_metrics(judged, "global")))
    by_dimension = named(agreement)
    lacking = "" if BARTSCORE in judged.labels else "; BARTScore is not computed: weights"
    return [
        Picture(
            "figure-4-1",
            "Figure 4.1",
            f"CPU seconds per 1,000 texts and mean absolute Pearson correlation with people{lacking}",
            [_plain(row) for row in costs],
            lambda: labeled(
                plots.pareto(costs), "Agreement and cost", y="mean absolute Pearson, 4 dimensions"
            ),
        ),
        Picture(
            "figure-4-2",
            "Figure 4.2",
            "Pearson correlation between metrics",
            [_plain(row) for row in between],
            between.plot,
        ),
        Picture(
            "figure-a-4",
            "Figure A.4",
            "Pearson correlation of metrics with human dimensions; the table has the intervals",
            [_plain(row) for row in by_dimension],
            lambda: plots.human_map(by_dimension),
        ),
    ]


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: float(value) if isinstance(value, np.floating) else value
        for name, value in row.items()
        if name in ("metric", "other", "human", "value", "low", "high", "seconds_per_1000", "frontier")
    }
