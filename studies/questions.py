"""Three questions that people ask, answered on benchmarks: does a combination of cheap metrics beat the best metric, does
minimum Bayes risk (MBR) with a string metric beat the best system, and how much do judges drift with order and length?

    python -m studies questions DIRECTORY [--page]

DIRECTORY has wmt24_esa and llmbar with the verdicts (.jsonl.gz), and the sets of the leaderboard, whose kept scores are used.
--page writes docs/results/questions.md. Every number and every verdict of the page is computed here.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge.candidates.choice import mbr
from nlgauge.meta import Judgments
from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.kept import read_scores
from nlgauge.stats.intervals import quantiles, wilson
from studies.leaderboard.boards import BENCHMARKS, METRICS, has_weights, texts
from studies.leaderboard.kept import judgments

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results" / "questions.md"
SCORES = ROOT / "docs" / "results" / "scores" / "leaderboard"
RESAMPLES, SEED = 1000, 12345
# No human scores of texts (pairs), or no references.
_LEFT_OUT = ("wmt19_darr", "primer_dailynews300")
_BASELINE = "chrf"
# Chosen in advance: one metric of each kind.
_MEAN = ("chrf", "meteor", "eed", "rouge", "ter")
_RIDGE = 0.1
_NAMES = ("mean of 5", "ridge")
# sacreBLEU's tokenizer of Japanese needs a dictionary.
_UTILITIES = {
    "en-cs": ("chrf", "bleu", "ter"),
    "en-hi": ("chrf", "bleu", "ter"),
    "en-ja": ("chrf", "bleu(tokenizer='char')", "cer"),
    "en-zh": ("chrf", "bleu(tokenizer='zh')", "cer"),
}


class Set(NamedTuple):
    """A set of judged texts with the scores of cheap metrics; `level` and `coefficient` measure agreement."""

    name: str
    judged: Judgments
    level: str
    coefficient: str

    def standard(self, label: str | None) -> np.ndarray:
        """Return scores of a metric (None: of people) as they matter at the level, with variance 1 and NaN if missing."""
        values = self.judged.human() if label is None else self.judged.oriented(label)
        if self.level == "input":
            values = values - np.nanmean(values, axis=0)
        return (values - np.nanmean(values)) / np.nanstd(values)

    def agreement(self, values: np.ndarray) -> float:
        """Return the agreement of scores with people."""
        judged = Judgments.from_arrays(self.judged.human(), {"m": values})
        (row,) = judged.correlate(self.level, self.coefficient, interval=None)
        return float(row["value"])

    def difference(self, values: np.ndarray, other: np.ndarray) -> tuple[float, float, float]:
        """Return the difference in agreement with its interval over inputs."""
        judged = Judgments.from_arrays(self.judged.human(), {"one": values, "other": other})
        (row,) = judged.compare(
            self.level, self.coefficient, "bootstrap", "inputs", adjust="none", resamples=400, seed=SEED
        )
        sign = 1 if row["metric"] == "one" else -1
        bounds = sorted((sign * row["low"], sign * row["high"]))
        return sign * row["delta"], bounds[0], bounds[1]


def sets() -> Iterator[Set]:
    """Yield the sets of the leaderboard that have human scores and references, with their metrics on strings."""
    for name, board in BENCHMARKS.items():
        place = SCORES / f"{name}.jsonl.xz"
        if name in _LEFT_OUT or board.human is None or not place.is_file():
            continue
        benchmark = texts(name)
        judged = judgments(benchmark, read_scores(place, benchmark), [board.human])
        level = next(reversed(board.coefficients))
        yield Set(name, judged, level, board.coefficients[level])


def shared(found: Sequence[Set]) -> list[str]:
    """Return the metrics on strings with a direction that vary in all sets and score at least 99% of the judged texts."""
    models = {spec.partition("(")[0] for spec in METRICS if has_weights(spec)}

    def serves(one: Set, label: str) -> bool:
        values = one.judged.metrics.get(label)
        if values is None or one.judged.higher_is_better.get(label, True) is None:
            return False
        known = values[~np.isnan(one.judged.human())]
        return bool(np.isnan(known).mean() <= 0.01 and np.nanstd(known) > 0)

    return [
        label
        for label in found[0].judged.labels
        if re.split(r"[(.]", label)[0] not in models and all(serves(one, label) for one in found)
    ]


def weights(training: Sequence[Set], labels: Sequence[str]) -> np.ndarray:
    """Return the weights of a ridge regression of human scores on metrics; every set counts the same."""
    square, product = np.zeros((len(labels), len(labels))), np.zeros(len(labels))
    for one in training:
        x, z = np.stack([one.standard(label) for label in labels]), one.standard(None)
        known = ~np.isnan(z) & ~np.isnan(x).any(axis=0)
        square += x[:, known] @ x[:, known].T / known.sum()
        product += x[:, known] @ z[known] / known.sum()
    return np.linalg.solve(square / len(training) + _RIDGE * np.eye(len(labels)), product / len(training))


def combinations() -> list[str]:
    """Return the lines of the first question."""
    found = list(sets())
    labels = shared(found)
    table = {
        one.name: {label: one.agreement(one.judged.oriented(label)) for label in labels} for one in found
    }
    rows: list[str] = []
    gains: dict[str, list[tuple[float, float]]] = {name: [] for name in _NAMES}
    for one in found:
        training = [other for other in found if other.name != one.name]
        best = max(labels, key=lambda label: np.mean([table[other.name][label] for other in training]))
        hindsight = max(labels, key=lambda label: table[one.name][label])
        single = one.standard(best)
        chosen = {
            "mean of 5": np.mean([one.standard(label) for label in _MEAN], axis=0),
            "ridge": np.tensordot(
                weights(training, labels), np.stack([one.standard(label) for label in labels]), 1
            ),
        }
        cells = [f"{one.agreement(one.standard(_BASELINE)):.3f}", f"{table[one.name][best]:.3f} ({best})"]
        for name, values in chosen.items():
            delta, low, high = one.difference(values, one.standard(_BASELINE))
            against, *_ = one.difference(values, single)
            gains[name].append((delta, against))
            cells.append(f"{one.agreement(values):.3f} ({delta:+.3f} [{low:+.3f}, {high:+.3f}])")
        cells.append(f"{table[one.name][hindsight]:.3f} ({hindsight})")
        rows.append(f"| {one.name}, {one.level} {one.coefficient} | {' | '.join(cells)} |")
    lines = [
        f"| held-out set | {_BASELINE} | best single metric of the other sets | mean of 5 (and gain over {_BASELINE}) |"
        f" ridge of {len(labels)} (and gain over {_BASELINE}) | best single metric in hindsight |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
    ]
    for name in _NAMES:
        for place, against in ((0, _BASELINE), (1, "the best single metric of the other sets")):
            lines.append(f"- {_mean_gain(name, against, np.array([gain[place] for gain in gains[name]]))}")
    return lines


def _mean_gain(name: str, against: str, gains: np.ndarray) -> str:
    """Return a sentence about the mean gain over sets, with its interval over sets."""
    rng = np.random.default_rng(SEED)
    drawn = gains[rng.integers(len(gains), size=(RESAMPLES, len(gains)))].mean(axis=1)
    low, high = quantiles(drawn, 0.025, 0.975)
    verdict = "better" if low > 0 else "worse" if high < 0 else "no clear difference"
    return (
        f"{name} against {against}: {gains.mean():+.3f} [{low:+.3f}, {high:+.3f}] on average, {verdict};"
        f" better on {(gains > 0).sum()} of {len(gains)} sets."
    )


def decoding() -> list[str]:
    """Return the lines of the second question."""
    benchmark = load("wmt24_esa").machines()
    lines = [
        "| language pair | systems | best system | utility | chosen by MBR | MBR minus best system | MBR minus mean system | share"
        " taken from the best system |",
        "|---|---|---|---|---|---|---|---|",
    ]
    beaten = total = above = 0
    for group in benchmark.groups:
        part = benchmark.where(group=group)
        human = part.human("esa")
        by = {(row.segment, row.system): row.prediction for row in part.rows}
        candidates = [[by[segment, system] or "" for system in part.systems] for segment in part.segments]
        best = int(human.mean(axis=1).argmax())
        for utility in _UTILITIES[group]:
            chosen = np.array([one.best for one in mbr(candidates, utility, lang=group.rpartition("-")[2])])
            scores = human[chosen, np.arange(len(chosen))]
            to_best, low, high = _paired(scores - human[best])
            to_mean, *bounds = _paired(scores - human.mean(axis=0))
            total, beaten, above = total + 1, beaten + (low > 0), above + (bounds[0] > 0)
            lines.append(
                f"| {group} | {len(part.systems)} | {part.systems[best]} ({human[best].mean():.1f}) | {utility} |"
                f" {scores.mean():.1f} | {to_best:+.1f} [{low:+.1f}, {high:+.1f}] |"
                f" {to_mean:+.1f} [{bounds[0]:+.1f}, {bounds[1]:+.1f}] | {(chosen == best).mean():.0%} |"
            )
    answer = "No" if not beaten else f"In {beaten} of {total} cases"
    return [
        *lines,
        "",
        f"- Better than the best system: {answer.lower()}; {beaten} of {total} differences are above 0 with their interval.",
        f"- Better than the mean of the systems: {above} of {total}.",
    ]


def _paired(differences: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of differences with its interval over segments."""
    rng = np.random.default_rng(SEED)
    drawn = differences[rng.integers(len(differences), size=(RESAMPLES, len(differences)))].mean(axis=1)
    return (float(differences.mean()), *quantiles(drawn, 0.025, 0.975))


class Verdict(NamedTuple):
    """A verdict in both orders: which output it prefers, as first and as second, and the facts of the pair."""

    right: int
    shown: str
    swapped: str
    longer: int


def verdicts(directory: Path) -> dict[str, list[Verdict]]:
    """Return the verdicts of each judge and prompt on all of its pairs."""
    pairs = {record["segment"]: record for record in map(json.loads, _lines(directory / "llmbar.jsonl.gz"))}
    found: dict[str, list[Verdict]] = {}
    for record in map(json.loads, _lines(directory / "llmbar.peer_metrics.jsonl.gz")):
        pair, given = pairs[record["segment"]], record["verdicts"]
        texts_of = {pair[side]["system"]: pair[side]["text"] for side in ("better", "worse")}
        lengths = [len(texts_of[f"output_{number}"].split()) for number in (1, 2)]
        longer = 0 if lengths[0] == lengths[1] else 1 + (lengths[1] > lengths[0])
        for name in given:
            if not name.endswith("|swapped") and f"{name}|swapped" in given:
                verdict = Verdict(pair["meta"]["label"], given[name], given[f"{name}|swapped"], longer)
                found.setdefault(name, []).append(verdict)
    return found


def _lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def drift(directory: Path) -> list[str]:
    """Return the lines of the third question: the prompt Vanilla of each judge, and the range over its prompts."""
    lines = [
        "| judge | pairs | right (mean of both orders) | same verdict in both orders | of the others, first shown |"
        " right if the better output is longer | right if it is shorter | difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    everything = verdicts(directory)
    lowest, highest, drops = 1.0, 0.0, []
    for name in (name for name in everything if name.endswith(".Vanilla")):
        found = everything[name]
        same = sum(one.shown == one.swapped for one in found)
        firsts = sum((one.shown, one.swapped) == ("1", "2") for one in found)
        moved = sum({one.shown, one.swapped} == {"1", "2"} for one in found)
        right = np.array(
            [((one.shown == str(one.right)) + (one.swapped == str(one.right))) / 2 for one in found]
        )
        long = np.array([one.longer == one.right for one in found])
        short = np.array([one.longer not in (0, one.right) for one in found])
        delta, low, high = _unpaired(right[long], right[short])
        lowest, highest = min(lowest, same / len(found)), max(highest, same / len(found))
        drops.append((low > 0, name, delta))
        lines.append(
            f"| {name.partition('.')[0]} | {len(found)} | {right.mean():.1%} | {_share(same, len(found))} | {_share(firsts, moved)} |"
            f" {right[long].mean():.1%} | {right[short].mean():.1%} | {100 * delta:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}] |"
        )
    prompts = {
        judge: [
            np.mean([one.shown == one.swapped for one in found])
            for name, found in everything.items()
            if name.partition(".")[0] == judge
        ]
        for judge in dict.fromkeys(name.partition(".")[0] for name in everything)
    }
    ranges = "; ".join(f"{judge} {min(shares):.0%} to {max(shares):.0%}" for judge, shares in prompts.items())
    length = sum(clear for clear, *_ in drops)
    return [
        *lines,
        "",
        f"- Order: the same verdict in both orders in {lowest:.0%} to {highest:.0%} of the pairs with the prompt Vanilla. Over all"
        f" prompts: {ranges}.",
        f"- Length: {length} of {len(drops)} judges are right clearly more often if the better output is the longer one.",
    ]


def _share(count: int, total: int) -> str:
    if not total:
        return "no pair"
    low, high = wilson(count, total)
    return f"{count / total:.1%} [{100 * low:.1f}, {100 * high:.1f}]"


def _unpaired(one: np.ndarray, other: np.ndarray) -> tuple[float, float, float]:
    """Return the difference of two means with its bootstrap interval."""
    rng = np.random.default_rng(SEED)
    drawn = [side[rng.integers(len(side), size=(RESAMPLES, len(side)))].mean(axis=1) for side in (one, other)]
    return (float(one.mean() - other.mean()), *quantiles(drawn[0] - drawn[1], 0.025, 0.975))


_TEXT = """\
# Questions that people ask

Three questions, answered on benchmarks with human scores. `python -m studies questions DIRECTORY --page` writes this page;
all intervals are 95% bootstrap intervals unless another is named.

## Does a combination of cheap metrics beat the best metric?

Each set is held out in turn. The weights of the ridge regression and the best single metric come from the other sets; the five
metrics of the mean ({mean}) were chosen in advance. Every metric is standardized on the held-out set without its human
scores. Agreement is measured as in the [leaderboard](leaderboard.md) on single texts; intervals of gains are over inputs, and of mean
gains over sets.

{combinations}

## Does MBR with a string metric beat the best system?

The candidates are the outputs of all systems of WMT24 for a segment (without people), and MBR takes the output with the highest
mean utility to the others. The best system is chosen by the human scores (ESA, 0 to 100), which no user knows in advance.

{decoding}

## How much do judges drift with order and length?

Verdicts of judges on pairs of LLMBar in both orders, with the prompt Vanilla. `of the others, first shown` is the share of
contradicting pairs of verdicts that prefer the output shown first; half would be no bias. Intervals of shares are Wilson's.
LLMBar's adversarial pairs were chosen so that the worse output looks better, so the shares of right verdicts are lower than on
other texts, and a liking of length costs more.

{drift}
"""


def report(directory: Path, page: bool = False) -> str:
    """Return the page, and write it if `page` is True."""
    os.environ["NLGAUGE_BENCHMARKS"] = str(directory)
    parts: dict[str, Any] = {
        "combinations": combinations(),
        "decoding": decoding(),
        "drift": drift(directory),
    }
    text = _TEXT.format(mean=", ".join(_MEAN), **{name: "\n".join(lines) for name, lines in parts.items()})
    if page:
        PAGE.write_text(text, "utf-8")
    return text
