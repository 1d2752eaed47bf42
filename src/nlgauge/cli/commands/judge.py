"""nlgauge judge: how far a judge can be trusted; and whether the judges of a result answered at all."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from nlgauge.cli.command import with_options
from nlgauge.cli.options import AsJson, InputOptions
from nlgauge.cli.output import show, show_json
from nlgauge.errors import JudgeError

if TYPE_CHECKING:
    from nlgauge.results.result import Result

app = typer.Typer(help="Probes language models that judge texts.")


@app.callback()
def _judge() -> None:
    """So that `check` is a command of its own."""


@app.command("check")
@with_options
def check_judge(
    *,
    systems: Annotated[
        list[str],
        typer.Argument(help="Predictions, one file per system, as for `nlgauge score`.", metavar="SYSTEM"),
    ],
    metric: Annotated[
        str,
        typer.Option(
            "--metric", "-m", help='The judge, such as "g_eval(criterion=fluency)".', metavar="METRIC"
        ),
    ],
    references: Annotated[
        list[str] | None, typer.Option("--references", "-r", help="Reference file.", metavar="FILE")
    ] = None,
    lang: Annotated[
        str | None, typer.Option("--lang", "-l", help="Language of the texts.", metavar="CODE")
    ] = None,
    rows: Annotated[
        int, typer.Option("--rows", min=2, help="Texts that the judge is asked about.", metavar="N")
    ] = 20,
    own: Annotated[
        list[str] | None,
        typer.Option("--own", help="A system of the judge's own family; repeat for more.", metavar="SYSTEM"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", help="With --own: another metric to hold the judge against.", metavar="METRIC"
        ),
    ] = None,
    as_json: AsJson = False,
    read: InputOptions,
) -> None:
    """Asks a judge about some texts again and again, and says how it behaves: repeatability, scale use,
    verbosity, identity, position.

    nlgauge judge check -m 'g_eval(criterion=fluency, model="gpt-4o-mini",
    base_url="https://api.openai.com/v1")' -r refs.txt -s docs.txt sysA.txt

    It costs about eight requests per text with an endpoint. What is asked twice on purpose is not taken from
    the cache.
    """
    from nlgauge.io import Inputs
    from nlgauge.meta.diagnostics.judges import check
    from nlgauge.metric.registry import parse

    judge, other = parse(metric), None if against is None else parse(against)
    corpus = Inputs(systems, references or (), lang=lang, **read.given()).read()
    found = check(judge, corpus, rows, own or (), other)
    if as_json:
        show_json(found.records())
    else:
        show(found.__rich__())


def require_replies(result: Result) -> None:
    """Raise if a judge replied to no text at all, so that a command fails however few texts there are."""
    if "nlgauge.metrics._shared.judged" not in sys.modules:
        return
    from nlgauge.judges.calls import Calls
    from nlgauge.metrics._shared.judged import Judged

    for label, metric in result._job.metrics.items():
        if isinstance(metric, Judged) and not Calls.of(metric.calls).dry_run:
            scores = [result._tables[system, label].scores() for system in result.systems]
            asked = len(scores) * len(result.corpus) - sum(row["empty"] for row in scores)
            if asked and sum(row["failed"] for row in scores) == asked:
                raise JudgeError(
                    f"{label}: the judge replied to none of {asked:.0f} texts; the warning above names the"
                    " reason."
                )
