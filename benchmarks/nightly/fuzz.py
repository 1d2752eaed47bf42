"""Differential fuzzing with a stated number of cases and seeds.

    python -m benchmarks.nightly.fuzz peers --cases 300 [--seed 1]     values against other programs
    python -m benchmarks.nightly.fuzz routes --cases 12 [--seed 1]     bits over kernels, threads and ways to score

Texts are those of tools/fuzz_native.py: empty, short, repetitive, with marks, entities, digits, scripts with and without
spaces, and characters beyond the basic plane. Case i depends only on the seed and i.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import nlgauge
from nlgauge._core.backend import NATIVE, using

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from fuzz_native import _CORPUS_METRICS, labels, same, text, worn

Peer = Callable[[str, list[str]], float]
# Relative difference of sums in another order.
_ROUNDING = 1e-9


def case(seed: int, number: int, most: int = 40) -> tuple[str, list[str]]:
    """Return a prediction and its references."""
    chance = random.Random(f"{seed} {number}")
    references = [text(chance, most) for _ in range(chance.randint(1, 3))]
    return (worn(chance, references[0]) if chance.random() < 0.7 else text(chance, most)), references


def peers() -> Iterator[tuple[str, str, str, float, bool, Peer]]:
    """Yield program, metric, output, factor of nlgauge's number, whether it takes several references, and the program."""
    from jiwer import process_characters, process_words
    from rapidfuzz.distance import Levenshtein
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU, CHRF, TER

    bleu, chrf, plus, ter = BLEU(effective_order=True), CHRF(), CHRF(word_order=2), TER()
    yield "sacreBLEU", "bleu", "", 1, True, lambda p, r: bleu.sentence_score(p, r).score
    yield "sacreBLEU", "chrf", "", 1, True, lambda p, r: chrf.sentence_score(p, r).score
    yield "sacreBLEU", "chrf(word_order=2)", "", 1, True, lambda p, r: plus.sentence_score(p, r).score
    yield "sacreBLEU", "ter", "", 1, True, lambda p, r: ter.sentence_score(p, r).score
    for kind, output in (("rouge1", "rouge1"), ("rouge2", "rouge2"), ("rougeL", "rougeL")):
        scorer = RougeScorer([kind])
        label = f"rouge(rouge_types=('{kind}',), tokenizer='google')"
        yield (
            "rouge-score",
            label,
            output,
            1,
            False,
            lambda p, r, scorer=scorer, kind=kind: scorer.score(r[0], p)[kind].fmeasure,  # type: ignore[misc]
        )
    yield "jiwer", "wer", "", 1, False, lambda p, r: process_words(r[0], p).wer
    yield "jiwer", "cer", "", 1, False, lambda p, r: process_characters(r[0], p).cer
    yield "RapidFuzz", "levenshtein", "distance", 1, False, lambda p, r: float(Levenshtein.distance(p, r[0]))


def compared(cases: int, seed: int) -> None:
    """Print a table with one row per program and metric."""
    print("| program, metric | cases | left out | differ | largest difference |\n|---|---|---|---|---|")
    texts = [case(seed, number) for number in range(cases)]
    for program, label, output, factor, several, peer in peers():
        differ, left_out, largest, shown = 0, 0, 0.0, ""
        used = [(p, r if several else r[:1]) for p, r in texts]
        values = _ours(label, output, used)
        for (prediction, references), ours in zip(used, values, strict=True):
            try:
                theirs = factor * peer(prediction, references)
            except (ValueError, ZeroDivisionError):
                # The program refuses this text, such as an empty reference.
                left_out += 1
                continue
            if ours != ours:
                left_out += 1
                continue
            difference = abs(ours - theirs)
            largest = max(largest, difference)
            if difference > _ROUNDING * max(1.0, abs(theirs)):
                differ += 1
                shown = shown or f"{label}: {prediction!r}, {references!r}: {ours!r}, {program} {theirs!r}"
        print(f"| {program}, {label} | {cases} | {left_out} | {differ} | {largest:.1e} |", flush=True)
        if shown:
            print(shown, file=sys.stderr)


def _ours(label: str, output: str, texts: list[tuple[str, list[str]]]) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = nlgauge.score(
            [p for p, _ in texts], [r for _, r in texts], metrics=[label], show_progress=False
        )
    (name,) = result.labels
    table = result._tables[result.systems[0], name]
    return [float(value) for value in table.segments()[output or table.leading()[0].name]]


def routes(cases: int, seed: int) -> None:
    """Print a table with one row per route: the metrics' statistics must have the same bits as in the first route."""
    if NATIVE is None:
        sys.exit("nlgauge was installed without compiled kernels")
    names = [label for label in labels() if label not in _CORPUS_METRICS]
    differ: dict[str, int] = {}
    compared_values: dict[str, int] = {}
    for number in range(cases):
        texts = [case(seed, 1000 * number + i) for i in range(4)]
        first = None
        for route, tables in _all_routes(names, [p for p, _ in texts], [r for _, r in texts]):
            if first is None:
                first = tables
            differ.setdefault(route, 0)
            for key, values in first.items():
                compared_values[route] = compared_values.get(route, 0) + 1
                if not same(tables.get(key), values):
                    differ[route] += 1
                    print(f"case {number}, {route}: {key}\n{texts!r}", file=sys.stderr)
    print("| route | cases | arrays | differ |\n|---|---|---|---|")
    for route, count in differ.items():
        print(f"| {route} | {cases} | {compared_values[route]} | {count} |")


def _all_routes(
    names: list[str], predictions: list[str], references: list[list[str]]
) -> Iterator[tuple[str, dict[tuple[str, str], object]]]:
    """Yield the statistics of each metric and part, by route."""

    def scored(**options: object) -> nlgauge.Result:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return nlgauge.score(
                predictions, references, list(predictions), names, show_progress=False, **options
            )

    def arrays(result: nlgauge.Result) -> dict[tuple[str, str], object]:
        return {
            (key[1], part): np.asarray(values)
            for key, table in result._tables.items()
            for part, values in getattr(table, "statistics", {}).items()
        }

    for kernels, threads in (("native", 1), ("native", 2), ("python", 1)):
        NATIVE.set_threads(threads, worthwhile=1)
        with using(kernels):  # type: ignore[arg-type]
            yield f"{kernels} kernels, {threads} threads", arrays(scored())
    NATIVE.set_threads(1)
    yield "a thread pool", arrays(scored(executor="threads"))
    result = scored()
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "result")
        yield "saved and loaded", arrays(nlgauge.load(Path(folder) / "result"))


def main() -> None:
    """Print the table of one kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("peers", "routes"))
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.cases} cases, seed {options.seed}\n")
    (compared if options.kind == "peers" else routes)(options.cases, options.seed)


if __name__ == "__main__":
    main()
