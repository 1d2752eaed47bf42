"""Tables 1, 3 and 4 of the COSMIC paper, and further tables of systems, tasks, people and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from nlgauge.meta.diagnostics.between import between_metrics
from nlgauge.meta.diagnostics.downstream import MEAN
from nlgauge.reproduce.cosmic.benchmarks import METRICS, SENTIMENT, TOPIC, Both, ranked, types_of
from nlgauge.reproduce.cosmic.scores import BERTSCORE, COSMIC, GAUSSIAN, ROUGE, VECTORS, WORDS
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.tables import computed_from, difference
from nlgauge.reproduce.verdicts import Computed

# Rows of tables 3 and 4, and columns of table 1, that are computed -> task or metric.
TASK_NAMES = {
    "Sentiment": SENTIMENT,
    "Sentiment Analysis": SENTIMENT,
    "Sentiment analysis": SENTIMENT,
    "Topic": TOPIC,
    "Paraphrase embedding": "cosine minilm",
    "Emb. Paraphrase": "cosine minilm",
    "all-MiniLM": "cosine minilm",
    ROUGE: ROUGE,
    BERTSCORE: BERTSCORE,
}
_UNKNOWN = "weights: the classifier or SEAHORSE's model (4.9 GB) of this number is not read"


def mean_row(rows: Sequence[Mapping[str, Any]], metric: str) -> Mapping[str, Any]:
    """Return the row of a metric with its mean over benchmarks."""
    return next(row for row in rows if (row["metric"], row["group"]) == (metric, MEAN))


def _computed(rows: Sequence[Mapping[str, Any]], metric: str, stand_in: str) -> Computed:
    return msgspec.structs.replace(
        computed_from(mean_row(rows, metric), 1, "data and model"), stand_in=stand_in
    )


def first_table(
    found: Mapping[str, Sequence[Mapping[str, Any]]], stand_in: str
) -> dict[tuple[str, str], Computed]:
    """Return the cells of Table 1; `found` are the coefficients by task or metric."""
    table = printed("cosmic-table-1")
    return {
        (row, column): _computed(found[TASK_NAMES[column]], row, stand_in)
        if row in METRICS and TASK_NAMES.get(column) in found
        else Computed(why=_UNKNOWN)
        for row in table.names
        for column in table.columns
    }


def further_table(
    number: int, found: Mapping[str, Sequence[Mapping[str, Any]]], stand_in: str
) -> dict[tuple[str, str], Computed]:
    """Return the cells of Table 3 or 4; `found` are the coefficients by task or metric."""
    table = printed(f"cosmic-table-{number}")
    cells = {}
    for row in table.names:
        for column in table.columns:
            if row == column:
                cells[row, column] = Computed(why="a metric with itself")
            elif column in METRICS and TASK_NAMES.get(row) in found:
                cells[row, column] = _computed(found[TASK_NAMES[row]], column, stand_in)
            else:
                cells[row, column] = Computed(why=_UNKNOWN)
    return cells


def ranking_table(both: Both) -> Table:
    """Return the systems with their information and their mean length."""
    rows = [
        {
            "benchmark": name,
            "system": row.system,
            "type": types_of(measured)[row.system],
            "information": row.information,
            "low": row.low,
            "high": row.high,
            "deviation over seeds": row.seed_deviation,
            "words": row.words,
        }
        for name, measured in both.known.items()
        for row in ranked(measured, both.settings)
    ]
    return Table(
        "information-of-systems",
        "Figure 3",
        "Information of summaries about their articles, and the mean length of summaries",
        "nats; 95% interval over texts",
        rows=rows,
        remarks=["Values of both benchmarks are not comparable, because their articles differ."],
        calls=["nlgauge.meta.papers.cosmic.rank_summarizers(corpus)"],
    )


def task_table(both: Both, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Return the agreement of metrics with tasks, also with the number of words held constant."""
    rows = [
        {
            "task": task,
            "metric": row["metric"],
            "benchmark": row["group"],
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
            "given words": row["partial"] if row["metric"] != WORDS else None,
            "given words, low": row["partial_low"] if row["metric"] != WORDS else None,
            "given words, high": row["partial_high"] if row["metric"] != WORDS else None,
        }
        for task, rows in found.items()
        for row in rows
    ]
    shares = [
        f"{name}, {task}: " + ", ".join(f"{label} {share:.2f}" for label, share in labels.items())
        for name, measured in both.known.items()
        for task, labels in measured.shares.items()
    ]
    return Table(
        "tasks",
        "Table 1",
        "Metrics and the share of texts on which a task treats summary and article alike",
        "Spearman over systems; 95% interval over systems and texts",
        rows=rows,
        remarks=["Share of the articles with each label: " + "; ".join(shares)] if shares else [],
    )


def rival_table(both: Both) -> Table:
    """Return how much better the number of words agrees with tasks than COSMIC."""
    rows: list[dict[str, Any]] = []
    for task in both.tasks():
        for name, measured in both.known.items():
            judged = both.judged(name, {task: measured.tasks[task]}, COSMIC, WORDS)
            value, low, high = difference(judged, task, WORDS, COSMIC, both.settings, coefficient="spearman")
            rows.append(
                {"task": task, "benchmark": name, "words less COSMIC": value, "low": low, "high": high}
            )
    outside = sum(row["low"] > 0 or row["high"] < 0 for row in rows)
    return Table(
        "length",
        "Table 1",
        "The mean number of words instead of COSMIC",
        "difference of Spearman's coefficients over systems; 95% interval over systems and texts",
        rows=rows,
        remarks=[f"{outside} of {len(rows)} intervals exclude 0."],
    )


def people_agreement(both: Both) -> list[dict[str, Any]]:
    """Return Spearman's coefficients of metrics with people, by benchmark and human dimension."""
    rows = []
    for name, measured in both.known.items():
        judged = both.judged(name, measured.benchmark.judgments().humans)
        chosen = [human for human in judged.humans if not human.startswith("turker_")]
        found = judged.correlate(
            "system",
            "spearman",
            chosen,
            interval="both",
            resamples=both.settings.resamples,
            seed=both.settings.seed,
        )
        rows += [{"benchmark": name, **row} for row in found]
    return rows


def people_table(people: Sequence[Mapping[str, Any]]) -> Table:
    """Return the agreement of metrics with people."""
    names = ("benchmark", "metric", "human", "value", "low", "high", "n")
    return Table(
        "people",
        "Figure 2",
        "Metrics and people, in place of SEAHORSE's answers",
        "Spearman over systems; 95% interval over systems and texts",
        rows=[{name: row[name] for name in names} for row in people],
    )


def settings_table(both: Both) -> Table:
    """Return the effect of the number of modes, of the vectors and of the number of pairs."""
    rows = []
    for name, measured in both.known.items():
        shape = measured.metrics[COSMIC].shape
        variants = {
            COSMIC: measured.metrics[COSMIC],
            GAUSSIAN: measured.metrics[GAUSSIAN],
            **measured.variants,
            **{
                f"{pairs} pairs": np.broadcast_to(values[:, None], shape)
                for pairs, values in measured.fewer.items()
                if int(pairs) < shape[1]
            },
        }
        judged = both.judged(
            name, {SENTIMENT: measured.tasks[SENTIMENT]} if SENTIMENT in measured.tasks else {}
        )
        judged = replace(judged, metrics=variants, higher_is_better=dict.fromkeys(variants, True))
        same = {
            row["other"]: row["value"]
            for row in between_metrics(judged, "system", "kendall")
            if row["metric"] == COSMIC
        }
        agreed = {}
        if judged.humans:
            agreed = {
                row["metric"]: row["value"] for row in judged.correlate("system", "spearman", interval=None)
            }
        rows += [
            {
                "benchmark": name,
                "setting": label,
                "mean information": float(values.mean()),
                "Kendall with default": same.get(label),
                "Spearman with sentiment": agreed.get(label),
            }
            for label, values in variants.items()
        ]
    return Table(
        "settings",
        "Appendix E",
        "Other numbers of modes, other vectors and fewer pairs",
        "nats; coefficients over systems",
        rows=rows,
        remarks=[
            f"The default has 4 modes and three seeds, the other settings have one seed. {VECTORS}: means of word vectors of whole texts."
        ],
        calls=[
            "nlgauge.meta.papers.cosmic.pair_information(corpus, embeddings(corpus, model), 'cosmic(modes=8)')"
        ],
    )
