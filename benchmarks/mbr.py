"""Utilities of all pairs of candidates: time per pair of nlgauge, of rewards and of fastchrf, and how well MBR chooses
among the systems of WMT24.

python -m benchmarks.mbr [--rounds 5]     time per pair, in turns in one process
python -m benchmarks.mbr --choices        candidates are the outputs of the systems of wmt24_esa

fastchrf is measured if it is installed.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from benchmarks.ahead import Compared, write
from benchmarks.workloads import _find, _lines, l1

# Candidates, and how many sets of them are compared in a call.
_SIZES = {64: 10, 256: 2}
_METRICS = (("chrf", None), ("bleu", None), ("rouge", "rouge1"), ("rouge", "rougeL"), ("wer", None))
# sacreBLEU's tokenizer of Japanese needs a dictionary.
_UTILITIES = {
    "en-cs": ("chrf", "bleu"),
    "en-hi": ("chrf", "bleu"),
    "en-ja": ("chrf", "bleu(tokenizer='char')"),
    "en-zh": ("chrf", "bleu(tokenizer='zh')"),
}
_RESAMPLES = 2_000


def candidates(count: int, sets: int) -> list[list[str]]:
    """Sets of candidates: a reference of L1 with one to six words replaced, inserted or dropped."""
    chance = random.Random(count)
    references = [texts[0] for texts in l1(2_000).references if 70 <= len(texts[0]) <= 120]
    words = sorted({word for text in references for word in text.split()})

    def variant(text: str) -> str:
        tokens = text.split()
        for _ in range(chance.randint(1, 6)):
            place, draw = chance.randrange(len(tokens)), chance.random()
            if draw < 0.5:
                tokens[place] = chance.choice(words)
            elif draw < 0.75:
                tokens.insert(place, chance.choice(words))
            elif len(tokens) > 4:
                del tokens[place]
        return " ".join(tokens)

    return [[variant(text) for _ in range(count)] for text in chance.sample(references, sets)]


Sets = list[list[str]]


def microseconds(
    calls: dict[str, Callable[[Sets], object]], rounds: list[Sets], pairs: int
) -> dict[str, float]:
    """CPU time per pair of each call: the best round, all calls in turns, with other texts in each round."""
    for call in calls.values():
        call(rounds[0])
    best: dict[str, float] = defaultdict(lambda: float("inf"))
    for sets in rounds[1:]:
        for name, call in calls.items():
            started = time.process_time()
            call(sets)
            best[name] = min(best[name], (time.process_time() - started) / pairs * 1e6)
    return best


def calls_of(metric: str, output: str | None) -> dict[str, Callable[[Sets], object]]:
    """The ways to compare all candidates of some sets."""
    import nlgauge

    reward = nlgauge.reward(metric, output=output)

    def rewards(sets: Sets) -> object:
        return [reward([text for text in texts for _ in texts], texts * len(texts)) for texts in sets]

    calls: dict[str, Callable[[Sets], object]] = {
        "mbr": lambda sets: nlgauge.mbr(sets, metric, output=output),
        "reward": rewards,
    }
    if metric in ("chrf", "bleu"):
        calls["aggregate"] = lambda sets: nlgauge.mbr(sets, metric, method="aggregate")
    if metric == "chrf" and find_spec("fastchrf"):
        import fastchrf

        calls["fastchrf"] = lambda sets: fastchrf.pairwise_chrf(sets, sets)
        calls["fastchrf aggregate"] = lambda sets: fastchrf.aggregate_chrf(sets, sets)
    return calls


def speed(rounds: int) -> None:
    """Print the time per pair by size and metric."""
    print(
        "| N | characters | metric | mbr, us per pair | aggregate | reward | fastchrf | fastchrf aggregate |"
    )
    print("|---|---|---|---|---|---|---|---|")
    compared: list[Compared] = []
    for count, number in _SIZES.items():
        texts = candidates(count, number * (rounds + 1))
        length = np.mean([len(text) for several in texts for text in several])
        sets = [texts[start : start + number] for start in range(0, len(texts), number)]
        for metric, output in _METRICS:
            times = microseconds(calls_of(metric, output), sets, number * count * count)
            columns = [
                f"{times[name]:.3f}" if name in times else ""
                for name in ("mbr", "aggregate", "reward", "fastchrf", "fastchrf aggregate")
            ]
            compared += [
                Compared(f"{metric}, {count} candidates, {row}", peer, times[row], times[peer], "us")
                for row, peer in (("mbr", "fastchrf"), ("aggregate", "fastchrf aggregate"))
                if peer in times
            ]
            label = metric if output is None else f"{metric}, {output}"
            print(f"| {count} | {length:.0f} | {label} | {' | '.join(columns)} |")
    write("mbr", compared)


class Pair(NamedTuple):
    """The outputs of all systems for the segments of a language pair, with human scores."""

    systems: list[str]
    texts: list[list[str]]
    # (segments, systems)
    human: np.ndarray[Any, Any]


def language_pairs() -> dict[str, Pair]:
    """The segments of wmt24_esa that every system of a language pair has translated, without the human translation."""
    path = _find("wmt24_esa")
    if path is None:
        raise SystemExit("wmt24_esa is missing; name its directory with NLGAUGE_BENCHMARKS.")
    rows: dict[str, dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    for row in _lines(path):
        if not row["meta"].get("human_reference"):
            rows[row["meta"]["lp"]][row["segment"]][row["system"]] = row
    pairs = {}
    for name, segments in rows.items():
        systems = sorted({system for segment in segments.values() for system in segment})
        whole = [segment for segment in segments.values() if len(segment) == len(systems)]
        texts = [[segment[system]["prediction"] for system in systems] for segment in whole]
        human = np.array([[segment[system]["human"]["esa"] for system in systems] for segment in whole])
        pairs[name] = Pair(systems, texts, human)
    return pairs


def choices() -> None:
    """Print how often both methods differ, and the mean human score of the chosen texts."""
    import nlgauge

    rng = np.random.default_rng(1)
    print(
        "| pair | systems | segments | utility | methods differ | MBR | best system | difference | all systems |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, pair in language_pairs().items():
        for metric in _UTILITIES[name]:
            exact, aggregate = (
                [each.best for each in nlgauge.mbr(pair.texts, metric, method=method)]
                for method in ("exact", "aggregate")
            )
            # Equal texts have equal utilities, but people may have scored them differently.
            differ = np.mean(
                [texts[a] != texts[b] for texts, a, b in zip(pair.texts, exact, aggregate, strict=True)]
            )
            chosen = pair.human[np.arange(len(exact)), exact]
            best = int(pair.human.mean(axis=0).argmax())
            difference = chosen - pair.human[:, best]
            resamples = rng.integers(0, len(difference), (_RESAMPLES, len(difference)))
            low, high = np.quantile(difference[resamples].mean(axis=1), [0.025, 0.975])
            print(
                f"| {name} | {len(pair.systems)} | {len(pair.texts)} | {metric} | {differ:.1%} | {chosen.mean():.1f} |"
                f" {pair.systems[best]} {pair.human[:, best].mean():.1f} |"
                f" {difference.mean():.1f} [{low:.1f}, {high:.1f}] | {pair.human.mean():.1f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mbr", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many rounds counts (default 5)")
    parser.add_argument(
        "--choices", action="store_true", help="compare the choices of MBR with human scores of wmt24_esa"
    )
    options = parser.parse_args()
    if options.choices:
        choices()
    else:
        speed(options.rounds)


if __name__ == "__main__":
    main()
