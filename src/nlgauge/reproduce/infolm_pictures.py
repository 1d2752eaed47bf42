"""Figures 1 to 5 of the InfoLM paper: agreement with people on the summaries of REALSumm, in four parts.

The authors' files list BART, an abstractive system, also among the extractive systems. Therefore each part is
computed with and without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge import plots
from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.sweeps.swept import swept
from nlgauge.reproduce.infolm_rows import COEFFICIENTS, encoder_of, with_encoders
from nlgauge.reproduce.infolm_scores import (
    BERT,
    DEFAULT_TEMPERATURE,
    TEMPERATURES,
    lowered,
    measured,
)
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.shannon_rows import column
from nlgauge.reproduce.steps import Answer, Picture, Verdict
from nlgauge.reproduce.tables import difference, interval
from nlgauge.reproduce.verdicts import ClaimWord, difference_verdict
from nlgauge.stats.arrays import mid_ranks

if TYPE_CHECKING:
    from nlgauge.show.plots.canvas import Panels

REALSUMM, HUMAN, FIGURES = "realsumm", "litepyramid_recall", "infolm-figures"
_BART = "bart_out"
_STRINGS = ("bleu", "rouge", "meteor", "chrf")
# Measures of the figures, by their names in the paper.
_DRAWN = {
    "fisher_rao": "R",
    "ab(0.5,0.5)": "D_AB",
    "alpha(0.5)": "D_alpha",
    "gamma(0.5)": "D_beta",
    "jeffreys": "JS",
}
_NORMS = {"l1": "L_1", "l2": "L_2", "l_infinity": "L_inf"}
_RELATED = ("R", "D_AB", "D_alpha", "D_beta")
_SEPARATE, _NOT = ("R", "D_AB", "JS"), ("ROUGE-1", "BLEU")
_GOOD, _CLOSE, _BEST = 0.5, 0.88, (1.0, 2.0)
_MOSTLY = 0.95
_LEVELS = ("input", "system")
_ACROSS = 3


def parts_of(benchmark: Benchmark) -> dict[str, list[str]]:
    """Return the systems of each part by its name."""
    kinds = {row.system: row.meta.get("type") for row in benchmark.rows}
    abstractive = [name for name, kind in kinds.items() if kind == "abstractive"]
    extractive = [name for name, kind in kinds.items() if kind == "extractive"]
    both = {
        "abstractive": abstractive,
        "abstractive without BART": [name for name in abstractive if name != _BART],
        "extractive with BART": [*extractive, *([_BART] if _BART in abstractive else [])],
        "extractive": extractive,
    }
    return {name: systems for name, systems in both.items() if len(systems) > 1}


def scored(settings: Settings, benchmark: Benchmark) -> Judgments:
    """Return the scores of InfoLM and of the baselines under the names of the figures, as means of segments."""
    texts = lowered(benchmark)
    infolm = measured(settings, texts)
    strings = with_encoders(settings, benchmark, settings.judged(benchmark, *_STRINGS, name="strings"))
    names = {f"{measure}@{DEFAULT_TEMPERATURE:g}": name for measure, name in {**_DRAWN, **_NORMS}.items()}
    read = {
        "BLEU": column(strings, "bleu"),
        "ROUGE-1": column(strings, "rouge", "rouge1"),
        "ROUGE-2": column(strings, "rouge", "rouge2"),
        "METEOR": column(strings, "meteor"),
        "chrF": column(strings, "chrf"),
    }
    metrics = {name: strings.metrics[label] for name, label in read.items()}
    if "MoverScore" in strings.metrics:
        metrics |= {
            "BERTScore": strings.metrics["BERTScore recall"],
            "MoverScore": strings.metrics["MoverScore"],
        }
    return replace(
        infolm,
        humans={HUMAN: infolm.humans[HUMAN]},
        ratings={},
        metrics={
            **{names.get(label, label): values for label, values in infolm.metrics.items()},
            **metrics,
        },
        higher_is_better={
            **{names.get(label, label): known for label, known in infolm.higher_is_better.items()},
            **dict.fromkeys(metrics, True),
        },
    )


def realsumm(settings: Settings) -> Answer:
    """Return the five figures and the claims about summaries."""
    benchmark = settings.benchmark(REALSUMM)
    judged = scored(settings, benchmark)
    model, other = settings.model(BERT)
    used = encoder_of(settings)
    parts = {
        name: judged.only(systems=[each for each in judged.systems if each in systems])
        for name, systems in parts_of(benchmark).items()
    }
    shown = [*_DRAWN.values(), *_NORMS.values(), *(label for label in judged.labels if _is_baseline(label))]
    first = parts["abstractive"] if "abstractive" in parts else next(iter(parts.values()))
    model = f"{model}, {len(judged.segments)} documents"
    settings.say("correlating metrics with people in each part")
    agreement = {name: _agreement(part, shown, settings) for name, part in parts.items()}
    settings.say("choosing the temperature")
    temperatures = {name: _temperatures(part, settings) for name, part in parts.items()}
    between = first.between_metrics("system", "pearson", metrics=shown)
    areas = {name: _area(first, name, settings) for name in shown}
    return Answer(
        tables=[
            _statements(first, temperatures, settings),
            *(_agreement_table(name, found, len(parts[name].systems)) for name, found in agreement.items()),
            _areas_table(areas, len(first.systems)),
            _chosen_table(temperatures),
        ],
        pictures=[
            *(_bars(name, found, model, len(parts[name].systems)) for name, found in agreement.items()),
            Picture(
                "infolm-figure-2",
                "Figure 2",
                f"Metrics with each other, abstractive systems, Pearson of systems ({model})",
                list(between),
                lambda: plots.heatmap(between),
            ),
            _small_multiples(first, shown, areas, model),
            *(
                _curve(number, name, temperatures[name][0], model)
                for number, name in ((4, "abstractive"), (5, "extractive with BART"), (5, "extractive"))
                if name in temperatures
            ),
        ],
        verdicts={
            "separates": _separates(areas, _SEPARATE),
            "overlap": _does_not_separate(areas),
            "norms-summaries": _norms(first, settings),
            "temperature": _temperature_verdict(temperatures),
            "related": _related(first, settings),
            "extractive": _extractive(agreement),
        },
        notes=[
            f"Figures 1 to 5 are of {len(judged.segments)} documents"
            + (f", and InfoLM's values of {other}." if other else "."),
            *([f"BERTScore and MoverScore on summaries are of {used}."] if used not in ("", BERT) else []),
            "BART is abstractive; the authors' files list it among the extractive systems as well.",
        ],
        calls={FIGURES: ["nlgauge meta realsumm -m 'infolm(model=smollm2)' --where 'type = abstractive'"]},
    )


def _is_baseline(label: str) -> bool:
    return label in ("BLEU", "ROUGE-1", "ROUGE-2", "METEOR", "chrF", "BERTScore", "MoverScore")


def _agreement(part: Judgments, shown: Sequence[str], settings: Settings) -> Findings:
    return part.correlate(
        _LEVELS,
        COEFFICIENTS,
        metrics=list(shown),
        interval="both",
        resamples=settings.resamples,
        seed=settings.seed,
    )


def _agreement_table(name: str, found: Findings, systems: int) -> Table:
    rows: dict[str, dict[str, Any]] = {}
    for row in found:
        text = interval((row["value"], row["low"], row["high"]))
        level = "text" if row["level"] == "input" else row["level"]
        rows.setdefault(row["metric"], {"metric": row["metric"]})[f"{level} {row['coefficient']}"] = text
    place = name.replace(" ", "-").lower()
    return Table(
        f"infolm-figure-1-{place}",
        "Figure 1",
        f"Agreement with people, {name}, {systems} systems",
        "correlation with the recall of content [95% interval over systems and documents]",
        rows=list(rows.values()),
    )


def _bars(name: str, found: Findings, model: str, systems: int) -> Picture:
    rows = [
        {key: row[key] for key in ("metric", "level", "coefficient", "value", "low", "high", "n")}
        for row in found
    ]
    place = name.replace(" ", "-").lower()
    return Picture(
        f"infolm-figure-1-{place}",
        "Figure 1",
        f"Agreement with people, {name}, {systems} systems ({model})",
        rows,
        lambda: plots.forest(found),
    )


def _area(judged: Judgments, name: str, settings: Settings) -> tuple[float, float, float]:
    """Return the chance that a good summary scores above another summary, with its interval over documents."""
    scores, people = judged.oriented(name), judged.human(HUMAN)
    value = _auc(scores, people)
    rng = np.random.default_rng(settings.seed)
    drawn = []
    for _ in range(settings.resamples):
        places = rng.integers(scores.shape[1], size=scores.shape[1])
        drawn.append(_auc(scores[:, places], people[:, places]))
    low, high = np.nanpercentile(drawn, [2.5, 97.5]) if np.isfinite(drawn).any() else (np.nan, np.nan)
    return value, float(low), float(high)


def _auc(scores: np.ndarray, people: np.ndarray) -> float:
    known = ~(np.isnan(scores) | np.isnan(people))
    good = people[known] >= _GOOD
    n, m = int(good.sum()), int((~good).sum())
    if not n or not m:
        return float("nan")
    return float((mid_ranks(scores[known])[good].sum() - n * (n + 1) / 2) / (n * m))


def _areas_table(areas: Mapping[str, tuple[float, float, float]], systems: int) -> Table:
    rows = [{"metric": name, "AUC": interval(found)} for name, found in areas.items()]
    return Table(
        "infolm-figure-3",
        "Figure 3",
        f"Summaries with a recall of content from {_GOOD} against the others, {systems} abstractive systems",
        "area under the curve [95% interval over documents]",
        rows=rows,
    )


def _small_multiples(
    judged: Judgments, shown: Sequence[str], areas: Mapping[str, tuple[float, float, float]], model: str
) -> Picture:
    def draw() -> Panels:
        from nlgauge.show.plots import canvas

        axes = canvas.grid_of(None, len(shown), _ACROSS, canvas.page(), 1.5 * -(-len(shown) // _ACROSS))
        for name, panel in zip(shown, axes, strict=True):
            plots.distributions(judged, name, HUMAN, edges=[_GOOD], title=name, ax=panel)
            panel.set_yticklabels(["good", "other"], fontsize=canvas.SMALL)
            panel.set_xlabel(f"AUC {areas[name][0]:.2f} [{areas[name][1]:.2f}, {areas[name][2]:.2f}]")
        return axes

    rows = [
        {"metric": name, "AUC": found[0], "low": found[1], "high": found[2]} for name, found in areas.items()
    ]
    return Picture(
        "infolm-figure-3",
        "Figure 3",
        f"Scores of good summaries (recall from {_GOOD}) and of the others, abstractive systems ({model})",
        rows,
        draw,
    )


def _temperatures(part: Judgments, settings: Settings) -> tuple[Findings, Findings]:
    """Return Fisher-Rao by temperature, and the temperatures chosen on halves of the documents."""
    default = _DRAWN["fisher_rao"]
    points = {
        default if value == DEFAULT_TEMPERATURE else f"fisher_rao@{value:g}": {"temperature": value}
        for value in TEMPERATURES
    }
    found = swept(
        part,
        points,
        default,
        human=HUMAN,
        coefficient=COEFFICIENTS,
        draws=settings.resamples,
        splits=min(200, settings.resamples),
        seed=settings.seed,
    )
    return found.points, found.chosen


def _curve(number: int, name: str, points: Findings, model: str) -> Picture:
    rows = [
        {key: row[key] for key in ("coefficient", "temperature", "value", "low", "high", "chosen")}
        for row in points
    ]
    place = name.replace(" ", "-").lower()
    return Picture(
        f"infolm-figure-{number}-{place}",
        f"Figure {number}",
        f"Fisher-Rao by temperature, {name}, correlation of systems with people ({model})",
        rows,
        lambda: plots.sweep(Findings(rows), "temperature", by="coefficient", log=True),
    )


def _chosen_table(temperatures: Mapping[str, tuple[Findings, Findings]]) -> Table:
    rows = []
    for name, (points, chosen) in temperatures.items():
        for row in chosen:
            mine = points.where(coefficient=row["coefficient"])
            inside = sum(each["chosen"] for each in mine if _BEST[0] <= each["temperature"] <= _BEST[1])
            best = max(mine, key=lambda each: each["value"])
            rows.append(
                {
                    "part": name,
                    "coefficient": row["coefficient"],
                    "best temperature on the same texts": best["temperature"],
                    "value": row["value"],
                    "tested on others": interval((row["tested"], row["low"], row["high"])),
                    "at temperature 1": row["default"],
                    "gain": interval((row["gain"], row["gain_low"], row["gain_high"])),
                    "chosen from 1 to 2": f"{100 * inside:.0f}%",
                }
            )
    return Table(
        "temperatures",
        "Figures 4 and 5",
        "Temperatures of Fisher-Rao chosen on one half of the documents and tested on the other",
        "correlation of systems with people",
        rows=rows,
    )


def _statements(
    first: Judgments, temperatures: Mapping[str, tuple[Findings, Findings]], settings: Settings
) -> Table:
    """Return what the text says of the figures next to the numbers."""
    table = printed(FIGURES)
    found = {
        (row["metric"], row["other"]): row["value"] for row in first.between_metrics("system", "pearson")
    }
    found |= {(other, metric): value for (metric, other), value in found.items()}
    with_bert = [name for name in ("BERTScore", "ROUGE-1") if name in first.labels]
    related = [found[a, b] for i, a in enumerate(_RELATED) for b in _RELATED[i + 1 :]]
    chosen = temperatures.get("abstractive") or next(iter(temperatures.values()))
    best = [
        max(chosen[0].where(coefficient=name), key=lambda row: row["value"])["temperature"]
        for name in COEFFICIENTS
    ]
    numbers = {
        "text: Fig 2 (1)": f"lowest {min(related):.2f}",
        "text: Fig 2 (2)": ", ".join(f"{name} {found['R', name]:.2f}" for name in with_bert),
        "text: Fig 2 (3)": (
            f"{found['BERTScore', 'ROUGE-1']:.2f}" if "BERTScore" in first.labels else "not computed: weights"
        ),
        "text: 5.2 (1)": "see the claim",
        "text: 5.2 (2)": "see the claim on gains",
        "text: Fig 4": ", ".join(f"{name} {value:g}" for name, value in zip(COEFFICIENTS, best, strict=True)),
        "abstract": "see the claim on gains",
    }
    rows = [
        {
            "where": row,
            "what": table.value(row, "what"),
            "printed": table.value(row, "statement"),
            "computed": numbers.get(row, ""),
        }
        for row in table.names
    ]
    remarks = [*table.remarks, f"Computed on {len(first.segments)} documents."]
    return Table(table.id, table.number, table.caption, table.units, rows=rows, remarks=remarks)


def _separates(areas: Mapping[str, tuple[float, float, float]], names: Sequence[str]) -> Verdict:
    words = [difference_verdict(areas[name][1] - 0.5, areas[name][2] - 0.5) for name in names]
    word: ClaimWord = "contradicted" if "contradicted" in words else "undecided"
    if all(each == "supported" for each in words):
        word = "supported"
    return Verdict(
        word,
        "; ".join(f"{name} AUC {interval(areas[name])}" for name in names),
        f"chance that a summary with a recall from {_GOOD} scores above another; supported if all intervals are above .5",
    )


def _does_not_separate(areas: Mapping[str, tuple[float, float, float]]) -> Verdict:
    found = _separates(areas, _NOT)
    opposite: dict[ClaimWord, ClaimWord] = {"supported": "contradicted", "contradicted": "supported"}
    return Verdict(
        opposite.get(found.word, "undecided"), found.numbers, "contradicted if all intervals are above .5"
    )


def _norms(judged: Judgments, settings: Settings) -> Verdict:
    gains = {name: difference(judged, HUMAN, "R", name, settings) for name in _NORMS.values()}
    words = [difference_verdict(low, high) for _, low, high in gains.values()]
    word: ClaimWord = "undecided"
    if "contradicted" in words and "supported" not in words:
        word = "contradicted"
    elif "supported" in words and "contradicted" not in words:
        word = "supported"
    return Verdict(
        word,
        "Kendall, Fisher-Rao less " + "; ".join(f"{name} {interval(gain)}" for name, gain in gains.items()),
        "paired bootstrap over abstractive systems and documents; supported if no interval is below 0 and some are above",
    )


def _temperature_verdict(temperatures: Mapping[str, tuple[Findings, Findings]]) -> Verdict:
    """Return the verdict on the best temperature: how often halves choose one from 1 to 2."""
    shares = {}
    for name, (points, _) in temperatures.items():
        if name in ("abstractive", "extractive"):
            for coefficient in COEFFICIENTS:
                mine = points.where(coefficient=coefficient)
                shares[f"{name}, {coefficient}"] = sum(
                    row["chosen"] for row in mine if _BEST[0] <= row["temperature"] <= _BEST[1]
                )
    word: ClaimWord = "undecided"
    if shares and all(share >= _MOSTLY for share in shares.values()):
        word = "supported"
    elif shares and all(share < 1 - _MOSTLY for share in shares.values()):
        word = "contradicted"
    return Verdict(
        word,
        "share of halves that choose it: "
        + "; ".join(f"{name} {100 * share:.0f}%" for name, share in shares.items()),
        "supported from 95%, contradicted below 5% in every case",
    )


def _related(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict that InfoLM's measures correlate above .88 with each other over systems."""
    pairs = [(a, b) for i, a in enumerate(_RELATED) for b in _RELATED[i + 1 :]]
    treated = replace(
        judged,
        humans={name: judged.oriented(name) for name in _RELATED},
        metrics={name: judged.oriented(name) for name in _RELATED},
        higher_is_better={},
    )
    found = treated.correlate(
        "system", "pearson", interval="both", resamples=settings.resamples, seed=settings.seed
    )
    rows = {(row["metric"], row["human"]): row for row in found}
    values = {f"{a} with {b}": rows[a, b] for a, b in pairs}
    word: ClaimWord = "undecided"
    if all(row["low"] > _CLOSE for row in values.values()):
        word = "supported"
    elif any(row["high"] < _CLOSE for row in values.values()):
        word = "contradicted"
    return Verdict(
        word,
        "; ".join(
            f"{name} {interval((row['value'], row['low'], row['high']))}" for name, row in values.items()
        ),
        f"Pearson over abstractive systems; supported if every interval is above {_CLOSE}",
    )


def _extractive(agreement: Mapping[str, Findings]) -> Verdict:
    """Return the verdict on BERTScore's agreement on extractive systems, with and without BART."""
    found = {}
    for name in ("extractive with BART", "extractive"):
        for row in agreement.get(name, Findings([])):
            if (row["metric"], row["level"], row["coefficient"]) == ("BERTScore", "system", "pearson"):
                found[name] = (row["value"], row["low"], row["high"])
    if not found:
        return Verdict("not tested", "BERTScore is not computed")
    words = [difference_verdict(_GOOD - high, _GOOD - low) for _, low, high in found.values()]
    word: ClaimWord = words[0] if len(set(words)) == 1 else "undecided"
    return Verdict(
        word,
        "BERTScore recall, Pearson of systems: "
        + "; ".join(f"{name} {interval(each)}" for name, each in found.items()),
        f"supported if the intervals are below {_GOOD}, contradicted if they are above",
    )


def casing(settings: Settings) -> Answer:
    """Return Fisher-Rao and KL on original and on lower-cased texts."""
    benchmark = settings.benchmark(REALSUMM)
    model, _ = settings.model(BERT)
    spec = f"infolm(model={model!r}, measure=('fisher_rao', 'kl'))"
    rows: list[dict[str, Any]] = []
    for name, texts in (("original", benchmark), ("lower-cased", lowered(benchmark))):
        judged = settings.judged(texts, spec, name=name.replace(" ", "-"))
        label = column(judged, spec)
        for measure, each in (("fisher_rao", label), ("kl", f"{label}.kl")):
            found = judged.only(metrics=[each]).correlate(
                ["input", "system"],
                ["pearson", "kendall"],
                human=HUMAN,
                resamples=settings.resamples,
                seed=settings.seed,
            )
            rows.append(
                {"texts": name, "measure": measure}
                | {
                    f"{'text' if row['level'] == 'input' else 'system'} {row['coefficient']}": interval(
                        (row["value"], row["low"], row["high"])
                    )
                    for row in found
                }
            )
    return Answer(
        tables=[
            Table(
                "casing",
                "Figure 1",
                f"InfoLM on original and on lower-cased texts, all systems ({model})",
                "correlation with people [95% interval]",
                rows=rows,
            )
        ]
    )
