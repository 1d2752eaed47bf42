"""The lines that a console shows of an audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nlgauge._core.numbers import counted, p_value
from nlgauge.meta.auditing.biases import TOGETHER

if TYPE_CHECKING:
    from nlgauge.meta.auditing.audit import Audit

Rows = Sequence[Mapping[str, Any]]


def lines_of(audit: Audit) -> list[tuple[str, str]]:
    """Return the part and the text of each line."""
    alpha = audit.alpha
    lines = [
        ("agreement", "   ".join(_measure(row) for row in _of(audit, "agreement"))),
        ("people", "   ".join(f"{_measure(row)} with each other" for row in _of(audit, "people"))),
        ("errors", "   ".join(_measure(row) for row in _of(audit, "errors") if row["measure"] != "J")),
        ("calibration", "   ".join(_measure(row) for row in _of(audit, "calibration"))),
        ("position", _position(_of(audit, "position"), alpha)),
        *(
            (part, _effect(row, alpha))
            for part in ("length", "style", "covariate")
            for row in _of(audit, part)
            if TOGETHER not in row["measure"]
        ),
        *(("self-preference", _advantage(row, alpha)) for row in _of(audit, "self-preference")),
        *_scores(audit),
        *_worth(audit),
        *(("leniency", _lenient(row, alpha)) for row in _of(audit, "leniency")),
        *(("group", _group(row, alpha)) for row in _of(audit, "groups")),
        *(
            ("repeats", _of_name(row))
            for row in _of(audit, "repeatability")
            if row["measure"].startswith(("unequal", "share"))
        ),
        *(("panel", _of_name(row)) for row in _of(audit, "panel")),
        ("drift", _drift(_of(audit, "drift"))),
        ("verdict", audit.verdict + (f" ({'; '.join(audit.reasons)})" if audit.reasons else "")),
    ]
    return [(part, text) for part, text in lines if text]


def _of(audit: Audit, part: str) -> Rows:
    return [row for row in audit.rows if row["part"] == part]


def _value(row: Mapping[str, Any], digits: int = 3) -> str:
    """Return a number with its interval.

    >>> _value({"value": 0.5, "low": 0.25, "high": 0.75})
    '0.500 [0.250, 0.750]'
    """
    if math.isnan(row["value"]):
        return "n/a"
    bounds = "" if math.isnan(row["low"]) else f" [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
    return f"{row['value']:.{digits}f}{bounds}"


def _measure(row: Mapping[str, Any]) -> str:
    return _value(row) if row["measure"] == "agreement" else f"{row['measure']} {_value(row)}"


def _p(p: float) -> str:
    text = p_value(p, 4)
    return f"p {text}" if text.startswith(("<", ">")) else f"p = {text}"


def _shown(p: float, alpha: float) -> str:
    return "preference shown" if p < alpha else "no preference shown"


def _position(rows: Rows, alpha: float) -> str:
    by_name = {row["measure"]: row for row in rows}
    if "first place" not in by_name:
        return "; ".join(f"{row['measure']} {_value(row)} ({row['remark']})" for row in rows)
    first, second = by_name["first place"], by_name["second place"]
    return (
        f"same winner in both orders {100 * by_name['same winner']['value']:.1f}%; first place"
        f" {first['value']:.0f}, second place {second['value']:.0f} ({_p(first['p'])}): {_shown(first['p'], alpha)}"
    )


def _effect(row: Mapping[str, Any], alpha: float) -> str:
    if row["remark"]:
        return f"{row['of']}: n/a ({row['remark']})"
    cause = "twice the length" if row["part"] == "length" else f"one more unit of {row['of']}"
    verb = "multiplies the odds by" if row["measure"] == "odds ratio" else "adds"
    return f"{cause} {verb} {_value(row, 2)} at equal labels: {_shown(row['p'], alpha)}"


def _advantage(row: Mapping[str, Any], alpha: float) -> str:
    return f"{row['of']} gain {_value(row)} compared with people ({_p(row['p'])}): {_shown(row['p'], alpha)}"


def _scores(audit: Audit) -> list[tuple[str, str]]:
    rows = _of(audit, "score")
    lines = []
    for name in dict.fromkeys(row["of"] for row in rows):
        parts = []
        for row in rows:
            if row["of"] != name or row["measure"] == "labels only":
                continue
            if row["measure"] == "judge":
                parts.append(f"judge {row['value']:.3f}")
            elif row["measure"] == "rogan_gladen":
                parts.append(f"Rogan-Gladen {_value(row)}" + (f" ({row['remark']})" if row["remark"] else ""))
            else:
                parts.append(f"{row['measure']} {_value(row)} ({counted(row['n'], 'label')})")
        lines.append(("score", (f"{name}: " if name else "") + "; ".join(parts)))
    return lines


def _worth(audit: Audit) -> list[tuple[str, str]]:
    rows = _of(audit, "worth")
    lines = []
    for name in dict.fromkeys(row["of"] for row in rows):
        by_name = {row["measure"]: row for row in rows if row["of"] == name}
        worth = by_name["effective labels"]
        text = f"{counted(worth['n'], 'label')} {'is' if worth['n'] == 1 else 'are'} worth {worth['value']:.0f} without the judge"
        if worth["remark"] == "everything is labeled":
            text = "everything is labeled"
        elif "labels needed" in by_name:
            needed, alone = (by_name[key] for key in ("labels needed", "labels needed without the judge"))
            interval = needed["remark"].split(";")[0].removeprefix("for ")
            text += f"; {interval} needs {_count(needed)} labels ({_count(alone)} without)"
        lines.append(("worth", (f"{name}: " if name else "") + text))
    return lines


def _count(row: Mapping[str, Any]) -> str:
    return "more segments than exist, not only more" if math.isnan(row["value"]) else f"{row['value']:.0f}"


def _lenient(row: Mapping[str, Any], alpha: float) -> str:
    shown = "difference shown" if row["p"] < alpha else "no difference shown"
    return f"{row['remark']}: {_value(row)} ({_p(row['p'])}): {shown}"


def _group(row: Mapping[str, Any], alpha: float) -> str:
    test = (
        ""
        if math.isnan(row["p"])
        else f" (differs from the rest: {_p(row['p'])})"
        if row["p"] < alpha
        else ""
    )
    return f"{row['of']}, {counted(row['n'], 'label')}: {row['measure']} {_value(row)}{test}"


def _of_name(row: Mapping[str, Any]) -> str:
    return f"{row['of']}: {row['measure']} {_value(row)}" + (f" ({row['remark']})" if row["remark"] else "")


def _drift(rows: Rows) -> str:
    by_name = {row["measure"]: row for row in rows}
    if not rows:
        return ""
    changed = by_name["changed verdicts"]
    change = next((row for row in rows if row["measure"].startswith("change of ")), None)
    parts = []
    if change is not None:
        name = change["measure"].removeprefix("change of ")
        parts.append(
            f"{name} on {counted(change['n'], 'answer')} {by_name[f'{name} before']['value']:.3f} before,"
            f" {by_name[f'{name} now']['value']:.3f} now, {_value(change)} ({_p(change['p'])})"
        )
    itself = by_name.get("unequal runs")
    repeated = "" if itself is None else f" (two runs differ on {100 * itself['value']:.1f}%)"
    parts.append(f"{100 * changed['value']:.1f}% of verdicts have changed{repeated}")
    return "; ".join([*parts, *filter(None, [changed["remark"]])])
