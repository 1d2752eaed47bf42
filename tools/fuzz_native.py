"""Scores random texts with every metric on strings, once with compiled and once with plain kernels, and stops where a number differs.

    python tools/fuzz_native.py --seconds 60 [--seed 1] [--tokens 10000]

Texts are empty, short, repetitive, of odd lengths around machine words, full of marks, entities, digits, joined and unspaced scripts and
characters beyond the basic plane; now and then one is long. Meant for a build with sanitizers, see CONTRIBUTING.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings

import numpy as np

import nlgauge
from nlgauge.kernels.backend import NATIVE, using
from nlgauge.metric import Metric
from nlgauge.metric.registry import metric_classes

_PIECES = (
    *("the", "cat", "sat", "a", "b", "Running", "runs", "isn't", "it’s", "3,000.5", "1-2", "-\n", "\n", "\t", "  ", "\u00a0", "\u2028"),
    *("&quot;", "&amp;", "&lt;", "<skipped>", "...", ",", "?!", "'s", "-", "—", "İ", "Σ", "ΣΑΣ", "ß", "e\u0301", "\u0301", "\u200b", "\ufeff"),
    *(
        "東京",
        "ひらがな",
        "カタカナ",
        "한국어",
        "ไทย",
        "العربية",
        "हिन्दी",
        "𝔘𝔫𝔦",
        "😀",
        "👩\u200d👩\u200d👧",
        "\U0010ffff",
        "\x00",
        "\x1c",
        "_",
        "é",
        "naïve",
    ),
)
_VARIANTS = (
    *("rouge(rouge_types=('rouge1', 'rouge4', 'rougeL', 'rougeLsum'), stem=True, tokenizer='google')", "chrf(word_order=2)", "bleu(lowercase=True)"),
    *("rouge155(stem=True)", "meteor(version='2005', compat='nltk')", "meteor(compat='jar')", "eed(compat='python')", "eed(compat='c++')"),
    *("character(compat='released')", "cider(variant='d')", "bleu(tokenizer='intl')", "ribes(compat='nltk')", "coverage(exhaustive=True)"),
)


def text(chance: random.Random, tokens: int) -> str:
    """A text of up to so many pieces, from few or from many different ones."""
    known = chance.sample(_PIECES, k=chance.choice((2, 3, 8, len(_PIECES))))
    size = chance.choice((0, 1, 2, 3, 7, chance.randint(0, 40), chance.choice((31, 32, 33, 63, 64, 65, 127, 128, 129)), tokens))
    return chance.choice((" ", " ", " ", "")).join(chance.choices(known, k=size))


def worn(chance: random.Random, given: str) -> str:
    """The text with some characters lost, moved or doubled."""
    characters = list(given)
    for _ in range(chance.randint(0, 5)):
        if characters:
            place, other = chance.randrange(len(characters)), chance.randrange(len(characters))
            characters[place : place + chance.randint(0, 2)] = characters[other : other + chance.randint(0, 4)]
    return "".join(characters)


def labels() -> list[str]:
    """All additive metrics on strings, and variants that take other kernels; those that cannot be had are left out."""
    names = [name for name, kind in metric_classes().items() if issubclass(kind, Metric) and "model" not in kind.__dataclass_fields__]
    found = []
    for name in (*names, *_VARIANTS):
        try:
            nlgauge.Scorer([name])
        except nlgauge.NlgaugeError:
            continue
        found.append(name)
    return found


def difference(metrics: list[str], predictions: list[str], references: list[list[str]], sources: list[str]) -> str | None:
    """The first metric whose statistics differ between the two kinds of kernels."""
    tables = []
    for kernels, threads in (("python", 1), ("native", 1), ("native", 3)):
        NATIVE.set_threads(threads, worthwhile=1)
        with using(kernels), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables.append(nlgauge.score(predictions, references, sources, metrics).tables)
    for key, plain in tables[0].items():
        for part, values in plain.statistics.items():
            if any(not np.array_equal(values, other[key].statistics[part], equal_nan=True) for other in tables[1:]):
                return f"{key[1]}, {part}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=200, help="the length of the longest texts")
    given = parser.parse_args()
    if NATIVE is None:
        sys.exit("nlgauge was installed without compiled kernels")
    metrics = labels()
    ends, rounds = time.monotonic() + given.seconds, 0
    while time.monotonic() < ends:
        chance = random.Random(f"{given.seed} {rounds}")
        references = [[text(chance, given.tokens) for _ in range(chance.randint(1, 3))] for _ in range(chance.randint(1, 6))]
        predictions = [worn(chance, group[0]) if chance.random() < 0.7 else text(chance, given.tokens) for group in references]
        sources = [worn(chance, group[-1]) for group in references]
        found = difference(metrics, predictions, references, sources)
        if found:
            print(f"round {rounds}: {found}\n{predictions!r}\n{references!r}\n{sources!r}")
            return 1
        rounds += 1
    print(f"{rounds} rounds with {len(metrics)} metrics, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
