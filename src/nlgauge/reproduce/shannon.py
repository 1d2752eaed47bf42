"""The Shannon paper: Table 1 on SummEval, the rows that need no model.

ROUGE-L and ROUGE-W need one sentence per line: predictions are split after " . ", references after sentence ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from sentencex import segment as sentences

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.printed_tables import names, printed
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Claimed, Document, Step, Verdict
from nlgauge.reproduce.tables import computed_from
from nlgauge.reproduce.verdicts import Computed

_ROUGE = "rouge155(rouge_types=('rouge1', 'rouge2', 'rouge3', 'rouge4', 'rougeL', 'rougeSU*', 'rougeW'), stem=True)"
# Row of Table 1 -> metric, output, and the reason why its value may differ from print.
_LINES = {
    "rouge-1": "rouge1",
    "rouge-2": "rouge2",
    "rouge-3": "rouge3",
    "rouge-4": "rouge4",
    "rouge-L": "rougeL",
    "rouge-su*": "rougeSU*",
    "rouge-w": "rougeW",
}
_STRINGS = {
    "CHRF": ("chrf", "score", "definition"),
    "METEOR": ("meteor", "score", "definition"),
    "CIDEr": ("cider", "score", "definition"),
    "Length": ("compression", "summary_length", "definition"),
    "Compress": ("compression", "score", "definition"),
    "Coverage": ("coverage", "score", "definition"),
    "Density": ("density", "score", "definition"),
    "Novel 1": ("novelty", "novelty1", "definition"),
    "Novel 2": ("novelty", "novelty2", "definition"),
    "Novel 3": ("novelty", "novelty3", "definition"),
    "Repeat 1": ("repetitiveness", "repetitiveness1", "definition"),
    "Repeat 2": ("repetitiveness", "repetitiveness2", "definition"),
    "Repeat 3": ("repetitiveness", "repetitiveness3", "definition"),
}
_REASONS = {
    "Shannon": "cost: one CPU hour; see docs/results/shannon.md",
    "Info Diff": "cost: one CPU hour; see docs/results/shannon.md",
    "S3 -pyr": "weights",
    "S3 -resp": "weights",
    "SummaQA": "weights",
    "BLANC": "weights",
}
_DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


def _strings_step(settings: Settings) -> Answer:
    """Return the rows of Table 1 that need no model, and the claims on printed numbers."""
    benchmark = settings.benchmark("summeval")
    return Answer(
        {"shannon-table-1": _rouge(benchmark, settings) | _strings(benchmark, settings)},
        verdicts=_verdicts(),
        notes=[
            f"{len(benchmark.systems)} systems; the paper has 17. Values have the sign of the metric, as in print."
        ],
        calls={"shannon-table-1": [f"nlgauge meta summeval -m {_ROUGE!r} --level system -c kendall"]},
    )


def _lines(benchmark: Benchmark) -> Benchmark:
    """Return the benchmark with one sentence per line."""

    def cut(text: str) -> str:
        return re.sub(r"\s+\.\s+", " .\n", text.strip())

    known: dict[str, str] = {}

    def reference(text: str) -> str:
        if text not in known:
            known[text] = "\n".join(part.strip() for part in sentences("en", text) if part.strip())
        return known[text]

    rows = [
        replace(row, prediction=cut(row.prediction or ""), references=tuple(map(reference, row.references)))
        for row in benchmark.rows
    ]
    return replace(benchmark, rows=tuple(rows))


def _rouge(benchmark: Benchmark, settings: Settings) -> dict[tuple[str, str], Computed]:
    settings.say("scoring ROUGE-1.5.5 with 11 references")
    cut = _lines(benchmark)
    judged = settings.judged(cut, _ROUGE, name="lines")
    label = next(name for name in judged.labels if "." not in name.partition(")")[2])
    first = printed_first(judged, label)
    return _cells(judged, {row: (first(output), "data") for row, output in _LINES.items()}, settings)


def printed_first(judged: Judgments, label: str) -> Callable[[str], str]:
    """Return a function that names an output of a metric: LABEL.OUTPUT, or LABEL for the first output."""
    return lambda output: f"{label}.{output}" if f"{label}.{output}" in judged.labels else label


def _strings(benchmark: Benchmark, settings: Settings) -> dict[tuple[str, str], Computed]:
    specs = list(dict.fromkeys(metric for metric, _, _ in _STRINGS.values()))
    settings.say(f"scoring {', '.join(specs)}")
    judged = settings.judged(benchmark, *specs, name="texts")
    return _cells(
        judged,
        {
            row: (printed_first(judged, metric)(output), why)
            for row, (metric, output, why) in _STRINGS.items()
        },
        settings,
    )


def _cells(
    judged: Judgments, rows: Mapping[str, tuple[str, str]], settings: Settings
) -> dict[tuple[str, str], Computed]:
    """Return the correlations of rows with the four dimensions, with the sign of the metric."""
    found = judged.correlate(
        "system",
        "kendall",
        list(_DIMENSIONS),
        [label for label, _ in dict.fromkeys(rows.values())],
        interval="both",
        resamples=settings.resamples,
        seed=settings.seed,
    )
    values = {(row["metric"], row["human"]): row for row in found}
    cells = {}
    for row, (label, why) in rows.items():
        sign = -1 if judged.higher_is_better.get(label) is False else 1
        for dimension in _DIMENSIONS:
            cells[row, dimension] = computed_from(values[label, dimension], sign, why, len(judged.systems))
    return cells


def _verdicts() -> dict[str, Verdict]:
    table = printed("shannon-table-1")
    # Rows that tie with the fifth value are among the five best.
    sizes = [[abs(row[at]) for row in table.values] for at in range(len(table.columns))]
    top = {
        column: {i for i, size in enumerate(column_sizes) if size >= sorted(column_sizes)[-5]}
        for column, column_sizes in zip(table.columns, sizes, strict=True)
    }
    always = [table.names[i] for i in range(len(table.names)) if all(i in best for best in top.values())]
    wrong = [
        f"{table.names[i]}, {column}"
        for at, column in enumerate(table.columns)
        for i in range(len(table.names))
        if table.bold[i][at] != (i in top[column])
    ]
    test = "printed numbers of Table 1, by magnitude"
    return {
        "top-five": Verdict(
            "supported" if sorted(always) == ["Info Diff", "Shannon"] else "contradicted",
            f"among the five best everywhere: {', '.join(always) or 'none'}",
            test,
        ),
        "bold": Verdict("contradicted" if wrong else "supported", "; ".join(wrong) or "no slip", test),
    }


_HOURS = "needs one CPU hour or more; see docs/results/shannon.md"
DOCUMENT = Document(
    "shannon",
    "Egan, Vasilyev, Bohannon: Play the Shannon Game (AAAI 2022)",
    names("shannon"),
    [
        Step(
            "strings",
            {"shannon-table-1": (*_LINES, *_STRINGS)},
            _strings_step,
            seconds=60,
            inputs=100,
            benchmark="summeval",
        )
    ],
    [
        Claimed(
            "top-five",
            "5.1",
            "Only Shannon Score and Information Difference are among the five best of every column.",
            "strings",
        ),
        Claimed("bold", "5.1", "Bold marks the five best of every column.", "strings"),
        Claimed("coherence", "5.1", "Shannon Score is best on coherence and relevance.", why=_HOURS),
        Claimed("length-bias", "5.3", "The metrics are biased to length.", why=_HOURS),
        Claimed("upstream", "5.5", "Context raises consistency and lowers the other dimensions.", why=_HOURS),
        Claimed("corrupted", "5.2", "Original summaries beat shuffled and wrong ones.", why=_HOURS),
    ],
    {
        **dict.fromkeys(names("shannon"), "cost: see docs/results/shannon.md"),
        "shannon-table-1": "weights",
        "shannon-table-2": "data: DUC 2001 and 2002 are available under agreement with NIST",
        "shannon-table-4": "weights",
        **{f"shannon-table-1/{row}": why for row, why in _REASONS.items()},
    },
)
