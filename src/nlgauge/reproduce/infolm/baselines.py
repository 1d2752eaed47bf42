"""Table 2 of the InfoLM paper: the rows of people, of string metrics and of encoders on WebNLG 2020."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import msgspec
import numpy as np

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.infolm.scores import BERT, STRINGS, lowered
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Verdict
from nlgauge.reproduce.tables import column, computed_from, interval
from nlgauge.reproduce.verdicts import Computed

TABLE, WEBNLG = "infolm-table-2", "webnlg2020_en"
SEGMENTS = 178
HUMAN = {
    "Correct": "correctness",
    "DataC": "datacoverage",
    "Fluency": "fluency",
    "Relev": "relevance",
    "TextS": "textstructure",
}
COEFFICIENTS = ("pearson", "spearman", "kendall")
BASELINES = {"BLEU": "bleu", "R-1": "rouge.rouge1", "METEOR": "meteor", "TER": "ter"}
ENCODERS = ("BertS", "MoverS")
MINILM = "minilm"
_GOOD = 98
_DIFFERENT_INPUTS = (
    "The systems of WebNLG were rated on different inputs, so that their means are over different texts."
)


def machines(settings: Settings) -> Benchmark:
    """Return WebNLG without texts that people wrote."""
    return settings.benchmark(WEBNLG).machines()


def on_webnlg(run: Callable[[Settings], Answer]) -> Callable[[Settings], Answer]:
    """Decorate a step on WebNLG: a warning that systems were rated on different inputs becomes a note of the page."""

    @wraps(run)
    def noted(settings: Settings) -> Answer:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "systems were judged on different inputs", UserWarning)
            answer = run(settings)
        judged = machines(settings).judgments()
        rated = [~np.isnan(judged.human(name)) for name in HUMAN.values()]
        if all((each == each[:1]).all() for each in rated):
            return answer
        return replace(answer, notes=[*answer.notes, _DIFFERENT_INPUTS])

    return noted


@on_webnlg
def baselines(settings: Settings) -> Answer:
    """Return the rows of Table 2 that need no model, and people's rows."""
    judged = settings.judged(machines(settings), *STRINGS, name="webnlg")
    # People are also treated as metrics, so that their criteria are compared in the same way.
    people = {f"human {name}": judged.humans[name] for name in HUMAN.values()}
    labels = [
        label
        for label in judged.labels
        if label in STRINGS or label in ("rouge.rouge1", "rouge.rouge2", "rouge.rougeL")
    ]
    chosen = judged.only(metrics=[label for label in labels if label != "rouge"])
    every = replace(
        chosen,
        metrics={**chosen.metrics, **people},
        higher_is_better={**chosen.higher_is_better, **dict.fromkeys(people, True)},
    )
    settings.say("correlating metrics with people")
    rows = correlated(every, settings)
    rouge = "rouge.rouge1" if "rouge.rouge1" in judged.labels else "rouge"
    cells: dict[tuple[str, str], Computed] = {}
    for row, metric in {**{name: f"human {of}" for name, of in HUMAN.items()}, **BASELINES}.items():
        for name in printed(TABLE).columns:
            criterion, coefficient = name.split()
            if metric == f"human {criterion}":
                cells[row, name] = Computed(why="a criterion with itself")
                continue
            label = rouge if metric == "rouge.rouge1" else metric
            value = computed_from(rows[label, criterion, coefficient], 100, "data")
            cells[row, name] = msgspec.structs.replace(value, stand_in=remark(settings))
    structure = rows["human textstructure", "fluency", "pearson"]
    return Answer(
        {TABLE: cells},
        [
            plain_table(
                "further-baselines",
                "Further string metrics",
                rows,
                [label for label in chosen.labels if label not in (*BASELINES.values(), "rouge")],
            )
        ],
        verdicts={
            "structure-fluency": Verdict(
                "supported" if 100 * structure["low"] > _GOOD else "undecided",
                f"{structure['value']:.3f} [{structure['low']:.3f}, {structure['high']:.3f}]",
                "Pearson correlation of systems' means, 95% interval over systems and inputs",
            )
        },
        notes=[
            "The human scores are the means of the released ratings, which differ from the means of the paper by up to"
            " 4.6 points of rank correlation."
        ],
        calls={TABLE: ["nlgauge meta webnlg2020_en -m bleu rouge meteor ter --level system"]},
    )


def correlated(
    judged: Judgments, settings: Settings, level: str = "system", metrics: Sequence[str] | None = None
) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    """Return the rows of `correlate` by metric, human dimension and coefficient."""
    found = judged.correlate(
        level,
        COEFFICIENTS,
        metrics=metrics,
        interval="both",
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return {(row["metric"], row["human"], row["coefficient"]): row for row in found}


def plain_table(
    name: str, caption: str, rows: Mapping[tuple[str, str, str], Mapping[str, Any]], labels: Sequence[str]
) -> Table:
    """Return correlations with people of metrics that have no row in Table 2."""
    lines = [
        {"metric": label, "human": human}
        | {
            coefficient: interval((row["value"], row["low"], row["high"]))
            for coefficient in COEFFICIENTS
            for row in [rows[label, human, coefficient]]
        }
        for label in labels
        for human in dict.fromkeys(human for _, human, _ in rows)
    ]
    return Table(name, "Table 2", caption, "correlation, system level [95% interval]", rows=lines)


def remark(settings: Settings, other: str = "") -> str:
    """Return a remark on the model and on the sample; "" if the paper has the same."""
    few = settings.sample is not None and settings.sample < SEGMENTS
    return "; ".join(filter(None, [other, f"{settings.sample} of {SEGMENTS} inputs" if few else ""]))


def encoder_of(settings: Settings) -> str:
    """Return the model of BERTScore and MoverScore: BERT, otherwise MiniLM; "" if neither is installed."""
    return BERT if settings.models.get(BERT) == BERT else settings.models.get(MINILM, "")


def encoder_metrics(model: str) -> dict[str, str]:
    """Return BERTScore and MoverScore with a model."""
    # The last layer of MiniLM; bert-score's choice for any other model.
    layer = ", layer=6" if model == MINILM else ""
    return {"BertS": f"bertscore(model={model!r}{layer})", "MoverS": f"moverscore(model={model!r})"}


@on_webnlg
def encoders(settings: Settings) -> Answer:
    """Return the rows of BERTScore and MoverScore."""
    specs = encoder_metrics(settings.model(BERT)[0])
    judged = settings.judged(machines(settings), *specs.values(), name="encoders")
    _, other = settings.model(BERT)
    # BERTScore's F1, as in the paper.
    labels = {"BertS": column(judged, specs["BertS"], "f1"), "MoverS": column(judged, specs["MoverS"])}
    rows = correlated(judged, settings, metrics=list(labels.values()))
    return Answer(
        {TABLE: coefficient_cells(rows, labels, remark(settings, other))},
        calls={
            TABLE: [
                "nlgauge meta webnlg2020_en -m " + " ".join(map(repr, specs.values())) + " --level system"
            ]
        },
    )


@on_webnlg
def movers(settings: Settings) -> Answer:
    """Return Word Mover's Distance, BaryScore and DepthScore, which have no printed row."""
    model, other = settings.model(BERT)
    specs = ["wmd", f"baryscore(model={model!r})", f"depthscore(model={model!r})"]
    judged = settings.judged(machines(settings), *specs, name="movers")
    labels = [column(judged, spec) for spec in specs]
    rows = correlated(judged, settings, metrics=labels)
    return Answer(
        tables=[plain_table("movers", "Metrics of transport and depth", rows, labels)],
        notes=[f"BaryScore and DepthScore: {other}."] if other else [],
    )


def coefficient_cells(
    rows: Mapping[tuple[str, str, str], Mapping[str, Any]], labels: Mapping[str, str], stand_in: str
) -> dict[tuple[str, str], Computed]:
    """Return the cells of Table 2 in rows whose metrics have the labels."""
    cells = {}
    for row, label in labels.items():
        for name in printed(TABLE).columns:
            criterion, coefficient = name.split()
            value = computed_from(
                rows[label, criterion, coefficient], 100, "model" if stand_in else "definition"
            )
            cells[row, name] = msgspec.structs.replace(value, stand_in=stand_in)
    return cells


def with_encoders(settings: Settings, benchmark: Benchmark, strings: Judgments) -> Judgments:
    """Return the judgments of string metrics with BERTScore and MoverScore, if they have a model."""
    model = encoder_of(settings)
    if not model:
        return strings
    specs = encoder_metrics(model)
    judged = settings.judged(lowered(benchmark), *specs.values(), name="encoders")
    found = {name: judged.metrics[label] for name, label in encoder_labels(judged, specs).items()}
    return replace(
        strings,
        metrics={**strings.metrics, **found},
        higher_is_better={**strings.higher_is_better, **dict.fromkeys(found, True)},
    )


def encoder_labels(judged: Judgments, specs: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of BERTScore's F1 and recall and of MoverScore."""
    return {
        "BERTScore": column(judged, specs["BertS"], "f1"),
        "BERTScore recall": column(judged, specs["BertS"], "recall"),
        "MoverScore": column(judged, specs["MoverS"]),
    }
