"""The InfoLM paper: Table 2 on WebNLG 2020, human criteria and the metrics that need no model.

InfoLM itself masks words in BERT. Without these weights its rows are not computed; docs/results/infolm.md has
the numbers of a causal model, which is another metric of the family.
"""

from __future__ import annotations

from dataclasses import replace

from nlgauge.meta.benchmarks import load
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Claim, Table
from nlgauge.reproduce.running import Answer, Settings
from nlgauge.reproduce.tables import cells_of, computed_from
from nlgauge.reproduce.verdicts import Computed

_HUMAN = {
    "Correct": "correctness",
    "DataC": "datacoverage",
    "Fluency": "fluency",
    "Relev": "relevance",
    "TextS": "textstructure",
}
_METRICS = {"BLEU": "bleu", "R-1": "rouge.rouge1", "METEOR": "meteor", "TER": "ter"}
_MODELS = ("D_AB", "D_alpha", "D_beta", "L_1", "R", "JS", "BertS", "MoverS")
_COEFFICIENTS = ("pearson", "spearman", "kendall")
_GOOD = 98


def compute(settings: Settings) -> Answer:
    """Return Table 2 with the rows that need no model, and claims about them."""
    benchmark = load("webnlg2020_en").machines()
    settings.say(f"scoring 4 metrics on {len(benchmark.rows)} texts")
    place = None if settings.scores is None else settings.scores / "webnlg"
    scored = benchmark.score("bleu", "rouge", "meteor", "ter", output=place, seed=settings.seed)
    judged = benchmark.judgments(scored, outputs="all", corpus_scores=True)
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
    computed: dict[tuple[str, str], Computed] = {
        (row, column): Computed(why="weights") for row in _MODELS for column in table.columns
    }
    for row, metric in {**{name: f"human {of}" for name, of in _HUMAN.items()}, **_METRICS}.items():
        for column in table.columns:
            criterion, coefficient = column.split()
            if metric == f"human {criterion}":
                computed[row, column] = Computed(why="a criterion with itself")
                continue
            computed[row, column] = computed_from(rows[metric, criterion, coefficient], 100, "data")
    tables = [
        cells_of(
            table, computed, calls=["nlgauge meta webnlg2020_en -m bleu rouge meteor ter --level system"]
        ),
        _statements(
            "infolm-table-1", "formulas; the tests of the metric compute each on example distributions"
        ),
        _statements("infolm-figures", "weights"),
    ]
    structure = rows["human textstructure", "fluency", "pearson"]
    claims = [
        Claim(
            "structure-fluency",
            "5.2",
            "Text structure and fluency correlate above .98.",
            "supported" if 100 * structure["low"] > _GOOD else "undecided",
            f"{structure['value']:.3f} [{structure['low']:.3f}, {structure['high']:.3f}]",
            "Pearson correlation of systems' means, 95% interval over systems and inputs",
        ),
        *(
            Claim(name, section, text, "not tested", "needs the weights of bert-base-uncased")
            for name, section, text in (
                ("separates", "5.2", "Fisher-Rao, AB and Jensen-Shannon separate good from bad summaries."),
                ("norms", "5.2", "L_p distances are worse than the other measures."),
                ("temperature", "5.3", "The best temperature is between 1 and 2."),
                ("gains", "abstract", "InfoLM gains more than 10 points over other metrics."),
            )
        ),
    ]
    notes = [
        "InfoLM masks one token at a time in BERT (bert-base-uncased). Its rows need these weights and are not"
        " computed here. The human scores are the means of the released ratings, which differ from the means of the"
        " paper by up to 4.6 points of rank correlation.",
    ]
    return Answer(tables, [], claims, notes, {})


def _statements(name: str, why: str) -> Table:
    return cells_of(printed(name), {}, why)
