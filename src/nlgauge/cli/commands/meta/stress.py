"""nlgauge meta stress: do metrics notice texts that were made worse on purpose?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import click
import numpy as np

from nlgauge.cli.command import Spelled
from nlgauge.cli.commands.meta.plots import Plot, checked_plot
from nlgauge.cli.commands.meta.study import FindingOptions, PartOptions, StudyMetrics, complete_data, split
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import SeedOfAll
from nlgauge.cli.output import say
from nlgauge.cli.parameters import BENCHMARK, STATISTICS, argument, option

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks import Benchmark

_COLUMNS = (
    "metric",
    "phenomenon",
    "severity",
    "detected",
    "low",
    "high",
    "tied",
    "effect",
    "relative_drop",
    "separation",
    "n",
    "n_unchanged",
)
_OF_SUITE = ("metric", "phenomenon", "severity", "detected", "low", "high", "tied", "n")


@Spelled
def stress(
    *,
    data: Annotated[
        str | None,
        argument(
            "Benchmark or file of texts; omit it with --suite.", metavar="[DATA]", complete=complete_data
        ),
    ] = None,
    metrics: StudyMetrics = None,
    suite: Annotated[
        str | None,
        option(
            "--suite",
            help="Fixed set of damaged texts instead of DATA: own (part of nlgauge) or demetr.",
            metavar="NAME",
            panel=BENCHMARK,
        ),
    ] = None,
    perturbations: Annotated[
        list[str] | None,
        option(
            "--perturbation",
            help="Ways to make a text worse, separated by commas (default: all).",
            metavar="NAME",
            panel=STATISTICS,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        option(
            "--sample", at_least=1, help="Draw a random sample of N segments.", metavar="N", panel=BENCHMARK
        ),
    ] = None,
    seed: SeedOfAll = 12345,
    part: PartOptions,
    plot: Plot = None,
    shown: FindingOptions,
) -> None:
    """Test whether metrics score a good text above the same text made worse.

        nlgauge meta stress summeval -m chrf --perturbation negation --sample 50
        nlgauge meta stress --suite demetr -m chrf meteor

    DATA is a benchmark or a file of texts. The texts are the outputs of the system that people rate best, of a
    file of the first system; --systems chooses another. `detected` is the share of texts whose worse version
    scores lower, with Wilson's interval. --suite has rows for each severity and each kind of damage, which can be
    compared with the shares of other metrics.
    """
    from nlgauge.meta.diagnostics.stress import stress as tested
    from nlgauge.meta.diagnostics.suites import damage_noticed
    from nlgauge.scoring import DEFAULT_METRICS

    checked_plot(plot)
    chosen = list(metrics or DEFAULT_METRICS)
    if suite is not None:
        if data is not None or perturbations or part.part:
            raise click.UsageError(
                "--suite has its own texts and damage; use it without DATA, --perturbation, --systems, --without and --where."
            )
        found = damage_noticed(chosen, suite, segments=sample, seed=seed)
    elif data is None:
        raise click.UsageError("DATA is missing; name a benchmark or a file of texts, or use --suite own.")
    else:
        texts, references, sources = _texts(data, part, sample, seed, shown.quiet)
        found = tested(chosen, texts, references, sources, split(perturbations) or None, seed=seed)
    show_findings(found, _COLUMNS if suite is None else _OF_SUITE, shown, by=("metric",))
    if plot is not None:
        found.plot(plot)


def _texts(
    data: str, part: PartOptions, sample: int | None, seed: int, quiet: bool
) -> tuple[list[str], Any, list[str] | None]:
    """Return the outputs of one system with their references and sources."""
    from nlgauge.meta.benchmarks.study import Study

    study = Study(benchmark=data)
    if study._is_own_file:
        return _of_file(data, part, sample, seed)
    benchmark = part.part.of(study._whole().machines())
    chosen = _best(benchmark)
    texts = benchmark.where(systems=[chosen])
    texts = texts if sample is None else texts.sample(sample, seed)
    rows = [row for row in texts.rows if row.prediction]
    if not quiet:
        say(f"texts of {chosen} from {benchmark.name}")
    references = [list(row.references) for row in rows]
    sources = [row.source for row in rows if row.source is not None]
    return (
        [row.prediction or "" for row in rows],
        references if all(references) else None,
        sources if len(sources) == len(rows) else None,
    )


def _of_file(
    path: str, part: PartOptions, sample: int | None, seed: int
) -> tuple[list[str], Any, list[str] | None]:
    from nlgauge.io import Inputs

    if part.where:
        raise click.BadParameter(
            f"{path} is a file of texts, whose rows cannot be selected; use a benchmark.",
            param_hint="'--where'",
        )
    corpus = Inputs([path]).read()
    left_out = split(part.without)
    known = [system for system in split(part.systems) or corpus.systems if system not in left_out]
    if not known or known[0] not in corpus.systems:
        raise click.BadParameter(
            f"{path} has no system {', '.join(known)!r}; it has {', '.join(corpus.systems)}.",
            param_hint="'--systems'",
        )
    if sample is not None and sample < len(corpus):
        corpus = corpus.take(np.sort(np.random.default_rng(seed).permutation(len(corpus))[:sample]))
    records = list(corpus.each_record())
    references = [record.get("references") for record in records]
    sources = [record["source"] for record in records if record.get("source") is not None]
    return (
        [record["predictions"][known[0]][0] for record in records],
        references if all(references) else None,
        sources if len(sources) == len(records) else None,
    )


def _best(benchmark: Benchmark) -> str:
    """Return the system with the highest mean of the first human dimension; the first system without one."""
    if not benchmark.dimensions:
        return benchmark.systems[0]
    scores = benchmark.human(benchmark.dimensions[0])
    known = ~np.isnan(scores)
    means = np.where(known, scores, 0).sum(axis=1) / np.where(known.any(axis=1), known.sum(axis=1), np.nan)
    return benchmark.systems[int(np.nanargmax(means))]
