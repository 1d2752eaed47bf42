"""nlgauge judge: how far a judge can be trusted."""

from __future__ import annotations

from typing import Annotated

from nlgauge.cli.command import Command, Group
from nlgauge.cli.complete import complete_metrics
from nlgauge.cli.options import AsJson, InputOptions
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import FILES, METRICS, argument, option


@Command
def check_judge(
    *,
    systems: Annotated[
        list[str],
        argument(
            "Predictions, one file per system, as for `nlgauge score`.", metavar="SYSTEM...", panel=FILES
        ),
    ],
    metric: Annotated[
        str,
        option(
            "--metric",
            "-m",
            help='Judge, such as "g_eval(criterion=fluency)".',
            metavar="METRIC",
            panel=METRICS,
        ),
    ],
    references: Annotated[
        list[str] | None,
        option("--references", "-r", help="Reference file; repeatable.", metavar="FILE", panel=FILES),
    ] = None,
    lang: Annotated[
        str | None,
        option("--lang", "-l", help="Language of the texts, such as de.", metavar="CODE", panel=METRICS),
    ] = None,
    rows: Annotated[
        int,
        option(
            "--rows",
            at_least=2,
            help="Number of texts that the judge is asked about.",
            metavar="N",
        ),
    ] = 20,
    own: Annotated[
        list[str] | None,
        option("--own", help="System of the judge's own family; repeatable.", metavar="SYSTEM"),
    ] = None,
    against: Annotated[
        str | None,
        option(
            "--against",
            help="Metric to compare the judge with; requires --own.",
            metavar="METRIC",
            complete=complete_metrics,
        ),
    ] = None,
    as_json: AsJson = False,
    read: InputOptions,
) -> None:
    """Test a judge for repeatability, scale use and bias.

        nlgauge judge check -r refs.txt -s docs.txt sysA.txt \\
          -m 'g_eval(criterion=fluency, model="MODEL", base_url="URL")'

    Test how far repeated answers of a judge agree, how it uses its scale, and whether it prefers long texts,
    the first position or its own family of systems (--own). Costs about eight requests per text; repeated
    requests bypass the cache.
    """
    from nlgauge.io import Inputs
    from nlgauge.meta.diagnostics.judges import check
    from nlgauge.metric.registry import parse

    judge, other = parse(metric), None if against is None else parse(against)
    corpus = Inputs(systems, references or (), lang=lang, **read.arguments()).read()
    findings = check(judge, corpus, rows, own or (), other)
    if as_json:
        show_json(findings.records())
    else:
        show(findings.__rich__())


app = Group("Test language models that are used as judges.", {"check": check_judge})
