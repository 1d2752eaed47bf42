"""COSMIC on the systems of SummEval and REALSumm: the step of Tables 1, 3 and 4, Figures 3 to 7 and 12, and its claims.

Other texts and another encoder than the paper's, so that no number can be equal to print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.reproduce.cosmic.benchmarks import SENTIMENT, Both
from nlgauge.reproduce.cosmic.figures import figure_12, figures_3_to_7
from nlgauge.reproduce.cosmic.scores import BERTSCORE, COSMIC, ENCODER, ROUGE, WORDS
from nlgauge.reproduce.cosmic.tables import (
    TASK_NAMES,
    first_table,
    further_table,
    mean_row,
    people_agreement,
    people_table,
    ranking_table,
    rival_table,
    settings_table,
    task_table,
)
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Verdict
from nlgauge.reproduce.tables import difference, interval
from nlgauge.reproduce.verdicts import difference_verdict, of_all


def systems(settings: Settings) -> Answer:
    """Return everything but the graph."""
    both = Both(settings)
    tasks = both.tasks()
    wanted = list(dict.fromkeys([*tasks, *TASK_NAMES.values()]))
    found = {name: both.correlated(name) for name in wanted if name in tasks or name in (ROUGE, BERTSCORE)}
    stand_in = _stand_in(settings)
    people = people_agreement(both)
    pieces, gains = figure_12(both)
    return Answer(
        {
            "cosmic-table-1": first_table(found, stand_in),
            **{f"cosmic-table-{number}": further_table(number, found, stand_in) for number in (3, 4)},
        },
        [
            ranking_table(both),
            task_table(both, {name: found[name] for name in tasks}),
            rival_table(both),
            people_table(people),
            settings_table(both),
        ],
        [*figures_3_to_7(both, {name: found[name] for name in tasks}), *pieces],
        {**_verdicts(both, found, people), **gains},
        _notes(both),
        {
            "cosmic-table-1": [
                "nlgauge meta downstream summeval -m cosmic rouge@source --task sentiment --task topic:8 --partial words"
            ]
        },
    )


def _stand_in(settings: Settings) -> str:
    used, other = settings.model(ENCODER)
    sampled = "" if settings.sample is None else f"; {settings.sample} inputs"
    return f"SummEval and REALSumm, {other or used}{sampled}"


def _notes(both: Both) -> list[str]:
    model = both.settings.model(ENCODER)[0]
    cut = ", ".join(f"{measured.cut} on {name}" for name, measured in both.known.items())
    notes = [
        f"Articles that {model} reads only in part: {cut}.",
        "100 pairs per system are few: on simulated data with known information the estimates are 15 to 20% too low.",
    ]
    missing = {name: why for measured in both.known.values() for name, why in measured.missing.items()}
    return [*notes, *(f"The task {name} is not computed: {why}" for name, why in missing.items())]


def _verdicts(
    both: Both,
    found: Mapping[str, Sequence[Mapping[str, Any]]],
    people: Sequence[Mapping[str, Any]],
) -> dict[str, Verdict]:
    verdicts = {}
    if SENTIMENT in found:
        row = mean_row(found[SENTIMENT], COSMIC)
        verdicts["tasks"] = Verdict(
            difference_verdict(row["low"], row["high"]),
            "sentiment "
            + interval((row["value"], row["low"], row["high"]))
            + ", with the number of words held constant "
            + interval((row["partial"], row["partial_low"], row["partial_high"])),
            "mean of two benchmarks of Spearman's rho over systems; 95% interval over systems and texts",
        )
    parts, words = [], []
    for name, human in (("summeval", "consistency"), ("realsumm", "litepyramid_recall")):
        judged = both.judged(name, both.known[name].benchmark.judgments().humans)
        for rival in (ROUGE, BERTSCORE):
            gain = difference(judged, human, COSMIC, rival, both.settings, coefficient="spearman")
            words.append(difference_verdict(gain[1], gain[2]))
            parts.append(f"{name}, {human}: less {rival} {interval(gain)}")
        verdicts["people"] = Verdict(
            of_all(words),
            "; ".join(parts),
            "difference of Spearman's coefficients, paired bootstrap over systems and texts",
        )
    gains = []
    for name, measured in both.known.items():
        judged = both.judged(name, {"words": measured.metrics[WORDS]}, COSMIC)
        (row,) = judged.correlate(
            "system", "spearman", interval="both", resamples=both.settings.resamples, seed=both.settings.seed
        )
        gains.append((name, row))
    verdicts["not-length"] = Verdict(
        "contradicted" if all(row["low"] > 0 for _, row in gains) else "undecided",
        "; ".join(f"{name} {interval((row['value'], row['low'], row['high']))}" for name, row in gains),
        "Spearman over systems of information with the number of words; contradicted if all intervals are above 0",
    )
    return verdicts
