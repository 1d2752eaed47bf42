"""Tables 1 and 5 of the Shannon paper with SmolLM2: system-level Kendall tau-b on SummEval."""

from __future__ import annotations

from nlgauge.corpus import Corpus
from nlgauge.meta.benchmarks.rows import BenchmarkRow
from nlgauge.meta.papers.shannon import rank_correlation, summary_statistics
from studies import data, study

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
OUTPUTS = {
    "Shannon Score": "shannon",
    "Information Difference": "information_difference",
    "BLANC-Shannon": "blanc_shannon",
}
PAPER = {
    ("Shannon Score", 0): "0.4118 0.6324 0.5240 0.6029",
    ("Information Difference", 0): "0.4706 0.6324 0.5683 0.6618",
    ("BLANC-Shannon", 0): "0.3676 0.6765 0.5092 0.5588",
}


def values(
    name: str, texts: dict[str, study.Texts], model: str, upstream: int = 0
) -> dict[str, dict[str, dict[str, float]]]:
    """segment -> system -> outputs of the metric."""
    found = study.results(name, texts, f"shannon(model={model!r}, upstream={upstream})")
    return {
        segment: {system: dict(result[system][result.labels[0]]) for system in result.systems}
        for segment, result in found.items()
    }


def report(model: str, upstream: int, documents: int | None) -> str:
    """The table as Markdown: our values with intervals, and those of the paper."""
    rows = data.segments("summeval", documents)
    texts = {
        segment: study.Texts(data.predictions(by_system), source=data.first(by_system).source)
        for segment, by_system in rows.items()
    }
    found = values("shannon", texts, model, upstream)
    systems = sorted({system for by_system in rows.values() for system in by_system})
    lines = []
    for name, output in OUTPUTS.items():
        metric = study.columns(found, systems, output)
        cells = []
        for dimension in DIMENSIONS:
            human = data.human(rows, dimension)
            low, high = study.interval(metric, human, study.system_level, "kendall")
            cells.append(f"{study.system_level(metric, human, 'kendall'):.4f} [{low:.2f}, {high:.2f}]")
        lines.append([f"{name}, {model}, k = {upstream}", *cells])
        if (name, upstream) in PAPER:
            lines.append([f"{name}, GPT-2 small, the paper", *PAPER[name, upstream].split()])
    header = f"{len(rows)} documents, {len(systems)} systems"
    return "\n\n".join([header, study.table(["metric", *DIMENSIONS], lines), _biases(rows, found, systems)])


def _biases(
    rows: dict[str, dict[str, BenchmarkRow]],
    found: dict[str, dict[str, dict[str, float]]],
    systems: list[str],
) -> str:
    """Table 3: what the metrics and people reward beside quality, over all summaries."""
    texts = {system: [by_system[system].prediction for by_system in rows.values()] for system in systems}
    documents = [data.first(by_system).source for by_system in rows.values()]
    statistics = summary_statistics(Corpus.read(texts, None, documents))
    ours = {name: study.columns(found, systems, output).ravel() for name, output in OUTPUTS.items()}
    ours |= {dimension: data.human(rows, dimension).ravel() for dimension in DIMENSIONS}
    lines = [
        [statistic, *(rank_correlation(column, values) for column in ours.values())]
        for statistic, values in statistics.items()
    ]
    return study.table(["Spearman, all summaries", *ours], lines)
