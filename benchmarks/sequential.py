"""python -m benchmarks.sequential: how often sequential tests claim a difference that does not exist, how much they
save, whether plans have the power that they promise, and how often gates fail identical systems.

    python -m benchmarks.sequential [--part false | worlds | savings | judges | plans | gates] [--runs 1000]

    false     WMT24 (ESA, en-hi and en-cs): differences of real pairs of systems with random signs
    worlds    the same on scores that are made up: unequal noise, ties, missing scores, few units, documents
    savings   WMT24, all pairs: which decisions of the test on all units each engine makes, and with how many units
    judges    LLMBar: the same for 15 judges and prompts, right or wrong on each item
    plans     nine settings: the power of the planned number of segments, for one test and for planned looks
    gates     binary answers to items of different difficulty: verdicts without a difference and with 5 points less

Print the tables of docs/statistics/sequential.md and planning.md. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

import nlgauge
from benchmarks.workloads import rows_of
from nlgauge.metric import Output, Takes, View
from nlgauge.metric.mean import MeanMetric, values_and_defined
from nlgauge.metric.table import Table
from nlgauge.results.gate import Change, Margin, Rule, verdicts
from nlgauge.results.plans.plan import INFLATION
from nlgauge.stats.corrections import two_sided
from nlgauge.stats.sample_size import Spread, Target
from nlgauge.stats.sequential.anytime import log_e_mixture, log_e_of_set, log_e_signs, robbins
from nlgauge.stats.sequential.planned import PlannedLooks
from nlgauge.stats.sequential.spending import look_sizes
from nlgauge.stats.units import Clusters

# The number of swap vectors of `PlannedLooks`.
SWAPS, ALPHA = 5000, 0.05
LIMIT = -math.log(ALPHA)


class Units(NamedTuple):
    """Differences of units in the order of arrival, NaN if missing, their numbers of segments, and the bound of
    a segment's difference.
    """

    differences: np.ndarray
    sizes: np.ndarray
    bound: float

    def shuffled(self, rng: np.random.Generator) -> Units:
        order = rng.permutation(len(self.differences))
        return Units(self.differences[order], self.sizes[order], self.bound)

    def flipped(self, rng: np.random.Generator) -> Units:
        return self._replace(differences=self.differences * rng.choice([-1.0, 1.0], len(self.differences)))


class Drawn(Clusters):
    """Units with swaps that several tests share."""

    def __init__(self, swaps: np.ndarray) -> None:
        super().__init__(None, swaps.shape[1])
        self.drawn = swaps

    def swaps(self, resamples: int, seed: int) -> Iterator[np.ndarray]:
        yield self.drawn[:resamples]


def swaps_of(units: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(2, size=(SWAPS, units)).astype(np.float64)


# A test of units with shared swaps: the number of units used, and whether it decides.
Engine = Callable[[Units, np.ndarray], tuple[int, bool]]


def planned(spending: str, looks: int) -> Engine:
    def run(units: Units, swaps: np.ndarray) -> tuple[int, bool]:
        test = PlannedLooks(Drawn(swaps), looks=looks, spending=spending, resamples=SWAPS, alpha=ALPHA)
        test.__dict__["order"] = np.arange(len(units.differences))
        known = ~np.isnan(units.differences)
        sizes = np.where(known, units.sizes, 0.0)
        first = np.column_stack([np.where(known, units.differences, 0.0), sizes])
        second = np.column_stack([np.zeros(len(sizes)), sizes])
        while test.is_open:
            look = test.look(first, second, _mean, known)
        return look.units, bool(look.sign)

    return run


def _mean(sums: np.ndarray) -> np.ndarray:
    return sums[:, 0] / np.maximum(sums[:, 1], 1e-300)


def reached(log_e: np.ndarray) -> tuple[int, bool]:
    hits = np.flatnonzero(log_e >= LIMIT)
    return (int(hits[0]) + 1, True) if len(hits) else (len(log_e), False)


def scaled(units: Units) -> np.ndarray:
    return np.nan_to_num(units.differences) / (units.bound * units.sizes.max())


def mixture(units: Units, _: np.ndarray) -> tuple[int, bool]:
    return reached(log_e_mixture(scaled(units)))


def signs(units: Units, _: np.ndarray) -> tuple[int, bool]:
    return reached(log_e_signs(np.nan_to_num(units.differences)))


def of_set(units: Units, _: np.ndarray) -> tuple[int, bool]:
    return reached(log_e_of_set(scaled(units), len(units.differences)))


def asymptotic(units: Units, _: np.ndarray) -> tuple[int, bool]:
    low, high = robbins(np.nan_to_num(units.differences))
    hits = np.flatnonzero((low > 0) | (high < 0))
    return (int(hits[0]) + 1, True) if len(hits) else (len(low), False)


def uncorrected(looks: int) -> Engine:
    """The usual t test at each look, as if it were the only one."""

    def run(units: Units, _: np.ndarray) -> tuple[int, bool]:
        values = np.nan_to_num(units.differences)
        for size in look_sizes(len(values), looks):
            part = values[:size]
            if size >= 10 and abs(part.mean()) > 1.96 * part.std(ddof=1) / math.sqrt(size) > 0:
                return size, True
        return len(values), False

    return run


def at_once(units: Units, swaps: np.ndarray) -> tuple[int, bool]:
    """The test of all units."""
    values = np.nan_to_num(units.differences)
    null = (1 - 2 * swaps) @ values
    largest = max(1e-300, float(np.abs(null).max()), abs(float(values.sum())))
    p = two_sided(np.array([values.sum() / largest]), null[:, None] / largest, len(values))
    return len(values), bool(p[0] <= ALPHA)


ENGINES: dict[str, Engine] = {
    "planned looks, t2, 20 looks": planned("t2", 20),
    "planned looks, O'Brien-Fleming, 20 looks": planned("obf", 20),
    "planned looks, O'Brien-Fleming, 5 looks": planned("obf", 5),
    "e-process, mixture": mixture,
    "asymptotic sequence": asymptotic,
}


def translations(pairs: Sequence[str]) -> Iterator[dict[str, Units]]:
    """Differences of every pair of systems, by segment and by document."""
    for language in pairs:
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        document = {}
        for row in rows_of("wmt24_esa"):
            if row["meta"]["lp"] == language:
                scores[row["system"]][row["segment"]] = row["human"]["esa"] / 100
                document[row["segment"]] = row["meta"]["document"]
        segments = sorted(document)
        owners = np.unique([document[segment] for segment in segments], return_inverse=True)[1]
        table = {system: np.array([of[segment] for segment in segments]) for system, of in scores.items()}
        for one, other in combinations(sorted(table), 2):
            d = table[one] - table[other]
            yield {
                "segments": Units(d, np.ones(len(d)), 1.0),
                "documents": Units(np.bincount(owners, d), np.bincount(owners).astype(float), 1.0),
            }


def share(hits: int, runs: int) -> str:
    return f"{hits / runs:.3f}"


def part_false(runs: int) -> None:
    pool, rng = list(translations(["en-hi", "en-cs"])), np.random.default_rng(11)
    engines = {**ENGINES, "t test at 20 looks, uncorrected": uncorrected(20)}
    print(f"| {runs} runs with random signs | segments | documents |\n|---|---|---|")
    hits: dict[str, list[int]] = {name: [0, 0] for name in engines}
    for run in range(runs):
        for place, kind in enumerate(("segments", "documents")):
            units = pool[run % len(pool)][kind].flipped(rng).shuffled(rng)
            swaps = swaps_of(len(units.differences), rng)
            for name, engine in engines.items():
                hits[name][place] += engine(units, swaps)[1]
    for name, counts in hits.items():
        print(f"| {name} | {' | '.join(share(count, runs) for count in counts)} |", flush=True)


def worlds(rng: np.random.Generator) -> dict[str, Units]:
    """Differences without a true difference, in several circumstances."""
    n, ones = 200, np.ones(200)
    level = rng.normal(0, 0.2, n)
    a = np.clip(0.5 + level + rng.normal(0, 0.05, n), 0, 1)
    noisy = 0.5 + level + 0.1 * (rng.exponential(1, n) - 1) * 2
    sizes = rng.integers(1, 12, 40).astype(float)
    owners = np.repeat(np.arange(40), sizes.astype(int))
    inside = np.clip(rng.normal(0, 0.2, 40)[owners] + rng.normal(0, 0.2, len(owners)), -1, 1)
    normal = np.clip(rng.normal(0, 0.3, n), -1, 1)
    return {
        "normal noise": Units(normal, ones, 1),
        "one system has four times the noise, skewed": Units(np.clip(noisy - a, -1, 1), ones, 1),
        "80% ties, else a win or a loss": Units(rng.choice([-1.0, 0, 1], n, p=[0.1, 0.8, 0.1]), ones, 1),
        "20% of the scores are missing": Units(np.where(rng.random(n) < 0.2, np.nan, normal), ones, 1),
        "25 units": Units(normal[:25], ones[:25], 1),
        "40 documents of 1 to 11 segments": Units(np.bincount(owners, inside), sizes, 1),
    }


def part_worlds(runs: int) -> None:
    rng = np.random.default_rng(12)
    hits: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(ENGINES, 0))
    for _ in range(runs):
        for world, units in worlds(rng).items():
            swaps = swaps_of(len(units.differences), rng)
            for name, engine in ENGINES.items():
                hits[world][name] += engine(units, swaps)[1]
    print(f"| {runs} runs without a difference | {' | '.join(ENGINES)} |\n|---|{'---|' * len(ENGINES)}")
    for world, counts in hits.items():
        print(f"| {world} | {' | '.join(share(count, runs) for count in counts.values())} |", flush=True)


def saved(pairs: Sequence[Units], engines: dict[str, Engine], rng: np.random.Generator) -> None:
    """Print the decisions and the units of each engine on real pairs."""
    outcomes: dict[str, list[tuple[bool, bool, float]]] = defaultdict(list)
    for pair in pairs:
        units = pair.shuffled(rng)
        swaps = swaps_of(len(units.differences), rng)
        decides = at_once(units, swaps)[1]
        for name, engine in engines.items():
            used, decided = engine(units, swaps)
            outcomes[name].append((decides, decided, used / len(units.differences)))
    for name, rows in outcomes.items():
        table = np.array(rows, dtype=float)
        full = table[:, 0] == 1
        numbers = (table[full, 1].mean(), table[full, 2].mean(), table[:, 2].mean())
        print(f"| {name} | {' | '.join(f'{number:.3f}' for number in numbers)} |", flush=True)
    print(f"({len(pairs)} pairs, of which the test of all units decides {full.mean():.3f})")


HEADINGS = "| engine | decides, of what all units decide | units used then | units used, all pairs |\n|---|---|---|---|"


def part_savings(_: int) -> None:
    pool, rng = list(translations(["en-ja", "en-zh", "en-hi", "en-cs"])), np.random.default_rng(3)
    for kind in ("segments", "documents"):
        print(f"{kind}\n{HEADINGS}")
        saved([pair[kind] for pair in pool], {**ENGINES, "e-process, this set": of_set}, rng)


def part_judges(_: int) -> None:
    verdicts_of = {row["segment"]: row["verdicts"] for row in rows_of("llmbar.peer_metrics")}
    rows = [row for row in rows_of("llmbar") if row["meta"]["subset"].startswith(("Natural", "Adversarial"))]
    names = [
        f"{judge}.{prompt}"
        for judge in ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon")
        for prompt in ("Vanilla", "CoT", "Vanilla_NoRules")
    ]
    right = {}
    for name in names:
        replies = [verdicts_of.get(row["segment"], {}).get(name) for row in rows]
        labels = [str(row["meta"]["label"]) for row in rows]
        scores = [
            math.nan if reply is None else float(reply == label)
            for reply, label in zip(replies, labels, strict=True)
        ]
        if np.isfinite(scores).mean() > 0.9:
            right[name] = np.array(scores)
    pairs = []
    for one, other in combinations(right, 2):
        d = right[one] - right[other]
        d = d[np.isfinite(d)]
        pairs.append(Units(d, np.ones(len(d)), 1.0))
    print(HEADINGS)
    saved(pairs, {**ENGINES, "e-process, wins and losses": signs}, np.random.default_rng(8))


def part_plans(runs: int) -> None:
    rng = np.random.default_rng(5)
    print(
        "| sd items, answers, judge | answers x runs | segments | power | power, planned looks |\n|---|---|---|---|---|"
    )
    for sd in ((0.15, 0.20, 0.15), (0.30, 0.10, 0.10), (0.05, 0.30, 0.30)):
        for answers, judge_runs in ((1, 1), (3, 1), (2, 4)):
            target = Target(0.06)
            variance = Spread(*sd).variance(answers, judge_runs)
            units = target.units(variance)
            most = math.ceil(INFLATION * units)
            once = looks = 0
            for _ in range(runs):
                d = simulated(rng, sd, answers, judge_runs, most) + 0.06
                once += at_once(Units(d[:units], np.ones(units), 9), swaps_of(units, rng))[1]
                looks += ENGINES["planned looks, t2, 20 looks"](
                    Units(d, np.ones(most), 9), swaps_of(most, rng)
                )[1]
            numbers = f"{answers} x {judge_runs} | {units} | {share(once, runs)} | {share(looks, runs)}"
            print(f"| {', '.join(map(str, sd))} | {numbers} |", flush=True)


def simulated(
    rng: np.random.Generator, sd: tuple[float, float, float], answers: int, runs: int, units: int
) -> np.ndarray:
    """Differences of items between the means of answers and judge runs."""
    noise = [
        (
            rng.normal(0, sd[1], (units, answers)) + rng.normal(0, sd[2], (units, answers, runs)).mean(axis=2)
        ).mean(axis=1)
        for _ in range(2)
    ]
    return rng.normal(0, sd[0], units) + noise[1] - noise[0]


@dataclass(frozen=True)
class Right(MeanMetric):
    """The share of right answers to an item."""

    name: ClassVar[str] = "right"
    takes: ClassVar[Takes] = "alone"

    def measures(self) -> tuple[Output, ...]:
        return (Output("right", True, 0, 1),)

    def values(self, view: View) -> np.ndarray:
        return np.zeros((len(view), 1))


def part_gates(runs: int) -> None:
    rng = np.random.default_rng(4)
    runs = max(1, runs // 3)
    change, rule = Change.read("right drops"), Rule(margins=(Margin(0.05),))
    print(
        f"({runs} runs)\n| segments x repeats | true drop | any drop fails | 2 points fail | fail / inconclusive / pass |"
    )
    print("|---|---|---|---|---|")
    for items, repeats in ((50, 1), (200, 1), (200, 4), (1000, 1)):
        texts = [f"{number}" for number in range(items)]
        template = nlgauge.score({"A": texts, "B": texts}, metrics=Right(), show_progress=False)
        for drop in (0.0, 0.05):
            words, fails = [], np.zeros(2)
            for _ in range(runs):
                chance = rng.beta(1.6, 0.8, items)
                sides = [rng.binomial(repeats, np.clip(chance - less, 0, 1)) / repeats for less in (0, drop)]
                gain = sides[1].mean() - sides[0].mean()
                fails += [gain < 0, gain <= -0.02 + 1e-9]
                tables = {
                    (system, "right"): Table(Right(), {"right": values_and_defined(side[:, None])})
                    for system, side in zip("AB", sides, strict=True)
                }
                result = replace(template, _tables=tables, _last=[])
                (outcome,), _ = verdicts(result, "A", ["B"], [change], [], rule, resamples=400)
                words.append(outcome.word)
            counts = " / ".join(
                share(words.count(word), runs) for word in ("failed", "inconclusive", "passed")
            )
            shares = " | ".join(share(int(count), runs) for count in fails)
            print(f"| {items} x {repeats} | {100 * drop:g} points | {shares} | {counts} |", flush=True)


PARTS = {
    "false": part_false,
    "worlds": part_worlds,
    "savings": part_savings,
    "judges": part_judges,
    "plans": part_plans,
    "gates": part_gates,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    for name, part in PARTS.items():
        if options.part in (None, name):
            print(f"\n{name}\n", flush=True)
            part(options.runs)


if __name__ == "__main__":
    main()
