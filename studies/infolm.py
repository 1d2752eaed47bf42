"""InfoLM on human judgments of WebNLG 2020 and REALSumm, with SmolLM2's next-token distributions, beside
chrF, ROUGE and BERTScore.
"""

from __future__ import annotations

import numpy as np

import nlgauge
from nlgauge.meta.benchmarks.rows import BenchmarkRow
from studies import data, study

MEASURES = ("fisher_rao", "ab", "alpha", "kl", "l1", "l2", "l_infinity")
TEMPERATURES = (0.25, 0.5, 1.0, 2.0)
DIMENSIONS = {
    "webnlg2020_en": ("correctness", "datacoverage", "fluency", "relevance", "textstructure"),
    "realsumm": ("litepyramid_recall",),
}


def metrics(model: str) -> list[str]:
    """InfoLM at each temperature, all of its measures from one reading, and the others."""
    infolm = [
        f"infolm(model={model!r}, measure={MEASURES!r}, alpha=0.5, beta=0.5, temperature={temperature})"
        for temperature in TEMPERATURES
    ]
    return [*infolm, "chrf", "rouge", "bertscore(model='minilm', layer=6)"]


def report(benchmark: str, model: str, segments: int | None, lower: bool) -> str:
    """Pearson, Spearman and Kendall with each human dimension, over texts and over systems."""
    rows = data.segments(benchmark, segments)
    results = study.results(
        "infolm", {segment: _texts(by_system, lower) for segment, by_system in rows.items()}, metrics(model)
    )
    found = {
        segment: {system: _named(result, system) for system in result.systems}
        for segment, result in results.items()
    }
    systems = sorted({system for by_system in rows.values() for system in by_system})
    names = list(
        dict.fromkeys(
            name for by_system in found.values() for outputs in by_system.values() for name in outputs
        )
    )
    parts = [f"{len(rows)} segments, {len(systems)} systems, {model}{', lower-cased' if lower else ''}"]
    for dimension in DIMENSIONS[benchmark]:
        human = data.human(rows, dimension)
        lines = []
        for name in names:
            # A distance agrees with people where it is low.
            metric = study.columns(found, systems, name) * (-1 if name.startswith("infolm") else 1)
            cells: list[object] = [name]
            for level in (study.text_level, study.system_level):
                cells += [f"{level(metric, human, measure):.3f}" for measure in study.MEASURES]
            low, high = study.interval(metric, human, study.system_level, "kendall", 500)
            lines.append([*cells, f"[{low:.2f}, {high:.2f}]"])
        header = [
            dimension,
            *(f"{level} {measure}" for level in ("text", "system") for measure in study.MEASURES),
            "interval of the last",
        ]
        parts.append(study.table(header, lines))
    return "\n\n".join(parts)


def _texts(by_system: dict[str, BenchmarkRow], lower: bool) -> study.Texts:
    cased = str.lower if lower else str
    predictions = {system: cased(text) for system, text in data.predictions(by_system).items()}
    return study.Texts(predictions, tuple(cased(text) for text in data.first(by_system).references))


def _named(result: nlgauge.Result, system: str) -> dict[str, float]:
    """Name -> value: InfoLM's measures by temperature, ROUGE's F by variant, the score of the others."""
    found: dict[str, float] = {}
    for label in result.labels:
        outputs = result[system][label]
        if label.startswith("infolm"):
            temperature = label.partition("temperature=")[2].partition(")")[0] or "1.0"
            found.update({f"infolm {measure}, T = {temperature}": outputs[measure] for measure in MEASURES})
        elif label == "rouge":
            found.update({name: outputs[name] for name in ("rouge1", "rouge2", "rougeL")})
        else:
            found[label.partition("(")[0]] = outputs["score"]
    return {name: float(value) for name, value in found.items() if np.isfinite(value)}
