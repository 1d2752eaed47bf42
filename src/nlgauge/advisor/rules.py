"""The rules of `choose`: from a question and the evidence to an advice.

docs/_static/choose.js has the same rules for the page of the documentation; a test compares both on 960 questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from nlgauge._core.numbers import part_of
from nlgauge.advisor.advice import Advice, Indicator, Recommendation, Separation
from nlgauge.advisor.evidence import Evidence, Row, Table, mean, median, relevant, rows_by_metric
from nlgauge.advisor.question import Question
from nlgauge.advisor.settings import (
    COUNTS_TIES,
    DEARER,
    DEARER_BY,
    DESCRIPTIVE,
    ENOUGH_LABELS,
    FAIR,
    FAMILIAR,
    FAR_BEHIND,
    FEWEST_LARGE_BENCHMARKS,
    FEWEST_SYSTEMS,
    GOOD,
    INDICATORS,
    LEAST_ABOVE,
    LEAST_COVERED,
    LEAST_IN_LANGUAGE,
    LENGTH,
    MOST_BEATEN,
    MOST_INDICATORS,
    MOST_RECOMMENDED,
    MOST_UNTESTED,
    NEAR,
    STRONG_SYSTEMS,
    USUAL,
    family,
    metric_name,
)


class Case(NamedTuple):
    """A question with its part of the evidence: the tables that answer it, and the rows of each metric."""

    question: Question
    evidence: Evidence
    tables: Sequence[Table]
    rows: Mapping[str, Sequence[Row]]

    @property
    def whole(self) -> list[Table]:
        """The tables of whole benchmarks."""
        return [table for table in self.tables if table.sample is None]

    def cost(self, label: str) -> float:
        """Return the CPU seconds per 1,000 texts of a metric; 0 if they were not measured."""
        return self.evidence.costs.get(label, 0.0)

    def is_directed(self, label: str) -> bool:
        """Return whether high or low values of a metric are better."""
        return not any(table.metrics.get(label, {}).get("undirected") for table in self.tables)

    def can_compute(self, label: str) -> bool:
        """Return whether the inputs and the language of the question suffice for a metric."""
        needs, question = self.evidence.needs[label], self.question
        return (
            (not needs["references"] or "references" in question.have)
            and (not needs["source"] or "source" in question.have)
            and (needs["languages"] == "any" or question.lang in needs["languages"])
            and question.lang not in needs["unsplit"]
        )

    def fits(self, label: str, table: Table) -> bool:
        """Return whether a benchmark has references, or a metric reads none."""
        needs = self.evidence.needs
        return not needs[label]["references"] or any(
            needs[other]["references"] for other in table.metrics if other in needs
        )

    def can_use(self, label: str) -> bool:
        """Return whether the user can compute a metric within the budget."""
        return self.can_compute(label) and self.cost(label) <= self.question.budget


def advise(question: Question, evidence: Evidence) -> Advice:
    """Answer a question: at most three metrics with their evidence, or a refusal with its reason."""
    tables = relevant(evidence.tables, question.task, question.want, "texts", question.lang)
    if not tables:
        return Advice(question, unknown=(_no_benchmark(question, evidence),), next=_next(question))
    level, reasons = "texts", []
    if question.level == "systems":
        large = _large(relevant(evidence.tables, question.task, question.want, "systems", question.lang))
        level, tables = ("systems", large) if large else (level, tables)
        reasons = [] if large else [_few_systems(question)]
    case = Case(question, evidence, tables, rows_by_metric(tables, level))
    reasons += _of_language(case)
    best = best_values(case, level)
    picked = pick(case, scores(case))
    advice = Advice(
        question,
        verdict(case, best) if picked else "none",
        separated([_recommendation(case, label, score) for label, score in picked], tables, level),
        indicators(case, best),
        next=_next(question),
    )
    if length := unbeaten_length(evidence, question, level):
        advice = replace(advice, verdict="none", recommendations=())
        reasons.append(length)
    elif not picked:
        reasons.append(
            "no metric that you can compute is shown to agree with people better than the controls"
        )
    reasons += [*_narrow(case), *_newest(case, best), *_untested(case)]
    return replace(advice, never_alone=never_alone(case, advice), unknown=tuple(reasons))


def _large(tables: Sequence[Table]) -> list[Table]:
    """Return the tables of benchmarks with many systems; none if too few benchmarks have them."""
    large = [table for table in tables if table.systems >= FEWEST_SYSTEMS]
    return large if len({table.benchmark for table in large}) >= FEWEST_LARGE_BENCHMARKS else []


def scores(case: Case) -> dict[str, float]:
    """Return the score of each candidate: its mean gain on the task, shrunk toward its mean gain on all tasks.

    A candidate was scored on most benchmarks of the task that have what it reads, and is shown to be above the controls
    on half of those that have its scores.
    """
    candidates = {}
    for label, rows in case.rows.items():
        covered = {row.benchmark for row in rows}
        benchmarks = {table.benchmark for table in case.whole if case.fits(label, table)}
        if (
            case.can_use(label)
            and case.is_directed(label)
            and family(label) not in DESCRIPTIVE
            and len(covered) >= LEAST_COVERED * len(benchmarks)
            and mean(row.above for row in rows) >= LEAST_ABOVE
        ):
            weight = len(covered) / (len(covered) + 1)
            gain = mean(row.gain for row in rows)
            candidates[label] = weight * gain + (1 - weight) * case.evidence.gains.get(label, gain)
    return candidates


def pick(case: Case, candidates: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the recommended metrics with their scores: one per family, three at most.

    Metrics with weights follow the others unless they have earned their place. A metric after the first is dropped if
    it is often beaten or far behind, and a third metric also if it is not above the first two on any benchmark.
    """
    order = sorted(candidates, key=lambda label: (not has_earned(case, label), -candidates[label]))
    families: dict[str, list[str]] = {}
    for label in order:
        families.setdefault(family(label), []).append(label)
    leaders = [representative(case, members, candidates) for members in families.values()][:MOST_RECOMMENDED]
    picked = leaders[:1] + [
        label
        for label in leaders[1:]
        if beaten_share(case.rows[label]) < MOST_BEATEN
        and candidates[leaders[0]] - candidates[label] < FAR_BEHIND
    ]
    if len(picked) > 2 and not is_above(case, picked[2], picked[:2]):
        del picked[2]
    return [(label, candidates[label]) for label in picked]


def has_earned(case: Case, label: str) -> bool:
    """Return whether a metric needs no weights, or is not beaten in a table in which chrF is."""
    return not case.evidence.needs[label]["weights"] or any(
        row.unbeaten is True and row.anchor_unbeaten is False for row in case.rows[label]
    )


def representative(case: Case, members: Sequence[str], candidates: Mapping[str, float]) -> str:
    """Return the best metric of a family, or a metric near it that is as seldom beaten, well known and cheap."""
    best = members[0]
    near = [
        label
        for label in members
        if candidates[best] - candidates[label] <= NEAR
        and has_earned(case, label) >= has_earned(case, best)
        and beaten_share(case.rows[label]) <= beaten_share(case.rows[best])
    ]
    limit = DEARER * min(map(case.cost, near)) + DEARER_BY
    return min(near, key=lambda label: (label not in FAMILIAR, case.cost(label) > limit, -candidates[label]))


def beaten_share(rows: Sequence[Row]) -> float:
    """Return the share of rows in which another metric is significantly better."""
    return mean(row.unbeaten is False for row in rows)


def is_above(case: Case, label: str, others: Sequence[str]) -> bool:
    """Return whether a metric gains more than all others on any benchmark that they share."""
    gains = [{row.place: row.gain for row in case.rows[each]} for each in (label, *others)]
    shared = set(gains[0]).intersection(*gains[1:])
    return any(gains[0][place] > max(gain[place] for gain in gains[1:]) for place in shared)


def _recommendation(case: Case, label: str, score: float) -> Recommendation:
    rows = case.rows[label]
    tested = [row.unbeaten for row in rows if row.unbeaten is not None]
    return Recommendation(
        label, family(label), case.cost(label), score, sum(tested), len(tested), tuple(rows)
    )


def separated(
    recommendations: Sequence[Recommendation], tables: Sequence[Table], level: str
) -> tuple[Recommendation, ...]:
    """Return the recommendations, each with the metrics before it from which the evidence does (not) separate it."""
    marked = []
    for at, advised in enumerate(recommendations):
        earlier = [before.metric for before in recommendations[:at]]
        wins = [win for other in earlier for win in _wins(advised.metric, other, tables, level)]
        distinct = {metric for win in wins for metric in (win.better, win.worse)}
        unseparated = tuple(other for other in earlier if other not in distinct)
        marked.append(replace(advised, not_separated=unseparated, separated=tuple(wins)))
    return tuple(marked)


def _wins(label: str, other: str, tables: Sequence[Table], level: str) -> Iterator[Separation]:
    """Yield the tables in which one of two metrics is significantly better than the other."""
    for table in tables:
        values = table.values(level)
        for better, worse in ((label, other), (other, label)):
            if better in values and worse in values[better].get("beats", ()):
                yield Separation(better, worse, table.benchmark, table.sample)


def best_values(case: Case, level: str) -> dict[tuple[str, str], float]:
    """Return the best value of a metric with a direction that the user can use, by benchmark and dimension."""
    return {
        (table.benchmark, table.dimension): max(
            (
                row.value
                for label, row in table.rows(level)
                if case.is_directed(label) and case.can_use(label)
            ),
            default=0.0,
        )
        for table in case.whole
    }


def indicators(case: Case, best: Mapping[tuple[str, str], float]) -> tuple[Indicator, ...]:
    """Return metrics of the source without a direction that agree more strongly than the best metric with one."""
    shown = []
    for label, rows in case.rows.items():
        if metric_name(label) in INDICATORS and not case.is_directed(label) and case.can_use(label):
            strong = tuple(
                row
                for row in rows
                if row.sample is None
                and row.coefficient != COUNTS_TIES
                and abs(row.value) > max(best.get(row.place, 0.0), FAIR)
                and row.low is not None
                and row.high is not None
                and row.low * row.high > 0
            )
            shown += [Indicator(label, INDICATORS[metric_name(label)], strong)] if strong else []
    shown.sort(key=lambda indicator: -abs(indicator.evidence[0].value))
    return tuple(shown[:MOST_INDICATORS])


def verdict(case: Case, best: Mapping[tuple[str, str], float]) -> str:
    """Return how strongly the best metrics agree with people: the median over benchmarks and dimensions."""
    middle = median(best.values())
    word = "good" if middle >= GOOD else "fair" if middle >= FAIR else "weak"
    return "fair" if word == "good" and newest_best(case, best) < STRONG_SYSTEMS else word


def newest_best(case: Case, best: Mapping[tuple[str, str], float]) -> float:
    """Return the best value on the newest systems."""
    newest = max(table.year for table in case.tables)
    values = [best[table.benchmark, table.dimension] for table in case.whole if table.year == newest]
    return max(values, default=1.0)


def unbeaten_length(evidence: Evidence, question: Question, level: str) -> str:
    """Return a refusal if no metric beats the number of words in any table of the task; otherwise nothing."""
    lengths = [
        values[LENGTH]
        for table in evidence.tables
        if table.task == question.task and table.sample is None
        if "unbeaten" in (values := table.values(level)).get(LENGTH, {})
    ]
    if not all(value["unbeaten"] for value in lengths) or not any(
        value.get("low", 0) > 0 for value in lengths
    ):
        return ""
    first = lengths[0]
    return (
        "no metric is shown to agree with people better than the number of words"
        f" ({first['value']:.2f} [{first['low']:.2f}, {first['high']:.2f}])"
    )


def never_alone(case: Case, advice: Advice) -> tuple[str, ...]:
    """Return the usual metrics that are often beaten, or seldom shown above the controls."""
    shown = [advised.metric for advised in advice.recommendations] + [
        each.metric for each in advice.indicators
    ]
    advised = set(map(metric_name, shown))
    return tuple(name for name in USUAL if name not in advised and is_weak(case, name))


def is_weak(case: Case, name: str) -> bool:
    """Return whether each output of a usual metric is often beaten, or each is seldom above the controls."""
    outputs = [rows for label, rows in case.rows.items() if metric_name(label) == name]
    return (
        bool(outputs)
        and case.can_compute(name)
        and (
            all(beaten_share(rows) >= MOST_BEATEN for rows in outputs)
            or all(mean(row.above for row in rows) < LEAST_ABOVE for rows in outputs)
        )
    )


def _no_benchmark(question: Question, evidence: Evidence) -> str:
    tasks = sorted({table.task for table in evidence.tables})
    return (
        f"no benchmark of the leaderboard judges {question.want} for {question.task};"
        f" tasks with evidence: {', '.join(tasks)}"
    )


def _few_systems(question: Question) -> str:
    return (
        f"fewer than {FEWEST_LARGE_BENCHMARKS} benchmarks of {question.task} have {FEWEST_SYSTEMS} systems or more,"
        " so system-level tables hardly separate metrics; this advice uses segment-level evidence"
    )


def _of_language(case: Case) -> Iterator[str]:
    """Yield the limits of evidence from other languages, and of metrics in a language without spaces."""
    lang = case.question.lang
    languages = {table.benchmark: table.languages for table in case.tables}
    count = sum(lang in codes for codes in languages.values())
    if count == 0:
        codes = sorted({code for codes in languages.values() for code in codes})
        yield f"no benchmark has texts in {lang!r}; the evidence is from {', '.join(codes)}"
    elif count < LEAST_IN_LANGUAGE * len(languages):
        yield f"only {part_of(count, len(languages), 'benchmark', 'have texts')} in {lang!r}"
    unsplit = [name for name in USUAL if lang in case.evidence.needs[name]["unsplit"]]
    if unsplit:
        yield f"{lang!r} has no spaces between words, and these metrics treat whole sentences as words: {', '.join(unsplit)}"


def _narrow(case: Case) -> Iterator[str]:
    """Yield the limits of evidence from a single benchmark, or without tests of metrics against each other."""
    benchmarks = {table.benchmark for table in case.tables}
    if len(benchmarks) == 1:
        yield f"all evidence is from one benchmark, {benchmarks.pop()}"
    if all(row.unbeaten is None for rows in case.rows.values() for row in rows):
        yield f"metrics were not tested against each other on {case.question.want}; they are ordered only by their values"


def _newest(case: Case, best: Mapping[tuple[str, str], float]) -> Iterable[str]:
    year, value = max(table.year for table in case.tables), newest_best(case, best)
    yield f"the newest systems judged are of {year}"
    if value < STRONG_SYSTEMS:
        yield (
            f"on the systems of {year} no metric has an agreement above {value:.2f}: these metrics cannot"
            " distinguish strong systems"
        )


def _untested(case: Case) -> list[str]:
    """Return the metrics with weights that were not tested on the task, although the user has their inputs."""
    tested = {metric_name(label) for label in case.rows}
    names = [
        name
        for name, needs in case.evidence.needs.items()
        if name == metric_name(name) and needs["weights"] and name not in tested and case.can_compute(name)
    ]
    more = ", ..." if len(names) > MOST_UNTESTED else ""
    return [f"no evidence on this task for: {', '.join(names[:MOST_UNTESTED])}{more}"] if names else []


def _next(question: Question) -> str:
    missing = ENOUGH_LABELS - question.labels
    first = (
        f"label {missing} {'more ' if question.labels else ''}texts and run"
        if missing > 0
        else "run on your labels"
    )
    return f"{first}: nlgauge meta FILE --human COLUMN -m METRIC..."
