"""COSMIC on the systems of SummEval and REALSumm: Tables 1, 3 and 4, Figures 3 to 7 and 12, and settings of the
estimator. Other texts and another encoder than the paper's, so that no number can be equal to print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from nlgauge import plots
from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.meta.diagnostics.between import between_metrics
from nlgauge.meta.diagnostics.downstream import MEAN, downstream
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.papers.cosmic import RankedSystem
from nlgauge.reproduce.cosmic_scores import (
    BERTSCORE,
    COSMIC,
    ENCODER,
    GAUSSIAN,
    LENGTHS,
    ROUGE,
    VECTORS,
    WORDS,
    Measured,
)
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Picture, Verdict
from nlgauge.reproduce.tables import computed_from, difference, interval, mean_interval
from nlgauge.reproduce.verdicts import Computed, difference_verdict, of_all

BENCHMARKS = ("summeval", "realsumm")
_METRICS = (COSMIC, ROUGE, BERTSCORE)
_ALL = "all"
_SENTIMENT, _TOPIC = "sentiment", "topic:8"
# Rows of tables 3 and 4, and columns of table 1, that are computed -> task or metric.
_NAMES = {
    "Sentiment": _SENTIMENT,
    "Sentiment Analysis": _SENTIMENT,
    "Sentiment analysis": _SENTIMENT,
    "Topic": _TOPIC,
    "Paraphrase embedding": "cosine minilm",
    "Emb. Paraphrase": "cosine minilm",
    "all-MiniLM": "cosine minilm",
    ROUGE: ROUGE,
    BERTSCORE: BERTSCORE,
}
_UNKNOWN = "weights: the classifier or SEAHORSE's model (4.9 GB) of this number is not read"


class Both:
    """The numbers of two benchmarks, separately and joined."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.known = {name: Measured(name, settings) for name in BENCHMARKS}

    def judged(self, name: str, agreement: Mapping[str, Array], *metrics: str) -> Judgments:
        """Return one benchmark's scores of metrics; agreements take the place of human scores."""
        measured = self.known[name]
        scores = {metric: measured.metrics[metric] for metric in metrics or measured.metrics}
        return replace(
            measured.benchmark.judgments(),
            humans=dict(agreement),
            ratings={},
            metrics=scores,
            higher_is_better=dict.fromkeys(scores, True),
        )

    def block(self, arrays: Mapping[str, Array]) -> Array:
        """Return the scores of both benchmarks as one array; elsewhere NaN."""
        shapes = [self.known[name].metrics[COSMIC].shape for name in BENCHMARKS]
        rows, columns = (sum(shape[axis] for shape in shapes) for axis in (0, 1))
        found = np.full((rows, columns), np.nan)
        row = column = 0
        for name, (systems, segments) in zip(BENCHMARKS, shapes, strict=True):
            found[row : row + systems, column : column + segments] = arrays[name]
            row, column = row + systems, column + segments
        return found

    @lazy
    def joined(self) -> Judgments:
        """The metrics of both benchmarks as two groups."""
        systems, segments, groups = [], [], []
        for name, measured in self.known.items():
            systems += [f"{name}/{system}" for system in measured.benchmark.systems]
            own = [f"{name}/{segment}" for segment in measured.benchmark.judgments().segments]
            segments += own
            groups += [name] * len(own)
        scores = {
            metric: self.block({name: measured.metrics[metric] for name, measured in self.known.items()})
            for metric in (*_METRICS, GAUSSIAN, WORDS)
        }
        return Judgments(
            tuple(systems),
            tuple(segments),
            {},
            scores,
            dict.fromkeys(scores, True),
            tuple(groups),
        )

    def tasks(self) -> list[str]:
        """Return the tasks that both benchmarks have."""
        first, *others = (measured.tasks for measured in self.known.values())
        return [name for name in first if all(name in other for other in others)]

    def correlated(self, name: str) -> list[Mapping[str, Any]]:
        """Return Spearman's coefficients of all metrics with a task or metric, by benchmark and their mean, also
        with the number of words held constant.
        """
        agreement = self.block(
            {
                benchmark: measured.tasks[name] if name in measured.tasks else measured.metrics[name]
                for benchmark, measured in self.known.items()
            }
        )
        settings = self.settings
        return list(
            downstream(
                self.joined,
                agreement,
                coefficient="spearman",
                partial=self.joined.metrics[WORDS],
                interval="both",
                resamples=settings.resamples,
                seed=settings.seed,
            )
        )


def systems(settings: Settings) -> Answer:
    """Return everything but the graph."""
    both = Both(settings)
    tasks = both.tasks()
    wanted = list(dict.fromkeys([*tasks, *_NAMES.values()]))
    found = {name: both.correlated(name) for name in wanted if name in tasks or name in (ROUGE, BERTSCORE)}
    stand_in = _stand_in(settings)
    people = _people(both)
    pieces, gains = _lengths(both)
    return Answer(
        {
            "cosmic-table-1": _first_table(found, stand_in),
            **{f"cosmic-table-{number}": _further_table(number, found, stand_in) for number in (3, 4)},
        },
        [
            _ranking_table(both),
            _task_table(both, {name: found[name] for name in tasks}),
            _rival_table(both),
            _people_table(people),
            _settings_table(both),
        ],
        [*_pictures(both, {name: found[name] for name in tasks}), *pieces],
        {**_verdicts(both, found, people), **gains},
        _notes(both),
        {
            "cosmic-table-1": [
                "nlgauge meta downstream summeval -m cosmic rouge@source --task sentiment --task topic:8 --partial words"
            ]
        },
    )


def _stand_in(settings: Settings) -> str:
    used, other = settings.model(ENCODER)
    sampled = "" if settings.sample is None else f"; {settings.sample} inputs"
    return f"SummEval and REALSumm, {other or used}{sampled}"


def _notes(both: Both) -> list[str]:
    model = both.settings.model(ENCODER)[0]
    cut = ", ".join(f"{measured.cut} on {name}" for name, measured in both.known.items())
    notes = [
        f"Articles that {model} reads only in part: {cut}.",
        "100 pairs per system are few: on simulated data with known information the estimates are 15 to 20% too low.",
    ]
    missing = {name: why for measured in both.known.values() for name, why in measured.missing.items()}
    return [*notes, *(f"The task {name} is not computed: {why}" for name, why in missing.items())]


def _mean(rows: Sequence[Mapping[str, Any]], metric: str) -> Mapping[str, Any]:
    return next(row for row in rows if (row["metric"], row["group"]) == (metric, MEAN))


def _computed(rows: Sequence[Mapping[str, Any]], metric: str, stand_in: str) -> Computed:
    return msgspec.structs.replace(computed_from(_mean(rows, metric), 1, "data and model"), stand_in=stand_in)


def _first_table(
    found: Mapping[str, Sequence[Mapping[str, Any]]], stand_in: str
) -> dict[tuple[str, str], Computed]:
    table = printed("cosmic-table-1")
    return {
        (row, column): _computed(found[_NAMES[column]], row, stand_in)
        if row in _METRICS and _NAMES.get(column) in found
        else Computed(why=_UNKNOWN)
        for row in table.names
        for column in table.columns
    }


def _further_table(
    number: int, found: Mapping[str, Sequence[Mapping[str, Any]]], stand_in: str
) -> dict[tuple[str, str], Computed]:
    table = printed(f"cosmic-table-{number}")
    cells = {}
    for row in table.names:
        for column in table.columns:
            if row == column:
                cells[row, column] = Computed(why="a metric with itself")
            elif column in _METRICS and _NAMES.get(row) in found:
                cells[row, column] = _computed(found[_NAMES[row]], column, stand_in)
            else:
                cells[row, column] = Computed(why=_UNKNOWN)
    return cells


def ranked(measured: Measured, settings: Settings) -> list[RankedSystem]:
    """Return the systems of a benchmark by information, the most first."""
    pairs, words = measured.metrics[COSMIC], measured.metrics[WORDS].mean(axis=1)
    rows = [
        RankedSystem(
            system,
            *mean_interval(pairs[at], settings),
            float(measured.deviation[at]),
            float(words[at]),
            pairs.shape[1],
        )
        for at, system in enumerate(measured.benchmark.systems)
    ]
    return sorted(rows, key=lambda row: -row.information)


def _types(measured: Measured) -> dict[str, str]:
    return {row.system: str(row.meta.get("type", "")) for row in measured.benchmark.rows}


def _ranking_table(both: Both) -> Table:
    rows = [
        {
            "benchmark": name,
            "system": row.system,
            "type": _types(measured)[row.system],
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


def _task_table(both: Both, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
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


def _rival_table(both: Both) -> Table:
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


def _people(both: Both) -> list[dict[str, Any]]:
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


def _people_table(people: Sequence[Mapping[str, Any]]) -> Table:
    names = ("benchmark", "metric", "human", "value", "low", "high", "n")
    return Table(
        "people",
        "Figure 2",
        "Metrics and people, in place of SEAHORSE's answers",
        "Spearman over systems; 95% interval over systems and texts",
        rows=[{name: row[name] for name in names} for row in people],
    )


def _settings_table(both: Both) -> Table:
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
            name, {_SENTIMENT: measured.tasks[_SENTIMENT]} if _SENTIMENT in measured.tasks else {}
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


def _pictures(both: Both, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Picture]:
    """Return Figures 3 to 7."""
    pictures = []
    for name, measured in both.known.items():
        order = ranked(measured, both.settings)
        rows = [row._asdict() for row in order]
        pictures.append(
            Picture(
                f"cosmic-figure-3-{name}",
                "Figure 3",
                f"Information of the systems of {name}",
                rows,
                partial(plots.by_model, order, _types(measured)),
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
                "Metrics over tasks and benchmarks",
                lines,
                lambda: plots.profiles(Findings(lines), highlight=[COSMIC]),
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
                f"Metrics, tasks and people on the systems of {name}",
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


def _lengths(both: Both) -> tuple[list[Picture], dict[str, Verdict]]:
    """Return Figure 12, and the verdict that tasks agree more on longer summaries."""
    rows: list[dict[str, Any]] = []
    parts, words = [], []
    for name, measured in both.known.items():
        whole = float(measured.metrics[WORDS].mean())
        for task in (None, *(each for each in (_SENTIMENT, _TOPIC) if each in measured.tasks)):
            values = measured.beginnings(task)
            for length, found in values.items():
                value, low, high = mean_interval(found.mean(axis=0), both.settings)
                at = whole if length == _ALL else float(length)
                label = f"{task or 'information'}, {name}"
                rows.append({"metric": label, "words": at, "value": value, "low": low, "high": high})
            if task is not None:
                gain = mean_interval((values[_ALL] - values[str(LENGTHS[0])]).mean(axis=0), both.settings)
                words.append(difference_verdict(gain[1], gain[2]))
                parts.append(f"{task}, {name} {interval(gain)}")
    tasks = [row for row in rows if not row["metric"].startswith("information")]
    nats = [row for row in rows if row["metric"].startswith("information")]
    pictures = [
        _sweep("cosmic-figure-12", "Share of summaries that a task treats like the article, by words", tasks),
        _sweep("cosmic-figure-12-information", "Information in nats, by words", nats),
    ]
    verdicts = {}
    if words:
        verdicts["longer"] = Verdict(
            of_all(words),
            "; ".join(parts),
            f"all words less the first {LENGTHS[0]}, mean over systems; 95% interval over texts",
        )
    return [picture for picture in pictures if picture.rows], verdicts


def _sweep(name: str, caption: str, rows: Sequence[Mapping[str, Any]]) -> Picture:
    draw: Callable[[], Any] = lambda: plots.sweep(Findings(rows), "words")  # noqa: E731
    return Picture(name, "Figure 12", caption, rows, draw)


def _verdicts(
    both: Both,
    found: Mapping[str, Sequence[Mapping[str, Any]]],
    people: Sequence[Mapping[str, Any]],
) -> dict[str, Verdict]:
    verdicts = {}
    if _SENTIMENT in found:
        row = _mean(found[_SENTIMENT], COSMIC)
        verdicts["tasks"] = Verdict(
            difference_verdict(row["low"], row["high"]),
            "sentiment "
            + interval((row["value"], row["low"], row["high"]))
            + ", with the number of words held constant "
            + interval((row["partial"], row["partial_low"], row["partial_high"])),
            "mean of two benchmarks of Spearman's rho over systems; 95% interval over systems and texts",
        )
    parts, words = [], []
    for name, human in (("summeval", "consistency"), ("realsumm", "litepyramid_recall")):
        judged = both.judged(name, both.known[name].benchmark.judgments().humans)
        for rival in (ROUGE, BERTSCORE):
            gain = difference(judged, human, COSMIC, rival, both.settings, coefficient="spearman")
            words.append(difference_verdict(gain[1], gain[2]))
            parts.append(f"{name}, {human}: less {rival} {interval(gain)}")
        verdicts["people"] = Verdict(
            of_all(words),
            "; ".join(parts),
            "difference of Spearman's coefficients, paired bootstrap over systems and texts",
        )
    gains = []
    for name, measured in both.known.items():
        judged = both.judged(name, {"words": measured.metrics[WORDS]}, COSMIC)
        (row,) = judged.correlate(
            "system", "spearman", interval="both", resamples=both.settings.resamples, seed=both.settings.seed
        )
        gains.append((name, row))
    verdicts["not-length"] = Verdict(
        "contradicted" if all(row["low"] > 0 for _, row in gains) else "undecided",
        "; ".join(f"{name} {interval((row['value'], row['low'], row['high']))}" for name, row in gains),
        "Spearman over systems of information with the number of words; contradicted if all intervals are above 0",
    )
    return verdicts
