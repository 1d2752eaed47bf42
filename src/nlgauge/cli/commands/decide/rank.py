"""nlgauge rank: systems from verdicts on pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Command
from nlgauge.cli.options import (
    Confidence,
    Delimiter,
    Encoding,
    FormOptions,
    SeedOfAll,
    checked_confidence,
    one_of,
)
from nlgauge.cli.output import emit, say, show, show_json
from nlgauge.cli.parameters import METRICS, OUTPUT, STATISTICS, argument, option
from nlgauge.cli.present import written

if TYPE_CHECKING:
    from nlgauge.preferences.table import Preferences

_TIES = ("davidson", "half", "drop")
_CONTROLS = ("length", "position")


@Command
def rank_command(
    file: Annotated[
        str,
        argument("File of verdicts, or directory of a saved result (with --from).", metavar="FILE"),
    ],
    *,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    metric: Annotated[
        str | None,
        option(
            "--from",
            help="Metric of a saved result: the better score of a segment wins.",
            metavar="METRIC",
            panel=METRICS,
        ),
    ] = None,
    margin: Annotated[
        float,
        option(
            "--tie",
            at_least=0,
            help="Margin of a tie: the smallest difference of --from that decides.",
            metavar="MARGIN",
            panel=METRICS,
        ),
    ] = 0.0,
    ties: Annotated[
        str | None,
        option(
            "--ties",
            help="davidson, half or drop (default: davidson; half for probabilities).",
            metavar="MODEL",
            panel=STATISTICS,
        ),
    ] = None,
    control: Annotated[
        list[str] | None,
        option(
            "--control",
            help="Remove the effect of length or position; repeatable.",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None,
    documents: Annotated[
        str | None,
        option(
            "--documents",
            help="Field with the document, which is resampled as a whole (default: doc).",
            metavar="FIELD",
            panel=STATISTICS,
        ),
    ] = None,
    verdict: Annotated[
        str | None,
        option(
            "--verdict",
            help="Field with the verdicts; numbers are grades, above 0 for the second (default: winner).",
            metavar="FIELD",
            panel=STATISTICS,
        ),
    ] = None,
    grades: Annotated[
        float | None,
        option(
            "--grades",
            help="Highest grade: smaller grades count in proportion (default: who is better).",
            metavar="HIGHEST",
            panel=STATISTICS,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        option(
            "--baseline",
            help="System with strength 0 (default: strengths add up to 0).",
            metavar="SYSTEM",
            panel=STATISTICS,
        ),
    ] = None,
    prior: Annotated[
        float,
        option(
            "--prior",
            at_least=0,
            help="Number of wins and of losses to add to each system, such as 0.5.",
            metavar="NUMBER",
            panel=STATISTICS,
        ),
    ] = 0.0,
    confidence: Confidence = 0.95,
    resamples: Annotated[
        int,
        option(
            "--resamples",
            at_least=0,
            help="Number of resamples for intervals and letters; 0 disables both.",
            metavar="N",
            panel=STATISTICS,
        ),
    ] = 1000,
    seed: SeedOfAll = SEED,
    elo: Annotated[
        bool,
        option("--elo", help="Add Elo ratings: the mean over 100 random orders.", panel=OUTPUT),
    ] = False,
    shown: FormOptions,
) -> None:
    """Rank systems from verdicts on pairs of predictions, with intervals.

        nlgauge rank verdicts.jsonl
        nlgauge rank verdicts.jsonl --control length --documents doc --baseline gpt4
        nlgauge rank out --from chrf --tie 0.5
        nlgauge rank ragchecker_meta.jsonl.gz --verdict human.overall --grades 2

    A record of FILE (.jsonl, .json, .csv, .tsv or .parquet) is one comparison: {"item": ..., "first": "A",
    "second": "B", "winner": "A"}. The winner is first, second, tie, or the name of a system. Instead of winner, "win" is
    the probability that the first system wins. Files of Arena (model_a, model_b) and annotations of AlpacaEval
    (generator_1, generator_2, preference) are read, too.

    Verdicts may have grades: a number "grade" (above 0: the second is better; 0: a tie), a "strength" with the winner,
    or A>>B. By default only which system is better counts. With --grades 2, a grade of 2 is a win and 1 is 0.75.

    Strengths are log odds of a win in the Bradley-Terry model, or in Davidson's model if ties occur. Intervals and
    letters resample documents or segments with all of their comparisons.
    """
    from nlgauge.preferences import rank

    shown.check()
    checked_confidence(confidence)
    for name in control or ():
        one_of(name, _CONTROLS, "--control")
    if ties is not None:
        one_of(ties, _TIES, "--ties")
    ranked = rank(
        _read(file, metric, encoding, delimiter),
        metric=metric,
        tie=margin,
        ties=ties,
        control=control or (),
        documents=documents,
        verdict=verdict,
        grades=grades,
        baseline=baseline,
        prior=prior,
        elo=elo,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    _show(ranked, shown)


def _read(file: str, metric: str | None, encoding: str | None, delimiter: str | None) -> Any:
    """Return the records of a file, or a saved result."""
    from nlgauge.io.files import Address
    from nlgauge.io.reader import Reader

    if Path(file).is_dir():
        from nlgauge.results.storage.load import load

        return load(file)
    if metric is not None:
        raise click.UsageError(
            f"--from needs the directory of a saved result, but {file} is not a directory."
        )
    address = Address.of(file)
    if address.kind is None or address.column is not None:
        raise click.UsageError(f"{file} must be a file of records: .jsonl, .json, .csv, .tsv or .parquet.")
    return Reader(encoding, delimiter).table(address)


def _show(ranked: Preferences, shown: FormOptions) -> None:
    from nlgauge.show.writers.text import Printed

    if shown.form == "json":
        show_json(ranked.record())
    elif shown.form != "table":
        emit(written(ranked, shown.form, shown.quiet))
    else:
        show(Printed(ranked._page()))
        if not shown.quiet:
            say(", ".join(f"{name}: {value}" for name, value in ranked.made.items()))
