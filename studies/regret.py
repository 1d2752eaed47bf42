"""The regret of `nlgauge choose` on benchmarks that were not used to write its rules.

    python -m studies regret DIRECTORY      wmt24_esa and hats as JSON lines, in a directory

The regret is the highest agreement of a metric that the user could compute, minus the agreement of the first
recommendation. Metrics are those of the leaderboard that read strings; no model of it knows the languages of these
texts. The rules were frozen before this study was run.
"""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import nlgauge
from nlgauge.advisor import Advice
from nlgauge.advisor.evidence import evidence, mean
from nlgauge.errors import MissingExtraError
from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.kept import MetricScores
from studies import study
from studies.leaderboard.boards import METRICS, STRINGS, Board, has_weights
from studies.leaderboard.kept import of_results
from studies.leaderboard.scoring import shortened
from studies.leaderboard.tables import Value, agreements, judged

HELD_OUT = {
    "wmt24_esa": Board("translation", "esa", {"input": "kendall"}, {}, year=2024),
    "hats": Board("speech", None, {"input": "darr"}, {}, year=2023, languages=("fr",)),
}
BASELINES = ("chrf", "bleu", "wer")
RESAMPLES = 200


class Trial(NamedTuple):
    """The advice for the texts of one language pair, and the agreement of all metrics that could be computed."""

    name: str
    texts: int
    advice: Advice
    values: dict[str, Value]

    @property
    def best(self) -> str:
        """The metric with the highest agreement."""
        return max(self.values, key=lambda label: self.values[label].value)

    @property
    def first(self) -> str | None:
        """The first recommendation; None if the advice is a refusal."""
        return self.advice.recommendations[0].metric if self.advice.recommendations else None

    def regret(self, label: str) -> float:
        """Return the agreement that is lost by using a metric instead of the best."""
        return self.values[self.best].value - self.values[label].value if label in self.values else math.nan

    def place(self, label: str) -> str:
        """Return the place of a metric among all."""
        values = [value.value for value in self.values.values()]
        return f"{1 + sum(value > self.values[label].value for value in values)} of {len(values)}"


def report(directory: Path) -> str:
    """Return one row per language pair, and the mean regret."""
    trials = [
        trial
        for name, board in HELD_OUT.items()
        for trial in _trials(load(directory / f"{name}.jsonl.gz").machines(), name, board)
    ]
    baselines = [f"regret of {label}" for label in BASELINES]
    header = [
        "texts",
        "first recommendation",
        "agreement [95%]",
        "place",
        "best metric",
        "agreement",
        "regret",
    ]
    rows = [_row(trial) for trial in trials]
    answered = [trial for trial in trials if trial.first is not None]
    regrets = [trial.regret(str(trial.first)) for trial in answered]
    summary = (
        f"{len(answered)} of {len(trials)} questions answered; mean regret {mean(regrets):.3f}, largest"
        f" {max(regrets):.3f}."
    )
    return f"{study.table([*header, *baselines], rows)}\n\n{summary}"


def _trials(benchmark: Benchmark, name: str, board: Board) -> list[Trial]:
    trials = []
    for group in benchmark.groups:
        part = benchmark.where(group=group) if len(benchmark.groups) > 1 else benchmark
        advice = nlgauge.choose(board.task, part.language or board.languages[0])
        trials.append(Trial(f"{name} {group}", len(part.rows), advice, _values(part, board, advice)))
    return trials


def _values(part: Benchmark, board: Board, advice: Advice) -> dict[str, Value]:
    """Return the agreement of each metric with a direction that can be computed from references."""
    scores: dict[str, MetricScores] = {}
    for spec, scored in METRICS.items():
        needs = evidence().needs.get(spec, {})
        if scored.cost == STRINGS and not scored.whole and not has_weights(spec) and not needs.get("source"):
            with suppress(MissingExtraError):  # BLEU of Japanese, without a dictionary
                result = of_results(part, part.score(spec, show_progress=False, cache=False))
                scores[result.label] = shortened(result, scored.outputs)
    people, _ = judged(part, scores, () if board.human is None else (board.human,))
    values, _ = agreements(people, board, RESAMPLES)
    return {
        label: value
        for (label, _, _), value in values.items()
        if people.higher_is_better.get(label) is not None
        and advice.question.lang not in evidence().needs[label]["unsplit"]
        and evidence().needs[label]["languages"] == "any"
        and not math.isnan(value.ranked)
    }


def _row(trial: Trial) -> list[str]:
    value, first = trial.values[trial.best], trial.first
    if first is None:
        advised = ["refused", "", "", f"`{trial.best}`", f"{value.value:.3f}", ""]
    else:
        mine = trial.values[first]
        advised = [
            f"`{first}`",
            f"{mine.value:.3f} [{mine.low:.3f}, {mine.high:.3f}]",
            trial.place(first),
            f"`{trial.best}`",
            f"{value.value:.3f}",
            f"{trial.regret(first):.3f}",
        ]
    lost = [trial.regret(label) for label in BASELINES]
    return [
        f"{trial.name}, {trial.texts:,} texts",
        *advised,
        *("n/a" if math.isnan(regret) else f"{regret:.3f}" for regret in lost),
    ]
