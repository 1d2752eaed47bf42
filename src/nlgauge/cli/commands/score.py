"""nlgauge score: score files of predictions."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from nlgauge._core.defaults import SEED
from nlgauge.cli.command import Spelled
from nlgauge.cli.complete import complete_files
from nlgauge.cli.options import (
    AskingOptions,
    ExecutorOptions,
    InputOptions,
    Metrics,
    ModelOptions,
    SeedOfAll,
    ShownOptions,
)
from nlgauge.cli.output import say
from nlgauge.cli.parameters import FILES, METRICS, OUTPUT, RUNNING, argument, option
from nlgauge.cli.present import present, reporter, require_replies, say_how_to_ask_on
from nlgauge.cli.program import note_running, note_written
from nlgauge.cli.sacrebleu.options import SacrebleuOptions
from nlgauge.cli.score_fields import ScoreFieldOptions, scored_records
from nlgauge.errors import ParameterError

# Reading more bytes takes a moment.
_SLOW_BYTES = 8_000_000

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.engine.prepare import MetricSpec
    from nlgauge.io import Inputs
    from nlgauge.metric import AnyMetric
    from nlgauge.results.result import Result
    from nlgauge.scoring import Scorer


@Spelled
def score(
    *,
    systems: Annotated[
        list[str] | None,
        argument(
            "Predictions of one system: FILE, FILE:COLUMN, NAME=FILE or - (standard input).",
            metavar="[SYSTEM]...",
            panel=FILES,
            complete=complete_files,
        ),
    ] = None,
    metrics: Metrics = None,
    references: Annotated[
        list[str] | None,
        option(
            "--references",
            "-r",
            help="Reference file; repeatable. In later files, an empty line means no reference.",
            metavar="FILE",
            panel=FILES,
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        option("--input", "-i", help="Systems, if -r takes several files.", metavar="FILE...", panel=FILES),
    ] = None,
    fields: ScoreFieldOptions,
    output: Annotated[
        Path | None,
        option("--output", "-o", help="Save the result to this directory.", metavar="RESULT", panel=OUTPUT),
    ] = None,
    lang: Annotated[
        str | None,
        option(
            "--lang",
            "-l",
            help="Language of the texts, such as de or pt-BR; with -t a pair such as en-de.",
            metavar="CODE",
            panel=METRICS,
        ),
    ] = None,
    reduce: Annotated[
        str | None,
        option(
            "--reduce",
            help="Rule for several references: best, max, min, mean or median.",
            metavar="RULE",
            panel=METRICS,
        ),
    ] = None,
    seed: SeedOfAll = SEED,
    models: ModelOptions,
    offline: Annotated[bool, option("--offline", help="Never use the network.", panel=RUNNING)] = False,
    carbon: Annotated[
        str | None,
        option(
            "--carbon",
            help="Track and show energy and CO2 for this country, such as DEU.",
            metavar="CODE",
            panel=RUNNING,
        ),
    ] = None,
    allow_remote_code: Annotated[
        bool,
        option(
            "--allow-remote-code",
            help="Let Hugging Face evaluate run scripts of metrics unknown to nlgauge.",
            panel=RUNNING,
        ),
    ] = False,
    computing: ExecutorOptions,
    whole_documents: Annotated[
        bool,
        option(
            "--whole-documents",
            help="Join the segments of each document (--documents), and score documents.",
            panel=FILES,
        ),
    ] = False,
    no_texts: Annotated[
        bool, option("--no-texts", help="Save hashes instead of texts.", panel=OUTPUT)
    ] = False,
    overwrite: Annotated[
        bool,
        option("--overwrite", help="Replace the result or the unfinished run in -o.", panel=OUTPUT),
    ] = False,
    resume: Annotated[
        bool,
        option("--resume", help="Resume the unfinished run in -o; start it if there is none.", panel=RUNNING),
    ] = False,
    stream: Annotated[
        bool,
        option("--stream", help="Read files in chunks (default above 64 MB); requires -o.", panel=RUNNING),
    ] = False,
    read: InputOptions,
    asking: AskingOptions,
    shown: ShownOptions,
    as_sacrebleu: SacrebleuOptions,
) -> Any:
    """Score predictions and print a table with confidence intervals and p-values.

        nlgauge score -m bleu chrf -r refs.txt sysA.txt sysB.txt -o out/

    -m takes one or more metrics, -r takes one reference file, and all other files are systems. With -i before
    the systems, -r may take several reference files: -r ref0.txt ref1.txt -i sysA.txt sysB.txt. With -o the
    result is saved; show, compare, explain, report and check then read it without scoring again.

    Files contain one segment per line. Use FILE:COLUMN for a column of a .tsv, .csv, .jsonl, .json or
    .parquet file. See `nlgauge help files`.
    """
    from nlgauge.engine.run_options import run_options
    from nlgauge.io import Inputs
    from nlgauge.scoring import Scorer

    if as_sacrebleu.describe(lang):
        return None
    os.environ |= {"NLGAUGE_OFFLINE": "1"} if offline else {}
    options = read.arguments()
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
        raise click.UsageError(
            f"{'--resume' if resume else '--stream'} requires the directory of the result; add -o RESULT."
        )
    others = {"--stream": stream, "--scores": fields.scores}
    _check_alone("--whole-documents", whole_documents, others)
    _check_alone("--until-sure", asking.until_sure, {**others, "--resume": resume, "--carbon": carbon})
    if output is not None:
        from nlgauge.results.storage.checkpoint import unfinished
        from nlgauge.results.storage.resume import Destination
        from nlgauge.results.storage.save import check_free

        check_free(output, overwrite)
        scorer.output = Destination(output, resume, overwrite, not no_texts)
        note_running(unfinished(output))
    run = run_options(seed, models.batch_size, models.device)
    show_progress = False if shown.quiet else None
    named = _named_systems(systems, inputs, test_set is not None)
    if fields.scores:
        if references or test_set is not None:
            raise click.UsageError(
                "--scores reads files of records, which have their own references; omit -r."
            )
        result = _imported(named, fields, scorer if metrics else None, models, options, lang=lang, seed=seed)
        if output is not None:
            result.save(output, texts=not no_texts, overwrite=overwrite)
        return _finish(result, output, shown)
    files = Inputs(named, references or (), lang=lang, **options)
    in_memory = output is None or test_set is not None or asking.until_sure or whole_documents
    if not in_memory and _is_streamed(files, stream):
        result = scorer.score_pieces(files.pieces, files.origin(), reduce, run, show_progress)
    else:
        _say_what_is_read([*named, *(references or ())], shown.quiet)
        corpus = files.read()
        if test_set is not None:
            corpus = test_set.part_of(corpus)
        corpus = corpus.by_document() if whole_documents else corpus
        _check_needs(corpus, scorer.metrics)
        _check_baseline(shown.baseline, list(corpus.predictions))
        if asking.until_sure:
            result = scorer.score_until_sure(corpus, asking.sure(), reduce, run, reporter(shown.quiet))
        else:
            result = scorer.score_corpus(corpus, reduce, run, show_progress)
    return _finish(result, output, shown if carbon is None else shown.changed(costs=True))


def _say_what_is_read(files: Sequence[str], quiet: bool) -> None:
    """Print that files are read, if this takes a moment."""
    from nlgauge.io.files import Address, holds_more

    paths = [Address.of(name).path for name in files]
    if not quiet and sys.stderr.isatty() and holds_more(paths, _SLOW_BYTES):
        say("reading the files ...")


def _check_alone(option: str, is_set: bool, others: Mapping[str, Any]) -> None:
    """Raise UsageError if an option is set together with another option that cannot be combined with it."""
    other = next((name for name, value in others.items() if value), None)
    if is_set and other is not None:
        raise click.UsageError(f"{option} cannot be combined with {other}; omit one of them.")


def _imported(
    files: Sequence[str],
    fields: ScoreFieldOptions,
    scorer: "Scorer | None",
    models: ModelOptions,
    reading: Mapping[str, Any],
    **options: Any,
) -> "Result":
    """Return the scores of files of records, with the metrics of a scorer if there is one."""
    from nlgauge.engine.prepare import as_spec

    result = scored_records(files, fields.scores or (), reading, **fields.arguments(), **options)
    if scorer is None:
        return result
    return result.add(
        *(as_spec(label, metric) for label, metric in scorer.metrics.items()),
        executor=scorer.executor,
        cache=scorer.cache,
        batch_size=models.batch_size,
        device=models.device,
    )


def _finish(result: "Result", output: Path | None, shown: ShownOptions) -> "Result":
    """Print the result and its directory; return the result."""
    note_written(output)
    present(result, shown)
    if output is not None and not shown.quiet:
        say(f"saved to {output}")
        say_how_to_ask_on(result, output)
    require_replies(result)
    return result


def _is_streamed(files: "Inputs", requested: bool) -> bool:
    """Return whether the files can and should be read in chunks."""
    if files.possible():
        return requested or files.large()
    if requested:
        raise click.UsageError(
            "--stream reads only plain lines, .tsv, .csv, .jsonl and .parquet files; omit it for other files."
        )
    return False


def _named_systems(systems: Sequence[str] | None, inputs: Sequence[str] | None, piped: bool) -> Sequence[str]:
    """Return the files of all systems; with a test set and no file, standard input if it is a pipe."""
    named = [*(systems or ()), *(inputs or ())]
    if not named and not (piped and not sys.stdin.isatty()):
        raise click.UsageError(
            "missing predictions; use nlgauge score -r REFERENCES SYSTEM... (- is standard input)."
        )
    return named or ["-"]


def _check_baseline(baseline: str | None, systems: Sequence[str]) -> None:
    """Raise ParameterError if the baseline is not a system, before anything is scored."""
    if baseline is not None and baseline not in systems:
        from nlgauge.errors import did_you_mean

        raise click.UsageError(
            f"the baseline {baseline!r} is not a system{did_you_mean(baseline, systems)}; choose one of"
            f" {', '.join(systems)}."
        )


def _check_needs(corpus: "Corpus", metrics: "Mapping[str, AnyMetric]") -> None:
    """Raise InputError if a metric needs references or sources that are missing."""
    for label, metric in metrics.items():
        if metric.takes != "alone" and corpus.references is None:
            raise click.UsageError(
                f"{label} needs references; add -r FILE, or use the form of sacreBLEU: REFERENCES -i SYSTEM."
            )
        if metric.source and corpus.sources is None:
            raise click.UsageError(f"{label} needs source texts; add -s FILE.")


def _adjusted(
    specs: Sequence[str] | None, tokenize: str | None, lowercase: bool
) -> "Sequence[MetricSpec] | None":
    """Return the metrics with the tokenizer and the case of the options: only BLEU, as in sacreBLEU; without
    BLEU, every metric that has the parameter.
    """
    parameters: dict[str, Any] = {"tokenizer": tokenize} if tokenize else {}
    parameters |= {"lowercase": True} if lowercase else {}
    if not parameters:
        return specs or None
    from nlgauge.engine.prepare import as_spec, labeled
    from nlgauge.scoring import DEFAULT_METRICS

    by_label = labeled(specs or DEFAULT_METRICS)
    metrics = list(by_label.values())
    has_bleu = any(metric.name == "bleu" for metric in metrics)
    for name, value in parameters.items():
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
                else click.UsageError(
                    f"none of the metrics ({', '.join(map(str, metrics))}) has the parameter {name}; omit"
                    f" {'--tokenize' if name == 'tokenizer' else '--lowercase'}."
                )
            )
        metrics = changed
    return [
        metric if label == str(before) else as_spec(label, metric)
        for (label, before), metric in zip(by_label.items(), metrics, strict=True)
    ]


def _with_parameter(metric: "AnyMetric", name: str, value: Any) -> "AnyMetric":
    from dataclasses import fields, replace

    default = next((field.default for field in fields(metric) if field.name == name), value)  # type: ignore[arg-type]
    return replace(metric, **{name: value}) if getattr(metric, name, value) == default != value else metric  # type: ignore[type-var]
