"""nlgauge judge: how far a judge can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Command, Group, Spelled
from nlgauge.cli.commands.meta.study import FindingOptions, split
from nlgauge.cli.complete import complete_files, complete_metrics
from nlgauge.cli.findings import show_findings
from nlgauge.cli.options import AsJson, Confidence, InputOptions, SeedOfAll, checked_confidence, one_of
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, STATISTICS, argument, option
from nlgauge.cli.program import note_written

if TYPE_CHECKING:
    from nlgauge.corpus.records import Records
    from nlgauge.results.result import Result


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
        option(
            "--own",
            help="System of the judge's own family; repeatable; requires --against.",
            metavar="SYSTEM",
        ),
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

    Test whether repeated answers of a judge agree, how it uses its scale, and whether it prefers long texts,
    the first position or its own family of systems (--own and --against). The test sends about eight requests
    per text; repeated requests bypass the cache.
    """
    from nlgauge.engine.prepare import labeled
    from nlgauge.io import Inputs
    from nlgauge.meta.diagnostics.judges import check

    if against is not None and not own:
        raise click.UsageError(
            f"--against {against} requires the systems of the judge's own family; add --own SYSTEM."
        )
    [judge] = labeled(metric).values()
    [other] = [None] if against is None else labeled(against).values()
    corpus = Inputs(systems, references or (), lang=lang, **read.arguments()).read()
    findings = check(judge, corpus, rows, own or (), other)
    if as_json:
        show_json(findings.records())
    else:
        show(findings.__rich__())


@Spelled
def audit_judge(
    data: Annotated[
        str,
        argument(
            "Saved result, or file of records with verdicts and labels.",
            metavar="DATA",
            panel=FILES,
            complete=complete_files,
        ),
    ],
    *,
    humans: Annotated[
        list[str] | None,
        option(
            "--human",
            help="Column with human labels; repeatable for annotators.",
            metavar="COLUMN",
            panel=FILES,
        ),
    ] = None,
    judges: Annotated[
        list[str] | None,
        option(
            "--judge",
            help="Metric or column with verdicts (default: the only judge); repeatable.",
            metavar="COLUMN",
            panel=FILES,
        ),
    ] = None,
    swapped: Annotated[
        str | None,
        option(
            "--swapped",
            help="Column with verdicts on the same texts in the other order.",
            metavar="COLUMN",
            panel=FILES,
        ),
    ] = None,
    texts: Annotated[
        str | None,
        option("--texts", help="Fields of the two texts of a pair.", metavar="FIRST,SECOND", panel=FILES),
    ] = None,
    by: Annotated[
        list[str] | None,
        option("--by", help="Field of groups to audit separately; repeatable.", metavar="FIELD", panel=FILES),
    ] = None,
    covariates: Annotated[
        list[str] | None,
        option(
            "--covariate",
            help="Field with numbers that the judge may reward; repeatable.",
            metavar="FIELD",
            panel=FILES,
        ),
    ] = None,
    own: Annotated[
        list[str] | None,
        option("--own", help="System of the judge's own family; repeatable.", metavar="SYSTEM", panel=FILES),
    ] = None,
    anchor: Annotated[
        str | None,
        option(
            "--anchor", help="Earlier verdicts of the judge, to measure drift.", metavar="DATA", panel=FILES
        ),
    ] = None,
    positive: Annotated[
        str | None,
        option("--positive", help="Category that counts as positive.", metavar="LEVEL", panel=STATISTICS),
    ] = None,
    scale: Annotated[
        str | None,
        option(
            "--scale",
            help="binary, nominal, ordinal or interval (default: detected).",
            metavar="SCALE",
            panel=STATISTICS,
        ),
    ] = None,
    resamples: Annotated[
        int,
        option("--resamples", at_least=1, help="Number of resamples.", metavar="N", panel=STATISTICS),
    ] = 2000,
    confidence: Confidence = 0.95,
    seed: SeedOfAll = SEED,
    page: Annotated[
        Path | None,
        option("--write", help="Also write the audit to this HTML file.", metavar="FILE", panel=OUTPUT),
    ] = None,
    shown: FindingOptions,
) -> None:
    """Compare a judge with people: agreement, errors, biases and corrected scores.

        nlgauge judge audit out/ --human label
        nlgauge judge audit verdicts.jsonl --judge verdict --human label \\
          --swapped verdict_swapped --by subset

    Read verdicts and labels that exist; nothing is sent to the judge. The result is usable as is, usable
    with correction, no better than chance, or not enough labels. Labels must be of answers drawn at random.
    """
    from nlgauge.meta.auditing.audit import audit

    checked_confidence(confidence)
    if scale is not None:
        one_of(scale, ("binary", "nominal", "ordinal", "interval"), "--scale")
    if not humans:
        raise click.UsageError("missing human labels; name their column: --human COLUMN.")
    findings = audit(
        _read(data),
        human=split(humans),
        judge=judges,
        swapped=swapped,
        by=split(by),
        texts=split([texts] if texts else None),
        covariates=split(covariates),
        own=split(own),
        anchor=None if anchor is None else _read(anchor),
        positive=positive,
        scale=scale,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    if page is not None:
        findings.to_html(page)
        note_written(page)
    if shown.form == "json":
        document = {
            "verdict": findings.verdict,
            "reasons": list(findings.reasons),
            "made": dict(findings.made),
        }
        show_json({**document, "notes": list(findings.notes), "rows": [dict(row) for row in findings.rows]})
    elif shown.form == "table" and not shown.details:
        show(findings.__rich__())
    else:
        show_findings(findings, findings.names, shown)


def _read(data: str) -> Result | Records:
    """Return a saved result, or the records of a file."""
    from nlgauge.io import Inputs
    from nlgauge.results.storage.load import load

    return load(data) if Path(data).is_dir() else Inputs([data]).records()


app = Group("Test language models that are used as judges.", {"check": check_judge, "audit": audit_judge})
