"""Every metric on strings, on pairs of 10,000 tokens: news-like, of three different words, and two equal
texts.

python -m benchmarks.long_texts [--tokens 10000] [--metric NAME]
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from benchmarks.__main__ import run
from benchmarks.sides import string_metrics
from benchmarks.workloads import generated


def texts(kind: str, tokens: int) -> tuple[str, str]:
    """A prediction and a reference."""
    chance = random.Random(5)
    if kind == "three words":
        first, second = (" ".join(chance.choices(("the", "cat", "sat"), k=tokens)) for _ in range(2))
        return first, second
    words = " ".join(generated(tokens // 20, words=25).predictions).split()[:tokens]
    worn = [word if chance.random() > 0.3 else chance.choice(words) for word in words]
    return (" ".join(words), " ".join(words)) if kind == "equal" else (" ".join(worn), " ".join(words))


KINDS = ("news-like", "three words", "equal")


def measure(metric: str, tokens: int) -> dict[str, float]:
    """CPU seconds by kind of text, in this process."""
    import nlgauge

    scorer = nlgauge.Scorer([metric])
    scorer(["a b"], ["a b"], ["a b"])
    found = {}
    for kind in KINDS:
        prediction, reference = texts(kind, tokens)
        started = time.process_time()
        scorer([prediction], [reference], [reference])
        found[kind] = time.process_time() - started
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.long_texts", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--tokens", type=int, default=10_000, help="the length of a text (default 10000)")
    parser.add_argument("--metric", action="append", help="only this metric; may be repeated")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        import json

        json.dump(measure(given.one, given.tokens), sys.stdout)
        return
    print(
        f"| metric, pairs of {given.tokens:,} tokens | {' | '.join(f'{kind}, CPU s' for kind in KINDS)}"
        " |\n|---|---|---|---|"
    )
    for metric in given.metric or string_metrics():
        found = run("benchmarks.long_texts", "--one", metric, "--tokens", str(given.tokens))
        print(
            f"| {metric} | {found.get('error') or ' | '.join(f'{found[kind]:.2f}' for kind in KINDS)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
