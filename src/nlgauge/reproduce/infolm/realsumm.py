"""The steps of the InfoLM paper on summaries: Figures 1 to 5 with the claims, and the effect of casing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge import plots
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.sweeps.swept import swept
from nlgauge.reproduce.infolm.baselines import COEFFICIENTS, encoder_of
from nlgauge.reproduce.infolm.scores import BERT, DEFAULT_TEMPERATURE, TEMPERATURES, lowered
from nlgauge.reproduce.infolm.summaries import DRAWN, FIGURES, HUMAN, NORMS, REALSUMM, parts_of, scored
from nlgauge.reproduce.infolm.summary_claims import (
    SEPARATE,
    does_not_separate,
    extractive,
    norms,
    related,
    separates,
    temperature_verdict,
)
from nlgauge.reproduce.infolm.summary_figures import (
    agreement_table,
    area,
    areas_table,
    bars,
    chosen_table,
    curve,
    small_multiples,
    statements,
)
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Picture
from nlgauge.reproduce.tables import column, interval

_LEVELS = ("input", "system")


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
    shown = [*DRAWN.values(), *NORMS.values(), *(label for label in judged.labels if _is_baseline(label))]
    first = parts["abstractive"] if "abstractive" in parts else next(iter(parts.values()))
    model = f"{model}, {len(judged.segments)} documents"
    settings.say("correlating metrics with people in each part")
    agreement = {name: _agreement(part, shown, settings) for name, part in parts.items()}
    settings.say("choosing the temperature")
    temperatures = {name: _temperatures(part, settings) for name, part in parts.items()}
    between = first.between_metrics("system", "pearson", metrics=shown)
    areas = {name: area(first, name, settings) for name in shown}
    return Answer(
        tables=[
            statements(first, temperatures, settings),
            *(agreement_table(name, found, len(parts[name].systems)) for name, found in agreement.items()),
            areas_table(areas, len(first.systems)),
            chosen_table(temperatures),
        ],
        pictures=[
            *(bars(name, found, model, len(parts[name].systems)) for name, found in agreement.items()),
            Picture(
                "infolm-figure-2",
                "Figure 2",
                f"Metrics with each other, abstractive systems, Pearson of systems ({model})",
                list(between),
                lambda: plots.heatmap(between),
            ),
            small_multiples(first, shown, areas, model),
            *(
                curve(number, name, temperatures[name][0], model)
                for number, name in ((4, "abstractive"), (5, "extractive with BART"), (5, "extractive"))
                if name in temperatures
            ),
        ],
        verdicts={
            "separates": separates(areas, SEPARATE),
            "overlap": does_not_separate(areas),
            "norms-summaries": norms(first, settings),
            "temperature": temperature_verdict(temperatures),
            "related": related(first, settings),
            "extractive": extractive(agreement),
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


def _temperatures(part: Judgments, settings: Settings) -> tuple[Findings, Findings]:
    """Return Fisher-Rao by temperature, and the temperatures chosen on halves of the documents."""
    default = DRAWN["fisher_rao"]
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
