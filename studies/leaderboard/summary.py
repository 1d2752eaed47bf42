"""What all benchmarks say together: the place of each metric among the others by task, and models beside
chrF.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from nlgauge.metric.registry import parse
from studies import study
from studies.leaderboard.boards import METRICS, STRINGS
from studies.leaderboard.tables import Line, Table, Value

SYSTEMS, TEXTS = "systems", "texts"
# A metric that is scored in fewer tasks is not in the summary.
FEWEST_TASKS = 4
# A metric that was scored in fewer languages is not in the summary by language.
FEWEST_LANGUAGES = 4


def summary(whole: Sequence[Table]) -> str:
    """One line per metric: which share of the other metrics it is better than, by task, and how often it
    is not beaten.
    """
    shares: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    unbeaten: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    costs: dict[str, list[float]] = defaultdict(list)
    for table in whole:
        if not table.board.advises:
            continue
        for level in table.board.coefficients:
            of = SYSTEMS if level == "system" else TEXTS
            for line, share in _shares(table, level):
                shares[line.metric][of, table.board.task].append(share)
                if level in line.places:
                    unbeaten[line.metric][of].append(not line.places[level].beaten)
        for line in table.lines:
            costs[line.metric] += [line.seconds] if line.seconds else []
    tasks = sorted(
        {task for by_task in shares.values() for task in by_task},
        key=lambda task: (task[0] == SYSTEMS, task[1]),
    )

    def mean(metric: str, chosen: Iterable[tuple[str, str]]) -> float:
        known = [statistics.mean(shares[metric][task]) for task in chosen if task in shares[metric]]
        return statistics.mean(known) if known else math.nan

    of_texts = [task for task in tasks if task[0] == TEXTS]
    broad = [metric for metric in shares if sum(task in shares[metric] for task in of_texts) >= FEWEST_TASKS]
    lines = []
    for metric in sorted(broad, key=lambda metric: -mean(metric, of_texts)):
        cells = [
            f"`{metric}`",
            _percent(mean(metric, of_texts)),
            *(_percent(mean(metric, [task])) for task in tasks),
        ]
        cells += [
            f"{sum(each)} of {len(each)}" if (each := unbeaten[metric][of]) else "" for of in (TEXTS, SYSTEMS)
        ]
        lines.append([*cells, f"{statistics.median(costs[metric]):.2g}" if costs[metric] else ""])
    named = [f"{of}: {task}" for of, task in tasks]
    return study.table(
        [
            "metric",
            f"{TEXTS}: mean",
            *named,
            f"{TEXTS}: not beaten",
            f"{SYSTEMS}: not beaten",
            "s per 1,000 texts",
        ],
        lines,
    )


def by_language(whole: Sequence[Table]) -> str:
    """One line per metric that was scored in several languages: which share of the other metrics it is better than on
    texts, by language of the texts; sets of several languages are left out.
    """
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for table in whole:
        if table.board.advises and len(table.board.languages) == 1:
            (lang,) = table.board.languages
            for line, share in _shares(table, next(reversed(table.board.coefficients))):
                shares[line.metric][lang].append(share)
    languages = sorted(
        {lang for by_lang in shares.values() for lang in by_lang}, key=lambda lang: (lang != "en", lang)
    )
    means = {
        metric: {lang: statistics.mean(each) for lang, each in by_lang.items()}
        for metric, by_lang in shares.items()
        if len(by_lang) >= FEWEST_LANGUAGES
    }
    order = sorted(means, key=lambda metric: -statistics.mean(means[metric].values()))
    return study.table(
        ["metric", "mean", *languages],
        [
            [
                f"`{metric}`",
                _percent(statistics.mean(means[metric].values())),
                *(_percent(means[metric].get(lang, math.nan)) for lang in languages),
            ]
            for metric in order
        ],
    )


def _shares(table: Table, level: str) -> Iterable[tuple[Line, float]]:
    """Each metric with the share of the others that have a lower value."""
    known = [
        (line, value)
        for line in table.lines
        if not math.isnan(value := line.values.get((table.human, level), Value()).ranked)
    ]
    for line, value in known:
        yield line, sum(other < value for _, other in known) / max(1, len(known) - 1)


def beside_chrf(found: Mapping[str, Sequence[Table]]) -> str:
    """One line per costly metric, one column per benchmark: its agreement on texts, and chrF's on the
    same texts.
    """
    costly = [str(parse(spec)) for spec, one in METRICS.items() if one.cost != STRINGS]
    cells: dict[str, dict[str, str]] = defaultdict(dict)
    for name, tables in found.items():
        for table in tables:
            of_texts = table.human, next(reversed(table.board.coefficients))
            values = {line.metric: line.values.get(of_texts, Value()).value for line in table.lines}
            for metric, value in values.items():
                if any(
                    metric == label or metric.startswith(f"{label}.") for label in costly
                ) and not math.isnan(value):
                    # A table of a smaller sample has the metric as an anchor only.
                    cells[metric].setdefault(
                        name, f"{value:.2f} ({values['chrf']:.2f})" if "chrf" in values else f"{value:.2f}"
                    )
    names = [name for name in found if any(name in by_name for by_name in cells.values())]
    return study.table(
        ["metric", *names],
        [[f"`{metric}`", *(by_name.get(name, "") for name in names)] for metric, by_name in cells.items()],
    )


def _percent(value: float) -> str:
    return "" if math.isnan(value) else f"{100 * value:.0f}"
