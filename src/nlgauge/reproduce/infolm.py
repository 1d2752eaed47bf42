"""The InfoLM paper: Table 2 on WebNLG 2020, human criteria and the metrics that need no model.

InfoLM itself masks words in BERT. Without these weights its rows are not computed; docs/results/infolm.md has
the numbers of a causal model, which is another metric of the family.
"""

from __future__ import annotations

from dataclasses import replace

from nlgauge.reproduce.printed_tables import names, printed
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Claimed, Document, Step, Verdict
from nlgauge.reproduce.tables import computed_from
from nlgauge.reproduce.verdicts import Computed

_HUMAN = {
    "Correct": "correctness",
    "DataC": "datacoverage",
    "Fluency": "fluency",
    "Relev": "relevance",
    "TextS": "textstructure",
}
_METRICS = {"BLEU": "bleu", "R-1": "rouge.rouge1", "METEOR": "meteor", "TER": "ter"}
_COEFFICIENTS = ("pearson", "spearman", "kendall")
_GOOD = 98


def _baselines(settings: Settings) -> Answer:
    """Return the rows of Table 2 that need no model."""
    benchmark = settings.benchmark("webnlg2020_en").machines()
    judged = settings.judged(benchmark, "bleu", "rouge", "meteor", "ter", name="webnlg")
    # People are also treated as metrics, so that their criteria are compared in the same way.
    people = {f"human {name}": judged.humans[name] for name in _HUMAN.values()}
    chosen = judged.only(metrics=list(_METRICS.values()))
    every = replace(
        chosen,
        metrics={**chosen.metrics, **people},
        higher_is_better={
            **{name: judged.higher_is_better[name] for name in chosen.labels},
            **dict.fromkeys(people, True),
        },
    )
    settings.say("correlating metrics with people")
    found = every.correlate(
        "system", _COEFFICIENTS, interval="both", resamples=settings.resamples, seed=settings.seed
    )
    rows = {(row["metric"], row["human"], row["coefficient"]): row for row in found}
    table = printed("infolm-table-2")
    computed: dict[tuple[str, str], Computed] = {}
    for row, metric in {**{name: f"human {of}" for name, of in _HUMAN.items()}, **_METRICS}.items():
        for column in table.columns:
            criterion, coefficient = column.split()
            if metric == f"human {criterion}":
                computed[row, column] = Computed(why="a criterion with itself")
                continue
            computed[row, column] = computed_from(rows[metric, criterion, coefficient], 100, "data")
    structure = rows["human textstructure", "fluency", "pearson"]
    return Answer(
        {table.id: computed},
        verdicts={
            "structure-fluency": Verdict(
                "supported" if 100 * structure["low"] > _GOOD else "undecided",
                f"{structure['value']:.3f} [{structure['low']:.3f}, {structure['high']:.3f}]",
                "Pearson correlation of systems' means, 95% interval over systems and inputs",
            )
        },
        notes=[
            "InfoLM masks one token at a time in BERT (bert-base-uncased). Its rows need these weights and are not"
            " computed here. The human scores are the means of the released ratings, which differ from the means of"
            " the paper by up to 4.6 points of rank correlation."
        ],
        calls={table.id: ["nlgauge meta webnlg2020_en -m bleu rouge meteor ter --level system"]},
    )


_WEIGHTS = "needs the weights of bert-base-uncased"
DOCUMENT = Document(
    "infolm",
    "Colombo, Clavel, Piantanida: InfoLM (AAAI 2022)",
    names("infolm"),
    [
        Step(
            "baselines",
            {"infolm-table-2": (*_HUMAN, *_METRICS)},
            _baselines,
            seconds=60,
            inputs=178,
            benchmark="webnlg2020_en",
        )
    ],
    [
        Claimed("structure-fluency", "5.2", "Text structure and fluency correlate above .98.", "baselines"),
        *(
            Claimed(name, section, text, why=_WEIGHTS)
            for name, section, text in (
                ("separates", "5.2", "Fisher-Rao, AB and Jensen-Shannon separate good from bad summaries."),
                ("norms", "5.2", "L_p distances are worse than the other measures."),
                ("temperature", "5.3", "The best temperature is between 1 and 2."),
                ("gains", "abstract", "InfoLM gains more than 10 points over other metrics."),
            )
        ),
    ],
    {
        "infolm-table-1": "formulas; the tests of the metric compute each on example distributions",
        "infolm-table-2": "weights",
        "infolm-figures": "weights",
    },
)
