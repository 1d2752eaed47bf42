"""Outcomes as a table, and the page of the documentation that lists every case."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge.meta.findings import Findings
from nlgauge.models.weights import store
from nlgauge.verification.cases import Case
from nlgauge.verification.reports import Report
from nlgauge.verification.running import WORDS, Outcome

_HASH_SHOWN = 12


def findings(outcomes: Sequence[Outcome]) -> Findings:
    """Return outcomes as rows.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Outcomes of `nlgauge.verification.running.verify`.

    Returns
    -------
    Findings
        One row per case. Columns: `metric`, `weights`, `printed_by`, `numbers` (how many), `verdict`, `difference` (the
        largest), `mode` and `note`. The notes repeat each note once, with the number of its cases.
    """
    rows = [
        {
            "metric": outcome.case.metric,
            "weights": outcome.case.checkpoint,
            "printed_by": outcome.case.program,
            "numbers": len(outcome.case.numbers),
            "verdict": outcome.word,
            "difference": None if math.isnan(outcome.difference) else f"{outcome.difference:.2g}",
            "mode": mode(outcome),
            "note": note(outcome),
        }
        for outcome in outcomes
    ]
    counts = Counter(outcome.word for outcome in outcomes)
    told = ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word])
    repeated = Counter((row["verdict"], row["note"]) for row in rows if row["note"])
    notes = [f"{word} ({counted(times, 'case')}): {text}" for (word, text), times in repeated.items()]
    return Findings(rows, {"cases": told}, "Printed numbers on real weights, computed again", notes)


def mode(outcome: Outcome) -> str:
    """Return the parameters of the mode that is nearest to print; "" if there is nothing to set."""
    parameters = {**outcome.case.parameters, **outcome.case.modes[outcome.mode]} if outcome.numbers else {}
    return _spelled(parameters)


def _spelled(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in parameters.items())


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:36]}...'"


def note(outcome: Outcome) -> str:
    """Return why there is no verdict, and how to get one."""
    if outcome.word == "not comparable":
        return outcome.case.why
    if outcome.word == "no weights":
        return "; ".join(how_to_get(name) for name in outcome.missing)
    return outcome.case.note if outcome.word == "different" else ""


def how_to_get(name: str) -> str:
    """Return the command that installs a model, with its size."""
    entry = store.entry_of(name)
    if entry is not None and entry.elsewhere:
        return f"{name} ({entry.size}): {entry.elsewhere}"
    if entry is None and "/" not in name:
        return f"{name}: convert the file of its authors with nlgauge models convert --name {name}"
    hub = " --hub" if entry is None or entry.repository else ""
    return f"nlgauge models get {name}{hub} ({entry.size if entry is not None else 'size unknown'})"


def page(cases: Iterable[Case], reports: Sequence[Report]) -> str:
    """Return the tables of the documentation as Markdown: each case with its verdicts, and by whom.

    Parameters
    ----------
    cases : iterable of Case
        Cases in the order of the page.
    reports : sequence of Report
        Accepted reports.

    Returns
    -------
    str
        Tables with a heading for each metric.
    """
    found: dict[str, list[tuple[Report, Outcome]]] = {}
    for report in reports:
        for outcome in report.outcomes():
            found.setdefault(outcome.case.id, []).append((report, outcome))
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.metric, []).append(case)
    lines = [_summary(grouped, found), ""]
    for metric, members in sorted(grouped.items()):
        lines += [
            f"### {metric}",
            "",
            "| weights | settings | printed by | numbers | verdict |",
            "|---|---|---|---|---|",
        ]
        for case in members:
            verdicts = "; ".join(_verdict(*one) for one in found.get(case.id, ())) or _without(case)
            source = "" if case.command else f", {_code(case.source)}"
            settings = _code(_spelled(case.parameters)) if case.parameters else ""
            columns = (
                _cell(case.checkpoint),
                settings,
                f"{_cell(case.program)}{source}",
                str(len(case.numbers)),
            )
            lines.append(f"| {' | '.join(columns)} | {verdicts} |")
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _summary(grouped: Mapping[str, Sequence[Case]], found: Mapping[str, list[tuple[Report, Outcome]]]) -> str:
    """Return a sentence with the number of cases of each verdict; the best of several reports counts."""
    counts: Counter[str] = Counter()
    for case in (case for members in grouped.values() for case in members):
        words = [outcome.word for _, outcome in found.get(case.id, ())]
        counts[min(words, key=WORDS.index) if words else "not comparable" if case.why else "not run"] += 1
    numbers = sum(len(case.numbers) for members in grouped.values() for case in members)
    told = ", ".join(f"{number} {word}" for word, number in counts.items())
    return f"{counted(sum(counts.values()), 'case')} with {counted(numbers, 'number')}: {told}."


def _verdict(report: Report, outcome: Outcome) -> str:
    hashes = ", ".join(_code(digest[:_HASH_SHOWN]) for digest in outcome.weights.values())
    settings = f" with {_code(mode(outcome))}" if len(outcome.case.modes) > 1 else ""
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return (
        f"**{outcome.word}** (largest difference {outcome.difference:.2g}){settings}; weights {hashes};"
        f" {_cell(report.by)}, {report.date}, {_cell(versions)}"
    )


def _without(case: Case) -> str:
    if case.why:
        return f"not comparable: {_cell(case.why)}"
    return "not run: " + _cell("; ".join(how_to_get(name) for name in dict.fromkeys(case.models.values())))


def _cell(text: str) -> str:
    """Return text for a cell of a Markdown table; nothing in it is markup."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "\\|*_[]`":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _code(text: str) -> str:
    """Return text as code for a cell of a Markdown table."""
    return "`" + " ".join(text.replace("`", "'").split()).replace("|", "\\|") + "`"
