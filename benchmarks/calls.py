"""What one call costs, as training loops and tests make it: one pair in a loop, and 64 pairs, of `Scorer` and
of `reward`.

python -m benchmarks.calls
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import cycle, islice

from benchmarks.workloads import l1

_METRICS = ("bleu", "chrf", "rouge", "wer")


def milliseconds(call: Callable[[int], object], calls: int) -> float:
    """CPU time of a call: the best of five rounds."""
    found = []
    for _ in range(5):
        started = time.process_time()
        for number in range(calls):
            call(number)
        found.append((time.process_time() - started) / calls * 1000)
    return min(found)


def main() -> None:
    import nlgauge

    texts = l1(2_000)
    pairs = list(zip(texts.predictions, texts.references, strict=True))
    single = [([prediction], [references]) for prediction, references in pairs]
    several = [
        tuple(map(list, zip(*islice(cycle(pairs), i, i + 64), strict=True))) for i in range(0, 1280, 64)
    ]
    print("| call | one pair, ms | 64 pairs, ms |\n|---|---|---|")
    for metric in _METRICS:
        scorer, reward = nlgauge.Scorer([metric]), nlgauge.reward(metric)
        calls = {
            f"{metric}, corpus score": lambda texts: scorer(*texts)[metric]["score"],  # noqa: B023 -- called before the loop goes on
            f"{metric}, segment scores": lambda texts: scorer(*texts).segments("records"),  # noqa: B023
            f"{metric}, rewards": lambda texts: reward(*texts),  # noqa: B023
        }
        for name, call in calls.items():
            one, many = (
                milliseconds(lambda i: call(given[i]), count)  # noqa: B023
                for given, count in ((single, 400), (several, 20))
            )
            print(f"| {name} | {one:.3f} | {many:.3f} |")


if __name__ == "__main__":
    main()
