"""The leaderboard: every metric on every benchmark of human judgments that is at hand.

python -m studies leaderboard score                           scores what is not kept yet, numbers only
python -m studies leaderboard score -m wmd -b summeval        one metric on one benchmark
python -m studies leaderboard tables                          the pages of docs/results from what is kept, and the
                                                              evidence of `nlgauge choose`
python -m studies leaderboard choosing                        docs/results/choosing.md from that evidence alone
python -m studies leaderboard needs                           the needs of metrics in that evidence, after a card changed
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies.leaderboard.boards import BENCHMARKS
from studies.leaderboard.scoring import score

PAGES = Path("docs/results")
SCORES = PAGES / "scores" / "leaderboard"
EVIDENCE = Path("src/nlgauge/data/evidence.json.gz")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the steps and their options."""
    steps = parser.add_subparsers(dest="step", required=True)
    scoring = steps.add_parser(
        "score", help="score what is not kept yet; what was stopped goes on where it was"
    )
    scoring.add_argument(
        "-m",
        "--metric",
        dest="metrics",
        action="append",
        help="a metric with its parameters (default: all of studies/leaderboard)",
    )
    scoring.add_argument("--again", action="store_true", help="score also what is kept")
    tables = steps.add_parser(
        "tables", help="write the pages from what is kept; the benchmarks must be at hand"
    )
    tables.add_argument(
        "--pages", type=Path, default=PAGES, help="folder of the pages (default: %(default)s)"
    )
    tables.add_argument(
        "--resamples", type=int, default=1000, help="draws of intervals and tests (default: %(default)s)"
    )
    refreshing = steps.add_parser(
        "needs", help="write the needs and languages of metrics into the evidence anew, from code and cards"
    )
    chosen = steps.add_parser("choosing", help="write docs/results/choosing.md from the evidence alone")
    chosen.add_argument(
        "--pages", type=Path, default=PAGES, help="folder of the pages (default: %(default)s)"
    )
    for step in (tables, chosen, refreshing):
        step.add_argument(
            "--evidence",
            type=Path,
            default=EVIDENCE,
            help="file of the evidence of `nlgauge choose` (default: %(default)s)",
        )
    for step in (scoring, tables):
        step.add_argument(
            "--scores",
            type=Path,
            default=SCORES,
            help="folder of what is kept, numbers only (default: %(default)s)",
        )
        step.add_argument(
            "-b",
            "--benchmark",
            dest="benchmarks",
            action="append",
            choices=sorted(BENCHMARKS),
            help="a benchmark (default: all)",
        )


def report(
    step: str,
    scores: Path = SCORES,
    benchmarks: list[str] | None = None,
    metrics: list[str] | None = None,
    again: bool = False,
    pages: Path = PAGES,
    evidence: Path = EVIDENCE,
    resamples: int = 1000,
) -> str:
    """Take a step, and return what was done in one line."""
    if step == "score":
        return score(scores, benchmarks or list(BENCHMARKS), metrics, again)
    if step == "needs":
        from studies.leaderboard.evidence import refresh

        refresh(evidence)
        return f"wrote {evidence}"
    from studies.leaderboard.page import write, write_choosing

    if step == "choosing":
        return f"wrote {write_choosing(pages, evidence)}"
    return write(scores, pages, evidence, benchmarks or list(BENCHMARKS), resamples)
