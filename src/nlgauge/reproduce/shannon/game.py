"""The Shannon paper's own metrics on SummEval: Tables 1 and 3 to 5, Section 5.3, Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from nlgauge import plots
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.models.loader import load
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.shannon.rows import (
    BIASED,
    BIASES,
    DIMENSIONS,
    STRINGS,
    TABLE,
    Row,
    call,
    correlations,
    of_segments,
    remark,
    specs_of,
    statistics_of,
)
from nlgauge.reproduce.steps import Answer, Picture, Verdict
from nlgauge.reproduce.tables import column, difference, interval
from nlgauge.reproduce.verdicts import ClaimWord, Computed, difference_verdict, of_all

BLANC, MODELS, UPSTREAM = "shannon-section-5-3", "shannon-table-4", "shannon-table-5"
MOST_UPSTREAM = 4
_OUTPUTS = {"Shannon": "", "Info Diff": "information_difference", "BLANC-Shannon": "blanc_shannon"}
# Names of the metrics in Tables 3 to 5.
_LONG = {"Shannon Score": "Shannon", "Information Difference": "Info Diff"}
_READ = {"I(D)": "information", "I(D|S)": "information_given_summary"}
# Models of Table 4, whose weights are read if they are installed.
SIZES = {
    "GPT-2 S": "gpt2",
    "GPT-2 M": "gpt2-medium",
    "GPT-2 L": "gpt2-large",
    "GPT-2 XL": "gpt2-xl",
    "GPT": "openai-gpt",
}
_BEST = 5


def game(settings: Settings) -> Answer:
    """Return the paper's metrics with one model, next to the string metrics on the same documents."""
    benchmark = settings.benchmark("summeval")
    model, other = settings.model("gpt2")
    spec = f"shannon(model={model!r})"
    judged = settings.judged(benchmark, spec, name="shannon")
    rows = {
        row: Row(column(judged, spec, output), "model", remark(settings, other))
        for row, output in _OUTPUTS.items()
    }
    cells = correlations(judged, rows, settings)
    long = {(name, human): cells[short, human] for name, short in _LONG.items() for human in DIMENSIONS}
    columns, _ = statistics_of(settings, benchmark)
    biases = _biases(judged, rows, columns, settings)
    strings = settings.judged(benchmark, *specs_of(STRINGS), name="strings")
    everything = of_segments(
        replace(
            strings,
            metrics={**strings.metrics, **{row: judged.metrics[each.label] for row, each in rows.items()}},
            higher_is_better={**strings.higher_is_better, **dict.fromkeys(rows, True)},
        )
    )
    return Answer(
        {
            TABLE: {cell: value for cell, value in cells.items() if cell[0] != "BLANC-Shannon"},
            BLANC: {cell: value for cell, value in cells.items() if cell[0] == "BLANC-Shannon"},
            BIASES: {cell: row for cell, row in biases.items() if cell[1] in ("Info Diff", "Shannon Score")},
            MODELS: {(f"{name}, GPT-2 S", human): value for (name, human), value in long.items()},
            UPSTREAM: {(f"{name}, 0", human): value for (name, human), value in long.items()},
        },
        verdicts={
            "top-five-again": _against(everything, _BEST, DIMENSIONS, settings),
            "best": _against(everything, 1, ("coherence", "relevance"), settings),
            "length-bias": _length_bias(biases),
            "abstractive": _abstractive(judged, rows, columns, settings),
            "accuracy": _accuracy(everything, settings),
        },
        notes=[
            f"Shannon Score, Information Difference and BLANC-Shannon were computed with {model}; in the paper with"
            " GPT-2 small. sentencex splits sentences; in the paper NLTK."
        ],
        calls={TABLE: [call([spec])], BLANC: [call([spec])]},
    )


def _biases(
    judged: Judgments, rows: Mapping[str, Row], columns: Mapping[str, np.ndarray], settings: Settings
) -> dict[tuple[str, str], Computed]:
    """Return Spearman's correlations of the metrics with statistics of summaries, by row and column of Table 3."""
    metrics = {"Info Diff": rows["Info Diff"], "Shannon Score": rows["Shannon"]}
    treated = replace(
        judged,
        humans={name: judged.metrics[row.label] for name, row in metrics.items()},
        ratings={},
        metrics=dict(columns),
        higher_is_better=dict.fromkeys(columns),
        system_scores={},
    )
    stand_in = rows["Shannon"].stand_in
    wanted = {BIASED[name]: Row(name, "model", stand_in) for name in BIASED}
    return correlations(treated, wanted, settings, "global", "spearman", list(metrics))


def _against(judged: Judgments, place: int, humans: Sequence[str], settings: Settings) -> Verdict:
    """Return the verdict that both metrics agree better with human dimensions than all but `place` - 1 string
    metrics.
    """
    found = judged.correlate("system", "kendall", list(humans), interval=None)
    labels = {column(judged, *spec): row for row, spec in STRINGS.items()}
    parts, words = [], []
    for human in humans:
        values = {row["metric"]: row["value"] for row in found if row["human"] == human}
        rival = sorted(labels, key=lambda label: -values[label])[place - 1]
        for metric in ("Shannon", "Info Diff"):
            gain = difference(judged, human, metric, rival, settings)
            words.append(difference_verdict(gain[1], gain[2]))
            parts.append(f"{human}, {metric} less {labels[rival]} {interval(gain)}")
    test = (
        f"Kendall, paired bootstrap over systems and documents, against the best metric but {place - 1} of"
        f" {len(labels)} string metrics on the same documents"
    )
    return Verdict(_all(words), "; ".join(parts), test)


def _all(words: Sequence[ClaimWord]) -> ClaimWord:
    """Return the verdict on a claim that is supported if all of its parts are."""
    if all(word == "supported" for word in words):
        return "supported"
    return "contradicted" if "contradicted" in words else "undecided"


def _length_bias(biases: Mapping[tuple[str, str], Computed]) -> Verdict:
    cells = {name: biases["Length", name] for name in ("Info Diff", "Shannon Score")}
    return Verdict(
        of_all([difference_verdict(cell.low, cell.high) for cell in cells.values()]),
        "; ".join(
            f"{name} with length {interval((cell.value, cell.low, cell.high))}"
            for name, cell in cells.items()
        ),
        "Spearman over all summaries, 95% interval over systems and documents",
    )


def _abstractive(
    judged: Judgments, rows: Mapping[str, Row], columns: Mapping[str, np.ndarray], settings: Settings
) -> Verdict:
    """Return the verdict on biases against new words: people's correlations are further from 0."""
    metrics = {name: judged.metrics[row.label] for name, row in rows.items() if name != "BLANC-Shannon"}
    treated = replace(
        judged,
        humans={name: columns[name] for name in ("Novel 1", "Novel 2", "Novel 3", "Coverage", "Density")},
        ratings={},
        metrics={**metrics, "consistency": judged.humans["consistency"]},
        higher_is_better={},
        system_scores={},
    )
    parts, words = [], []
    for name in treated.humans:
        for metric in metrics:
            gain = difference(treated, name, "consistency", metric, settings, "global", "spearman")
            sign = -1 if name.startswith("Novel") else 1
            value, low, high = (sign * gain[0], *sorted((sign * gain[1], sign * gain[2])))
            words.append(difference_verdict(low, high))
            parts.append(f"{name}, {metric} {interval((value, low, high))}")
    word: ClaimWord = "undecided"
    if "contradicted" not in words and "supported" in words:
        word = "supported"
    elif "supported" not in words and "contradicted" in words:
        word = "contradicted"
    return Verdict(
        word,
        "magnitude of people's correlation less the metric's: " + "; ".join(parts),
        "Spearman over all summaries, paired bootstrap; supported if some differences are above 0 and none is below",
    )


def _accuracy(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict on BLANC-Shannon: better than both on consistency, worse on the other dimensions."""
    parts, words = [], []
    for human in DIMENSIONS:
        for metric in ("Shannon", "Info Diff"):
            gain = difference(judged, human, "BLANC-Shannon", metric, settings)
            better = gain[1:] if human == "consistency" else (-gain[2], -gain[1])
            words.append(difference_verdict(*better))
            parts.append(f"{human}, less {metric} {interval(gain)}")
    return Verdict(of_all(words), "; ".join(parts), "paired bootstrap over systems and documents")


def _information(judged: Judgments, spec: str, settings: Settings) -> dict[str, tuple[float, float, float]]:
    """Return the mean information of a document without and after a summary, with intervals over documents."""
    found = {}
    rng = np.random.default_rng(settings.seed)
    for name, output in _READ.items():
        values = judged.metrics[column(judged, spec, output)].mean(axis=0)
        drawn = values[rng.integers(len(values), size=(settings.resamples, len(values)))].mean(axis=1)
        low, high = np.percentile(drawn, [2.5, 97.5])
        found[name] = (float(values.mean()), float(low), float(high))
    return found


def _lines(
    found: Mapping[Any, Mapping[str, tuple[float, float, float]]], parameter: str
) -> list[dict[str, Any]]:
    return [
        {"metric": name, parameter: place, "value": value, "low": low, "high": high}
        for place, by_name in found.items()
        for name, (value, low, high) in by_name.items()
    ]


def upstream(settings: Settings) -> Answer:
    """Return Table 5 and Figure 4: more sentences of context."""
    benchmark = settings.benchmark("summeval")
    model, other = settings.model("gpt2")
    stand_in = remark(settings, other)
    cells: dict[tuple[str, str], Computed] = {}
    read: dict[int, dict[str, tuple[float, float, float]]] = {}
    further: dict[str, np.ndarray] = {}
    first: Judgments | None = None
    for k in range(MOST_UPSTREAM + 1):
        settings.say(f"upstream sentences: {k}")
        spec = f"shannon(model={model!r}, upstream={k})"
        judged = settings.judged(benchmark, spec, name=f"upstream-{k}")
        rows = {
            f"{name}, {k}": Row(column(judged, spec, _OUTPUTS[short]), "model", stand_in)
            for name, short in _LONG.items()
        }
        cells |= correlations(judged, rows, settings)
        read[k] = _information(judged, spec, settings)
        further |= {name: judged.metrics[row.label] for name, row in rows.items()}
        first = first or judged
    assert first is not None
    rows_drawn = _lines(read, "k")
    return Answer(
        {UPSTREAM: cells},
        pictures=[
            Picture(
                "shannon-figure-4",
                "Figure 4",
                f"Mean information of a document by preceding sentences ({model})",
                rows_drawn,
                lambda: plots.sweep(Findings(rows_drawn), "k"),
            )
        ],
        verdicts={
            "upstream": _more_context(
                replace(first, metrics=further, higher_is_better={}, system_scores={}), settings
            )
        },
        calls={UPSTREAM: [call([f"shannon(model={model!r}, upstream=1)"])]},
    )


def _more_context(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict on a sentence of context: consistency gains, the other dimensions lose."""
    parts, words = [], []
    for human in DIMENSIONS:
        for name in _LONG:
            gain = difference(judged, human, f"{name}, 1", f"{name}, 0", settings)
            words.append(difference_verdict(*(gain[1:] if human == "consistency" else (-gain[2], -gain[1]))))
            parts.append(f"{human}, {name} {interval(gain)}")
    return Verdict(
        of_all(words), "k = 1 less k = 0: " + "; ".join(parts), "paired bootstrap over systems and documents"
    )


def models(settings: Settings) -> Answer:
    """Return Table 4 and Figure 3 for the causal models that are installed."""
    benchmark = settings.benchmark("summeval")
    cells: dict[tuple[str, str], Computed] = {}
    read: dict[Any, Any] = {}
    metrics: dict[str, np.ndarray] = {}
    first = None
    for row, wanted in SIZES.items():
        if wanted not in settings.models:
            why = f"weights: {wanted} is not installed; run: nlgauge models add {wanted} --from DIR"
            cells |= {(f"{name}, {row}", human): Computed(why=why) for name in _LONG for human in DIMENSIONS}
            continue
        model, other = settings.model(wanted)
        spec = f"shannon(model={model!r})"
        judged = settings.judged(benchmark, spec, name=f"model-{wanted}")
        stand_in = remark(settings, other)
        rows = {
            f"{name}, {row}": Row(column(judged, spec, _OUTPUTS[short]), "model", stand_in)
            for name, short in _LONG.items()
        }
        cells |= correlations(judged, rows, settings)
        size = settings.keep(f"size-{wanted}", partial(_millions, model))
        read[size] = _information(judged, spec, settings)
        metrics |= {name: judged.metrics[each.label] for name, each in rows.items()}
        first = first or judged
    lines = _lines(read, "million parameters")
    pictures = [
        Picture(
            "shannon-figure-3",
            "Figure 3",
            "Mean information of a document by size of the model",
            lines,
            lambda: plots.sweep(Findings(lines), "million parameters", log=True),
        )
    ]
    verdicts = {}
    if first is not None and len(read) > 1:
        verdicts["size"] = _larger(
            replace(first, metrics=metrics, higher_is_better={}, system_scores={}), settings
        )
    return Answer({MODELS: cells}, pictures=pictures if len(read) > 1 else [], verdicts=verdicts)


def _millions(model: str) -> float:
    """Return the number of parameters of a causal model, in millions."""
    return float(sum(each.numel() for each in load(model, "causal", None).model.parameters())) / 1e6


def _larger(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict on size: no larger model agrees better on any dimension."""
    base = f"{next(iter(_LONG))}, GPT-2 S"
    parts, words = [], []
    for row in SIZES:
        name = f"{next(iter(_LONG))}, {row}"
        if name == base or not row.startswith("GPT-2") or name not in judged.metrics:
            continue
        for human in DIMENSIONS:
            gain = difference(judged, human, name, base, settings)
            words.append(difference_verdict(gain[1], gain[2]))
            parts.append(f"{human}, {row} {interval(gain)}")
    word: ClaimWord = "contradicted" if "supported" in words else "undecided"
    if words and all(each == "contradicted" for each in words):
        word = "supported"
    return Verdict(
        word, "Shannon Score less GPT-2 S: " + "; ".join(parts), "paired bootstrap over systems and documents"
    )
