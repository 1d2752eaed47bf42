"""Kept scores: the scores of many metrics on one benchmark, as numbers without texts, in one file.

    summeval.jsonl.xz    one line per metric: label, signatures, seconds, outputs with their directions, and one number
                         per row and output

Scores belong to texts: a hash of all texts of the benchmark (`fingerprint`) is part of each line.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterable
from pathlib import Path

import msgspec

from nlgauge._core.paths import write_whole
from nlgauge.errors import InputError, ResultError
from nlgauge.meta.benchmarks.benchmark import Benchmark

FORMAT = 2
SUFFIX = ".jsonl.xz"
# A file cannot fill the memory: far more than any set of scores needs.
MOST_BYTES = 1 << 29
_MOST_MEMORY = 1 << 27
_LONGEST_LABEL = 400


class MetricScores(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The scores of one metric on the rows of a benchmark.

    Parameters
    ----------
    label : str
        Metric as printed.
    benchmark : str
        Name of the benchmark.
    fingerprint : str
        Hash of the texts that were scored.
    signatures : dict of str to str
        Signature of the metric by language pair ("" if the benchmark has none).
    higher_is_better : dict of str to bool or None
        Direction by output, the main output first; None if it has none.
    segments : dict of str to list of float or None
        One number per row of the benchmark, by output; None if the metric has no score.
    systems : dict of str to dict
        One number per system, by output and language pair.
    seconds : float
        CPU seconds of the scoring; 0 if unknown.
    version : str
        Version of nlgauge.
    format : int
        Version of the format.
    """

    label: str
    benchmark: str
    fingerprint: str
    signatures: dict[str, str]
    higher_is_better: dict[str, bool | None]
    segments: dict[str, list[float | None]]
    systems: dict[str, dict[str, dict[str, float | None]]]
    seconds: float
    version: str
    format: int = FORMAT

    @property
    def main(self) -> str:
        """The output that stands for the metric."""
        return next(iter(self.higher_is_better))


def fingerprint(benchmark: Benchmark) -> str:
    """Return a hash of all texts of a benchmark and of their order.

    Parameters
    ----------
    benchmark : Benchmark
        Judged texts.

    Returns
    -------
    str
        Hash, 16 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for row in benchmark.rows:
        for text in (row.segment, row.system, row.prediction or "", row.source or "", *row.references):
            digest.update(text.encode("utf-8", "surrogatepass") + b"\x00")
        digest.update(b"\x01")
    return digest.hexdigest()[:16]


def read_scores(path: str | Path, benchmark: Benchmark | None = None) -> dict[str, MetricScores]:
    """Read the scores of many metrics on one benchmark.

    Parameters
    ----------
    path : str or Path
        File that `write_scores` wrote, such as `docs/results/scores/leaderboard/summeval.jsonl.xz` of the repository.
    benchmark : Benchmark, optional
        Benchmark that the scores must belong to.

    Returns
    -------
    dict of str to MetricScores
        Scores by the label of the metric.

    Raises
    ------
    InputError
        If the file does not exist, or the benchmark has other texts.
    ResultError
        If the file is damaged, too large, or has something else than scores.
    """
    place = Path(path)
    try:
        packed = place.read_bytes()
    except OSError as error:
        raise InputError(f"{place} cannot be read ({error.strerror}); name a file of kept scores.") from None
    found: dict[str, MetricScores] = {}
    for number, line in enumerate(_unpacked(packed, place).splitlines(), 1):
        try:
            one = parsed(line)
        except ValueError as error:
            raise _damaged(place, f"line {number}: {error}") from None
        if one.label in found:
            raise _damaged(place, f"line {number}: {one.label!r:.80} has two lines")
        found[one.label] = one
    if len({(one.benchmark, one.fingerprint) for one in found.values()}) > 1:
        raise _damaged(place, "its lines are of different texts")
    if benchmark is not None:
        check_texts(found.values(), benchmark)
    return found


def write_scores(path: str | Path, scores: Iterable[MetricScores]) -> Path:
    """Write the scores of many metrics on one benchmark into a file, completely or not at all.

    Parameters
    ----------
    path : str or Path
        File; its directory is created.
    scores : iterable of MetricScores
        Scores; they are sorted by label, so that equal scores give equal bytes.

    Returns
    -------
    Path
        The file.
    """
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    lines = [msgspec.json.encode(one) + b"\n" for one in sorted(scores, key=lambda one: one.label)]
    write_whole(place, lzma.compress(b"".join(lines), format=lzma.FORMAT_XZ, preset=6))
    return place


def check_texts(scores: Iterable[MetricScores], benchmark: Benchmark) -> None:
    """Raise InputError if scores belong to other texts than a benchmark has."""
    expected = fingerprint(benchmark)
    for one in scores:
        lengths = {len(values) for values in one.segments.values()}
        if one.fingerprint != expected or lengths - {len(benchmark.rows)}:
            raise InputError(
                f"the scores of {one.label} belong to other texts than {benchmark.name}; score them again."
            )


def parsed(line: bytes) -> MetricScores:
    """Return the scores of one line; raise ValueError if it has something else. JSON has only finite numbers."""
    one = msgspec.json.decode(line, type=MetricScores)
    if one.format != FORMAT:
        raise ValueError(f"format {one.format}, and this version of nlgauge reads format {FORMAT}")
    if not 0 < len(one.label) <= _LONGEST_LABEL or not one.label.isprintable():
        raise ValueError("the label of the metric is empty, too long or not printable")
    if not one.higher_is_better:
        raise ValueError("no output is named")
    unknown = (set(one.segments) | set(one.systems)) - set(one.higher_is_better)
    if unknown:
        raise ValueError(f"the output {min(unknown)!r:.80} has scores and no direction")
    if len({len(values) for values in one.segments.values()}) > 1:
        raise ValueError("the outputs have different numbers of rows")
    if one.seconds < 0:
        raise ValueError("the seconds are negative")
    return one


def _unpacked(packed: bytes, place: Path) -> bytes:
    """Return the content of an xz file, which neither fills the memory nor ends early."""
    reader = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
    try:
        content = reader.decompress(packed, max_length=MOST_BYTES)
    except (lzma.LZMAError, MemoryError) as error:
        raise _damaged(place, str(error) or "it needs too much memory") from None
    if not reader.eof:
        raise _damaged(place, "it is incomplete, or larger than any set of scores")
    if reader.unused_data:
        raise _damaged(place, "something follows its end")
    return content


def _damaged(place: Path, why: str) -> ResultError:
    return ResultError(f"{place} is not a file of kept scores ({why}); remove it and score again.")
