"""nlgauge eval: the command of NLG-Metricverse and Jury."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.options import NoCache
from nlgauge.cli.output import show_json
from nlgauge.cli.parameters import option


@Command
def eval_command(
    predictions: Annotated[
        Path | None, option("--predictions", help="File or directory of predictions.", metavar="PATH")
    ] = None,
    references: Annotated[
        Path | None, option("--references", help="File or directory of references.", metavar="PATH")
    ] = None,
    reduce_fn: Annotated[
        str | None,
        option(
            "--reduce_fn",
            "--reduce-fn",
            help="Rule for several references: best, max, min, mean or median.",
            metavar="RULE",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        option(
            "--config", help="JSON file with predictions, references, reduce_fn and metrics.", metavar="FILE"
        ),
    ] = None,
    export: Annotated[
        Path | None, option("--export", help="Also write the scores to this JSON file.", metavar="FILE")
    ] = None,
    no_cache: NoCache = False,
) -> None:
    """Score two files and print JSON, as `nlgmetricverse eval` and `jury eval` do.

    This command is for users of these programs. `nlgauge score` also has intervals, tests and saved results.
    """
    from nlgauge.compat.nlgmetricverse.files import evaluate_files

    if no_cache:
        os.environ["NLGAUGE_STATISTICS_CACHE"] = "off"
    show_json(evaluate_files(predictions, references, reduce_fn, config, export))
