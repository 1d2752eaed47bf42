"""nlgauge annotate new and add: the directory of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge._core.numbers import counted
from nlgauge.cli.command import Command
from nlgauge.cli.commands.meta.study import split
from nlgauge.cli.complete import complete_results
from nlgauge.cli.options import SeedOfAll, Where, checked_expressions
from nlgauge.cli.output import say
from nlgauge.cli.parameters import STATISTICS, argument, option

if TYPE_CHECKING:
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result


def complete_protocols(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the built-in protocols."""
    from nlgauge.annotate.builtin import PROTOCOLS

    return [name for name in PROTOCOLS if name.startswith(start)]


def complete_next(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the ways to choose further segments."""
    return [name for name in _NEXT if name.startswith(start)]


_NEXT = ("random", "proposals")
CampaignDirectory = Annotated[
    Path, argument("Directory of a campaign.", metavar="CAMPAIGN", existing_directory=True)
]


@Command
def new(
    texts: Annotated[
        list[str],
        argument(
            "A saved result, or files of texts as `nlgauge score` reads them.",
            metavar="RESULT|FILE...",
            complete=complete_results,
        ),
    ],
    *,
    output: Annotated[Path, option("--output", "-o", help="Directory of the campaign.", metavar="DIR")],
    protocol: Annotated[
        str,
        option(
            "--protocol",
            help="likert, da, esa, mqm, pairwise, bws, yes_no, claims, or a TOML file.",
            metavar="NAME|FILE",
            complete=complete_protocols,
        ),
    ],
    annotators: Annotated[
        list[str],
        option("--annotators", help="Codes of the annotators, separated by commas.", metavar="CODE,..."),
    ],
    dimensions: Annotated[
        list[str] | None,
        option("--dimensions", help="Dimensions of likert, separated by commas.", metavar="NAME,..."),
    ] = None,
    segments: Annotated[
        int | None,
        option(
            "--segments", at_least=1, help="Number of segments, drawn at random (default: all).", metavar="N"
        ),
    ] = None,
    ids: Annotated[
        Path | None,
        option(
            "--ids",
            help="Rate these segments instead of random ones: a file with one id per line.",
            metavar="FILE",
            existing_file=True,
        ),
    ] = None,
    where: Where = None,
    overlap: Annotated[
        float,
        option("--overlap", help="Share of the segments that several annotators rate.", metavar="SHARE"),
    ] = 0.0,
    overlap_of: Annotated[
        int,
        option("--overlap-of", help="Number of annotators of a shared segment (default: all).", metavar="N"),
    ] = 0,
    repeats: Annotated[
        float,
        option("--repeats", help="Share of the items that an annotator gets twice.", metavar="SHARE"),
    ] = 0.0,
    damaged: Annotated[
        float,
        option("--damaged", help="Share of the items that come again with an error.", metavar="SHARE"),
    ] = 0.0,
    gold: Annotated[
        Path | None,
        option("--gold", help="JSON lines of items with known answers.", metavar="FILE", existing_file=True),
    ] = None,
    until: Annotated[
        float,
        option(
            "--until",
            help="Advise to stop when all intervals of the ratings have this width.",
            metavar="WIDTH",
            panel=STATISTICS,
        ),
    ] = 0.0,
    until_sure: Annotated[
        bool,
        option(
            "--until-sure",
            help="Advise to stop when all differences between systems are decided.",
            panel=STATISTICS,
        ),
    ] = False,
    alpha: Annotated[
        float,
        option(
            "--alpha", help="Significance level of the advice to stop.", metavar="NUMBER", panel=STATISTICS
        ),
    ] = 0.05,
    decide_on: Annotated[
        str,
        option(
            "--decide-on",
            help="Dimension of the advice to stop (default: first).",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = "",
    following: Annotated[
        str,
        option(
            "--next",
            help="Segments of further blocks: random, or proposals of the metrics of RESULT.",
            metavar="random|proposals",
            complete=complete_next,
            panel=STATISTICS,
        ),
    ] = "random",
    title: Annotated[str, option("--title", help="Title of the page of annotators.", metavar="TEXT")] = "",
    seed: SeedOfAll = 12345,
) -> None:
    """Create a campaign of human ratings.

        nlgauge annotate new out/ -o campaign --protocol esa --annotators a1,a2
        nlgauge annotate new out/ -o c --protocol da --annotators a --segments 60

    Draw segments at random, and give each segment with all its systems to an annotator. Annotators do not see
    the names of systems. Use codes instead of names for annotators, because the times of their work are saved.

        nlgauge annotate new out/ -o c --protocol da --annotators a --where 'bleu<9'

    Segments are drawn from those that meet --where; estimates are then about these segments only.

    --repeats, --damaged and --gold add checks of attention, which do not count for the scores.
    --until-sure and --until plan when the ratings suffice; without them, decide on the number of segments before you start.
    """
    from nlgauge.annotate import creating
    from nlgauge.annotate.plan import Until
    from nlgauge.annotate.protocols import protocol_of

    if following not in _NEXT:
        raise click.UsageError(f"--next must be random or proposals, got {following!r:.40}.")
    if until and until_sure:
        raise click.UsageError("--until and --until-sure cannot be combined.")
    named = None if ids is None else [line for line in ids.read_text("utf-8").splitlines() if line.strip()]
    campaign = creating.new(
        output,
        _texts(texts),
        protocol_of(protocol, split(dimensions)),
        split(annotators),
        segments=segments,
        ids=named,
        where=checked_expressions(where),
        overlap=overlap,
        overlap_of=overlap_of,
        repeats=repeats,
        damaged=damaged,
        gold=gold,
        until=Until(until, until_sure, alpha, decide_on),
        proposals=following == "proposals",
        title=title,
        seed=seed,
    )
    for warning in creating.leaks(campaign):
        say(f"warning: {warning}")
    say(_content(campaign))
    click.echo(output)


@Command
def add(
    directory: CampaignDirectory,
    *,
    annotators: Annotated[
        list[str] | None,
        option("--annotators", help="Codes of new annotators, separated by commas.", metavar="CODE,..."),
    ] = None,
    segments: Annotated[
        int,
        option("--segments", at_least=0, help="Number of further segments, drawn at random.", metavar="N"),
    ] = 0,
) -> None:
    """Add annotators or segments to a campaign.

        nlgauge annotate add campaign --annotators a3
        nlgauge annotate add campaign --segments 30

    Items and ratings that exist do not change. Stop the server first. A new annotator rates segments that the
    others have, first those that several people rate.
    """
    from nlgauge.annotate.adding import add as add_to
    from nlgauge.annotate.campaign import Campaign

    campaign = add_to(Campaign.open(directory), split(annotators), segments)
    say(_content(campaign))
    click.echo(directory)


def _texts(names: Sequence[str]) -> Corpus | Result:
    """Return a saved result, or the texts of files."""
    from nlgauge.errors import InputError
    from nlgauge.io import Inputs
    from nlgauge.results.storage.layout import is_result
    from nlgauge.results.storage.load import load

    if len(names) == 1 and Path(names[0]).is_dir():
        if not is_result(Path(names[0])):
            raise InputError(
                f"{names[0]} is not a saved result; name a directory of `nlgauge score -o`, or files."
            )
        result = load(names[0])
        if not result.has_texts:
            raise InputError(
                f"{names[0]} was saved without texts, which a campaign needs; score again, and save the texts."
            )
        return result
    return Inputs(list(names)).read()


def _content(campaign: Campaign) -> str:
    """Return one line about the items of a campaign."""
    plan = campaign.plan
    rated = sum(
        item.kind == "rate" and item.segment in set(plan.segments) for item in campaign.items.values()
    )
    orders = {name: campaign.order(name) for name in plan.annotators}
    owners = Counter(key for order in orders.values() for key in order if campaign.items[key].kind == "rate")
    kinds = Counter(campaign.items[key].kind for order in orders.values() for key in order)
    notes = [f"{sum(count > 1 for count in owners.values())} shared"]
    notes += [
        f"{kinds[kind]} {name}"
        for kind, name in (("repeat", "repeats"), ("damaged", "damaged"), ("gold", "gold"))
    ]
    parts = ", ".join(f"{name} {len(order)}" for name, order in orders.items())
    sizes = f"{counted(len(plan.segments), 'segment')} x {counted(len(plan.systems), 'system')}"
    later = (
        ""
        if plan.proposals is None
        else f"; metrics propose {counted(plan.planned - len(plan.segments), 'further segment')}"
    )
    return f"{sizes} = {counted(rated, 'item')}; {parts} ({', '.join(notes)}){later}"
