"""python -m results STUDY: runs one study, taking it up where it was stopped, and prints its table."""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m results", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".cache/results"), help="where what was computed is kept (default: %(default)s)")
    studies = parser.add_subparsers(dest="study", required=True)
    shannon = studies.add_parser("shannon", help="Shannon Score, Information Difference, BLANC-Shannon on SummEval")
    shannon.add_argument("--model", default="smollm2")
    shannon.add_argument("--upstream", type=int, default=0)
    shannon.add_argument("--documents", type=int, help="how many documents (default: all)")
    arguments = vars(parser.parse_args())
    module = __import__(f"results.{arguments.pop('study')}", fromlist=["report"])
    print(module.report(**arguments))


if __name__ == "__main__":
    main()
