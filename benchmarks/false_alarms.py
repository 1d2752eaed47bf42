"""python -m benchmarks.false_alarms: how often compare, check and --until-sure claim a difference that does not exist,
on real scores, and whether their intervals hold the true difference.

    python -m benchmarks.false_alarms [--part equal | family | rank | different] [--runs 1000] [--world NAME]

    equal       systems without a difference: sides of real pairs are exchanged at random by segment or document, two
                people rate the same text, or one system is shifted to the mean of the other (unequal noise)
    family      three equal systems and four scores: is any of the eight comparisons with the baseline significant?
    rank        five equal systems: verdicts on 120 segments from real scores, do any two systems differ?
    different   segments drawn from real pairs of systems, whose difference on all segments is the truth

Real scores: WMT24 (ESA, en-hi and en-cs), 15 judges and prompts on LLMBar, and five crowd workers per text of SummEval.
Every run calls `Result.compare`, the verdicts of `nlgauge check` and `Scorer.score_until_sure` as a user does. Seeds are
fixed. Prints the tables of docs/statistics/false-alarms.md.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

import nlgauge
from benchmarks.workloads import rows_of
from nlgauge.corpus import Corpus
from nlgauge.features import RunOptions
from nlgauge.metric import Output, Takes, View
from nlgauge.metric.mean import MeanMetric
from nlgauge.preferences import rank
from nlgauge.results.asking import Sure
from nlgauge.results.gate import Change, Margin, Rule, verdicts
from nlgauge.results.result import Result

ALPHA, SEGMENTS = 0.05, 200


@dataclass(frozen=True)
class Rating(MeanMetric):
    """A number in the prediction, which is a line of numbers; "?" is an unreadable reply."""

    column: int = 0
    name: ClassVar[str] = "rating"
    takes: ClassVar[Takes] = "alone"
    # A metric with a judge is asked about one look at a time.
    judge: ClassVar[None] = None

    def measures(self) -> tuple[Output, ...]:
        return (Output("rating", True, -2, 2),)

    def values(self, view: View) -> np.ndarray:
        words = [view.text(prediction).split()[self.column] for prediction in view.predictions.tolist()]
        return np.array([[math.nan if word == "?" else float(word)] for word in words])


class Sample(NamedTuple):
    """Scores (systems, segments, columns), NaN if missing, and the document of each segment or None."""

    scores: np.ndarray
    documents: Sequence[str] | None = None

    def corpus(self) -> Corpus:
        texts = {
            name: [" ".join("?" if math.isnan(x) else f"{x:.6f}" for x in row) for row in rows]
            for name, rows in zip("ABC", self.scores.tolist(), strict=False)
        }
        return Corpus.read(texts, documents=self.documents)


class Pair(NamedTuple):
    """Scores of two real systems by segment, and the document of each segment."""

    scores: np.ndarray
    documents: np.ndarray


Draw = Callable[[np.random.Generator], Sample]


@cache
def translations() -> list[Pair]:
    """WMT24: every pair of systems of en-hi and en-cs, ESA scores from 0 to 1."""
    pairs = []
    for language in ("en-hi", "en-cs"):
        table, owners = _table(language)
        pairs += [Pair(table[[one, other]], owners) for one, other in combinations(range(len(table)), 2)]
    return pairs


def _table(language: str) -> tuple[np.ndarray, np.ndarray]:
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    document = {}
    for row in rows_of("wmt24_esa"):
        if row["meta"]["lp"] == language:
            scores[row["system"]][row["segment"]] = row["human"]["esa"] / 100
            document[row["segment"]] = row["meta"]["document"]
    segments = sorted(document)
    owners = np.unique([document[segment] for segment in segments], return_inverse=True)[1]
    return np.array([[scores[system][segment] for segment in segments] for system in sorted(scores)]), owners


@cache
def judges() -> list[Pair]:
    """LLMBar: every pair of 15 judges and prompts, 1 if the verdict is right."""
    rows = [row for row in rows_of("llmbar") if row["meta"]["subset"].startswith(("Natural", "Adversarial"))]
    replies = {row["segment"]: row["verdicts"] for row in rows_of("llmbar.peer_metrics")}
    right = {}
    for judge in ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon"):
        for prompt in ("Vanilla", "CoT", "Vanilla_NoRules"):
            given = [replies.get(row["segment"], {}).get(f"{judge}.{prompt}") for row in rows]
            labels = [str(row["meta"]["label"]) for row in rows]
            right[judge, prompt] = np.array(
                [
                    math.nan if reply is None else float(reply == label)
                    for reply, label in zip(given, labels, strict=True)
                ]
            )
    pairs = []
    for one, other in combinations(right, 2):
        both = np.stack([right[one], right[other]])
        both = both[:, np.isfinite(both).all(axis=0)]
        if both.shape[1] >= SEGMENTS:
            pairs.append(Pair(both, np.arange(both.shape[1])))
    return pairs


@cache
def ratings() -> tuple[np.ndarray, np.ndarray]:
    """SummEval: five crowd workers' ratings (texts, dimensions, workers) from 0 to 1, and the article of each text."""
    found = [
        (row["segment"], [of for _, of in sorted(row["human_raw"]["turker"].items())])
        for row in rows_of("summeval")
        if "turker" in row["human_raw"]
    ]
    values = (np.array([of for _, of in found], dtype=float) - 1) / 4
    return values, np.unique([segment for segment, _ in found], return_inverse=True)[1]


def exchanged(pairs: Sequence[Pair], rng: np.random.Generator, segments: int, gaps: bool = False) -> Sample:
    """Segments of a real pair, with the two sides exchanged at random, so that no difference exists."""
    pair = pairs[rng.integers(len(pairs))]
    chosen = rng.choice(pair.scores.shape[1], segments, replace=False)
    swap = rng.random(segments) < 0.5
    scores = np.where(swap, pair.scores[::-1, chosen], pair.scores[:, chosen])
    if gaps:
        scores = np.where(rng.random(scores.shape) < [[0.05], [0.2]], math.nan, scores)
    return Sample(scores[..., None])


def exchanged_documents(rng: np.random.Generator) -> Sample:
    """All segments of a real pair, with the sides exchanged at random by document."""
    pair = translations()[rng.integers(len(translations()))]
    swap = (rng.random(pair.documents.max() + 1) < 0.5)[pair.documents]
    scores = np.where(swap, pair.scores[::-1], pair.scores)
    return Sample(scores[..., None], [f"{document}" for document in pair.documents])


def unequal_noise(rng: np.random.Generator) -> Sample:
    """Segments drawn from the ten pairs with the most unequal variances, shifted to equal means: no difference, but
    the scores of a segment cannot be exchanged.
    """
    pair = _uneven()[rng.integers(10)]
    chosen = rng.integers(pair.scores.shape[1], size=SEGMENTS)
    centered = pair.scores - pair.scores.mean(axis=1, keepdims=True)
    scores = centered[:, chosen]
    return Sample(scores[::-1, :, None] if rng.random() < 0.5 else scores[..., None])


@cache
def _uneven() -> list[Pair]:
    def ratio(pair: Pair) -> float:
        spread = pair.scores.std(axis=1)
        return float(spread.max() / spread.min())

    return sorted(translations(), key=ratio)[-10:]


def raters(rng: np.random.Generator, count: int = 2, dimensions: int = 1) -> Sample:
    """Ratings of the same texts by random crowd workers, as if each were a system; 25 articles with 8 texts each."""
    values, articles = ratings()
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(articles == article), 8, replace=False)
            for article in rng.choice(articles.max() + 1, 25, replace=False)
        ]
    )
    workers = rng.permuted(np.tile(np.arange(5), (len(chosen), 1)), axis=1)[:, :count]
    scores = values[chosen[:, None, None], np.arange(dimensions)[:, None], workers[:, None, :]]
    return Sample(np.moveaxis(scores, 2, 0), [f"{articles[text]}" for text in chosen])


EQUAL: dict[str, Draw] = {
    "translations": lambda rng: exchanged(translations(), rng, SEGMENTS),
    "translations, documents": exchanged_documents,
    "translations, 12 segments": lambda rng: exchanged(translations(), rng, 12),
    "translations, missing scores": lambda rng: exchanged(translations(), rng, SEGMENTS, gaps=True),
    "translations, unequal noise": unequal_noise,
    "judges, right or wrong": lambda rng: exchanged(judges(), rng, SEGMENTS),
    "two crowd workers, articles": raters,
}


def scored(sample: Sample) -> Result:
    columns = sample.scores.shape[2]
    metrics = [
        {"path": Rating(column), "resulting_name": f"rating{column or ''}"} for column in range(columns)
    ]
    return nlgauge.Scorer(metrics).score_corpus(sample.corpus(), None, RunOptions())


class Outcome(NamedTuple):
    """What one run claimed."""

    p: float
    low: float
    high: float
    word: str
    better: str | None
    asked: float
    asked_low: float
    asked_high: float


def outcome_of(sample: Sample, margin: float | None = None) -> Outcome:
    result = scored(sample)
    row = result.compare("A", "B").rows[0]
    rule = Rule(ALPHA, () if margin is None else (Margin(margin),))
    (verdict,), _ = verdicts(result, "A", ["B"], [Change.read("rating drops")], [], rule)
    sure = nlgauge.Scorer([Rating()]).score_until_sure(sample.corpus(), Sure(ALPHA)).sequential
    assert sure is not None
    bounds = (math.nan if sure[name] is None else sure[name] for name in ("gain_low", "gain_high"))
    share = sure["asked"] / sure["segments"]
    return Outcome(row.p, row.gain_low, row.gain_high, verdict.word, sure["better"], share, *bounds)


def share(hits: Sequence[bool] | np.ndarray) -> str:
    return f"{np.mean(hits):.3f}"


def selected(world: str | None, names: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    for number, name in enumerate(names):
        if world in (None, name):
            yield number, name


def part_equal(runs: int, world: str | None) -> None:
    print(f"| {runs} runs without a difference | compare | interval without 0 | check fails | until sure |")
    print("|---|---|---|---|---|")
    for number, name in selected(world, EQUAL):
        rng = np.random.default_rng([25, number])
        outcomes = [outcome_of(EQUAL[name](rng)) for _ in range(runs)]
        columns = [
            share([outcome.p < ALPHA for outcome in outcomes]),
            share([outcome.low > 0 or outcome.high < 0 for outcome in outcomes]),
            share([outcome.word == "failed" for outcome in outcomes]),
            share([outcome.better is not None for outcome in outcomes]),
        ]
        print(f"| {name} | {' | '.join(columns)} |", flush=True)


def part_family(runs: int, _: str | None) -> None:
    rng = np.random.default_rng(26)
    hits: dict[str, list[bool]] = defaultdict(list)
    for _run in range(runs):
        result = scored(raters(rng, 3, 4))
        rows = result.compare(baseline="A").rows
        hits["compare, p"].append(min(row.p for row in rows) < ALPHA)
        hits["compare, p (Holm)"].append(min(row.p_holm for row in rows) < ALPHA)
        outcomes, _none = verdicts(result, "A", ["B", "C"], [Change.read("any worsens")], [], Rule(ALPHA))
        hits["check, any worsens"].append(any(outcome.failed for outcome in outcomes))
        one = [row for row in result.compare(all_pairs=True).rows if row.label == result.labels[0]]
        hits["compare all pairs of one score, p (max-T)"].append(min(row.p_max_t for row in one) < ALPHA)
    print(f"| {runs} runs, 3 equal systems, 4 scores | any is significant |\n|---|---|")
    for name, each in hits.items():
        print(f"| {name} | {share(each)} |", flush=True)


@cache
def tables() -> list[tuple[np.ndarray, np.ndarray]]:
    """WMT24: ESA scores (systems, segments) of en-hi and en-cs, and the document of each segment."""
    return [_table(language) for language in ("en-hi", "en-cs")]


def preferred(rng: np.random.Generator, by_document: bool, has_grades: bool) -> list[dict[str, object]]:
    """Verdicts on all pairs of five real systems, whose names are exchanged at random by segment or document.

    Grades are 1 for a difference of up to 10 of 100 points, 2 up to 30 points, and 3 above.
    """
    scores, owners = tables()[rng.integers(2)]
    if by_document:
        chosen = np.flatnonzero(np.isin(owners, rng.choice(owners.max() + 1, 20, replace=False)))
    else:
        chosen = rng.choice(scores.shape[1], 120, replace=False)
    systems = rng.choice(len(scores), 5, replace=False)
    units = np.unique(owners[chosen] if by_document else chosen, return_inverse=True)[1]
    names = rng.permuted(np.tile(np.arange(5), (units.max() + 1, 1)), axis=1)[units]
    records: list[dict[str, object]] = []
    for place, segment in enumerate(chosen.tolist()):
        for one, other in combinations(range(5), 2):
            difference = (
                scores[systems[names[place, one]], segment] - scores[systems[names[place, other]], segment]
            )
            record: dict[str, object] = {"item": segment, "first": f"S{one}", "second": f"S{other}"}
            if has_grades:
                grade = sum(float(abs(difference)) > limit for limit in (1e-9, 10, 30))
                record["grade"] = -grade if difference > 0 else grade
            else:
                record["winner"] = (
                    "tie" if abs(difference) < 1e-9 else "first" if difference > 0 else "second"
                )
            records.append(record | ({"doc": int(owners[segment])} if by_document else {}))
    return records


def part_rank(runs: int, world: str | None) -> None:
    print(f"| {runs} runs, 5 equal systems | different letters | best rank above 1 | interval without 0 |")
    print("|---|---|---|---|")
    for number, name in selected(
        world, {"120 segments": 0, "20 documents": 0, "120 segments, grades": 0, "20 documents, grades": 0}
    ):
        rng = np.random.default_rng([28, number])
        hits = []
        for _ in range(runs):
            has_grades = number >= 2
            ranked = rank(preferred(rng, number % 2 == 1, has_grades), grades=3 if has_grades else None)
            apart = any(
                not set(one.letters or "") & set(other.letters or "")
                for one, other in combinations(ranked.rows, 2)
            )
            ranks = any((row.best_rank or 1) > 1 for row in ranked.rows)
            hits.append([apart, ranks, np.mean([row.low > 0 or row.high < 0 for row in ranked.rows])])
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in np.mean(hits, axis=0))} |", flush=True)


def drawn(pair: Pair, rng: np.random.Generator, documents: bool) -> Sample:
    """Segments, or whole documents, drawn from a real pair with replacement."""
    if not documents:
        return Sample(pair.scores[:, rng.integers(pair.scores.shape[1], size=SEGMENTS), None])
    owners = pair.documents
    chosen = rng.integers(owners.max() + 1, size=owners.max() + 1)
    rows = [np.flatnonzero(owners == document) for document in chosen]
    names = [f"{place}" for place, of in enumerate(rows) for _ in of]
    return Sample(pair.scores[:, np.concatenate(rows), None], names)


def part_different(runs: int, world: str | None) -> None:
    pools = {
        "translations": (translations, False),
        "translations, documents": (translations, True),
        "judges, right or wrong": (judges, False),
    }
    print(
        f"| {runs} runs with a true difference | interval of compare | interval of until sure | wrong system is better:"
        " compare | until sure | decided: compare | until sure | segments asked | check passes at the margin |"
    )
    print(f"|{'---|' * 9}")
    for number, name in selected(world, pools):
        rng, (pool, documents) = np.random.default_rng([27, number]), pools[name]
        rows = []
        for _ in range(runs):
            pair = pool()[rng.integers(len(pool()))]
            # The second system is the worse one, so that its loss can be the margin of the check.
            pair = (
                pair
                if pair.scores[0].mean() >= pair.scores[1].mean()
                else Pair(pair.scores[::-1], pair.documents)
            )
            truth = float(pair.scores[1].mean() - pair.scores[0].mean())
            got = outcome_of(drawn(pair, rng, documents), -truth)
            gain_sign = 1 if (got.low + got.high) > 0 else -1
            rows.append(
                [
                    got.low <= truth <= got.high,
                    got.asked_low <= truth <= got.asked_high,
                    got.p < ALPHA and gain_sign > 0,
                    got.better == "B",
                    got.p < ALPHA,
                    got.better is not None,
                    got.asked,
                    got.word == "passed",
                ]
            )
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in np.mean(rows, axis=0))} |", flush=True)


PARTS = {"equal": part_equal, "family": part_family, "rank": part_rank, "different": part_different}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--world", help="one row of the table")
    options = parser.parse_args()
    for name, part in PARTS.items():
        if options.part in (None, name):
            print(f"\n{name}\n", flush=True)
            part(options.runs, options.world)


if __name__ == "__main__":
    main()
