"""Tables 1 and 2 of the InfoLM paper: formulas on two distributions, and rows of WebNLG 2020."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from nlgauge.estimators import divergences
from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.sweeps.swept import Sweep, swept
from nlgauge.metric.registry import parse
from nlgauge.reproduce.infolm_scores import (
    BERT,
    DEFAULT_TEMPERATURE,
    GRIDS,
    MEASURES,
    STRINGS,
    TEMPERATURES,
    lowered,
    measured,
)
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.shannon_rows import column
from nlgauge.reproduce.steps import Answer, Verdict
from nlgauge.reproduce.tables import computed_from, difference, interval
from nlgauge.reproduce.verdicts import ClaimWord, Computed, difference_verdict

FORMULAS, TABLE, WEBNLG = "infolm-table-1", "infolm-table-2", "webnlg2020_en"
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
# Row of Table 2 -> measure.
ROWS = {
    name: measure
    for measure, name in MEASURES.items()
    if name in ("D_AB", "D_alpha", "D_beta", "L_1", "R", "JS")
}
ENCODERS = ("BertS", "MoverS")
MINILM = "minilm"
_GOOD = 98
_GAIN = 0.1
_EQUAL = 0.05
_P, _Q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
# Parameters of the formulas in Table 1 for the example.
_A, _B = 0.5, 0.25


def formulas(settings: Settings) -> Answer:
    """Return Table 1: the printed formulas and nlgauge's measures on two distributions."""
    table = printed(FORMULAS)
    remarks = {
        "alpha": "The sign is reversed in print: values of different distributions are negative.",
        "AB": "As printed, equal distributions have a value other than 0; the terms lack a factor 1/alpha.",
        "gamma": "p and q are exchanged against Fujisawa and Eguchi; nlgauge follows the paper.",
        "Fisher-Rao": "Divided by pi in print, so that the largest value is 1.",
    }
    rows = []
    for name in table.names:
        as_printed, ours = _as_printed(name), _ours(name)
        rows.append(
            {
                "measure": name,
                "formula": table.value(name, "formula"),
                "domain": table.value(name, "domain"),
                "printed, p and q": as_printed(_P, _Q),
                "printed, p and p": as_printed(_P, _P),
                "nlgauge, p and q": ours(_P, _Q),
                "nlgauge, p and p": ours(_P, _P),
                "remark": remarks.get(name, ""),
            }
        )
    where = f"p = {tuple(_P.tolist())}, q = {tuple(_Q.tolist())}, alpha = {_A}, beta = {_B}"
    return Answer(
        tables=[
            Table(
                table.id, table.number, table.caption, table.units, rows=rows, remarks=[*table.remarks, where]
            )
        ]
    )


def _as_printed(name: str) -> Any:
    """Return the formula as it is printed, as a function of two distributions."""

    def ab(p: Any, q: Any, a: float) -> float:
        c = a + _B
        first = np.log((p**c).sum()) / (_B * c) + np.log((q**c).sum()) / c
        return float(first - np.log((p**a * q**_B).sum()) / _B)

    return {
        "alpha": lambda p, q: float((1 - (q ** (1 - _A) * p**_A).sum()) / (_A * (_A - 1))),
        "gamma": lambda p, q: float(
            np.log((p ** (_B + 1)).sum()) / (_B * (_B + 1))
            + np.log((q ** (_B + 1)).sum()) / (_B + 1)
            - np.log((p * q**_B).sum()) / _B
        ),
        "AB": lambda p, q: ab(p, q, _A),
        "L1": lambda p, q: float(np.abs(p - q).sum()),
        "L2": lambda p, q: float(np.sqrt(((p - q) ** 2).sum())),
        "L infinity": lambda p, q: float(np.abs(p - q).max()),
        "Fisher-Rao": lambda p, q: float(2 / np.pi * np.arccos(min(1.0, np.sqrt(p * q).sum()))),
    }[name]


def _ours(name: str) -> Any:
    """Return the measure of nlgauge as a function of two distributions."""
    own = {"AB": "ab", "L1": "l1", "L2": "l2", "L infinity": "l_infinity", "Fisher-Rao": "fisher_rao"}
    measure = divergences.MEASURES[own.get(name, name)]
    values = {"alpha": _A, "beta": _B}
    arguments = [values[each] for each in measure.parameters]
    return lambda p, q: float(measure.compute(np.log(p), np.log(q), *arguments))


def machines(settings: Settings) -> Benchmark:
    """Return WebNLG without texts that people wrote."""
    return settings.benchmark(WEBNLG).machines()


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
            cells[row, name] = msgspec.structs.replace(value, stand_in=_remark(settings))
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


def _remark(settings: Settings, other: str = "") -> str:
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


def encoders(settings: Settings) -> Answer:
    """Return the rows of BERTScore and MoverScore."""
    specs = encoder_metrics(settings.model(BERT)[0])
    judged = settings.judged(machines(settings), *specs.values(), name="encoders")
    _, other = settings.model(BERT)
    # BERTScore's F1, as in the paper.
    labels = {"BertS": column(judged, specs["BertS"], "f1"), "MoverS": column(judged, specs["MoverS"])}
    rows = correlated(judged, settings, metrics=list(labels.values()))
    return Answer(
        {TABLE: _cells(rows, labels, _remark(settings, other))},
        calls={
            TABLE: [
                "nlgauge meta webnlg2020_en -m " + " ".join(map(repr, specs.values())) + " --level system"
            ]
        },
    )


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


def _cells(
    rows: Mapping[tuple[str, str, str], Mapping[str, Any]], labels: Mapping[str, str], stand_in: str
) -> dict[tuple[str, str], Computed]:
    cells = {}
    for row, label in labels.items():
        for name in printed(TABLE).columns:
            criterion, coefficient = name.split()
            value = computed_from(
                rows[label, criterion, coefficient], 100, "model" if stand_in else "definition"
            )
            cells[row, name] = msgspec.structs.replace(value, stand_in=stand_in)
    return cells


def webnlg(settings: Settings) -> Answer:
    """Return InfoLM's rows of Table 2 at the defaults, and chosen on one half and tested on the other."""
    benchmark = machines(settings)
    strings = with_encoders(settings, benchmark, settings.judged(benchmark, *STRINGS, name="strings"))
    judged = measured(settings, lowered(benchmark), grids=True)
    _, other = settings.model(BERT)
    stand_in = _remark(settings, other)
    labels = {row: _at(measure) for row, measure in ROWS.items()}
    settings.say("correlating InfoLM with people")
    rows = correlated(judged, settings, metrics=[_at(measure) for measure in MEASURES])
    idf = [label for label in judged.labels if label.startswith("idf.")]
    weighted = correlated(judged, settings, metrics=idf)
    settings.say("choosing parameters on halves of the texts")
    sweeps = chosen(judged, strings, settings)
    further = [_at(measure) for measure, row in MEASURES.items() if row not in ROWS]
    return Answer(
        {TABLE: _cells(rows, labels, stand_in)},
        [
            plain_table(
                "further-measures", f"Further measures at temperature {DEFAULT_TEMPERATURE:g}", rows, further
            ),
            plain_table("weights", "Tokens weighted by their frequency in references (idf)", weighted, idf),
            _chosen_table(sweeps),
            _williams(judged, strings, labels, settings),
        ],
        verdicts={
            "gains": _gains(sweeps),
            "norms": _norms(judged, settings),
            "alike": _alike(judged, labels, settings),
        },
        notes=[_texts_note(), _grid_note()],
        calls={TABLE: [f"nlgauge meta webnlg2020_en -m {spec!r}" for spec in _specs(settings)]},
    )


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


def _texts_note() -> str:
    return "Texts are lower-cased for InfoLM, because systems differ in casing. The nearest of several references counts."


def _grid_note() -> str:
    return (
        f"The paper has no grids. Temperatures are {', '.join(f'{each:g}' for each in TEMPERATURES)}; alpha and beta are"
        " -0.5, 0.25, 0.5, 0.75, 1.25, 1.5 and 2 at temperature 1. The paper's parameters are the best on the texts that"
        " are also its test; the chosen values here are tested on other texts."
    )


def _specs(settings: Settings) -> list[str]:
    model, _ = settings.model(BERT)
    return [f"infolm(model={model!r}, measure={tuple(ROWS.values())!r})"]


def _at(measure: str) -> str:
    """Return the column of a measure at the default temperature."""
    return f"{measure}@{DEFAULT_TEMPERATURE:g}"


def points_of(row: str, judged: Judgments) -> dict[str, dict[str, Any]]:
    """Return the parameters of the columns of a row of Table 2: all temperatures, and its grid of alpha and beta."""
    measure = next(each for each, name in MEASURES.items() if name == row)
    found: dict[str, dict[str, Any]] = {
        f"{measure}@{value:g}": {"measure": measure, "temperature": value} for value in TEMPERATURES
    }
    for point in GRIDS.get(row, ()):
        found.setdefault(f"grid.{point}", {"measure": point, "temperature": DEFAULT_TEMPERATURE})
    return {label: point for label, point in found.items() if label in judged.metrics}


def _segment_means(strings: Judgments, judged: Judgments, names: Sequence[str]) -> Judgments:
    """Return the judgments with baselines, whose systems are ranked by means of segments."""
    labels = {name: name if name in strings.metrics else column(strings, *_parts(name)) for name in names}
    return replace(
        judged,
        metrics={**judged.metrics, **{name: strings.metrics[label] for name, label in labels.items()}},
        higher_is_better={
            **judged.higher_is_better,
            **{name: strings.higher_is_better[label] for name, label in labels.items()},
        },
        system_scores={},
    )


def _parts(name: str) -> tuple[str, str]:
    metric, _, output = name.partition(".")
    return str(parse(metric)), output


def _baseline_names(strings: Judgments) -> list[str]:
    return [*BASELINES.values(), *(name for name in ("BERTScore", "MoverScore") if name in strings.metrics)]


def chosen(judged: Judgments, strings: Judgments, settings: Settings) -> dict[tuple[str, str], Sweep]:
    """Return the sweep of each row of Table 2 and human dimension, with the best baseline as the default."""
    names = _baseline_names(strings)
    every = _segment_means(strings, judged, names)
    found = {}
    for human in HUMAN.values():
        plain = every.correlate("system", "kendall", human, names, interval=None)
        best = max(plain, key=lambda row: row["value"])["metric"]
        for row in ROWS:
            found[row, human] = swept(
                every,
                points_of(row, judged),
                best,
                human=human,
                coefficient=COEFFICIENTS,
                draws=settings.resamples,
                splits=min(200, settings.resamples),
                seed=settings.seed,
            )
            found[row, human].chosen.rows[0]["baseline"] = best  # type: ignore[index]
    return found


def _chosen_table(sweeps: Mapping[tuple[str, str], Sweep]) -> Table:
    table = printed(TABLE)
    rows = []
    for (row, human), found in sweeps.items():
        baseline = found.chosen[0]["baseline"]
        for each in found.chosen:
            rows.append(
                {
                    "row": row,
                    "human": human,
                    "coefficient": each["coefficient"],
                    "printed": table.value(row, f"{human} {each['coefficient']}"),
                    "best on the same texts": 100 * each["value"],
                    "chosen": each["best"].removeprefix("grid."),
                    "tested": interval((100 * each["tested"], 100 * each["low"], 100 * each["high"])),
                    "baseline": baseline,
                    "baseline, tested": 100 * each["default"],
                    "gain": interval((100 * each["gain"], 100 * each["gain_low"], 100 * each["gain_high"])),
                }
            )
    return Table(
        "chosen",
        "Table 2",
        "Parameters chosen on one half of the texts and tested on the other",
        "correlation coefficient times 100, system level",
        rows=rows,
        remarks=[
            "The baseline is the metric of the paper with the highest Kendall coefficient on all texts."
        ],
    )


def _gains(sweeps: Mapping[tuple[str, str], Sweep]) -> Verdict:
    """Return the verdict on gains of more than 10 points over the best baseline, on texts that did not choose."""
    gains = [(row, human, each) for (row, human), found in sweeps.items() for each in found.chosen]
    row, human, best = max(gains, key=lambda one: one[2]["gain"])
    word: ClaimWord = "undecided"
    if any(each["gain_low"] > _GAIN for _, _, each in gains):
        word = "supported"
    elif all(each["gain_high"] < _GAIN for _, _, each in gains):
        word = "contradicted"
    numbers = interval((100 * best["gain"], 100 * best["gain_low"], 100 * best["gain_high"]))
    return Verdict(
        word,
        f"largest of {len(gains)} gains: {row}, {human}, {best['coefficient']} {numbers} points",
        "gain on the half that did not choose the parameters over the best baseline on the same half, 95% interval;"
        " supported if an interval is above 10 points",
    )


def _norms(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict that the L_p distances agree less with people than Fisher-Rao."""
    parts, words = [], []
    for human in HUMAN.values():
        for norm in ("l1", "l2", "l_infinity"):
            gain = difference(judged, human, _at("fisher_rao"), _at(norm), settings)
            words.append(difference_verdict(gain[1], gain[2]))
            parts.append(f"{human}, {norm} {interval(gain)}")
    return Verdict(
        _combined(words),
        "Kendall, Fisher-Rao less " + "; ".join(parts),
        "paired bootstrap over systems and texts at temperature 1; supported if no interval is below 0 and some are above",
    )


def _alike(judged: Judgments, labels: Mapping[str, str], settings: Settings) -> Verdict:
    """Return the verdict that AB and alpha agree equally with people."""
    parts, words = [], []
    for human in HUMAN.values():
        gain = difference(judged, human, labels["D_AB"], labels["D_alpha"], settings)
        inside = gain[1] > -_EQUAL and gain[2] < _EQUAL
        apart = gain[1] > 0 or gain[2] < 0
        words.append("supported" if inside else "contradicted" if apart else "undecided")
        parts.append(f"{human} {interval(gain)}")
    word: ClaimWord = "undecided"
    if all(each == "supported" for each in words):
        word = "supported"
    elif "contradicted" in words:
        word = "contradicted"
    return Verdict(
        word,
        "Kendall, AB less alpha: " + "; ".join(parts),
        f"paired bootstrap over systems and texts; supported if every interval is within {_EQUAL} of 0",
    )


def _combined(words: Sequence[ClaimWord]) -> ClaimWord:
    """Return the verdict on a claim that some parts support and no part contradicts."""
    if "contradicted" in words:
        return "undecided" if "supported" in words else "contradicted"
    return "supported" if "supported" in words else "undecided"


def _williams(judged: Judgments, strings: Judgments, labels: Mapping[str, str], settings: Settings) -> Table:
    """Return Williams' tests of the rows against the baselines, as in the paper."""
    names = [name for name in ("bleu", "meteor", "BERTScore") if name in _baseline_names(strings)]
    every = _segment_means(strings, judged, names)
    found = every.compare(
        "system",
        "pearson",
        "williams",
        human=list(HUMAN.values()),
        metrics=[*labels.values(), *names],
        against=names,
        seed=settings.seed,
    )
    rows = [
        {name: row[name] for name in ("human", "metric", "other", "delta", "p", "p_adjusted")}
        for row in found
    ]
    return Table(
        "williams",
        "Table 2",
        "Williams' tests against BLEU, METEOR and BERTScore, parameters at their defaults",
        "difference of Pearson correlations over systems, and p",
        rows=rows,
    )
