"""Figures 1 to 5 of the InfoLM paper and the tables of their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge import plots
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.infolm.baselines import COEFFICIENTS
from nlgauge.reproduce.infolm.summaries import FIGURES, HUMAN
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Picture, labeled
from nlgauge.reproduce.tables import interval
from nlgauge.stats.arrays import mid_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nlgauge.show.plots.canvas import Panels

RELATED = ("R", "D_AB", "D_alpha", "D_beta")
GOOD, BEST = 0.5, (1.0, 2.0)
_ACROSS = 3


def agreement_table(name: str, found: Findings, systems: int) -> Table:
    """Return the numbers of Figure 1 in a part."""
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


def bars(name: str, found: Findings, model: str, systems: int) -> Picture:
    """Return Figure 1 of a part."""
    keys = ("metric", "coefficient", "value", "low", "high", "n")
    rows = [
        {"level": "text" if row["level"] == "input" else row["level"], **{key: row[key] for key in keys}}
        for row in found
    ]
    place = name.replace(" ", "-").lower()
    return Picture(
        f"infolm-figure-1-{place}",
        "Figure 1",
        f"Agreement with people, {name}, {systems} systems ({model}). R is Fisher-Rao; parameters are at their"
        " defaults, and in the paper the best of each panel on the same texts",
        rows,
        lambda: plots.forest(Findings(rows)),
    )


def area(judged: Judgments, name: str, settings: Settings) -> tuple[float, float, float]:
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
    good = people[known] >= GOOD
    n, m = int(good.sum()), int((~good).sum())
    if not n or not m:
        return float("nan")
    return float((mid_ranks(scores[known])[good].sum() - n * (n + 1) / 2) / (n * m))


def areas_table(areas: Mapping[str, tuple[float, float, float]], systems: int) -> Table:
    """Return the areas under the curve of Figure 3."""
    rows = [{"metric": name, "AUC": interval(found)} for name, found in areas.items()]
    return Table(
        "infolm-figure-3",
        "Figure 3",
        f"Summaries with a recall of content from {GOOD} against the others, {systems} abstractive systems",
        "area under the curve [95% interval over documents]",
        rows=rows,
    )


def small_multiples(
    judged: Judgments, shown: Sequence[str], areas: Mapping[str, tuple[float, float, float]], model: str
) -> Picture:
    """Return Figure 3: the scores of good and of other summaries by metric."""

    def draw() -> Panels:
        from nlgauge.show.plots import canvas

        axes = canvas.grid_of(None, len(shown), _ACROSS, canvas.page(), 1.5 * -(-len(shown) // _ACROSS))
        for name, panel in zip(shown, axes, strict=True):
            plots.distributions(judged, name, HUMAN, edges=[GOOD], title=name, ax=panel)
            panel.set_yticklabels(["good", "other"], fontsize=canvas.SMALL)
            panel.set_xlabel(f"AUC {areas[name][0]:.2f} [{areas[name][1]:.2f}, {areas[name][2]:.2f}]")
        return axes

    rows = [
        {"metric": name, "AUC": found[0], "low": found[1], "high": found[2]} for name, found in areas.items()
    ]
    return Picture(
        "infolm-figure-3",
        "Figure 3",
        f"Scores of good summaries (recall from {GOOD}) and of the others, abstractive systems ({model})."
        " Distances have a minus sign, so that better summaries are to the right in every panel",
        rows,
        draw,
    )


def curve(number: int, name: str, points: Findings, model: str) -> Picture:
    """Return Figure 4 or 5: agreement by temperature."""
    rows = [
        {key: row[key] for key in ("coefficient", "temperature", "value", "low", "high", "chosen")}
        for row in points
    ]
    place = name.replace(" ", "-").lower()

    def draw() -> Axes:
        axes = plots.sweep(Findings(rows), "temperature", by="coefficient", log=True)
        for end in BEST:
            axes.axvline(end, color="black", linewidth=0.8, linestyle=":", zorder=0)
        return labeled(axes, "Agreement by temperature", "correlation of systems")

    return Picture(
        f"infolm-figure-{number}-{place}",
        f"Figure {number}",
        f"Fisher-Rao by temperature, {name}, with intervals ({model}). Between the dotted lines is the best range of"
        f" the paper, {BEST[0]:g} to {BEST[1]:g}",
        rows,
        draw,
    )


def chosen_table(temperatures: Mapping[str, tuple[Findings, Findings]]) -> Table:
    """Return the temperatures chosen on halves of the documents."""
    rows = []
    for name, (points, chosen) in temperatures.items():
        for row in chosen:
            mine = points.where(coefficient=row["coefficient"])
            inside = sum(each["chosen"] for each in mine if BEST[0] <= each["temperature"] <= BEST[1])
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


def statements(
    first: Judgments, temperatures: Mapping[str, tuple[Findings, Findings]], settings: Settings
) -> Table:
    """Return what the text says of the figures next to the numbers."""
    table = printed(FIGURES)
    with_bert = [name for name in ("BERTScore", "ROUGE-1") if name in first.labels]
    found = {
        (row["metric"], row["other"]): row["value"]
        for row in first.between_metrics("system", "pearson", metrics=[*RELATED, *with_bert])
    }
    found |= {(other, metric): value for (metric, other), value in found.items()}
    related = [found[a, b] for i, a in enumerate(RELATED) for b in RELATED[i + 1 :]]
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
