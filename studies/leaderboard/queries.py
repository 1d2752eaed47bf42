"""Queries of the evidence, which the sentences of pages come from.

A template has queries in double braces. Some print what they find:

    {{summeval; chrf; input}}                   the agreement with its interval; a sample is summeval-8; a fourth field
                                                names another human dimension
    {{part; hats; eed; all agree}}              the share of pairs in the order of people in a part, in percent
    {{ties; hats; eed; all agree}}              the share of ties of the metric there
    {{untied; hats; eed; all agree}}            the share of the pairs that it does not tie in the order of people
    {{also; wmt24_esa.en-ja; chrf; spa}}        a further coefficient
    {{pairs; summeval; system}}                 how many of all pairs of metrics differ significantly
    {{planned; summeval; input; random numbers}}   how many metrics are significantly better, planned comparisons
    {{advice; translation; lang=en; want=...}}  the metrics that `nlgauge choose` recommends

Others print nothing and fail unless they are true, so that a sentence cannot outlive its facts:

    {{? beats; summeval; input; chrf; wer}}     the first metric is significantly better, after correction for all pairs
    {{? equal; summeval; input; chrf; bleu}}    neither is
    {{? above; summeval; input; chrf; bleu}}    the first is significantly better in the planned comparisons
    {{? higher; summeval; chrf; input; wer}}    its value is higher; with a number, higher than the number
    {{? lower; summeval; wer; input; 0.1}}      its value is lower
    {{? first; hats; input; eed}}               no metric with a direction has a higher value
    {{? none beats; hanna; input; length in words}}   no metric is significantly better than it
    {{? notices; demetr; eed; minor; chrf}}     its share of a part is higher
    {{? few pairs; summeval; system; 0.05}}     the share of pairs that differ significantly is at most the number
    {{? few better; summeval; input; bleu; 0.5}}    the share of metrics that beat it in planned comparisons is
    {{? planned finds more; summeval; input}}   more metrics beat random numbers there than after correction for all pairs
    {{? advises; speech; eed; lang=fr}}         `nlgauge choose` recommends the metric
    {{? refuses; stories}}                      `nlgauge choose` recommends nothing
    {{? all below; bagel; global; 0.3}}         every metric with a direction has a lower value
    {{? zero; summeval-3; input; chrf}}         its interval contains 0
    {{? ends below; wmt17_da_seg-6; global; pairwise; 0.5}}   its interval ends below the number
    {{? wide; realsumm-8; input; 0.4}}          some interval of the table is at least as wide as the number
    {{? dearer; wmt17_da_seg-20; gptscore; chrf; 15}}   it costs at least that many times as much as the other metric
    {{? tested; test_name}}                     a test of tests/studies measures it

Several facts are joined by `&`, `not` negates one, and {{note}} marks a sentence without a fact that could change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from studies.leaderboard.comparisons import RANDOM

TESTS = Path(__file__).parents[2] / "tests" / "studies"
TEXTS = {"input": "texts", "global": "texts", "system": "systems"}
LEAST_DEFINED = 0.8


class Queries:
    """The queries of one record of evidence."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._sets: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._main: dict[str, str] = {}
        for one in [*record["sets"], *record["others"]]:
            name = one["benchmark"] if one["sample"] is None else f"{one['benchmark']}-{one['sample']}"
            self._main.setdefault(name, one["dimension"])
            self._sets[name, one["dimension"]] = one

    def filled(self, text: str) -> str:
        """Return a template with what its queries find; raise InputError if a fact no longer holds."""
        text = re.sub(r"\s*\{\{(\?.*?|note)\}\}", lambda place: self._checked(place[1]), text, flags=re.S)
        return re.sub(r"\{\{(.+?)\}\}", lambda place: self._printed(_fields(place[1])), text, flags=re.S)

    def _checked(self, query: str) -> str:
        if query != "note":
            for fact in query[1:].split("&"):
                words = " ".join(fact.split())
                asked = words.removeprefix("not ")
                if self.holds(_fields(asked)) == (asked != words):
                    raise InputError(
                        f"the evidence says otherwise than the sentence with the fact {words!r}; write the sentence anew."
                    )
        return ""

    def holds(self, fields: list[str]) -> bool:
        """Return whether a fact is true."""
        kind, *rest = fields
        if kind in ("advises", "refuses"):
            advised = _advised(rest[:1] + rest[2 if kind == "advises" else 1 :])
            return rest[1] in advised if kind == "advises" else not advised
        if kind == "tested":
            return any(f"def {rest[0]}(" in path.read_text("utf-8") for path in TESTS.glob("test_*.py"))
        if kind == "notices":
            table, metric, part, other = rest
            return bool(self._entry(table, metric)["parts"][part] > self._entry(table, other)["parts"][part])
        if kind == "dearer":
            table, metric, other, factor = rest
            own, cheap = (self._entry(table, label)["seconds"] for label in (metric, other))
            return bool(own >= float(factor) * cheap)
        if kind == "all below":
            return all(one["value"] < float(rest[2]) for one in self._directed(*rest[:2]).values())
        if kind == "wide":
            intervals = [one for one in self._values(*rest[:2]).values() if "low" in one]
            return any(one["high"] - one["low"] >= float(rest[2]) for one in intervals)
        if kind in ("few pairs", "few better"):
            found, of = self._pairs(*rest[:2]) if kind == "few pairs" else self._better(*rest[:3])
            return found <= float(rest[-1]) * of
        if kind == "planned finds more":
            table, level = rest
            every = [RANDOM in one["beats"] for one in self._values(table, level).values() if "beats" in one]
            return self._better(table, level, RANDOM)[0] > sum(every)
        if kind in ("higher", "lower"):
            table, metric, level = rest[:3]
            dimension = rest[4] if len(rest) > 4 else None
            own, other = self._value(table, metric, level, dimension), rest[3]
            bound = float(other) if _is_number(other) else self._value(table, other, level, dimension)
            return own > bound if kind == "higher" else own < bound
        table, level, metric = rest[:3]
        values = self._values(table, level)
        if kind == "first":
            return all(
                values[metric]["value"] >= each["value"] for each in self._directed(table, level).values()
            )
        if kind == "none beats":
            return bool(values[metric]["unbeaten"])
        if kind == "zero":
            return bool(values[metric]["low"] <= 0 <= values[metric]["high"])
        if kind == "ends below":
            return bool(values[metric]["high"] < float(rest[3]))
        key = "above" if kind == "above" else "beats"
        if kind == "equal":
            return rest[3] not in values[metric]["beats"] and metric not in values[rest[3]]["beats"]
        if kind not in ("beats", "above"):
            raise InputError(f"unknown kind of fact {kind!r}; see studies/leaderboard/queries.py.")
        return rest[3] in values[metric][key]

    def _printed(self, fields: list[str]) -> str:
        kind, *rest = fields
        if kind == "pairs":
            return "{:,} of {:,}".format(*self._pairs(*rest))
        if kind == "planned":
            return "{} of {}".format(*self._better(*rest))
        if kind in ("part", "ties", "untied"):
            right, ties = self._entry(*rest[:2])["parts"][rest[2]]
            share = right / (1 - ties) if kind == "untied" else ties if kind == "ties" else right
            return f"{100 * share:.1f}%"
        if kind == "also":
            return f"{self._entry(*rest[:2])['also'][rest[2]]:.3f}"
        if kind == "advice":
            return ", then ".join(f"`{label}`" for label in _advised(rest)) or "none"
        return self._agreement(kind, *rest)

    def _pairs(self, table: str, level: str) -> tuple[int, int]:
        """Return how many pairs differ significantly, and of how many."""
        tested = [one["beats"] for one in self._values(table, level).values() if "beats" in one]
        return sum(map(len, tested)), len(tested) * (len(tested) - 1) // 2

    def _better(self, table: str, level: str, other: str) -> tuple[int, int]:
        """Return how many metrics beat another in the planned comparisons, and of how many."""
        values = self._values(table, level).items()
        tested = [other in one["above"] for label, one in values if "above" in one and label != other]
        return sum(tested), len(tested)

    def _agreement(self, table: str, metric: str, level: str, dimension: str | None = None) -> str:
        one = self._entry(table, metric, dimension)[TEXTS[level]]
        shown = f"{one['value']:.2f}"
        if "low" in one:
            shown += f" [{one['low']:.2f}, {one['high']:.2f}]"
        share = one.get("defined", 1.0)
        return shown if share >= LEAST_DEFINED else f"{shown} on {share:.0%} of inputs"

    def _set(self, table: str, dimension: str | None = None) -> Mapping[str, Any]:
        if table not in self._main:
            raise InputError(f"the evidence has no table {table!r}; it has {', '.join(self._main)}.")
        return self._sets[table, dimension or self._main[table]]

    def _entry(self, table: str, metric: str, dimension: str | None = None) -> Mapping[str, Any]:
        metrics = self._set(table, dimension)["metrics"]
        if metric not in metrics:
            raise InputError(f"the evidence on {table} has no metric {metric!r}.")
        entry: Mapping[str, Any] = metrics[metric]
        return entry

    def _value(self, table: str, metric: str, level: str, dimension: str | None = None) -> float:
        return float(self._entry(table, metric, dimension)[TEXTS[level]]["value"])

    def _values(self, table: str, level: str) -> dict[str, Mapping[str, Any]]:
        """Return the values of a table at a level that are defined on enough inputs."""
        return {
            label: entry[TEXTS[level]]
            for label, entry in self._set(table)["metrics"].items()
            if entry.get(TEXTS[level], {}).get("defined", 1.0) >= LEAST_DEFINED and TEXTS[level] in entry
        }

    def _directed(self, table: str, level: str) -> dict[str, Mapping[str, Any]]:
        metrics = self._set(table)["metrics"]
        return {
            label: one
            for label, one in self._values(table, level).items()
            if not metrics[label].get("undirected")
        }


def _fields(query: str) -> list[str]:
    return [" ".join(field.split()) for field in query.split(";")]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d*\.?\d+", text) is not None


def _advised(fields: list[str]) -> list[str]:
    """Return the metrics that `nlgauge choose` recommends: a task, then options such as have=source."""
    import nlgauge

    task, *options = fields
    named: dict[str, Any] = dict(option.split("=", 1) for option in options)
    for name, kind in (("budget", float), ("labels", int)):
        if name in named:
            named[name] = kind(named[name])
    if "have" in named:
        named["have"] = tuple(filter(None, named["have"].split(",")))
    return [advised.metric for advised in nlgauge.choose(task, **named).recommendations]
