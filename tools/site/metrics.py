"""Pages of metrics: one page each, an index by kind, and one table of all of them."""

from __future__ import annotations

import math
import re

from nlgauge.advisor.evidence import Table, median
from nlgauge.metric import REGISTERED, AnyMetric, Output, first_output, noticed
from nlgauge.metric.card import Card, Categories, card
from nlgauge.metric.registry import metric_classes
from tools.site import forest
from tools.site.evidence import Agreement, agreements, seconds, shown
from tools.site.files import Target, table
from tools.site.pictures import Picture, picture

KINDS = {
    Categories.Overlap: "Shared words and characters, and edits",
    Categories.Embedding: "Models: embeddings, distributions, information",
    Categories.Distance: "Edit distances and differences of distributions",
    Categories.Grammar: "Readability",
    Categories.Statistics: "Variety and repetition",
}
# Pages on libraries, by the words of `tested_against`.
LIBRARIES = {
    "sacreBLEU": "sacrebleu",
    "rouge-score": "rouge-score",
    "jiwer": "jiwer",
    "bert-score": "bert-score",
    "evaluate": "evaluate",
    "torchmetrics": "torchmetrics",
    "pycocoevalcap": "pycocoevalcap",
}
INDEX = """# Metrics

Each page has the definition of a metric, an example, its agreement with people, its cost and its failings. [All
metrics in one table](compare.md) can be sorted and filtered; [Which metric?](../choose.md) recommends metrics for a task.

"""
COMPARE = """# Metrics in one table

Click a heading to sort; type to filter. *Needs* is what a metric reads besides the predictions; the default model is in
parentheses. *Scale* has the bounds of the first output and the better direction: ↑ higher, ↓ lower, – neither. *Cost* is
the median over benchmarks of CPU seconds per 1,000 texts on one core without an accelerator. *Evidence* lists the
tasks with human scores that the metric was compared with ([leaderboard](../leaderboard.md)).

"""


def packaged() -> dict[str, AnyMetric]:
    """Return the metrics of the package by name, with default parameters."""
    return {
        name: metric()
        for name, metric in metric_classes().items()
        if metric.__module__.startswith("nlgauge.metrics.")
    }


def write(target: Target, evidence: list[Table], *, pictures: list[str] | None = None) -> None:
    """Write the pages of all metrics; pictures: the metrics whose explanations are drawn, or None for all."""
    metrics = packaged()
    for name, metric in metrics.items():
        text = card(name)
        drawn = picture(name, text.default_model) if pictures is None or name in pictures else None
        if drawn is not None and drawn.svg:
            target.write(f"metrics/{drawn.file}", drawn.svg)
        target.write(f"metrics/{name}.md", page(text, metric, agreements(evidence, name), drawn))
    target.write("metrics/index.md", INDEX + _index(metrics))
    target.write("metrics/compare.md", COMPARE + compare(metrics, evidence))


def page(text: Card, metric: AnyMetric, rows: list[Agreement], drawn: Picture | None) -> str:
    """Return the page of one metric."""
    sections = text.sections
    how, cost = _split_cost(sections["How"])
    if "## How\n\n    " in text.text:
        # The formula in TeX replaces the indented formula for terminals.
        how = re.sub(r"\A.*\n(?:(?: {4}.*)?\n)*", "", how + "\n")
    how = f"$$\n{text.formula.strip()}\n$$\n\n{text.where}\n\n{how}"
    parts = {
        "Definition": how,
        "Example": sections["Example"],
        "What it sees": _seen(text, drawn),
        "Agreement with people": _agreement(text, rows, first_output(metric)),
        "Damage that it notices": _noticed(text.name),
        "Cost": _cost(rows, cost),
        "How to read the number": sections["How to read the number"],
        "When it misleads": sections["When it misleads"],
        "Parameters": sections["Parameters"],
        "Other implementations": _others(text),
        "Citation": f"```bibtex\n{text.citation}\n```\n\n{linked(sections['References'])}",
    }
    body = "\n\n".join(f"## {heading}\n\n{content.strip()}" for heading, content in parts.items())
    # Links of cards and names of files are written for the repository.
    body = body.replace("docs/results/leaderboard.md", "[leaderboard](../leaderboard.md)")
    return f"# {text.title} (`{text.name}`)\n\n{sections['What it measures']}\n\n{_facts(text, metric)}\n\n{body}\n"


def _noticed(name: str) -> str:
    lines = noticed.lines(name, "markdown")
    if not noticed.noticed(name):
        return f"{'. '.join(lines).capitalize()}. The [stress suite](../results/stress.md) has a command."
    listed = "\n".join(f"- {line}" for line in lines)
    return (
        "Shares of damaged translations of DEMETR that score below the undamaged one, by severity, with 95% intervals; a tie"
        f" is not noticed. All metrics: [stress suite](../results/stress.md).\n\n{listed}"
    )


def _facts(text: Card, metric: AnyMetric) -> str:
    paper, _, link = text.paper.rpartition(", ")
    facts = {
        "Needs": needs(metric, text),
        "Direction": {True: "higher is better", False: "lower is better", None: "none"}[
            first_output(metric).higher_is_better
        ],
        "Scale": scale(first_output(metric)),
        "Languages": languages(text),
        "Other names": ", ".join(f"`{alias}`" for alias in aliases(text.name)),
        "Paper": f"{paper}, <{link}>" if link.startswith("http") else text.paper,
        "License": text.license,
    }
    return "\n".join(f":{key}: {value}" for key, value in facts.items() if value)


def _split_cost(how: str) -> tuple[str, str]:
    """Return the section How without its item on cost, and that item."""
    match = re.search(r"^- Cost: (.*(?:\n {2}.*)*)\n?", how, re.MULTILINE)
    if match is None:
        return how, ""
    cost = " ".join(match[1].split())
    return how.replace(match[0], ""), cost[0].upper() + cost[1:]


def _seen(text: Card, drawn: Picture | None) -> str:
    if drawn is None:
        model = f" with the model `{text.default_model}`" if text.default_model else ""
        return (
            f"This page has no picture of an explanation. `nlgauge explain RESULT -m {text.name}` prints what a metric"
            f" reports about a segment, if anything, on your texts{model}."
        )
    return (
        f"```{{image}} {drawn.file}\n:alt: {drawn.alt}\n:class: explanation dark-light\n```\n\n"
        f"{drawn.alt} Drawn by `nlgauge.plots.explanation` with `{drawn.spec}`; `nlgauge explain` prints the same for a"
        " segment of a saved result."
    )


def _agreement(text: Card, rows: list[Agreement], output: Output) -> str:
    if not rows:
        return (
            "The [leaderboard](../leaderboard.md) has no values for this metric: its weights were not available, or it"
            " scores whole corpora. To measure its agreement on your own texts, label about 100 of them and run"
            f" `nlgauge meta FILE --human COLUMN -m {text.name}` ([meta-evaluation](../statistics/meta-evaluation.md))."
        )
    label = _main_label(text.name, output.name, rows)
    chosen = [row for row in rows if row.label == label and "texts" in row.entry]
    lines = [
        forest.Line(
            row.benchmark,
            shown(row.entry["texts"]),
            row.entry["texts"]["value"],
            row.entry["texts"].get("low"),
            row.entry["texts"].get("high"),
            row.control("texts"),
            row.table.ceiling.get("texts"),
        )
        for row in chosen
    ]
    described = "; ".join(f"{line.name} {line.text}" for line in lines)
    plot = ""
    if lines:
        plot = (
            f"Agreement of `{label}` with human scores of texts, with 95% intervals. Gray tick: the length of the text."
            " Dashed tick: one annotator against the mean of the others, where ratings of single annotators are known."
            " •: no other metric is significantly better on this benchmark.\n\n"
            f"```{{raw}} html\n{forest.svg(lines, f'Agreement of {label}: {described}')}\n```\n\n"
        )
    cells = [
        (
            row.table.task,
            f"{row.benchmark} ({row.segments})",
            f"`{row.label}`",
            shown(row.entry.get("texts")),
            shown(row.entry.get("systems")),
        )
        for row in rows
    ]
    full = table(("task", "benchmark, dimension (segments)", "output", "texts", "systems"), cells)
    return (
        f"{plot}:::{{dropdown}} All outputs, texts and systems\n{full}:::\n\n"
        "The coefficient depends on the benchmark; distances count with a minus sign."
        " [How to read these numbers](../results/leaderboard.md#how-to-read-the-tables)."
    )


def _main_label(name: str, output: str, rows: list[Agreement]) -> str:
    """Return the label that a plot shows: the default parameters and the first output, if the evidence has them."""
    labels = [row.label for row in rows]
    usual = [label for label in (name, f"{name}.{output}") if label in labels]
    firsts = [label for label in labels if label.endswith(f").{output}")]
    return (usual or firsts or sorted(labels, key=labels.count, reverse=True))[0]


def _cost(rows: list[Agreement], cost: str) -> str:
    times = [
        (row.entry["seconds"], row.table.benchmark) for row in rows if row.entry.get("seconds") is not None
    ]
    measured = ""
    if times:
        (low, least), (high, most) = min(times), max(times)
        measured = f"CPU seconds per 1,000 texts on one core without an accelerator: {seconds(low)} ({least})"
        measured += f" to {seconds(high)} ({most})." if low != high else "."
    text = "\n\n".join(filter(None, (measured, cost)))
    return text or "Not measured. `nlgauge score --costs` prints time and memory for each metric of a run."


def _others(text: Card) -> str:
    pages = [
        f"[{name}](../migration/{slug}.md)" for name, slug in LIBRARIES.items() if name in text.tested_against
    ]
    calls = f" Calls of the other library next to calls of nlgauge: {', '.join(pages)}." if pages else ""
    return f"Tested against: {text.tested_against.rstrip('.')}.{calls}"


def linked(text: str) -> str:
    """Return Markdown in which bare addresses are links.

    >>> linked("Paper. https://aclanthology.org/W15-3049")
    'Paper. <https://aclanthology.org/W15-3049>'
    """
    return re.sub(r"(?<![<(\"`])https?://[^\s>)]*[^\s>).,;]", r"<\g<0>>", text)


def _index(metrics: dict[str, AnyMetric]) -> str:
    parts = []
    for category, heading in KINDS.items():
        names = [name for name in metrics if card(name).categories[0] is category]
        rows = [(f"[`{name}`]({name}.md)", card(name).title, measures(card(name))) for name in names]
        parts.append(f"## {heading}\n\n{table(('metric', 'title', 'what it measures'), rows)}")
    names = "\n".join(["compare", *metrics])
    return "\n".join(parts) + f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def compare(metrics: dict[str, AnyMetric], evidence: list[Table]) -> str:
    """Return the table of all metrics."""
    columns = ("metric", "title", "needs", "scale", "languages", "cost", "evidence", "tested against")
    rows = []
    for name, metric in metrics.items():
        text, rows_of_metric = card(name), agreements(evidence, name)
        times = [row.entry["seconds"] for row in rows_of_metric if row.entry.get("seconds") is not None]
        names = [f"[`{name}`]({name}.md)", *(f"`{alias}`" for alias in aliases(name))]
        rows.append(
            (
                ", ".join(names),
                text.title,
                needs(metric, text),
                scale(first_output(metric)),
                languages(text),
                seconds(median(times)) if times else "",
                ", ".join(dict.fromkeys(row.table.task for row in rows_of_metric)),
                text.tested_against,
            )
        )
    return table(columns, rows, classes="sortable")


def aliases(name: str) -> list[str]:
    """Return the other names of a metric, with the parameters that they set."""
    names = []
    for alias, (owner, parameters) in sorted(REGISTERED.aliases.items()):
        if owner == name:
            values = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
            names.append(f"{alias} = {name}({values})" if values else alias)
    return names


def languages(text: Card) -> str:
    """Return the languages that a metric is made for."""
    return "any" if text.languages == "any" else ", ".join(text.languages)


def measures(text: Card) -> str:
    """Return the first sentence of a card."""
    return re.split(r"(?<=[.])\s", " ".join(text.sections["What it measures"].split()), maxsplit=1)[0]


def needs(metric: AnyMetric, text: Card) -> str:
    """Return what a metric reads besides the predictions."""
    inputs = ["references"] * (metric.takes != "alone") + ["sources"] * metric.source
    model = [f"a model ({text.default_model})"] * bool(text.default_model)
    return ", ".join(inputs + model) or "predictions only"


def scale(output: Output) -> str:
    """Return the bounds and the direction of an output."""
    arrow = {True: "↑", False: "↓", None: "–"}[output.higher_is_better]
    low, high = math.isfinite(output.low), math.isfinite(output.high)
    if low and high:
        return f"{output.low:.4g} to {output.high:.4g} {arrow}"
    return (
        f"{f'from {output.low:.4g}' if low else f'up to {output.high:.4g}' if high else 'unbounded'} {arrow}"
    )
