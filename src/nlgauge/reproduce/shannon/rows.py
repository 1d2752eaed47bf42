"""Table 1 of the Shannon paper: rows of other metrics on SummEval; and people's columns of Table 3.

SummEval's means of segments are ranked, not corpus scores. ROUGE-L and ROUGE-W need sentences: predictions are split
after " . ", references by sentencex.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec
import numpy as np

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings, digest
from nlgauge.reproduce.steps import Answer
from nlgauge.reproduce.tables import column, computed_from
from nlgauge.reproduce.verdicts import Computed

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
TABLE, BIASES = "shannon-table-1", "shannon-table-3"
DOCUMENTS, _SYSTEMS = 100, 17
_ROUGE = (
    "rouge155(rouge_types=('rouge1', 'rouge2', 'rouge3', 'rouge4', 'rougeL', 'rougeSU*', 'rougeW'), stem=True,"
    " sentences=('full stop', 'sentencex'))"
)
# Row of Table 1 -> metric, output.
STRINGS = {
    "rouge-1": (_ROUGE, "rouge1"),
    "rouge-2": (_ROUGE, "rouge2"),
    "rouge-3": (_ROUGE, "rouge3"),
    "rouge-4": (_ROUGE, "rouge4"),
    "rouge-L": (_ROUGE, "rougeL"),
    "rouge-su*": (_ROUGE, "rougeSU*"),
    "rouge-w": (_ROUGE, "rougeW"),
    "BLEU": ("bleu", ""),
    "CHRF": ("chrf", ""),
    "CIDEr": ("cider", ""),
    "METEOR": ("meteor", ""),
}
STATISTICS = {
    "Length": ("compression", "summary_length"),
    "Novel 1": ("novelty", "novelty1"),
    "Novel 2": ("novelty", "novelty2"),
    "Novel 3": ("novelty", "novelty3"),
    "Repeat 1": ("repetitiveness", "repetitiveness1"),
    "Repeat 2": ("repetitiveness", "repetitiveness2"),
    "Repeat 3": ("repetitiveness", "repetitiveness3"),
    "Coverage": ("coverage", ""),
    "Compress": ("compression", ""),
    "Density": ("density", ""),
}
# Rows of Table 3 by row of Table 1.
BIASED = {
    "Length": "Length",
    "Novel 1": "Novel 1",
    "Novel 2": "Novel 2",
    "Novel 3": "Novel 3",
    "Coverage": "Coverage",
    "Compress": "Compression",
    "Density": "Density",
}
VECTORS = {
    "rouge-we-1": ("rouge_we(n=1)", ""),
    "rouge-we-2": ("rouge_we(n=2)", ""),
    "rouge-we-3": ("rouge_we(n=3)", ""),
    "SMS": ("sms", ""),
}
PEERS = {"S3 -pyr": "s3.pyr", "S3 -resp": "s3.resp"}
ENCODERS = ("BertScore-p", "BertScore-r", "BertScore-f", "MoverScore", "SuPERT")


@dataclass(frozen=True)
class Row:
    """A row of a table: a metric's column in judgments, why its values may differ from print, and a remark if
    the model or the texts are not those of the paper.
    """

    label: str
    why: str = "definition"
    stand_in: str = ""


def remark(settings: Settings, *remarks: str, whole: int = DOCUMENTS) -> str:
    """Return remarks on models and on the sample as one remark; "" if there are none."""
    sampled = settings.sample is not None and settings.sample < whole
    return "; ".join(filter(None, [*remarks, f"{settings.sample} of {whole} documents" if sampled else ""]))


def of_segments(judged: Judgments) -> Judgments:
    """Return the judgments without corpus scores, so that systems are ranked by means of segments."""
    return replace(judged, system_scores={})


def correlations(
    judged: Judgments,
    rows: Mapping[str, Row],
    settings: Settings,
    level: str = "system",
    coefficient: str = "kendall",
    humans: Sequence[str] = DIMENSIONS,
) -> dict[tuple[str, str], Computed]:
    """Return the coefficients of rows with human dimensions; they have the sign of the metric, as in print."""
    found = judged.correlate(
        level,
        coefficient,
        list(humans),
        list(dict.fromkeys(row.label for row in rows.values())),
        interval="both",
        resamples=settings.resamples,
        seed=settings.seed,
    )
    values = {(row["metric"], row["human"]): row for row in found}
    systems = len(judged.systems) if coefficient == "kendall" else None
    cells = {}
    for name, row in rows.items():
        sign = -1 if judged.higher_is_better.get(row.label) is False else 1
        for human in humans:
            computed = computed_from(values[row.label, human], sign, row.why, systems)
            if row.stand_in:
                computed = msgspec.structs.replace(computed, stand_in=row.stand_in)
            cells[name, human] = computed
    return cells


def call(metrics: Sequence[str]) -> str:
    """Return the command that correlates metrics with people on SummEval."""
    return f"nlgauge meta summeval -m {' '.join(map(repr, metrics))} --level system -c kendall"


def specs_of(rows: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return the metrics of rows, each of them once."""
    return list(dict.fromkeys(metric for metric, _ in rows.values()))


def strings(settings: Settings) -> Answer:
    """Return the rows that need no model, and BLEU both ways."""
    benchmark = settings.benchmark("summeval")
    specs = specs_of(STRINGS)
    judged = settings.judged(benchmark, *specs, name="strings")
    sampled = remark(settings)
    rows = {
        name: Row(column(judged, metric, output), "data" if metric == _ROUGE else "definition", sampled)
        for name, (metric, output) in STRINGS.items()
    }
    cells = correlations(of_segments(judged), rows, settings)
    whole = correlations(judged.only(metrics=["bleu"]), {"BLEU": Row("bleu")}, settings)
    both = [
        {"BLEU": how, **{human: found["BLEU", human].value for human in DIMENSIONS}}
        for how, found in (("mean of segments", cells), ("corpus score", whole))
    ]
    count = len(benchmark.systems)
    note = f"{count} systems; the paper has {_SYSTEMS}."
    return Answer(
        {TABLE: cells},
        [Table("bleu", "Table 1", "BLEU both ways", "Kendall tau-b, system level", rows=both)],
        notes=[*([] if count == _SYSTEMS else [note]), "Values have the sign of the metric, as in print."],
        calls={TABLE: [call(specs)]},
    )


@cache
def _spacy_tokenizer() -> Any:
    return import_module("spacy").blank("en").tokenizer


def spacy_words(text: str) -> list[str]:
    """Return spaCy's tokens of English text in lower case."""
    return [token.text.lower() for token in _spacy_tokenizer()(text)]


def statistics_of(settings: Settings, benchmark: Benchmark) -> tuple[dict[str, np.ndarray], str]:
    """Return the statistics of summaries by row of Table 1, (systems, segments) each, and the tokenizer.

    SummEval counts spaCy's tokens. Without spaCy, nlgauge splits the texts.
    """

    def compute() -> dict[str, Any]:
        known = find_spec("spacy") is not None
        tokenizer: dict[str, Callable[[str], list[str]]] = {"tokenizer": spacy_words} if known else {}
        specs = [{"path": name, "resulting_name": name, **tokenizer} for name in specs_of(STATISTICS)]
        scored = benchmark.judgments(benchmark.score(*specs, seed=settings.seed), outputs="all")
        columns = {
            row: scored.metrics[f"{name}.{output}" if f"{name}.{output}" in scored.metrics else name]
            for row, (name, output) in STATISTICS.items()
        }
        return {"tokens": "spaCy" if known else "nlgauge", "columns": columns}

    numbers = settings.keep("statistics", compute, texts=digest(benchmark, human=False))
    columns = {row: np.array(values, dtype=np.float64) for row, values in numbers["columns"].items()}
    return columns, numbers["tokens"]


def statistics(settings: Settings) -> Answer:
    """Return the rows of data statistics, and people's columns of Table 3."""
    benchmark = settings.benchmark("summeval")
    columns, tokens = statistics_of(settings, benchmark)
    judged = replace(benchmark.judgments(), metrics=columns, higher_is_better=dict.fromkeys(columns))
    sampled = remark(settings)
    rows = {row: Row(row, "definition", sampled) for row in columns}
    biased = {BIASED[row]: Row(row, "definition", sampled) for row in BIASED}
    note = (
        "Statistics count spaCy's tokens in lower case, as SummEval does."
        if tokens == "spaCy"
        else "Statistics count the tokens of nlgauge, because spaCy is not installed; SummEval counts spaCy's."
    )
    return Answer(
        {
            TABLE: correlations(judged, rows, settings),
            BIASES: correlations(judged, biased, settings, "global", "spearman"),
        },
        notes=[note],
    )


def vectors(settings: Settings) -> Answer:
    """Return the rows of ROUGE-WE and Sentence Mover's Similarity."""
    benchmark = settings.benchmark("summeval")
    model, other = settings.model("deps-words")
    specs = {row: (_with(metric, f"vectors={model!r}"), output) for row, (metric, output) in VECTORS.items()}
    judged = settings.judged(benchmark, *specs_of(specs), name="vectors")
    stand_in = remark(settings, other)
    rows = {row: Row(column(judged, *spec), "model", stand_in) for row, spec in specs.items()}
    return Answer(
        {TABLE: correlations(of_segments(judged), rows, settings)}, calls={TABLE: [call(specs_of(specs))]}
    )


def _with(metric: str, parameter: str) -> str:
    """Return the printed metric with a further parameter.

    >>> _with("sms", "n=1"), _with("rouge_we(n=2)", "m=1")
    ('sms(n=1)', 'rouge_we(n=2, m=1)')
    """
    return f"{metric[:-1]}, {parameter})" if metric.endswith(")") else f"{metric}({parameter})"


def encoders(settings: Settings) -> Answer:
    """Return the rows of metrics that read contextual vectors."""
    benchmark = settings.benchmark("summeval")
    bert, other = settings.model("bert-base-uncased")
    sentences, further = settings.model("bert-large-nli-stsb-mean-tokens")
    # The last layer of MiniLM; bert-score's choice for any other model.
    layer = ", layer=6" if bert == "minilm" else ""
    score, mover, supert = (
        f"bertscore(model={bert!r}{layer})",
        f"moverscore(model={bert!r})",
        f"supert(model={sentences!r})",
    )
    judged = settings.judged(benchmark, score, mover, supert, name="encoders")
    specs = {
        "BertScore-p": (score, "precision"),
        "BertScore-r": (score, "recall"),
        "BertScore-f": (score, "f1"),
        "MoverScore": (mover, ""),
        "SuPERT": (supert, ""),
    }
    rows = {
        row: Row(column(judged, *spec), "model", remark(settings, further if row == "SuPERT" else other))
        for row, spec in specs.items()
    }
    return Answer(
        {TABLE: correlations(of_segments(judged), rows, settings)},
        calls={TABLE: [call([score, mover, supert])]},
    )


def blanc(settings: Settings) -> Answer:
    """Return the row of BLANC."""
    benchmark = settings.benchmark("summeval")
    model, other = settings.model("bert-base-uncased")
    spec = f"blanc(model={model!r})"
    judged = settings.judged(benchmark, spec, name="blanc")
    rows = {"BLANC": Row(column(judged, spec), "definition", remark(settings, other))}
    return Answer({TABLE: correlations(of_segments(judged), rows, settings)}, calls={TABLE: [call([spec])]})


def peers(settings: Settings) -> Answer:
    """Return the rows of S3 from published scores, which have one reference and lack a system."""
    benchmark = settings.benchmark("summeval")
    published = benchmark.peers()
    if any(label not in published for label in PEERS.values()):
        return Answer(
            {
                TABLE: {
                    (row, human): Computed(
                        why="data: the published scores of other metrics are not installed"
                    )
                    for row in PEERS
                    for human in DIMENSIONS
                }
            }
        )
    known = [bool(np.isfinite(values).any()) for values in published["s3.pyr"]]
    judged = benchmark.judgments(peers=True).taken(systems=np.flatnonzero(known))
    stand_in = remark(settings, f"published scores with one reference, {sum(known)} systems")
    rows = {row: Row(label, "data", stand_in) for row, label in PEERS.items()}
    return Answer(
        {TABLE: correlations(of_segments(judged), rows, settings)},
        calls={TABLE: ["nlgauge meta summeval --peers --level system -c kendall"]},
    )
