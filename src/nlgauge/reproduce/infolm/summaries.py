"""The scores of summaries for Figures 1 to 5 of the InfoLM paper, in four parts of REALSumm.

The authors' files list BART, an abstractive system, also among the extractive systems. Therefore each part is
computed with and without it.
"""

from __future__ import annotations

from dataclasses import replace

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.infolm.baselines import with_encoders
from nlgauge.reproduce.infolm.scores import DEFAULT_TEMPERATURE, lowered, measured
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.tables import column

REALSUMM, HUMAN, FIGURES = "realsumm", "litepyramid_recall", "infolm-figures"
_BART = "bart_out"
_STRINGS = ("bleu", "rouge", "meteor", "chrf")
# Measures of the figures, by their names in the paper.
DRAWN = {
    "fisher_rao": "R",
    "ab(0.5,0.5)": "D_AB",
    "alpha(0.5)": "D_alpha",
    "gamma(0.5)": "D_beta",
    "jeffreys": "JS",
}
NORMS = {"l1": "L_1", "l2": "L_2", "l_infinity": "L_inf"}


def parts_of(benchmark: Benchmark) -> dict[str, list[str]]:
    """Return the systems of each part by its name."""
    kinds = {row.system: row.meta.get("type") for row in benchmark.rows}
    abstractive = [name for name, kind in kinds.items() if kind == "abstractive"]
    extractive = [name for name, kind in kinds.items() if kind == "extractive"]
    both = {
        "abstractive": abstractive,
        "abstractive without BART": [name for name in abstractive if name != _BART],
        "extractive with BART": [*extractive, *([_BART] if _BART in abstractive else [])],
        "extractive": extractive,
    }
    return {name: systems for name, systems in both.items() if len(systems) > 1}


def scored(settings: Settings, benchmark: Benchmark) -> Judgments:
    """Return the scores of InfoLM and of the baselines under the names of the figures, as means of segments."""
    texts = lowered(benchmark)
    infolm = measured(settings, texts)
    strings = with_encoders(settings, benchmark, settings.judged(benchmark, *_STRINGS, name="strings"))
    names = {f"{measure}@{DEFAULT_TEMPERATURE:g}": name for measure, name in {**DRAWN, **NORMS}.items()}
    read = {
        "BLEU": column(strings, "bleu"),
        "ROUGE-1": column(strings, "rouge", "rouge1"),
        "ROUGE-2": column(strings, "rouge", "rouge2"),
        "METEOR": column(strings, "meteor"),
        "chrF": column(strings, "chrf"),
    }
    metrics = {name: strings.metrics[label] for name, label in read.items()}
    if "MoverScore" in strings.metrics:
        metrics |= {
            "BERTScore": strings.metrics["BERTScore recall"],
            "MoverScore": strings.metrics["MoverScore"],
        }
    return replace(
        infolm,
        humans={HUMAN: infolm.humans[HUMAN]},
        ratings={},
        metrics={
            **{names.get(label, label): values for label, values in infolm.metrics.items()},
            **metrics,
        },
        higher_is_better={
            **{names.get(label, label): known for label, known in infolm.higher_is_better.items()},
            **dict.fromkeys(metrics, True),
        },
    )
