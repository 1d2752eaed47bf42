"""Scores random texts with every metric on strings, once with compiled and once with plain kernels, and by the
compiled form of the metric, and stops where a number differs.

    python tools/fuzz_native.py --seconds 60 [--seed 1] [--tokens 10000] [--without-python]

Texts are empty, short, repetitive, of odd lengths around machine words, full of marks, entities, digits,
joined and unspaced scripts and characters beyond the basic plane; now and then one is long. Meant for a build
with sanitizers, see CONTRIBUTING.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import nlgauge
from nlgauge._core.backend import NATIVE, Kernel, using
from nlgauge._core.ragged import Ragged
from nlgauge.corpus import Corpus
from nlgauge.kernels.edits.character import character_edits
from nlgauge.kernels.edits.distances import edit_counts
from nlgauge.kernels.edits.jumps import JumpCosts, jump_distances
from nlgauge.kernels.edits.tercom import shift_edits
from nlgauge.kernels.fragments import fragment_column
from nlgauge.kernels.lcs import lcs_lengths, lcs_places
from nlgauge.kernels.ngram_sets import repeated_ngrams
from nlgauge.kernels.ngram_square import mean_ngram_matches, ngram_square
from nlgauge.kernels.ngrams import ngram_matches
from nlgauge.kernels.resampling import draw_counts
from nlgauge.kernels.skip_bigrams import skip_bigram_matches
from nlgauge.kernels.weighted_lcs import weighted_lcs_places
from nlgauge.kernels.word_order import word_places
from nlgauge.metric import Metric
from nlgauge.metric.compiled import compiled
from nlgauge.metric.registry import metric_classes
from nlgauge.testing.of_values import has_model

_PIECES = (
    *(
        "the",
        "cat",
        "sat",
        "a",
        "b",
        "Running",
        "runs",
        "isn't",
        "it’s",
        "3,000.5",
        "1-2",
        "-\n",
        "\n",
        "\t",
        "  ",
        "\u00a0",
        "\u2028",
    ),
    *(
        "&quot;",
        "&amp;",
        "&lt;",
        "<skipped>",
        "...",
        ",",
        "?!",
        "'s",
        "-",
        "—",
        "İ",
        "Σ",
        "ΣΑΣ",
        "ß",
        "e\u0301",
        "\u0301",
        "\u200b",
        "\ufeff",
    ),
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
_CORPUS_METRICS = ("distinct", "self_bleu")
_VARIANTS = (
    *(
        "rouge(rouge_types=('rouge1', 'rouge4', 'rougeL', 'rougeLsum'), stem=True, tokenizer='google')",
        "chrf(word_order=2)",
        "bleu(lowercase=True)",
    ),
    *(
        "rouge155(stem=True)",
        "meteor(version='2005', compat='nltk')",
        "meteor(compat='jar')",
        "eed(compat='python')",
        "eed(compat='c++')",
    ),
    *(
        "character(compat='released')",
        "cider(variant='d')",
        "bleu(tokenizer='intl')",
        "ribes(compat='nltk')",
        "coverage(exhaustive=True)",
    ),
    *(
        "sari(compat='original')",
        "rouge155(references='best', stop_words=True)",
        "rouge155(rouge_types=('rougeS*', 'rougeSU0'), compat=None)",
    ),
    *(
        "js_divergence(order=2, smoothing=0.1)",
        "novelty(distinct=False)",
        "rouge(compat='coco')",
        "ter(normalized=True, asian_support=True)",
    ),
    *(
        "meteor(version='2005')",
        "meteor(stem=False)",
        "f1(normalize='squad')",
        "bleu(compat='coco')",
        "levenshtein(tokenizer='stripped-characters')",
        "rouge(stem=True)",
    ),
)
# These search without a limit, for hours in long texts of few different words.
_UNLIMITED = ("character(compat='released')",)
# Tokens that kernels are given as they are: the smallest and the greatest numbers, and some between.
_TOKENS = (0, 1, 2, 3, ord(" "), 511, 512, 513, 2**16, 2**31 - 2, 2**31 - 1)
# Kinds of kernels, with how many threads.
Kinds = tuple[tuple[str, int], ...]


def text(chance: random.Random, tokens: int) -> str:
    """A text of up to so many pieces, from few or from many different ones."""
    known = chance.sample(_PIECES, k=chance.choice((2, 3, 8, len(_PIECES))))
    size = chance.choice(
        (0, 1, 2, 3, 7, chance.randint(0, 40), chance.choice((31, 32, 33, 63, 64, 65, 127, 128, 129)), tokens)
    )
    return chance.choice((" ", " ", " ", "")).join(chance.choices(known, k=size))


def worn(chance: random.Random, given: str) -> str:
    """The text with some characters lost, moved or doubled."""
    characters = list(given)
    for _ in range(chance.randint(0, 5)):
        if characters:
            place, other = chance.randrange(len(characters)), chance.randrange(len(characters))
            characters[place : place + chance.randint(0, 2)] = characters[
                other : other + chance.randint(0, 4)
            ]
    return "".join(characters)


def labels() -> list[str]:
    """All additive metrics on strings, and variants that take other kernels; those that cannot be had are
    left out.
    """
    names = [
        name for name, kind in metric_classes().items() if issubclass(kind, Metric) and not has_model(kind)
    ]
    found = []
    for name in (*names, *_CORPUS_METRICS, *_VARIANTS):
        try:
            nlgauge.Scorer([name])
        except nlgauge.NlgaugeError as error:
            print(f"without {name}: {error}")
            continue
        found.append(name)
    return found


def count_calls() -> Counter[str]:
    """How often each compiled kernel is called from here on."""
    calls: Counter[str] = Counter()

    def counted(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return kernel(*arguments, **named)

        return call

    for kernel in [held for held in gc.get_objects() if isinstance(held, Kernel)]:
        calls[kernel.__name__] = 0
        if kernel.native is not None:
            kernel.native = counted(kernel.__name__, kernel.native)
    return calls


def column(chance: random.Random, tokens: int) -> Ragged:
    """Rows of tokens that are in no text; perhaps none at all."""
    known = chance.sample(_TOKENS, k=chance.randint(1, len(_TOKENS)))
    sizes = [
        chance.choice((0, 1, 2, 63, 64, 65, 130, chance.randint(0, tokens)))
        for _ in range(chance.randint(0, 4))
    ]
    return Ragged.of([chance.choices(known, k=size) for size in sizes], dtype=np.int32)


def kernel_difference(chance: random.Random, tokens: int, kinds: Kinds) -> str | None:
    """The first of the kernels on token ids that gives something else with other kinds of kernels or
    numbers of threads.
    """
    ids = column(chance, tokens)
    rows = len(ids) * chance.randint(0, 1)
    left, right = (
        np.array([chance.randrange(rows) for _ in range(2 * rows)], dtype=np.int64) for _ in range(2)
    )
    groups = Ragged.of([[chance.randrange(rows) for _ in range(chance.randint(1, 3))] for _ in left])
    units, drawn = chance.randint(1, 9), chance.randint(0, 9)
    row, other = (ids[0].tolist(), ids[-1].tolist()) if len(ids) else ([], [])
    for kernel, arguments in (
        (edit_counts, (ids, left, right)),
        (lcs_lengths, (ids, left, right)),
        (lcs_places, (row, other)),
        (weighted_lcs_places, (row[:300], other[:300], 1.2)),
        (ngram_matches, (ids, left, groups, chance.randint(1, 6))),
        (ngram_square, (ids, left, right, chance.randint(1, 6))),
        (mean_ngram_matches, (ids, left, right, np.full(len(right), 0.3), 4)),
        (skip_bigram_matches, (ids, left, right, chance.choice((None, 0, 4)), True, False)),
        (word_places, (ids, left, right, chance.random() < 0.5)),
        (jump_distances, (ids, left, right, JumpCosts(1, 1, 1, 1, 1), chance.choice((None, 2**31 - 1)))),
        (fragment_column, (ids, left, right, False)),
        (repeated_ngrams, (ids, left, 3)),
        (shift_edits, (ids, left, right)),
        (character_edits, (ids, left, right, False)),
        (
            draw_counts,
            (
                np.array(
                    [[chance.randrange(units) for _ in range(5)] for _ in range(drawn)], dtype=np.int32
                ).reshape(drawn, 5),
                units,
            ),
        ),
    ):
        results = []
        for kernels, threads in kinds:
            NATIVE.set_threads(threads, worthwhile=1)
            with using(kernels):
                results.append(kernel(*arguments))
        if not all(same(result, results[0]) for result in results[1:]):
            return f"{kernel.__name__}{arguments!r}"
    return None


def same(found: Any, expected: Any) -> bool:
    """Whether two results are equal, bit for bit."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, Ragged):
        return same(found.values, expected.values) and same(found.offsets, expected.offsets)
    if isinstance(expected, np.ndarray):
        return (found.dtype, found.shape, found.tobytes()) == (
            expected.dtype,
            expected.shape,
            expected.tobytes(),
        )
    return bool(found == expected)


def difference(
    metrics: list[str],
    predictions: dict[str, list[str]],
    references: list[list[str]],
    sources: list[str],
    kinds: Kinds,
) -> str | None:
    """The first metric whose statistics, or scores and intervals, differ between kinds of kernels and
    numbers of threads.
    """
    tables, summaries = [], []
    for kernels, threads in kinds:
        NATIVE.set_threads(threads, worthwhile=1)
        with using(kernels), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = nlgauge.score(predictions, references, sources, metrics)
            tables.append(result._tables)
            summaries.append(
                repr(result.intervals(resamples=100)) if len(sources) > 1 else repr(dict(result))
            )
    for key, plain in tables[0].items():
        for part, values in getattr(plain, "statistics", {}).items():
            if not all(same(other[key].statistics[part], values) for other in tables[1:]):
                return f"{key[1]}, {part}"
    return None if len(set(summaries)) == 1 else "scores or intervals"


def compiled_rewards(metrics: list[str]) -> dict[str, Any]:
    """The rewards of metrics that have a compiled form, which goes from strings to scores in one call."""
    found = {}
    for name in metrics:
        try:
            reward = nlgauge.reward(name)
        except nlgauge.NlgaugeError:
            continue  # has no score of a segment, or a fit
        if compiled(reward.job.metrics[reward.__name__]) is not None:
            found[name] = reward
    return found


def compiled_difference(
    rewards: dict[str, Any], predictions: list[str], references: list[list[str]]
) -> str | None:
    """The first metric whose compiled form, or whose utilities of all pairs, differ from the ordinary way."""
    warnings.simplefilter("ignore")
    firsts = [several[0] for several in references]
    for name, reward in rewards.items():
        for given in (references, firsts):
            found = reward._compiled(predictions, given)
            if found is None and given is not firsts:
                continue  # the metric reads all references at once
            if not same(np.array(found), reward.of_corpus(Corpus.read(predictions, given))):
                return f"the reward {name}"
        square = nlgauge.utilities(predictions[:4], reward, firsts[:4])
        for text, utilities in zip(predictions, square, strict=False):
            if not same(np.array(reward._compiled([text] * len(firsts[:4]), firsts[:4])), utilities):
                return f"the utilities {name}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=200, help="the length of the longest texts")
    parser.add_argument(
        "--without-python",
        action="store_true",
        help="compare one thread with three: plain kernels take minutes for long texts",
    )
    given = parser.parse_args()
    if NATIVE is None:
        sys.exit("nlgauge was installed without compiled kernels")
    metrics = [name for name in labels() if given.tokens <= 500 or name not in _UNLIMITED]
    rewards = compiled_rewards(metrics)
    calls = count_calls()
    kinds: Kinds = (("native", 1), ("native", 3))
    if not given.without_python:
        kinds = (("python", 1), *kinds)
    # Several long pairs in one round would take minutes under sanitizers.
    most = 6 if given.tokens <= 500 else 1
    ends, rounds = time.monotonic() + given.seconds, 0
    while time.monotonic() < ends:
        chance = random.Random(f"{given.seed} {rounds}")
        references = [
            [text(chance, given.tokens) for _ in range(chance.randint(1, 3))]
            for _ in range(chance.randint(1, most))
        ]
        predictions = {
            system: [
                worn(chance, group[0]) if chance.random() < 0.7 else text(chance, given.tokens)
                for group in references
            ]
            for system in chance.choice((("a",), ("a", "b")))
        }
        sources = [worn(chance, group[-1]) for group in references]
        # Compiled metrics read blocks of 64 pairs.
        times = chance.choice((1, 1, 30)) if most > 1 else 1
        found = (
            kernel_difference(chance, given.tokens, kinds)
            or difference(metrics, predictions, references, sources, kinds)
            or compiled_difference(rewards, predictions["a"] * times, references * times)
        )
        if found:
            print(f"round {rounds}: {found}\n{predictions!r}\n{references!r}\n{sources!r}")
            return 1
        rounds += 1
    print(f"{rounds} rounds with {len(metrics)} metrics, {len(rewards)} of them compiled, no difference")
    unreached = [name for name, count in calls.items() if not count]
    if unreached:
        print(f"never called: {', '.join(unreached)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
