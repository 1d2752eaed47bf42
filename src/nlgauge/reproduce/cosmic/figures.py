"""Figures 3 to 7 and 12 of the COSMIC paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nlgauge import plots
from nlgauge.meta.diagnostics.between import between_metrics
from nlgauge.meta.diagnostics.downstream import MEAN
from nlgauge.meta.findings import Findings
from nlgauge.reproduce.cosmic.benchmarks import ALL_WORDS, SENTIMENT, TOPIC, Both, ranked, types_of
from nlgauge.reproduce.cosmic.scores import COSMIC, GAUSSIAN, LENGTHS, WORDS
from nlgauge.reproduce.steps import Picture, Verdict, labeled
from nlgauge.reproduce.tables import interval, mean_interval
from nlgauge.reproduce.verdicts import difference_verdict, of_all


def figures_3_to_7(both: Both, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Picture]:
    """Return Figures 3 to 7."""
    pictures = []
    for name, measured in both.known.items():
        order = ranked(measured, both.settings)
        rows = [row._asdict() for row in order]
        pictures.append(
            Picture(
                f"cosmic-figure-3-{name}",
                "Figure 3",
                f"Information of the systems of {name} with intervals; the benchmarks do not have the sizes of the models",
                rows,
                partial(plots.by_model, order, types_of(measured)),
            )
        )
    lines = [
        {
            "metric": row["metric"],
            "group": f"{task}, {row['group']}",
            "coefficient": "spearman",
            "value": row["value"],
        }
        for task, rows in found.items()
        for row in rows
        if row["group"] != MEAN and row["metric"] != GAUSSIAN
    ]
    if lines:
        pictures.append(
            Picture(
                "cosmic-figure-4",
                "Figure 4",
                "Agreement of metrics with tasks by benchmark; SEAHORSE's answers, such as Attribution, are not computed: weights",
                lines,
                lambda: labeled(
                    plots.profiles(Findings(lines), highlight=[COSMIC]),
                    "Agreement with tasks",
                    "Spearman over systems",
                ),
            )
        )
    for name, measured in both.known.items():
        judged = both.judged(name, {**measured.benchmark.judgments().humans, **measured.tasks})
        people = [human for human in judged.humans if not human.startswith("turker_")]
        judged = replace(judged, humans={human: judged.humans[human] for human in people})
        between = between_metrics(judged, "system", "spearman", with_human=True)
        pictures.append(
            Picture(
                f"cosmic-figure-5-{name}",
                "Figure 5",
                f"Metrics, tasks and people, in place of SEAHORSE's answers, on the systems of {name}",
                [{key: row[key] for key in ("metric", "other", "value")} for row in between],
                between.plot,
            )
        )
    marked: dict[str, float] = {}
    for name, measured in both.known.items():
        order = ranked(measured, both.settings)
        marked |= {f"{row.system} ({name})": row.information for row in (order[0], order[-1])}
    pictures.append(
        Picture(
            "cosmic-figure-6",
            "Figure 6",
            "Least possible error by information; the systems with most and least information",
            [{"system": name, "information": value} for name, value in marked.items()],
            lambda: plots.error_bound(marked),
        )
    )
    for name, measured in both.known.items():
        shown = measured.map
        points = [
            {"text": text, "first": float(first), "second": float(second)}
            for text, values in shown.points.items()
            for first, second in values
        ]
        pictures.append(
            Picture(
                f"cosmic-figure-7-{name}",
                "Figure 7",
                f"Embeddings of {name}: articles, and summaries of the systems with most and least information",
                points,
                partial(plots.embedding_map, shown.points, shares=shown.shares),
            )
        )
    return pictures


def figure_12(both: Both) -> tuple[list[Picture], dict[str, Verdict]]:
    """Return Figure 12, and the verdict that tasks agree more on longer summaries."""
    rows: list[dict[str, Any]] = []
    parts, words = [], []
    for name, measured in both.known.items():
        whole = float(measured.metrics[WORDS].mean())
        for task in (None, *(each for each in (SENTIMENT, TOPIC) if each in measured.tasks)):
            values = measured.beginnings(task)
            for length, found in values.items():
                value, low, high = mean_interval(found.mean(axis=0), both.settings)
                at = whole if length == ALL_WORDS else float(length)
                label = f"{task or 'information'}, {name}"
                rows.append({"metric": label, "words": at, "value": value, "low": low, "high": high})
            if task is not None:
                gain = mean_interval(
                    (values[ALL_WORDS] - values[str(LENGTHS[0])]).mean(axis=0), both.settings
                )
                words.append(difference_verdict(gain[1], gain[2]))
                parts.append(f"{task}, {name} {interval(gain)}")
    tasks = [row for row in rows if not row["metric"].startswith("information")]
    nats = [row for row in rows if row["metric"].startswith("information")]
    pictures = [
        _sweep(
            "cosmic-figure-12",
            "Share of summaries that a task treats like the article, by the number of their first words; the last point has all words",
            tasks,
            "share of summaries",
        ),
        _sweep(
            "cosmic-figure-12-information",
            "Information by the number of first words of summaries; the last point has all words",
            nats,
            "nats",
        ),
    ]
    verdicts = {}
    if words:
        verdicts["longer"] = Verdict(
            of_all(words),
            "; ".join(parts),
            f"all words less the first {LENGTHS[0]}, mean over systems; 95% interval over texts",
        )
    return [picture for picture in pictures if picture.rows], verdicts


def _sweep(name: str, caption: str, rows: Sequence[Mapping[str, Any]], y: str) -> Picture:
    draw: Callable[[], Any] = lambda: labeled(plots.sweep(Findings(rows), "words"), "Shorter summaries", y)  # noqa: E731
    return Picture(name, "Figure 12", caption, rows, draw)
