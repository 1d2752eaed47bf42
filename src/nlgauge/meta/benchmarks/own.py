"""Own files of texts as a benchmark: any file of records that `nlgauge score` reads, with columns of human scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.card import BenchmarkCard
from nlgauge.meta.benchmarks.rows import Row
from nlgauge.meta.reading import as_number


def of_file(path: Path, humans: Sequence[str], group: str | None = None) -> Benchmark:
    """The benchmark of a file of records; `humans` are the columns with human scores, `group` is the one with language pairs."""
    from nlgauge.io import read_corpus

    return of_corpus(read_corpus([str(path)]), humans, group, path.name.partition(".")[0] or path.name)


def of_corpus(corpus: Corpus, humans: Sequence[str], group: str | None = None, name: str = "own") -> Benchmark:
    """The benchmark of a corpus whose fields hold human scores.

    >>> corpus = Corpus.read({"A": ["a cat", "dogs"]}, [["the cat"], ["dogs"]], fields={"quality": [1, 5]})
    >>> of_corpus(corpus, ["quality"]).human("quality").tolist()
    [[1.0, 5.0]]
    """
    if not humans:
        fields = ", ".join([*corpus.fields, *corpus.system_fields]) or "none"
        raise InputError(f"say which columns hold human scores with --human; there are {fields}.")
    if any((column.lengths != 1).any() for column in corpus.predictions.values()):
        raise InputError("some segment has several predictions of one system, and people judged one; give one prediction each.")
    strings = corpus.texts.strings
    sources = None if corpus.sources is None else [strings[i] for i in corpus.sources.tolist()]
    references = None if corpus.references is None else corpus.references.lists()
    known = {field: {system: _values(corpus, field, system) for system in corpus.systems} for field in humans}
    groups = None if group is None else corpus.values(group)
    rows = [
        Row(
            str(segment),
            system,
            {field: as_number(known[field][system][i], f"{field} of segment {segment!r}") for field in humans},
            strings[texts[i][0]],
            None if sources is None else sources[i],
            () if references is None else tuple(strings[j] for j in references[i]),
            meta={} if groups is None else {"lp": str(groups[i])},
        )
        for system, texts in ((system, column.lists()) for system, column in corpus.predictions.items())
        for i, segment in enumerate(corpus.ids)
    ]
    languages = (corpus.lang,) if corpus.lang else ()
    return Benchmark(BenchmarkCard(name, f"own data: {name}", "", languages, dict.fromkeys(humans, ""), "", "", "", ""), tuple(rows))


def _values(corpus: Corpus, field: str, system: str) -> Sequence[Any]:
    if field in corpus.system_fields:
        return corpus.system_fields[field][system]
    if field in corpus.fields:
        return corpus.fields[field]
    there = [*corpus.fields, *corpus.system_fields]
    raise UnknownNameError(f"there is no column {field!r}{did_you_mean(field, there)}; there are {', '.join(there) or 'none'}.")
