"""The regret of `nlgauge choose` on each benchmark, answered from the evidence of the others.

    python -m studies regret

The regret is the highest agreement of a metric that the user could compute within the default budget, minus the agreement
of the first recommendation. All language pairs of a benchmark are left out together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from nlgauge.advisor import Advice
from nlgauge.advisor.evidence import Evidence, Table, evidence, mean, of_tables
from nlgauge.advisor.question import Question
from nlgauge.advisor.rules import Case, advise
from studies import study
from studies.leaderboard.boards import BENCHMARKS

BASELINES = ("chrf", "bleu", "wer")
# The metric that tells whether a benchmark has references.
_OF_REFERENCES = "chrf"


class Trial(NamedTuple):
    """The advice for the texts of one table, and the agreement of all metrics that could be computed."""

    table: Table
    advice: Advice
    values: Mapping[str, float]

    @property
    def best(self) -> str:
        """The metric with the highest agreement."""
        return max(sorted(self.values), key=lambda label: self.values[label])

    @property
    def first(self) -> str | None:
        """The first recommendation that has a value here; None if the advice is a refusal."""
        return next((one.metric for one in self.advice.recommendations if one.metric in self.values), None)

    def regret(self, label: str) -> float:
        """Return the agreement that is lost by using a metric instead of the best."""
        return self.values[self.best] - self.values[label] if label in self.values else math.nan


def report() -> str:
    """Return one row per table, and the mean regret."""
    found = trials(evidence())
    header = ["benchmark", "task", "first recommendation", "agreement", "place", "best metric", "agreement"]
    answered = [trial for trial in found if trial.first is not None]
    regrets = [trial.regret(str(trial.first)) for trial in answered]
    summary = (
        f"{len(answered)} of {len(found)} questions answered; mean regret {mean(regrets):.3f}, largest"
        f" {max(regrets):.3f}."
    )
    rows = [_row(trial) for trial in found]
    return f"{study.table([*header, 'regret', *(f'regret of `{label}`' for label in BASELINES)], rows)}\n\n{summary}"


def trials(known: Evidence) -> list[Trial]:
    """Return the trial of each whole table that stands for its benchmark, answered without that benchmark."""
    found = []
    for table in known.tables:
        if not table.main or table.sample is not None or not table.values("texts"):
            continue
        rest = of_tables(
            [each for each in known.tables if _source(each) != _source(table)], known.needs, known.costs
        )
        have = "references" if _OF_REFERENCES in table.metrics else "source"
        question = Question(table.task, table.languages[0], (have,), "overall", "texts", 60.0, 0)
        found.append(Trial(table, advise(question, rest), _values(Case(question, known, [table], {}), table)))
    return found


def _source(table: Table) -> str:
    return BENCHMARKS[table.benchmark].benchmark or table.benchmark


def _values(case: Case, table: Table) -> dict[str, float]:
    """Return the agreement of each metric with a direction that the user could compute."""
    return {
        label: row.value
        for label, row in table.rows("texts")
        if case.is_directed(label) and case.can_use(label)
    }


def _row(trial: Trial) -> list[str]:
    first, values = trial.first, trial.values
    advised = ["refused", "", ""]
    if first is not None:
        place = 1 + sum(value > values[first] for value in values.values())
        advised = [f"`{first}`", f"{values[first]:.3f}", f"{place} of {len(values)}"]
    lost = [trial.regret(label) for label in ([] if first is None else [first])]
    return [
        trial.table.benchmark,
        trial.table.task,
        *advised,
        f"`{trial.best}`",
        f"{values[trial.best]:.3f}",
        f"{lost[0]:.3f}" if lost else "",
        *("n/a" if math.isnan(regret := trial.regret(label)) else f"{regret:.3f}" for label in BASELINES),
    ]
