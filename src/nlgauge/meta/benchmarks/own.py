"""Own files of texts as a benchmark: any file of records that `nlgauge score` reads, with columns of
human scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.corpus import Corpus
from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.errors import InputError, UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.card import BenchmarkCard
from nlgauge.meta.benchmarks.rows import BenchmarkRow
from nlgauge.meta.readers.frames import as_numbers
from nlgauge.meta.readers.results import pooled_records
from nlgauge.stats.agreement import known_mean


def of_file(path: Path, humans: Sequence[str], group: str | None = None) -> Benchmark:
    """Return the benchmark of a file of records; `humans` are the columns with human scores, `group` is the
    column with language pairs.

    Systems need not have the same segments.
    """
    from nlgauge.io import Inputs

    return of_corpus(Inputs([str(path)], pooled=True).read(), humans, group, path)


def of_corpus(
    corpus: Corpus, humans: Sequence[str], group: str | None = None, path: Path = Path("own")
) -> Benchmark:
    """Return the benchmark of a corpus in which every record is a segment (`pooled`), with human scores and
    possibly the system in its fields.

    A human score may be a list of the ratings of several annotators, None for a missing rating: their mean is
    the score.

    >>> records = [{"id": 7, "system": system, "prediction": "a cat", "reference": "the cat", "quality": 3} for system in "AB"]
    >>> of_corpus(Corpus.read(records, pooled=True), ["quality"])
    Benchmark(own: 1 segment, 2 systems, quality)
    """
    others = [field for field in corpus.fields if field not in FIELD_NAMES["system"]]
    if not humans:
        raise InputError(
            "the columns with human scores are not named; the columns other than texts, ids and systems are"
            f" {', '.join(others) or '(none)'}",
            python="pass humans=[...]" if others else "use records with human scores, and pass humans=[...]",
            cli="name them with --human"
            if others
            else "use records with human scores, and name these with --human",
        )
    for field in humans:
        if field not in corpus.fields:
            near = did_you_mean(field, others)
            raise UnknownNameError(
                f"unknown column {field!r}{near}; the columns other than texts, ids and systems are"
                f" {', '.join(others) or '(none)'}."
            )
    (column,) = corpus.predictions.values()
    if (column.lengths != 1).any():
        raise InputError(
            "human scores need one prediction per segment and system, and at least one segment has another"
            " number; write one prediction per record."
        )
    groups = None if group is None else corpus.values(group)
    segments, systems = pooled_records(corpus) or (
        [str(segment) for segment in corpus.ids],
        [corpus.systems[0]] * len(corpus),
    )
    given = {
        field: [
            as_numbers(value, f"{field} of segment {segment!r}")
            for value, segment in zip(corpus.fields[field], segments, strict=True)
        ]
        for field in humans
    }
    several = [field for field, judged in given.items() if any(len(numbers) > 1 for numbers in judged)]
    rows = [
        BenchmarkRow(
            segments[i],
            systems[i],
            {field: known_mean(judged[i]) for field, judged in given.items()},
            record["predictions"][corpus.systems[0]][0],
            record.get("source"),
            tuple(record.get("references", ())),
            {field: tuple(given[field][i]) for field in several},
            meta={} if groups is None else {"lp": str(groups[i])},
        )
        for i, record in enumerate(corpus.each_record())
    ]
    return Benchmark(BenchmarkCard.own(path, humans, [corpus.lang]), tuple(rows))
