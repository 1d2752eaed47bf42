"""What one call costs, as reward functions and tests make it: one pair in a loop, and 64 pairs.

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
    print("| metric | one pair, ms | 64 pairs, ms |\n|---|---|---|")
    for metric in _METRICS:
        scorer = nlgauge.Scorer([metric])
        single = [([prediction], [references]) for prediction, references in pairs]
        several = [tuple(map(list, zip(*islice(cycle(pairs), i, i + 64), strict=True))) for i in range(0, 1280, 64)]
        one = milliseconds(lambda i: scorer(*single[i])[metric]["score"], 400)  # noqa: B023 -- called before the loop goes on
        many = milliseconds(lambda i: scorer(*several[i])[metric]["score"], 20)  # noqa: B023
        print(f"| {metric} | {one:.3f} | {many:.3f} |")


if __name__ == "__main__":
    main()
