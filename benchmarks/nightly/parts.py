"""The parts of the nightly run: commands, sizes, and the bound that each figure must keep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["at most", "at least", "equal", "shown"]


@dataclass(frozen=True)
class Bound:
    """The bound of some figures: rows and columns are regular expressions that the whole name must match.

    `at most` and `at least` are bounds of a rate: a figure of n runs is out if a true rate at the bound gives it with a
    chance below 1 in 10,000. `equal` figures are numbers.
    """

    claim: str
    rows: str
    columns: str
    kind: Kind
    value: float = 0.0

    def meets(self, row: str, column: str) -> bool:
        """Return True if the bound is about this figure."""
        return bool(re.fullmatch(self.rows, row) and re.fullmatch(self.columns, column))


@dataclass(frozen=True)
class Part:
    """A part: the arguments of `python -m`, with {runs} for the number of runs."""

    name: str
    title: str
    command: str
    runs: int
    full: int
    bounds: Sequence[Bound]
    # It reads benchmarks with human scores, which are not in the repository.
    needs_data: bool = False
    # Sizes count something else than runs, such as seconds or cases.
    unit: str = "runs"
    # The page has all its figures, below these words.
    detailed: bool = False
    about: str = ""

    def words(self, full: bool) -> list[str]:
        """Return the words of the command."""
        return self.command.format(runs=self.full if full else self.runs).split()


_ANY = ".*"
PARTS = (
    Part(
        "golden",
        "Golden values of other programs",
        "benchmarks.nightly.golden",
        1,
        1,
        [Bound("tests against golden values fail", _ANY, "failed", "equal", 0)],
        unit="selection",
        detailed=True,
        about="Tests of this repository that expect values of other programs: the program runs in the test, or its values were recorded.",
    ),
    Part(
        "suites",
        "Test suites of other programs",
        "benchmarks.nightly.suites",
        1,
        1,
        [
            Bound("scores of other programs' test suites that differ", _ANY, "differ", "equal", 0),
            Bound("scores of other programs' test suites that are refused", _ANY, "refused", "equal", 0),
        ],
        unit="selection",
        detailed=True,
        about="The test suites of pinned releases, run in `.venv-peers`: nlgauge computes every score of a passing test again."
        " Tests of data that the releases lack fail there and are left out.",
    ),
    Part(
        "peers",
        "Differential fuzzing against other programs",
        "benchmarks.nightly.peers --cases {runs}",
        300,
        20_000,
        [Bound("values that differ from the program's", _ANY, "differ", "equal", 0)],
        unit="cases",
        detailed=True,
        about="Each program runs in a process of `.venv-peers`, which has no nlgauge. `make .venv-peers/.peers` installs these"
        " versions from PyPI. bert-score, TorchMetrics, COMET and other programs that need PyTorch are not in it: `make test`"
        " compares them. Left out are cases that a program refuses, such as an empty reference.",
    ),
    Part(
        "routes",
        "The same bits over kernels, threads and routes",
        "benchmarks.nightly.routes --cases {runs}",
        12,
        1_000,
        [Bound("values with other bits", _ANY, "differ", "equal", 0)],
        unit="cases",
        detailed=True,
    ),
    Part(
        "cosmic",
        "COSMIC on data whose mutual information is known",
        "benchmarks.nightly.closed --size {runs}",
        1,
        2,
        [Bound("wrong and not flagged", _ANY, "wrong and not flagged", "equal", 0)],
        unit="size",
    ),
    Part(
        "scores",
        "Intervals and tests of scores of one and two systems",
        "benchmarks.nightly.simulated --runs {runs} scores",
        300,
        4000,
        [
            Bound("bootstrap interval of a score", "100 .*", "interval of a score", "at least", 0.93),
            Bound(
                "bootstrap interval of a score, few units", "20 .*", "interval of a score", "at least", 0.88
            ),
            Bound("randomization test of two systems", _ANY, "randomization", "at most", 0.06),
            Bound("paired bootstrap test of two systems", "100 .*", "bootstrap", "at most", 0.075),
        ],
    ),
    Part(
        "correlations",
        "p of single correlations, agreement of annotators, shares of damage, thresholds",
        "benchmarks.nightly.simulated --runs {runs} correlations annotators damage",
        100,
        4000,
        [
            Bound("p of one correlation", "p of .*", "share", "at most", 0.06),
            Bound(
                "interval of annotators' agreement", "interval of .* annotators", "share", "at least", 0.91
            ),
            Bound(
                "interval of the share of damage noticed", "interval of damage.*", "share", "at least", 0.92
            ),
        ],
    ),
    Part(
        "false-alarms",
        "compare, check and --until-sure on real scores without a difference",
        "benchmarks.false_alarms --part equal --runs {runs}",
        30,
        1000,
        [
            Bound("compare without a difference", _ANY, "compare", "at most", 0.065),
            Bound("check fails an equal system", _ANY, "check fails", "at most", 0.04),
            Bound("--until-sure without a difference", _ANY, "until sure", "at most", 0.065),
            Bound(
                "interval of a difference excludes 0",
                "(?!.*12 segments).*",
                "interval without 0",
                "at most",
                0.08,
            ),
        ],
        needs_data=True,
    ),
    Part(
        "families",
        "Several systems and scores without a difference: Holm, max-T, gates",
        "benchmarks.false_alarms --part family --runs {runs}",
        100,
        1000,
        [Bound("any false claim in a family", "(?!compare, p$).*", "any is significant", "at most", 0.06)],
        needs_data=True,
    ),
    Part(
        "different",
        "Intervals of compare and --until-sure on real differences",
        "benchmarks.false_alarms --part different --runs {runs}",
        25,
        1000,
        [
            Bound("interval of a difference", _ANY, "interval of compare", "at least", 0.93),
            Bound("interval of --until-sure", _ANY, "interval of until sure", "at least", 0.95),
            Bound(
                "check --margin passes a loss of the margin",
                _ANY,
                "check passes at the margin",
                "at most",
                0.05,
            ),
        ],
        needs_data=True,
    ),
    Part(
        "sequential",
        "Planned looks and anytime-valid tests without a difference",
        "benchmarks.sequential --part false --runs {runs}",
        100,
        1000,
        [
            Bound(
                "sequential test without a difference", "(?!t test).*", "segments|documents", "at most", 0.06
            )
        ],
        needs_data=True,
    ),
    Part(
        "plans",
        "Power of planned test sets (planned: 0.8)",
        "benchmarks.sequential --part plans --runs {runs}",
        30,
        1000,
        [Bound("power of a plan", _ANY, "power.*", "at least", 0.77)],
    ),
    Part(
        "missing",
        "Bounds of comparisons with missing scores",
        "benchmarks.missing_scores --runs {runs}",
        60,
        1000,
        [Bound("bounds with missing scores", _ANY, "inside the bounds", "at least", 0.95)],
    ),
    Part(
        "preferences",
        "Intervals and letters of rankings from preferences",
        "benchmarks.preferences --world equal --runs {runs}",
        15,
        1000,
        [
            Bound("interval of a strength", _ANY, "interval", "at least", 0.92),
            Bound("different letters of equal systems", _ANY, "letters", "at most", 0.07),
        ],
    ),
    Part(
        "meta-tests",
        "Tests of the difference of two metrics",
        "benchmarks.meta_simulations --part errors --resamples 200 --runs {runs}",
        40,
        2000,
        [
            Bound("Williams' test, new systems", "Williams", "system.*", "at most", 0.08),
            Bound("randomization test, new systems", "randomization, systems", _ANY, "at most", 0.1),
            Bound("bootstrap test, new systems or both", "bootstrap, (systems|both)", _ANY, "at most", 0.1),
            Bound(
                "tests about new inputs, without liking of systems",
                "randomization, inputs|bootstrap, inputs|permutation.*",
                "system .* bias 0",
                "at most",
                0.1,
            ),
        ],
    ),
    Part(
        "meta-corrections",
        "Corrections for all pairs of metrics",
        "benchmarks.meta_simulations --part corrections --resamples 200 --runs {runs}",
        60,
        2000,
        [
            Bound(
                "any false claim after a correction",
                "bonferroni|holm|by|maxT",
                "any of 15 .*",
                "at most",
                0.09,
            ),
            Bound("false share of claims (bh, by)", "bh|by", "false share .*", "at most", 0.06),
        ],
    ),
    Part(
        "meta-intervals",
        "Intervals of correlations and of their differences",
        "benchmarks.meta_simulations --part coverage --resamples 200 --runs {runs}",
        40,
        2000,
        [
            Bound("Fisher's interval of a correlation", "Fisher.*", "system pearson.*", "at least", 0.9),
            Bound("bootstrap interval over both", "(difference, )?bootstrap, both", _ANY, "at least", 0.9),
            Bound(
                "bootstrap interval over systems", "bootstrap, systems(, BCa)?", "system.*", "at least", 0.84
            ),
            Bound(
                "bootstrap interval over inputs, these systems",
                ".*inputs.*; these systems",
                _ANY,
                "at least",
                0.86,
            ),
            Bound("Zou's interval of a difference", "difference, Zou", "system.*", "at least", 0.9),
        ],
    ),
    Part(
        "few-labels",
        "Estimates of human scores from few labels",
        "benchmarks.estimate_coverage --worlds {runs}",
        20,
        1000,
        [Bound("interval from 20 or 50 labels, normal scores", "normal", "coverage", "at least", 0.88)],
    ),
    Part(
        "judges",
        "Tests of the audit of a judge",
        "benchmarks.judge_audit --tests --runs {runs}",
        30,
        500,
        [
            Bound(
                "position, drift and length of a judge without an effect",
                "tests: .*",
                "without an effect",
                "at most",
                0.07,
            ),
            Bound("usable as is at a true kappa of 0.6", "usable: .*", "verdict", "at most", 0.06),
        ],
    ),
    Part(
        "spans",
        "F of error spans: intervals, tests, corrections",
        "benchmarks.span_error_rates --runs {runs}",
        20,
        400,
        [
            Bound("interval of F of error spans", _ANY, "coverage", "at least", 0.89),
            Bound("paired test of two metrics' spans", _ANY, "p <= .05", "at most", 0.08),
            Bound("any of three pairs, corrected", _ANY, "any of three pairs", "at most", 0.08),
        ],
    ),
    Part(
        "campaigns",
        "Intervals of a campaign of 40 segments",
        "benchmarks.annotate --part replay --runs {runs}",
        40,
        200,
        [Bound("interval of a system's mean", _ANY, "coverage", "at least", 0.93)],
        needs_data=True,
    ),
    Part(
        "claims",
        "Several systems, two runs, missing scores, gold items, shares, audits of a judge",
        "benchmarks.nightly.simulated_systems --runs {runs}",
        100,
        2000,
        [
            Bound(
                "letters and ranks of equal systems", ".*letters.*|a best rank.*", "share", "at most", 0.06
            ),
            Bound("two runs without a difference", "two equal runs.*", "share", "at most", 0.06),
            Bound("missing scores, McNemar's test", "missing scores.*", "share", "at most", 0.05),
            Bound("sign test of gold items", "gold items.*", "share", "at most", 0.05),
            Bound("Wilson's interval of a share", "Wilson.*", "share", "at least", 0.92),
            Bound("interval of an audit of a judge", "interval of an audit.*", "share", "at least", 0.9),
            Bound("groups that a judge rates alike", "groups of an audit.*", "share", "at most", 0.07),
            Bound("Student's interval of a gain, normal", ".* normal gains", "share", "at least", 0.94),
            Bound("Student's interval of a gain, skewed", ".* skewed gains", "share", "at least", 0.86),
        ],
    ),
    Part(
        "meta-claims",
        "Accuracies, ready-made pairs, suites, bias, decisions, curves, downstream tasks, annotators' spans",
        "benchmarks.nightly.simulated_meta --runs {runs}",
        60,
        1000,
        [
            Bound("interval of an accuracy", "interval over both of .*", "share", "at least", 0.9),
            Bound("letters of equal metrics over tasks", "different letters.*", "share", "at most", 0.09),
            Bound(
                "interval of a partial correlation", ".*partial correlation, .*", "share", "at least", 0.92
            ),
            Bound(
                "interval of outputs kept or chosen",
                "interval of (detect|rerank).*",
                "share",
                "at least",
                0.89,
            ),
            Bound("interval of a curve of agreement", "interval of a curve.*", "share", "at least", 0.92),
            Bound("interval of a downstream task", "interval of a task.*", "share", "at least", 0.92),
            Bound("interval of annotators' spans", "interval of annotators.*", "share", "at least", 0.88),
        ],
    ),
    Part(
        "sweeps",
        "A point of a sweep, chosen on one half and tested on the other",
        "benchmarks.sweep_coverage {runs} 1000",
        20,
        200,
        [Bound("interval of the tested value, or of its gain", _ANY, "coverage", "at least", 0.9)],
    ),
    Part(
        "rankings",
        "Rankings from verdicts on real scores without a difference",
        "benchmarks.false_alarms --part rank --runs {runs}",
        25,
        1000,
        [
            Bound(
                "letters and ranks from verdicts",
                _ANY,
                "different letters|best rank above 1",
                "at most",
                0.06,
            ),
            Bound("interval of a strength excludes 0", _ANY, "interval without 0", "at most", 0.08),
        ],
        needs_data=True,
    ),
    Part(
        "proposals",
        "Intervals of a campaign whose items are proposed",
        "benchmarks.annotate --part proposals --runs {runs}",
        15,
        200,
        [Bound("interval of a system's mean, with proposals", _ANY, "coverage", "at least", 0.93)],
        needs_data=True,
    ),
    Part(
        "stopping",
        "Campaigns that stop when they are sure, without a difference",
        "benchmarks.annotate --part nulls --runs {runs}",
        30,
        200,
        [Bound("a claim, or an interval that misses, at any time", _ANY, "share", "at most", 0.05)],
        needs_data=True,
    ),
)
