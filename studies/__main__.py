"""python -m studies STUDY: runs one study and prints its table.

Rows of models that were scored before come from nlgauge's cache of statistics.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies import leaderboard
from studies.rag import METRICS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    studies = parser.add_subparsers(dest="study", required=True)
    hidden = studies.add_parser(
        "hidden_labels",
        help="human scores from few labels, on SummEval, REALSumm and WMT21 MQM with labels hidden",
    )
    hidden.add_argument(
        "--resamples", type=int, default=200, help="how often labels are drawn (default: %(default)s)"
    )
    hidden.add_argument("--seed", type=int, default=1)
    studies.add_parser(
        "regret", help="agreement lost by the first recommendation of `nlgauge choose` on left-out benchmarks"
    )
    rag = studies.add_parser("rag", help="judge metrics of answers on SummEdits and pairs of RAGChecker")
    rag.add_argument("directory", type=Path, help="directory with summedits and ragchecker_meta (.jsonl.gz)")
    rag.add_argument("--metric", choices=tuple(METRICS), default="faithfulness")
    rag.add_argument("--rows", type=int, default=200, help="rows to draw (default: %(default)s)")
    rag.add_argument("--model", default="smollm2")
    rag.add_argument("--minutes", type=float, default=25, help="CPU minutes (default: %(default)s)")
    questions = studies.add_parser(
        "questions", help="do combinations beat single metrics, MBR the best system, and how do judges drift"
    )
    questions.add_argument("directory", type=Path, help="directory with the sets (.jsonl.gz)")
    questions.add_argument("--page", action="store_true", help="write docs/results/questions.md")
    leaderboard.add_arguments(
        studies.add_parser("leaderboard", help="every metric on every benchmark that is at hand")
    )
    arguments = vars(parser.parse_args())
    module = __import__(f"studies.{arguments.pop('study')}", fromlist=["report"])
    print(module.report(**arguments))


if __name__ == "__main__":
    main()
