"""Original files of benchmarks, as their authors release them: which reader a path needs, and what it reads.

Nothing is ever unpickled: a pickle can run code when it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.originals import (
    cogito,
    dialogue,
    mlqe,
    mqm,
    novikova,
    preferences,
    rose,
    sacrerouge,
    stories,
    summedits,
    summeval,
    webnlg,
    wmt,
)
from nlgauge.meta.benchmarks.originals.files import Opened
from nlgauge.meta.benchmarks.rows import AnyPair, BenchmarkRow, read_lines

_PICKLES = (".pkl", ".pickle", ".pt", ".bin", ".joblib")


@dataclass(frozen=True)
class LoadedFiles:
    """The rows and pairs of files, and the name of their benchmark; None if the files do not contain it."""

    rows: list[BenchmarkRow]
    pairs: list[AnyPair]
    name: str | None = None


@dataclass(frozen=True)
class _Reader:
    knows: Callable[[Opened], bool]
    read: Callable[[Opened], Iterable[BenchmarkRow]]
    name: Callable[[Opened], str | None]


def _named(name: str | None) -> Callable[[Opened], str | None]:
    return lambda _: name


@dataclass(frozen=True)
class _PairReader:
    knows: Callable[[Opened], bool]
    read: Callable[[Opened], tuple[list[BenchmarkRow], list[AnyPair]]]
    name: Callable[[Opened], str | None]


_PAIR_READERS = (
    _PairReader(wmt.knows_rankings, wmt.read_rankings, wmt.name_of_rankings),
    _PairReader(preferences.knows_hats, preferences.read_hats, _named("hats")),
    _PairReader(preferences.knows_demetr, preferences.read_demetr, _named("demetr")),
    _PairReader(preferences.knows_llmbar, preferences.read_llmbar, _named("llmbar")),
    _PairReader(preferences.knows_ragchecker, preferences.read_ragchecker, _named("ragchecker_meta")),
)
_READERS = (
    _Reader(summeval.knows, summeval.read, _named("summeval")),
    _Reader(rose.knows, rose.read, _named("rose_cnndm")),
    _Reader(sacrerouge.knows, sacrerouge.read, sacrerouge.name),
    _Reader(dialogue.knows, dialogue.read, dialogue.name),
    _Reader(dialogue.knows_pooled, dialogue.read_pooled, _named("usr_topicalchat")),
    _Reader(stories.knows_hanna, stories.read_hanna, _named("hanna")),
    _Reader(stories.knows_primer, stories.read_primer, _named("primer_dailynews300")),
    _Reader(novikova.knows, novikova.read, novikova.name),
    _Reader(mqm.knows, mqm.read, mqm.name),
    _Reader(mqm.knows_means, mqm.read_means, mqm.name),
    _Reader(wmt.knows_assessments, wmt.read_assessments, _named("wmt17_da_seg")),
    _Reader(wmt.knows_testset, wmt.read_testset, _named("wmt17_da_seg")),
    _Reader(webnlg.knows, webnlg.read, _named("webnlg2020_en")),
    _Reader(cogito.knows, cogito.read, _named("cdsr_cogito")),
    _Reader(summedits.knows, summedits.read, _named("summedits")),
    _Reader(mlqe.knows, mlqe.read, _named("mlqe_pe")),
)


def is_known(path: Path) -> bool:
    """Return True if a path has nlgauge's JSON lines or original files of a benchmark, or is a pickle, which is
    refused.
    """
    opened = Opened(path)
    return (
        path.suffix.lower() in _PICKLES
        or _is_ours(opened)
        or any(reader.knows(opened) for reader in (*_PAIR_READERS, *_READERS))
    )


def _is_ours(opened: Opened) -> bool:
    return opened.has("segment") and (opened.has("human") or opened.has("better"))


def read(path: str | Path) -> LoadedFiles:
    """Read a file or directory: nlgauge's JSON lines, or the original files of a benchmark."""
    place = Path(path)
    if not place.exists():
        raise InputError(f"the file or directory {place} does not exist.")
    if place.suffix.lower() in _PICKLES:
        raise InputError(
            f"{place} is a pickle, and nlgauge does not open pickles because they can run code; convert it, if"
            " you trust it, to JSON lines (`nlgauge benchmarks info realsumm` shows where REALSumm has them)."
        )
    try:
        found = _found(Opened(place))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{place} does not have the format of its benchmark ({type(error).__name__}: {error}); use the file"
            " that its authors released."
        ) from error
    if found is None:
        raise InputError(
            f"{place} is not a file of a known benchmark; `nlgauge benchmarks info NAME` shows its files."
            " Write other data as JSON lines with segment, system, prediction, references, source and"
            ' human ({"dimension": score}).'
        )
    if not found.rows:
        raise InputError(f"{place} has no judged texts; use the files with human scores.")
    return found


def _found(opened: Opened) -> LoadedFiles | None:
    if _is_ours(opened):
        return LoadedFiles(*read_lines(opened.place))
    for of_pairs in _PAIR_READERS:
        if of_pairs.knows(opened):
            return LoadedFiles(*of_pairs.read(opened), of_pairs.name(opened))
    reader = next((reader for reader in _READERS if reader.knows(opened)), None)
    return None if reader is None else LoadedFiles(list(reader.read(opened)), [], reader.name(opened))
