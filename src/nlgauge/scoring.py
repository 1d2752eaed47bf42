"""score and Scorer: the two ways to get a Result."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from nlgauge._core.backend import chosen as chosen_kernels
from nlgauge._core.defaults import SEED
from nlgauge._core.lazy import Later, lazy
from nlgauge._core.options import completed, takes_options
from nlgauge._core.progress import progress
from nlgauge.corpus import Corpus
from nlgauge.corpus.raw_columns import system_names
from nlgauge.corpus.records import blocks_of_records, check_alone
from nlgauge.engine import engine
from nlgauge.engine.checks import warn_about_languages, warn_about_languages_of
from nlgauge.engine.chunk import Job
from nlgauge.engine.executors import Executor, default_executor, executor_of
from nlgauge.engine.prepare import MetricSpec, labeled, prepared, signatures
from nlgauge.engine.run_options import run_options
from nlgauge.errors import ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric import REGISTERED, AnyMetric, Metric
from nlgauge.metric.reduction import ReduceFn

if TYPE_CHECKING:
    from nlgauge.metric.compiled import Compiled
    from nlgauge.results.asking import Progress, Sure
    from nlgauge.results.result import Result
    from nlgauge.results.storage.resume import Destination

DEFAULT_METRICS = ("bleu", "chrf", "rouge")
# Scorers of single metrics that `score` has made, by name.
_SCORERS: dict[str, Scorer] = {}
_MOST_SCORERS = 256
# Number of pairs from which compiling a metric pays off in the first call.
_WORTH_COMPILING = 256
# More segments take the ordinary way, which reports progress chunk by chunk.
_MOST_PAIRS = 1 << 21


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
    mapping: Mapping[str, str] | None
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


class _CompiledForms(NamedTuple):
    """The compiled forms of all metrics of a scorer, for calls without options; none if a metric has no such form."""

    job: Job
    forms: dict[str, Compiled]
    # True if every metric takes lists of references.
    choose: bool
    # The metrics that were compiled.
    metrics: dict[str, AnyMetric]


class Scorer:
    """A reusable set of metrics; call it with texts.

    Parameters
    ----------
    metrics : str, metric, mapping or iterable of these, optional
        Names with or without parameters ("bleu", "chrf(word_order=2)"), with a label before an equals sign
        to change the label ("plus=chrf(word_order=2)"); metric objects; or mappings with the keys "path"
        (name), "resulting_name" (label) and "compute_kwargs". Default: bleu, chrf and rouge.
    run_concurrent : bool, default False
        Use the executor "processes" if `executor` is None.
    executor : str or Executor, optional
        Executor of the chunks: "serial", "threads", "processes", "ray", or an object of `nlgauge.engine.executors`.
        Default: "threads" if all metrics are built in and have no model, otherwise "serial".
    cache : bool, default True
        Read and write the cache of segment statistics of costly metrics.
    output : str or Path, optional
        Directory to save the result in. Rows are saved as soon as they are computed.
    resume : bool, default False
        Continue the unfinished run in `output`.
    overwrite : bool, default False
        Replace the result in `output`.
    carbon : str, optional
        Three-letter country code, such as "DEU", to track energy and CO2 (`result.costs.carbon`).
    allow_remote_code : bool, default False
        Let Hugging Face evaluate search for metrics that nlgauge does not know. It downloads and runs third-party scripts.

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
        self.carbon = None if chosen["carbon"] is None else _country(chosen["carbon"])
        self.metrics = labeled(
            DEFAULT_METRICS if metrics is None else metrics,
            _flag(chosen["allow_remote_code"], "allow_remote_code"),
        )
        concurrent = _flag(chosen["run_concurrent"], "run_concurrent")
        executor = "processes" if chosen["executor"] is None and concurrent else chosen["executor"]
        self.executor = default_executor(self.metrics.values()) if executor is None else executor_of(executor)
        self.cache = _flag(chosen["cache"], "cache")
        self.output = output_of(chosen["output"], chosen["resume"], chosen["overwrite"])
        # The metrics of the last call, prepared for its language and rule: a loop of calls prepares them
        # once.
        self._prepared: tuple[Any, dict[str, AnyMetric]] = None, {}
        # Calls without options are executed by compiled metrics, small ones from the second one on.
        self._has_scored = False
        self._default_executor = self.executor if executor is None else None

    @takes_options(CallOptions, DEFAULTS)
    def __call__(
        self, predictions: Any, references: Any = None, sources: Any = None, **options: Unpack[CallOptions]
    ) -> Result:
        """Score texts with the metrics of this scorer.

        Parameters
        ----------
        predictions : sequence of str, mapping, records, data frame or Corpus
            N texts, one per segment, or a list of texts per segment; a mapping from systems to such sequences; or records
            (dictionaries, a data frame, an Arrow table, a dataset), which also contain references and sources; or a `Corpus`.
        references : sequence, optional
            N items, one per segment: a text or a list of texts. `references[i]` belongs to `predictions[i]`.
        sources : sequence of str, optional
            N source texts, one per segment.
        ids : iterable, optional
            N identifiers, one per segment. Default: 0 to N - 1.
        weights : iterable of float, optional
            N weights, one per segment.
        documents : iterable, optional
            N document labels, one per segment. Segments of a document are resampled together.
        lang : str, optional
            ISO language code, used for tokenizers, sentence splitters and default models.
        fields : mapping, optional
            Further values of the segments: a mapping from field names to N values each.
        systems : sequence of str, optional
            Systems to read. If records have no prediction field, these are the columns that contain predictions.
        mapping : mapping of str to str, optional
            Columns of records by name of the field, such as {"prediction": "answer", "reference": "expected"}.
        skip_missing : bool, default False
            Skip segments with a missing text, and warn how many.
        common : bool, default False
            Skip segments that some system lacks, and warn how many.
        pooled : bool, default False
            Treat every record as a separate segment, whichever system it is from.
        reduce_fn : str or callable, optional
            Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
            function, or a callable that maps an array of scores to a number.
        seed : int
            Seed of all random numbers of the run.
        batch_size : int, optional
            Number of texts that a model reads at once.
        device : str, optional
            Torch device, such as "cpu", "cuda" or "cuda:1".
        show_progress : bool, optional
            Show a progress bar. Default: if standard error is a terminal and the run is long.

        Returns
        -------
        Result
            Scores, segment scores, intervals, tests and explanations.
        """
        if sources is None and not options:
            result = self._compiled_result(predictions, references)
            if result is not None:
                return result
        chosen = completed("Scorer.__call__", CallOptions, DEFAULTS, options)
        run = run_options(chosen["seed"], chosen["batch_size"], chosen["device"])
        reduce_fn, show_progress = chosen["reduce_fn"], chosen["show_progress"]
        texts = {name: chosen[name] for name in TextOptions.__annotations__}
        flags = {name: _flag(texts[name], name) for name in ("skip_missing", "common", "pooled")}
        blocks = blocks_of_records(predictions)
        if blocks is None:
            corpus = Corpus.read(predictions, references, sources, **texts)
            self._has_scored = True
            return self.score_corpus(corpus, reduce_fn, run, show_progress)
        from nlgauge.io.choice import Choice
        from nlgauge.io.record_pieces import RecordPieces

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
        """Score a corpus that is already in memory.

        Parameters
        ----------
        corpus : Corpus
            N segments with the predictions of S systems.
        reduce_fn : str or callable, optional
            Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
            function, or a callable that maps an array of scores to a number.
        options : RunOptions
            Seed, batch size and device of the run.
        show_progress : bool, optional
            Show a progress bar. Default: if standard error is a terminal and the run is long.

        Returns
        -------
        Result
            Scores, segment scores, intervals, tests and explanations.
        """
        job = self._job(corpus, reduce_fn, options)
        if self.output is not None:
            from nlgauge.results.storage.resume import run_in_memory

            with _shown(show_progress):
                return run_in_memory(corpus, job, self.executor, self.output, self.carbon)
        from nlgauge.engine.environment import current_environment, environment
        from nlgauge.results.result import Result

        warn_about_languages(corpus, job.metrics)
        with _shown(show_progress):
            tables, fits, costs = engine.run(corpus, job, self.executor, self.carbon)
        current = current_environment()
        return Result(
            corpus,
            tables,
            signatures(corpus, job),
            costs,
            replace(job, fits=fits) if fits else job,
            Later(lambda: environment(current)),
        )

    def score_until_sure(
        self,
        corpus: Corpus,
        sure: Sure,
        reduce_fn: ReduceFn = None,
        options: RunOptions | None = None,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> Result:
        """Score segments in random order until the first two systems differ significantly.

        Parameters
        ----------
        corpus : Corpus
            N segments with the predictions of two or more systems; the first two are tested.
        sure : Sure
            Level, looks, budget and metric of the test (`nlgauge.results.asking.Sure`).
        reduce_fn : str or callable, optional
            Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
            function, or a callable that maps an array of scores to a number.
        options : RunOptions, optional
            Seed, batch size and device of the run.
        report : callable, optional
            Function that gets the progress after each look.

        Returns
        -------
        Result
            Judges and models score only the segments that the test needed; `sequential` has the verdict. All other
            metrics score every segment.
        """
        from nlgauge.results.asking import ask_until_sure

        run = run_options() if options is None else options
        score_part = self._part_scorer(reduce_fn, run)
        return self._saved(ask_until_sure(corpus, self.metrics, score_part, sure, run.seed, report))

    def ask_on(
        self,
        result: Result,
        budget: float | None = None,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> Result:
        """Continue a run of `score_until_sure` that stopped at its budget, with the same plan.

        Parameters
        ----------
        result : Result
            Result of `score_until_sure`, in memory or loaded, whose metrics are the metrics of the scorer.
        budget : float, optional
            Money to spend in this call. Default: no limit.
        report : callable, optional
            Function that gets the progress after each look.

        Returns
        -------
        Result
            The result of both runs, with the order, the looks and the verdict of one run that did not stop.

        Raises
        ------
        ParameterError
            If the test has ended, or the result is not from `score_until_sure`.
        """
        from nlgauge.corpus.store.layout import at_once, is_stored
        from nlgauge.results.asking import ask_on

        job = result._job
        for label in (result.sequential or {}).get("asked_metrics", ()):
            if label not in self.metrics:
                raise ParameterError(f"the scorer has no metric {label}, which the result asked; add it.")
        if is_stored(result.corpus):
            result = replace(result, corpus=at_once(result.corpus, "asking about further segments"))
        return self._saved(ask_on(result, self._part_scorer(job.reduce_fn, job.options), budget, report))

    def _part_scorer(self, reduce_fn: ReduceFn, run: RunOptions) -> Callable[[Corpus, Sequence[str]], Result]:
        """Return a function that scores a part of a corpus with the metrics of some labels."""

        def score_part(part: Corpus, labels: Sequence[str]) -> Result:
            specs = [{"path": self.metrics[label], "resulting_name": label} for label in labels]
            scorer = Scorer(specs, executor=self.executor, cache=self.cache)
            return scorer.score_corpus(part, reduce_fn, run, False)

        return score_part

    def _saved(self, result: Result) -> Result:
        """Return the result, saved to the output if there is one."""
        if self.output is not None:
            from nlgauge.results.storage.save import save

            save(result, self.output.directory, self.output.texts, self.output.overwrite)
        return result

    def score_pieces(
        self,
        pieces: Callable[[Path], Iterable[Corpus]],
        source: Mapping[str, Any],
        reduce_fn: ReduceFn,
        options: RunOptions,
        show_progress: bool | None = None,
    ) -> Result:
        """Score a corpus that is read in chunks and need not fit into memory.

        Parameters
        ----------
        pieces : callable
            Function of a scratch directory that returns an iterable of corpora, each with consecutive segments.
        source : mapping
            Plain description of the input, by which a resumed run recognizes it.
        reduce_fn : str or callable, optional
            Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
            function, or a callable that maps an array of scores to a number.
        options : RunOptions
            Seed, batch size and device of the run.
        show_progress : bool, optional
            Show a progress bar. Default: if standard error is a terminal and the run is long.

        Returns
        -------
        Result
            Result on disk, in the output directory of the scorer. Without an output directory it is in a temporary
            directory, which is removed together with the result.
        """
        from nlgauge.results.storage.resume import Destination, run_on_disk

        output, made = self.output, None
        if output is None:
            import tempfile

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

    def _compiled_result(self, predictions: Any, references: Any) -> Result | None:
        """Return the result by compiled metrics; None if the call must take the ordinary way."""
        if (
            type(predictions) is not list
            or type(references) is not list
            or not (1 if self._has_scored else _WORTH_COMPILING) <= len(predictions) <= _MOST_PAIRS
            or not references
            or chosen_kernels() != "native"
            or (self.carbon, self.output) != (None, None)
            or self.executor is not self._default_executor
        ):
            return None
        if self._compiled.metrics != self.metrics:  # the caller has changed the metrics of the scorer
            del self.__dict__["_compiled"]
        job, forms, choose, _ = self._compiled
        if not forms or (type(references[0]) is not str and not choose):
            return None
        from nlgauge.results.compiled import Computed, compiled_result, texts_of

        statistics = {}
        is_ascii = True
        for label, form in forms.items():
            started = time.perf_counter()
            scored = form.rows_of(predictions, references)
            if scored is None:
                return None
            rows, spent, is_ascii = scored
            statistics[label] = Computed(form, rows, time.perf_counter() - started, spent)
        result = compiled_result(job, statistics, predictions, references)
        if not is_ascii:
            warn_about_languages_of(*texts_of(result), job.metrics)
        return result

    @lazy
    def _compiled(self) -> _CompiledForms:
        from nlgauge.metric.compiled import compiled

        job = self._job_of(None, None, run_options())
        forms: dict[str, Compiled] = {}
        choose = True
        for label, metric in job.metrics.items():
            form = compiled(metric)
            warns = any(output.warning for outputs in metric.outputs().values() for output in outputs)
            if form is None or warns or not isinstance(metric, Metric):
                return _CompiledForms(job, {}, False, dict(self.metrics))
            forms[label] = form
            choose = choose and (metric.takes == "joint" or metric.reduce == "best")
        return _CompiledForms(job, forms, choose, dict(self.metrics))

    def __getstate__(self) -> dict[str, Any]:
        # Compiled forms are made again from the metrics.
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    def _job(self, corpus: Corpus, reduce_fn: ReduceFn, options: RunOptions) -> Job:
        return self._job_of(corpus.lang, reduce_fn, options)

    def _job_of(self, lang: str | None, reduce_fn: ReduceFn, options: RunOptions) -> Job:
        wanted = dict(self.metrics), lang, reduce_fn
        last = self._prepared  # another thread may put something else there
        if last[0] != wanted:
            last = self._prepared = wanted, prepared(self.metrics, lang, reduce_fn)
        return Job(last[1], reduce_fn, options, cache=self.cache)


@takes_options(ScoreOptions, DEFAULTS)
def score(
    predictions: Any,
    references: Any = None,
    sources: Any = None,
    metrics: MetricSpec | Iterable[MetricSpec] | None = None,
    **options: Unpack[ScoreOptions],
) -> Result:
    """Score predictions, with references and sources if the metrics need them.

    Parameters
    ----------
    predictions : sequence of str, mapping, records, data frame or Corpus
        N texts, one per segment, or a list of texts per segment; a mapping from systems to such sequences; or records
        (dictionaries, a data frame, an Arrow table, a dataset), which also contain references and sources; or a `Corpus`.
    references : sequence, optional
        N items, one per segment: a text or a list of texts. `references[i]` belongs to `predictions[i]`.
    sources : sequence of str, optional
        N source texts, one per segment.
    metrics : str, metric, mapping or iterable of these, optional
        Names with or without parameters ("bleu", "chrf(word_order=2)"), with a label before an equals sign
        to change the label ("plus=chrf(word_order=2)"); metric objects; or mappings with the keys "path"
        (name), "resulting_name" (label) and "compute_kwargs". Default: bleu, chrf and rouge.
    run_concurrent : bool, default False
        Use the executor "processes" if `executor` is None.
    executor : str or Executor, optional
        Executor of the chunks: "serial", "threads", "processes", "ray", or an object of `nlgauge.engine.executors`.
        Default: "threads" if all metrics are built in and have no model, otherwise "serial".
    cache : bool, default True
        Read and write the cache of segment statistics of costly metrics.
    output : str or Path, optional
        Directory to save the result in. Rows are saved as soon as they are computed.
    resume : bool, default False
        Continue the unfinished run in `output`.
    overwrite : bool, default False
        Replace the result in `output`.
    carbon : str, optional
        Three-letter country code, such as "DEU", to track energy and CO2 (`result.costs.carbon`).
    allow_remote_code : bool, default False
        Let Hugging Face evaluate search for metrics that nlgauge does not know. It downloads and runs third-party scripts.
    ids : iterable, optional
        N identifiers, one per segment. Default: 0 to N - 1.
    weights : iterable of float, optional
        N weights, one per segment.
    documents : iterable, optional
        N document labels, one per segment. Segments of a document are resampled together.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    fields : mapping, optional
        Further values of the segments: a mapping from field names to N values each.
    systems : sequence of str, optional
        Systems to read. If records have no prediction field, these are the columns that contain predictions.
    mapping : mapping of str to str, optional
        Columns of records by name of the field, such as {"prediction": "answer", "reference": "expected"}.
    skip_missing : bool, default False
        Skip segments with a missing text, and warn how many.
    common : bool, default False
        Skip segments that some system lacks, and warn how many.
    pooled : bool, default False
        Treat every record as a separate segment, whichever system it is from.
    reduce_fn : str or callable, optional
        Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
        function, or a callable that maps an array of scores to a number.
    seed : int
        Seed of all random numbers of the run.
    batch_size : int, optional
        Number of texts that a model reads at once.
    device : str, optional
        Torch device, such as "cpu", "cuda" or "cuda:1".
    show_progress : bool, optional
        Show a progress bar. Default: if standard error is a terminal and the run is long.

    Returns
    -------
    Result
        Scores, segment scores, intervals, tests and explanations.

    Raises
    ------
    InputError
        If texts are missing, empty or of unequal numbers.
    ParameterError
        If an option or a parameter of a metric is outside its domain.
    UnknownMetricError
        If no metric has the name.

    Examples
    --------
    >>> score(["the cat"], [["the cat", "a cat"]], metrics="exact_match")["exact_match"]["score"]
    1.0
    """
    if not options and isinstance(metrics, str):
        return _scorer_of(metrics)(predictions, references, sources)
    chosen = completed("score", ScoreOptions, DEFAULTS, options)
    setup, call = (
        {name: chosen[name] for name in declared.__annotations__} for declared in (SetupOptions, CallOptions)
    )
    return Scorer(metrics, **setup)(predictions, references, sources, **call)


def _scorer_of(name: str) -> Scorer:
    """Return the scorer of a metric by name, the same in every call: a loop makes and compiles the metric once."""
    scorer = _SCORERS.get(name)
    registered = REGISTERED.classes
    if scorer is None or any(
        registered.get(metric.name) is not type(metric) for metric in scorer.metrics.values()
    ):
        if len(_SCORERS) >= _MOST_SCORERS:
            _SCORERS.clear()
        scorer = _SCORERS[name] = Scorer(name)
    return scorer


def _remove(directory: str | None) -> None:
    if directory is not None:
        import shutil

        shutil.rmtree(directory, ignore_errors=True)


def output_of(directory: str | Path | None, resume: bool, overwrite: bool) -> Destination | None:
    """Return the destination of a result, None without a directory; raise ParameterError if it is invalid."""
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
    from nlgauge.results.storage.resume import Destination

    return Destination(Path(directory), **flags)


def _country(code: Any) -> str:
    from nlgauge.engine.carbon import checked_country

    return checked_country(code)


def _names_a_place(path: str) -> bool:
    try:
        return bool(path) and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _shown(show_progress: bool | None) -> AbstractContextManager[None]:
    return progress(None if show_progress is None else _flag(show_progress, "show_progress"))


def _flag(value: bool, name: str) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, got {value!r:.60}.")
    return value
