"""nlgauge judge: how far a judge can be trusted."""

from __future__ import annotations

from typing import Annotated

from nlgauge.cli.command import Command, Group
from nlgauge.cli.options import AsJson, InputOptions
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import argument, option


@Command
def check_judge(
    *,
    systems: Annotated[
        list[str],
        argument(help="Predictions, one file per system, as for `nlgauge score`.", metavar="SYSTEM"),
    ],
    metric: Annotated[
        str,
        option("--metric", "-m", help='The judge, such as "g_eval(criterion=fluency)".', metavar="METRIC"),
    ],
    references: Annotated[
        list[str] | None, option("--references", "-r", help="Reference file.", metavar="FILE")
    ] = None,
    lang: Annotated[str | None, option("--lang", "-l", help="Language of the texts.", metavar="CODE")] = None,
    rows: Annotated[
        int, option("--rows", at_least=2, help="Texts that the judge is asked about.", metavar="N")
    ] = 20,
    own: Annotated[
        list[str] | None,
        option("--own", help="A system of the judge's own family; repeat for more.", metavar="SYSTEM"),
    ] = None,
    against: Annotated[
        str | None,
        option("--against", help="With --own: another metric to hold the judge against.", metavar="METRIC"),
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


app = Group("Probes language models that judge texts.", {"check": check_judge})
