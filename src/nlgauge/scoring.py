"""score and Scorer: the two ways to ask for a Result."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from nlgauge._core.defaults import SEED
from nlgauge._core.options import completed, takes_options
from nlgauge._core.progress import progress
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import system_names
from nlgauge.corpus.records import blocks_of_records, check_alone
from nlgauge.engine import engine
from nlgauge.engine.carbon import checked_country
from nlgauge.engine.checks import warn_about_languages
from nlgauge.engine.chunk import Job
from nlgauge.engine.environment import environment
from nlgauge.engine.executors import Executor, default_executor, executor_of
from nlgauge.engine.prepare import MetricSpec, labelled, prepared, signatures
from nlgauge.errors import ParameterError
from nlgauge.features import RunOptions
from nlgauge.io.choice import Choice
from nlgauge.io.record_pieces import RecordPieces
from nlgauge.metric import AnyMetric
from nlgauge.metric.reduction import ReduceFn
from nlgauge.results.result import Result

if TYPE_CHECKING:
    from nlgauge.results.storage.resume import Destination

# The types of devices that torch has, with a number; whether there is one is seen when a model is loaded.
_DEVICE = re.compile(r"(cpu|cuda|hip|mps|xpu|hpu|xla|mtia|maia|ipu|npu|vulkan|meta|privateuseone)(:\d+)?")
DEFAULT_METRICS = ("bleu", "chrf", "rouge")


class SetupOptions(TypedDict, total=False):
    """The options of `Scorer`."""

    run_concurrent: bool
    executor: str | Executor | None
    cache: bool
    output: str | Path | None
    resume: bool
    overwrite: bool
    carbon: str | None
    allow_remote_code: bool


class TextOptions(TypedDict, total=False):
    """The options of `Corpus.read`."""

    ids: Iterable[Any] | None
    weights: Iterable[float] | None
    documents: Iterable[Any] | None
    lang: str | None
    fields: Mapping[str, Iterable[Any]] | None
    systems: Sequence[str] | None
    skip_missing: bool
    common: bool
    pooled: bool


class CallOptions(TextOptions, total=False):
    """The options of a call of a `Scorer`."""

    reduce_fn: ReduceFn
    seed: int
    batch_size: int | None
    device: str | None
    show_progress: bool | None


class ScoreOptions(SetupOptions, CallOptions, total=False):
    """The options of `score`."""


# The defaults that are not None.
DEFAULTS = {
    **dict.fromkeys(("run_concurrent", "resume", "overwrite", "allow_remote_code"), False),
    **dict.fromkeys(("skip_missing", "common", "pooled"), False),
    "cache": True,
    "seed": SEED,
}


class Scorer:
    """A reusable set of metrics; call it with texts.

    Parameters
    ----------
    metrics
        As in `nlgauge.score`.
    **options
        `executor`, `run_concurrent`, `cache`, `output`, `resume`, `overwrite`, `carbon` and
        `allow_remote_code`, as in `nlgauge.score`.

    Examples
    --------
    >>> scorer = Scorer(["bleu", "chrf(word_order=2)"])
    >>> result = scorer(["the cat sat on the mat"], ["the cat sat on the mat"])
    >>> list(result)
    ['bleu', 'chrf(word_order=2)']
    """

    @takes_options(SetupOptions, DEFAULTS)
    def __init__(
        self, metrics: MetricSpec | Iterable[MetricSpec] | None = None, **options: Unpack[SetupOptions]
    ) -> None:
        chosen = completed("Scorer", SetupOptions, DEFAULTS, options)
        self.carbon = None if chosen["carbon"] is None else checked_country(chosen["carbon"])
        self.metrics = labelled(
            DEFAULT_METRICS if metrics is None else metrics,
            _flag(chosen["allow_remote_code"], "allow_remote_code"),
        )
        concurrent = _flag(chosen["run_concurrent"], "run_concurrent")
        executor = "processes" if chosen["executor"] is None and concurrent else chosen["executor"]
        self.executor = default_executor(self.metrics.values()) if executor is None else executor_of(executor)
        self.cache = _flag(chosen["cache"], "cache")
        self.output = output_of(chosen["output"], chosen["resume"], chosen["overwrite"])
        # The metrics as they were prepared last, with what for: a loop of calls prepares them once.
        self._prepared: tuple[Any, dict[str, AnyMetric]] = None, {}

    @takes_options(CallOptions, DEFAULTS)
    def __call__(
        self, predictions: Any, references: Any = None, sources: Any = None, **options: Unpack[CallOptions]
    ) -> Result:
        """Score texts; the arguments are those of `nlgauge.score`."""
        chosen = completed("Scorer.__call__", CallOptions, DEFAULTS, options)
        run = run_options(chosen["seed"], chosen["batch_size"], chosen["device"])
        reduce_fn, show_progress = chosen["reduce_fn"], chosen["show_progress"]
        texts = {name: chosen[name] for name in TextOptions.__annotations__}
        flags = {name: _flag(texts[name], name) for name in ("skip_missing", "common", "pooled")}
        blocks = blocks_of_records(predictions)
        if blocks is None:
            corpus = Corpus.read(predictions, references, sources, **texts)
            return self.score_corpus(corpus, reduce_fn, run, show_progress)
        columns = {name: texts[name] for name in ("ids", "weights", "documents", "fields")}
        check_alone(references=references, sources=sources, **columns)
        named: dict[str, Any] = {"columns": system_names(texts["systems"]), **flags}
        source = {"records": type(predictions).__name__, "lang": texts["lang"], **named}
        return self.score_pieces(
            lambda scratch: RecordPieces(Choice(lang=texts["lang"], **named), scratch).of_blocks(blocks),
            source,
            reduce_fn,
            run,
            show_progress,
        )

    def score_corpus(
        self, corpus: Corpus, reduce_fn: ReduceFn, options: RunOptions, show_progress: bool | None = None
    ) -> Result:
        """The Result of scoring a corpus that was read already."""
        job = self._job(corpus, reduce_fn, options)
        if self.output is not None:
            from nlgauge.results.storage.resume import run_in_memory

            with _shown(show_progress):
                return run_in_memory(corpus, job, self.executor, self.output, self.carbon)
        warn_about_languages(corpus, job.metrics)
        with _shown(show_progress):
            tables, fits, costs = engine.run(corpus, job, self.executor, self.carbon)
        return Result(
            corpus,
            tables,
            signatures(corpus, job),
            costs,
            replace(job, fits=fits) if fits else job,
            environment(),
        )

    def score_pieces(
        self,
        pieces: Callable[[Path], Iterable[Corpus]],
        source: Mapping[str, Any],
        reduce_fn: ReduceFn,
        options: RunOptions,
        show_progress: bool | None = None,
    ) -> Result:
        """The Result of a corpus that comes in pieces, which need not fit into memory; see
        `results.storage.resume.run_on_disk`.

        Without an output it is in a temporary directory, which goes with it.
        """
        from nlgauge.results.storage.resume import Destination, run_on_disk

        output, made = self.output, None
        if output is None:
            made = tempfile.mkdtemp(prefix="nlgauge-")
            output = Destination(Path(made) / "result")
        try:
            with _shown(show_progress):
                result = run_on_disk(
                    pieces,
                    source,
                    lambda corpus: self._job(corpus, reduce_fn, options),
                    self.executor,
                    output,
                    self.carbon,
                )
        except BaseException:
            _remove(made)
            raise
        weakref.finalize(result, _remove, made)
        return result

    def _job(self, corpus: Corpus, reduce_fn: ReduceFn, options: RunOptions) -> Job:
        wanted = dict(self.metrics), corpus.lang, reduce_fn
        last = self._prepared  # another thread may put something else there
        if last[0] != wanted:
            last = self._prepared = wanted, prepared(self.metrics, corpus.lang, reduce_fn)
        return Job(last[1], reduce_fn, options, cache=self.cache)


@takes_options(ScoreOptions, DEFAULTS)
def score(
    predictions: Any,
    references: Any = None,
    sources: Any = None,
    metrics: MetricSpec | Iterable[MetricSpec] | None = None,
    **options: Unpack[ScoreOptions],
) -> Result:
    """Score predictions against references and sources, in any of the shapes of `nlgauge.corpus`.

    Parameters
    ----------
    predictions
        A list of texts, a mapping from systems to such lists, records, or a data frame; a segment may have
        several predictions.
    references
        For each segment a text or a list of texts.
    sources
        For each segment a text.
    metrics
        Names, such as "bleu" or "chrf(word_order=2)", Metric values, or {"path": name, "resulting_name":
        label, "compute_kwargs": {...}}; by default bleu, chrf and rouge.
    run_concurrent
        The same as executor="processes".
    executor
        How chunks are computed: "serial", "threads", "processes", "ray" or one of
        `nlgauge.engine.executors`.
    cache
        Take rows of costly metrics that were computed before from the cache of statistics, and add new ones.
    output
        A directory that the result is saved to, its rows as soon as they are computed.
    resume
        Continue the unfinished run in `output`.
    overwrite
        Replace the result in `output`.
    carbon
        The three-letter code of a country, such as "DEU", to track energy and CO2 (`result.costs.carbon`).
    allow_remote_code
        Let Hugging Face evaluate look for metrics that nlgauge does not know; it runs other people's scripts.
    ids
        One identifier per segment.
    weights
        How much each segment counts.
    documents
        One label per segment; segments of a document are resampled together.
    lang
        An ISO code, for tokenizers, sentence splitters and default models.
    fields
        Further values of the segments, by name.
    systems
        The systems to read; of records without a prediction, the columns that hold theirs.
    skip_missing
        Leave out segments of which a text is missing.
    common
        Leave out segments that some system lacks.
    pooled
        Take every record as a segment of its own, whichever system it is from.
    reduce_fn
        "best" (default), "max", "min", a NumPy name or a callable, for several references or predictions.
    seed
        The seed of everything random.
    batch_size
        How many texts a model reads at once.
    device
        "cpu", "cuda", ...
    show_progress
        Show a progress bar; by default if a terminal is there and the run is long.

    Returns
    -------
    Result
        Scores, segment scores, intervals, tests and explanations.

    Examples
    --------
    >>> score(["the cat"], [["the cat", "a cat"]], metrics="exact_match")["exact_match"]["score"]
    1.0
    """
    chosen = completed("score", ScoreOptions, DEFAULTS, options)
    setup, call = (
        {name: chosen[name] for name in declared.__annotations__} for declared in (SetupOptions, CallOptions)
    )
    return Scorer(metrics, **setup)(predictions, references, sources, **call)


def _remove(directory: str | None) -> None:
    if directory is not None:
        shutil.rmtree(directory, ignore_errors=True)


def run_options(seed: int = SEED, batch_size: int | None = None, device: str | None = None) -> RunOptions:
    """The options of a run, or an error that says which of them is not one."""
    return RunOptions(_checked(seed, "seed", 0), _batch(batch_size), _device(device))


def output_of(directory: str | Path | None, resume: bool, overwrite: bool) -> Destination | None:
    """Where a result is written to while it is computed, or an error that says what is not a place."""
    from nlgauge.results.storage.resume import Destination

    flags = {name: _flag(value, name) for name, value in (("resume", resume), ("overwrite", overwrite))}
    if directory is None:
        asked = next((name for name, value in flags.items() if value), None)
        if asked:
            raise ParameterError(
                f"{asked} needs an output directory",
                python="pass output=DIRECTORY",
                cli="name it with -o",
            )
        return None
    if not isinstance(directory, str | Path) or not _names_a_place(str(directory)):
        raise ParameterError(f"output must be the path of a directory, got {directory!r:.60}.")
    return Destination(Path(directory), **flags)


def _names_a_place(path: str) -> bool:
    try:
        return bool(path) and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _shown(show_progress: bool | None) -> AbstractContextManager[None]:
    return progress(None if show_progress is None else _flag(show_progress, "show_progress"))


def _checked(value: int, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name} must be a whole number from {least}, got {value!r}.")
    return value


def _batch(value: int | None) -> int | None:
    return None if value is None else _checked(value, "batch_size", 1)


def _device(value: str | None) -> str | None:
    if value is not None and (not isinstance(value, str) or not _DEVICE.fullmatch(value)):
        raise ParameterError(
            "device must be a name that torch knows, such as 'cpu', 'cuda', 'cuda:1' or 'mps', got"
            f" {value!r:.60}."
        )
    return value


def _flag(value: bool, name: str) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, got {value!r:.60}.")
    return value
