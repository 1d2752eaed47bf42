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
from typing import TYPE_CHECKING, Any

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


class Scorer:
    """A reusable set of metrics; call it with texts.

    >>> scorer = Scorer(["bleu", "chrf(word_order=2)"])
    >>> result = scorer(["the cat sat on the mat"], ["the cat sat on the mat"])
    >>> list(result)
    ['bleu', 'chrf(word_order=2)']
    """

    def __init__(
        self,
        metrics: MetricSpec | Iterable[MetricSpec] | None = None,
        *,
        run_concurrent: bool = False,
        executor: str | Executor | None = None,
        cache: bool = True,
        output: str | Path | None = None,
        resume: bool = False,
        overwrite: bool = False,
        carbon: str | None = None,
        allow_remote_code: bool = False,
    ) -> None:
        self.carbon = None if carbon is None else checked_country(carbon)
        self.metrics = labelled(
            DEFAULT_METRICS if metrics is None else metrics, _flag(allow_remote_code, "allow_remote_code")
        )
        concurrent = _flag(run_concurrent, "run_concurrent")
        wanted = "processes" if executor is None and concurrent else executor
        self.executor = default_executor(self.metrics.values()) if wanted is None else executor_of(wanted)
        self.cache = _flag(cache, "cache")
        self.output = output_of(output, resume, overwrite)
        # The metrics as they were prepared last, with what for: a loop of calls prepares them once.
        self._prepared: tuple[Any, dict[str, AnyMetric]] = None, {}

    def __call__(
        self,
        predictions: Any,
        references: Any = None,
        sources: Any = None,
        *,
        reduce_fn: ReduceFn = None,
        ids: Iterable[Any] | None = None,
        weights: Iterable[float] | None = None,
        documents: Iterable[Any] | None = None,
        lang: str | None = None,
        fields: Mapping[str, Iterable[Any]] | None = None,
        systems: Sequence[str] | None = None,
        skip_missing: bool = False,
        common: bool = False,
        pooled: bool = False,
        seed: int = 12345,
        batch_size: int | None = None,
        device: str | None = None,
        show_progress: bool | None = None,
    ) -> Result:
        """The Result of scoring these texts; see `nlgauge.score` for the arguments."""
        given, options = (
            {"skip_missing": skip_missing, "common": common, "pooled": pooled},
            run_options(seed, batch_size, device),
        )
        flags = {name: _flag(value, name) for name, value in given.items()}
        blocks = blocks_of_records(predictions)
        if blocks is not None:
            check_alone(
                references=references,
                sources=sources,
                ids=ids,
                weights=weights,
                documents=documents,
                fields=fields,
            )
            named: dict[str, Any] = {"columns": system_names(systems), **flags}
            source = {"records": type(predictions).__name__, "lang": lang, **named}
            return self.score_pieces(
                lambda scratch: RecordPieces(Choice(lang=lang, **named), scratch).of_blocks(blocks),
                source,
                reduce_fn,
                options,
                show_progress,
            )
        corpus = Corpus.read(
            predictions,
            references,
            sources,
            ids=ids,
            weights=weights,
            documents=documents,
            lang=lang,
            fields=fields,
            systems=systems,
            **flags,
        )
        return self.score_corpus(corpus, reduce_fn, options, show_progress)

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


def score(
    predictions: Any,
    references: Any = None,
    sources: Any = None,
    metrics: MetricSpec | Iterable[MetricSpec] | None = None,
    *,
    reduce_fn: ReduceFn = None,
    run_concurrent: bool = False,
    executor: str | Executor | None = None,
    cache: bool = True,
    output: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    carbon: str | None = None,
    allow_remote_code: bool = False,
    ids: Iterable[Any] | None = None,
    weights: Iterable[float] | None = None,
    documents: Iterable[Any] | None = None,
    lang: str | None = None,
    fields: Mapping[str, Iterable[Any]] | None = None,
    systems: Sequence[str] | None = None,
    skip_missing: bool = False,
    common: bool = False,
    pooled: bool = False,
    seed: int = 12345,
    batch_size: int | None = None,
    device: str | None = None,
    show_progress: bool | None = None,
) -> Result:
    """The Result of scoring predictions against references and sources, in any of the shapes of
    `nlgauge.corpus`.

    metrics: names, such as "bleu" or "chrf(word_order=2)", Metric values, or {"path": name, "resulting_name":
    label, "compute_kwargs": {...}}. reduce_fn: "best" (default), "max", "min", a NumPy name or a callable,
    for several references or predictions. documents: one label per segment; segments of a document are
    resampled together. weights: how much each segment counts. lang: an ISO code, for tokenisers, sentence
    splitters and default models. device: "cpu", "cuda", ... executor: how chunks are computed, "serial",
    "threads", "processes", "ray" or one of `nlgauge.engine.executors`; run_concurrent: the same as
    executor="processes". cache: take rows of costly metrics that were computed before from the cache of
    statistics, and keep new ones there. output: a directory that the result is saved to, its rows as soon as
    they are computed; what a run that was ended has left is taken up with resume=True, and a result that is
    there is replaced with overwrite=True. carbon: the three-letter code of a country, such as "DEU", to track
    energy and CO2 (`result.costs.carbon`). allow_remote_code: metrics that nlgauge does not know are looked
    for by Hugging Face evaluate, which runs other people's scripts. fields, systems, skip_missing, common,
    pooled: what else is known of the segments, and which of them are read; see `Corpus.read`.

    >>> score(["the cat"], [["the cat", "a cat"]], metrics="exact_match")["exact_match"]["score"]
    1.0
    """
    return Scorer(
        metrics,
        run_concurrent=run_concurrent,
        executor=executor,
        cache=cache,
        output=output,
        resume=resume,
        overwrite=overwrite,
        carbon=carbon,
        allow_remote_code=allow_remote_code,
    )(
        predictions,
        references,
        sources,
        reduce_fn=reduce_fn,
        ids=ids,
        weights=weights,
        documents=documents,
        lang=lang,
        fields=fields,
        systems=systems,
        skip_missing=skip_missing,
        common=common,
        pooled=pooled,
        seed=seed,
        batch_size=batch_size,
        device=device,
        show_progress=show_progress,
    )


def _remove(directory: str | None) -> None:
    if directory is not None:
        shutil.rmtree(directory, ignore_errors=True)


def run_options(seed: int = 12345, batch_size: int | None = None, device: str | None = None) -> RunOptions:
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
                f"{asked} is about what is in the output directory; say which one, with output=DIRECTORY."
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
