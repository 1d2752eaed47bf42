"""Reports: what `nlgauge verify --json` writes, and reports of other people, read with no trust.

A report has numbers, never verdicts: whoever reads it judges the numbers again. Reports that the developers accepted are
in nlgauge's data, and the page of verified numbers shows them.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

import msgspec

from nlgauge._core.versions import installed_version
from nlgauge.errors import InputError
from nlgauge.verification.cases import Case, Span, cases
from nlgauge.verification.running import Outcome, judged

FORMAT = 1
_ACCEPTED = files("nlgauge") / "data" / "verification" / "reports"
_LARGEST = 2_000_000
_LONGEST_NAME = 80
_VERSIONS = ("nlgauge", "torch", "transformers", "numpy")
_HASH = re.compile("[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z.+_-]{1,40}")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of a case: `texts` is the hash of its texts and settings, `mode` a place in its modes, None a NaN."""

    case: str
    texts: str
    mode: int
    numbers: list[float | None]
    weights: dict[str, str]
    spans: list[list[Span]] | None = None


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers of one person on one machine."""

    format: int
    by: str
    date: str
    versions: dict[str, str]
    entries: list[Entry]

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes, with verdicts that are computed now.

        Returns
        -------
        list of Outcome
            One per entry.
        """
        return [_outcome(entry, cases()[entry.case]) for entry in self.entries]


def report_of(outcomes: Sequence[Outcome], by: str) -> Report:
    """Return a report of the outcomes that have numbers.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Outcomes of `nlgauge.verification.running.verify`.
    by : str
        Name of the person or project, for the page of verified numbers.

    Returns
    -------
    Report
        Numbers, hashes of weights, and versions.

    Raises
    ------
    InputError
        If the name cannot be printed in one line.
    """
    entries = [
        Entry(
            outcome.case.id,
            fingerprint(outcome.case),
            outcome.mode,
            [None if math.isnan(number) else number for number in outcome.numbers],
            dict(outcome.weights),
            outcome.spans,
        )
        for outcome in outcomes
        if outcome.numbers
    ]
    versions = {name: installed_version(name) for name in _VERSIONS}
    known = {name: version for name, version in versions.items() if version}
    return checked(Report(FORMAT, by, datetime.now(UTC).date().isoformat(), known, entries), "the report")


def encoded(report: Report) -> bytes:
    """Return a report as JSON.

    Parameters
    ----------
    report : Report
        Report to write.

    Returns
    -------
    bytes
        Indented JSON with a line break at the end.
    """
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def load(path: str | Path) -> Report:
    """Read a report of other people, and check every field.

    Parameters
    ----------
    path : str or Path
        File of `nlgauge verify --json`.

    Returns
    -------
    Report
        Report whose cases, numbers of values, hashes and texts fit this version.

    Raises
    ------
    InputError
        If the file is no report, or a field is not what it must be.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{file} is not a file; name a file of nlgauge verify --json.")
    if file.stat().st_size > _LARGEST:
        raise InputError(f"{file} has more than {_LARGEST:,} bytes; a report is smaller.")
    return _decoded(file.read_bytes(), str(file))


def accepted() -> list[Report]:
    """Return the reports that ship with nlgauge, in the order of their names.

    Returns
    -------
    list of Report
        Reports that the developers accepted.
    """
    found = sorted(
        (entry for entry in _ACCEPTED.iterdir() if entry.name.endswith(".json")),
        key=lambda entry: entry.name,
    )
    return [_decoded(entry.read_bytes(), entry.name) for entry in found]


def fingerprint(case: Case) -> str:
    """Return the hash of everything in a case that decides the numbers of nlgauge."""
    decides = (
        case.metric,
        case.models,
        case.parameters,
        case.modes,
        case.reduce,
        case.predictions,
        case.references,
        case.sources,
        [(values.output, values.level) for values in case.values],
    )
    return hashlib.sha256(msgspec.json.encode(decides, order="deterministic")).hexdigest()[:16]


def checked(report: Report, name: str) -> Report:
    """Return the report; raise InputError if a field is not what it must be."""
    if report.format != FORMAT:
        raise InputError(f"{name} has format {report.format}, and this version reads {FORMAT}.")
    if not (0 < len(report.by) <= _LONGEST_NAME and report.by.isprintable()):
        raise InputError(
            f"{name} must name who ran it in 1 to {_LONGEST_NAME} printable characters, got {report.by!r:.60}."
        )
    try:
        date.fromisoformat(report.date)
    except ValueError:
        raise InputError(f"{name} has the date {report.date!r:.40}; write it as 2026-11-19.") from None
    for program, version in report.versions.items():
        if program not in _VERSIONS or not _VERSION.fullmatch(version):
            raise InputError(f"{name} has the version {program!r:.40}: {version!r:.40}, which is none.")
    names = [entry.case for entry in report.entries]
    if len(names) != len(set(names)):
        raise InputError(f"{name} has a case twice; run nlgauge verify --json again.")
    for entry in report.entries:
        _check(entry, name)
    return report


def _decoded(content: bytes, name: str) -> Report:
    try:
        report = msgspec.json.decode(content, type=Report)
    except msgspec.DecodeError as error:
        raise InputError(f"{name} is not a report of nlgauge verify --json: {error}.") from None
    return checked(report, name)


def _check(entry: Entry, name: str) -> None:
    case = cases().get(entry.case)
    if case is None:
        raise InputError(f"{name} has the case {entry.case!r:.60}, which this version does not know.")
    if entry.texts != fingerprint(case):
        raise InputError(
            f"{name} has {entry.case} with other texts or settings than this version; run it again."
        )
    if len(entry.numbers) != len(case.numbers):
        raise InputError(
            f"{name} has {len(entry.numbers)} numbers of {entry.case}, which has {len(case.numbers)}."
        )
    if not 0 <= entry.mode < len(case.modes):
        raise InputError(f"{name} has mode {entry.mode} of {entry.case}, which has {len(case.modes)}.")
    strange = set(entry.weights) != set(case.models.values())
    if strange or not all(map(_HASH.fullmatch, entry.weights.values())):
        raise InputError(f"{name} must have the sha256 of the weights of each model of {entry.case}.")


def _outcome(entry: Entry, case: Case) -> Outcome:
    numbers = tuple(math.nan if number is None else number for number in entry.numbers)
    word, difference = judged(case, numbers, entry.spans)
    return Outcome(case, word, entry.mode, difference, numbers, entry.spans, entry.weights)
