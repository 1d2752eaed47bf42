"""nlgauge score: scores files of predictions."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Spelled
from nlgauge.cli.options import (
    ExecutorOptions,
    InputOptions,
    Metrics,
    ModelOptions,
    Overwrite,
    SeedOfAll,
    ShownOptions,
)
from nlgauge.cli.output import say
from nlgauge.cli.parameters import argument, option
from nlgauge.cli.present import present, require_replies
from nlgauge.cli.program import note_running, note_written
from nlgauge.cli.sacrebleu.options import SacrebleuOptions
from nlgauge.errors import InputError, ParameterError

# Files of which it takes a moment to read them.
_SLOW_BYTES = 8_000_000

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.io import Inputs
    from nlgauge.metric import AnyMetric


@Spelled
def score(
    *,
    systems: Annotated[
        list[str] | None,
        argument(
            help=(
                "Predictions, one file per system: FILE, FILE:COLUMN, NAME=FILE or - (standard input); or"
                " files of records."
            ),
            metavar="SYSTEM",
        ),
    ] = None,
    metrics: Metrics = None,
    references: Annotated[
        list[str] | None,
        option(
            "--references",
            "-r",
            help=(
                "Reference file; repeat for more, or name several and the systems after -i. In later files a"
                " blank line means no further reference."
            ),
            metavar="FILE",
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None, option("--input", "-i", help="Systems, after references.", metavar="FILE...")
    ] = None,
    output: Annotated[
        Path | None,
        option("--output", "-o", help="Save the result to this directory.", metavar="RESULT"),
    ] = None,
    lang: Annotated[
        str | None,
        option(
            "--lang",
            "-l",
            help="Language of the texts: de, pt-BR, yue; with -t a language pair: en-de.",
            metavar="CODE",
        ),
    ] = None,
    reduce: Annotated[
        str | None,
        option(
            "--reduce",
            help="How scores against several references become one: best, max, min, mean, ...",
            metavar="RULE",
        ),
    ] = None,
    seed: SeedOfAll = SEED,
    models: ModelOptions,
    offline: Annotated[bool, option("--offline", help="Never use the network.")] = False,
    carbon: Annotated[
        str | None,
        option(
            "--carbon",
            help="Track energy and CO2 in this country, such as DEU, and show what the run cost.",
            metavar="CODE",
        ),
    ] = None,
    allow_remote_code: Annotated[
        bool,
        option(
            "--allow-remote-code",
            help=(
                "Let Hugging Face evaluate run other people's scripts for metrics that nlgauge does not know."
            ),
        ),
    ] = False,
    computing: ExecutorOptions,
    no_texts: Annotated[bool, option("--no-texts", help="Save hashes instead of texts.")] = False,
    overwrite: Overwrite = False,
    resume: Annotated[
        bool,
        option(
            "--resume",
            help="Go on with the run that was to be saved to -o and was ended; begin it where there is none.",
        ),
    ] = False,
    stream: Annotated[
        bool,
        option(
            "--stream",
            help="With -o: read files piece by piece, as is done anyway with more than 64 MB of them.",
        ),
    ] = False,
    read: InputOptions,
    shown: ShownOptions,
    as_sacrebleu: SacrebleuOptions,
) -> None:
    """Scores predictions, prints a table with intervals and p-values, and saves the result.

    nlgauge score -m bleu chrf -r refs.txt sysA.txt sysB.txt -o out/

    -m takes one or more metrics. -r takes one file of references, and the files after it are systems. To name
    several files of references, repeat -r or name the systems with -i: -r ref0.txt ref1.txt -i sysA.txt
    sysB.txt. The form of sacreBLEU works too: ref0.txt ref1.txt -i sysA.txt.

    FILE is UTF-8 text with one segment per line, or a .tsv, .csv, .jsonl, .json or .parquet file, of which
    FILE:COLUMN takes one column by its name; any of them may be packed (.gz, .bz2, .xz, .zst). FILE:2 takes
    the second column of a .tsv or .csv file without a header row, and is refused if the first row looks like
    a header.

    Fields of .tsv and .csv files may be in double quotes, with quotes inside doubled (RFC 4180). A .tsv file
    whose quotes do not follow that rule, or in which no field needs them, is read as it stands, quotes
    included; where both readings are possible it is refused.
    """
    from nlgauge.io import Inputs
    from nlgauge.io.files import Address, holds_more
    from nlgauge.results.storage.checkpoint import unfinished
    from nlgauge.results.storage.resume import Destination
    from nlgauge.results.storage.save import check_free
    from nlgauge.scoring import Scorer, run_options

    if as_sacrebleu.describe(lang):
        return
    if offline:
        os.environ["NLGAUGE_OFFLINE"] = "1"
    options = read.given()
    test_set = as_sacrebleu.chosen(lang, references or ())
    if test_set is not None:
        references, lang = test_set.references, test_set.lang
        options.setdefault("source", test_set.source)
    specs = _adjusted(metrics, as_sacrebleu.tokenize, as_sacrebleu.lowercase)
    scorer = Scorer(
        specs,
        executor=computing.chosen(),
        cache=not models.no_cache,
        carbon=carbon,
        allow_remote_code=allow_remote_code,
    )
    if output is None and (resume or stream):
        raise ParameterError(
            f"{'--resume' if resume else '--stream'} is about the directory of the result; name it with -o"
            " RESULT."
        )
    if output is not None:
        check_free(output, overwrite)
        scorer.output = Destination(output, resume, overwrite, not no_texts)
        note_running(unfinished(output))
    run = run_options(seed, models.batch_size, models.device)
    show_progress = False if shown.quiet else None
    named = _named_systems(systems, inputs, test_set is not None)
    files = Inputs(named, references or (), lang=lang, **options)
    if output is not None and test_set is None and _is_streamed(files, stream):
        result = scorer.score_pieces(files.pieces, files.origin(), reduce, run, show_progress)
    else:
        if (
            not shown.quiet
            and sys.stderr.isatty()
            and holds_more([Address.of(name).path for name in (*named, *(references or ()))], _SLOW_BYTES)
        ):
            say("reading the files ...")
        corpus = files.read()
        if test_set is not None:
            corpus = test_set.part_of(corpus)
        _check_needs(corpus, scorer.metrics)
        _check_baseline(shown.baseline, list(corpus.predictions))
        result = scorer.score_corpus(corpus, reduce, run, show_progress)
    note_written(output)
    present(result, shown if carbon is None else replace(shown, costs=True))
    if output is not None and not shown.quiet:
        say(f"saved to {output}")
    require_replies(result)


def _is_streamed(files: Inputs, wanted: bool) -> bool:
    """Check whether the files can and should be read piece by piece."""
    if files.possible():
        return wanted or files.large()
    if wanted:
        raise ParameterError(
            "--stream reads plain lines, .tsv, .csv, .jsonl and .parquet files, and not all of these are such"
            " files; leave it out."
        )
    return False


def _named_systems(systems: Sequence[str] | None, inputs: Sequence[str] | None, piped: bool) -> Sequence[str]:
    """The files of all systems; with a test set what comes through a pipe."""
    named = [*(systems or ()), *(inputs or ())]
    if not named and not (piped and not sys.stdin.isatty()):
        raise ParameterError(
            "no predictions were named; write nlgauge score -r REFERENCES SYSTEM..., where - is standard"
            " input."
        )
    return named or ["-"]


def _check_baseline(baseline: str | None, systems: Sequence[str]) -> None:
    """Raise ParameterError if the baseline is none of the systems, before anything is scored."""
    if baseline is not None and baseline not in systems:
        from nlgauge.errors import did_you_mean

        raise ParameterError(
            f"the baseline {baseline!r} is not one of the systems{did_you_mean(baseline, systems)}; there are"
            f" {', '.join(systems)}."
        )


def _check_needs(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """Raises where a metric needs what was not named."""
    for label, metric in metrics.items():
        if metric.takes != "alone" and corpus.references is None:
            as_sacrebleu = "or as sacreBLEU does: REFERENCES -i SYSTEM, where - is standard input"
            raise InputError(
                f"{label} needs references, none were given; name their file with -r ({as_sacrebleu})."
            )
        if metric.source and corpus.sources is None:
            raise InputError(f"{label} needs sources, none were given; name their file with -s.")


def _adjusted(
    specs: Sequence[str] | None, tokenize: str | None, lowercase: bool
) -> Sequence[str | AnyMetric] | None:
    """The metrics with the tokeniser and the case that were asked for: BLEU alone, as in sacreBLEU; where
    it is not there, those that can.
    """
    wanted: dict[str, Any] = {"tokenizer": tokenize} if tokenize else {}
    wanted |= {"lowercase": True} if lowercase else {}
    if not wanted:
        return specs or None
    from nlgauge.metric.registry import parse
    from nlgauge.scoring import DEFAULT_METRICS

    metrics = [parse(spec) for spec in specs or DEFAULT_METRICS]
    has_bleu = any(metric.name == "bleu" for metric in metrics)
    for name, value in wanted.items():
        changed, refusals = [], []
        for metric in metrics:
            if has_bleu and metric.name != "bleu":
                changed.append(metric)
                continue
            try:
                changed.append(_with_parameter(metric, name, value))
            except ParameterError as error:
                refusals.append(error)
                changed.append(metric)
        if changed == metrics and not any(getattr(metric, name, None) == value for metric in metrics):
            raise (
                refusals[0]
                if refusals
                else ParameterError(f"none of {', '.join(map(str, metrics))} takes {name}={value!r}.")
            )
        metrics = changed
    return metrics


def _with_parameter(metric: AnyMetric, name: str, value: Any) -> AnyMetric:
    from dataclasses import fields

    default = next((field.default for field in fields(metric) if field.name == name), value)  # type: ignore[arg-type]
    return replace(metric, **{name: value}) if getattr(metric, name, value) == default != value else metric  # type: ignore[type-var]
