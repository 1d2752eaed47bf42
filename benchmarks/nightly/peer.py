"""Another program's numbers. This file runs in .venv-peers, which has no nlgauge, and imports nothing of it.

    .venv-peers/bin/python -I benchmarks/nightly/peer.py PROGRAM < data.json > values.json

The data are {"texts": [[prediction, [reference, ...]], ...], "columns": [[x, z], ...], "ratings": [[[...], ...], ...]}. The
answer is {"version": ..., "values": {name: [number or null, ...]}}; null if the program refuses a case.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

Value = float | None
Answers = Iterator[tuple[str, list[Value]]]
# The errors by which a program refuses a case, such as an empty reference.
_REFUSED = (ValueError, ZeroDivisionError)


def each(call: Callable[..., Any], cases: Sequence[Sequence[Any]]) -> list[Value]:
    """Return the program's number for each case."""
    values: list[Value] = []
    for one in cases:
        try:
            values.append(float(call(*one)))
        except _REFUSED:
            values.append(None)
    return values


def sacrebleu(data: dict[str, Any]) -> Answers:
    from sacrebleu.metrics import BLEU, CHRF, TER

    for name, metric in {
        "BLEU": BLEU(effective_order=True),
        "BLEU, intl, lowercase": BLEU(effective_order=True, tokenize="intl", lowercase=True),
        "BLEU, add-k": BLEU(smooth_method="add-k"),
        "chrF": CHRF(),
        "chrF++": CHRF(word_order=2),
        "TER": TER(),
    }.items():
        yield name, each(lambda p, r, metric=metric: metric.sentence_score(p, r).score, data["texts"])
    # TER tokenizes references twice, and splits some of its own tokens then; here both sides are tokenized once.
    split = TER(normalized=True, asian_support=True)._preprocess_segment
    plain = TER(case_sensitive=True)
    yield (
        "TER, normalized once",
        each(lambda p, r: plain.sentence_score(split(p), [split(one) for one in r]).score, data["texts"]),
    )


def rouge_score(data: dict[str, Any]) -> Answers:
    from rouge_score.rouge_scorer import RougeScorer

    for kind in ("rouge1", "rouge2", "rougeL"):
        scorer = RougeScorer([kind])
        yield (
            kind,
            each(
                lambda p, r, scorer=scorer, kind=kind: scorer.score_multi(r, p)[kind].fmeasure, data["texts"]
            ),
        )


def jiwer(data: dict[str, Any]) -> Answers:
    from jiwer import process_characters, process_words

    for name in ("wer", "mer", "wil", "wip"):
        yield name, each(lambda p, r, name=name: getattr(process_words(r[0], p), name), data["texts"])
    yield "cer", each(lambda p, r: process_characters(r[0], p).cer, data["texts"])


def rapidfuzz(data: dict[str, Any]) -> Answers:
    from rapidfuzz.distance import Levenshtein

    yield "Levenshtein distance", each(lambda p, r: Levenshtein.distance(p, r[0]), data["texts"])
    yield (
        "Levenshtein similarity",
        each(lambda p, r: Levenshtein.normalized_similarity(p, r[0]), data["texts"]),
    )


def nltk(data: dict[str, Any]) -> Answers:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from nltk.translate.gleu_score import sentence_gleu
    from nltk.translate.ribes_score import sentence_ribes

    split = [(p.split(), [one.split() for one in r]) for p, r in data["texts"]]
    smoothing = SmoothingFunction().method2

    def bleu(p: list[str], r: list[list[str]]) -> float:
        # NLTK has other rules for fewer tokens than the order of n-grams.
        if len(p) < 4:
            raise ValueError(p)
        return sentence_bleu(r, p, smoothing_function=smoothing)

    def gleu(p: list[str], r: list[list[str]]) -> float:
        # Without a token all references score 0, and the programs choose different ones.
        if not p or not all(r):
            raise ValueError(p)
        return sentence_gleu(r, p)

    yield "sentence BLEU", each(bleu, split)
    yield "GLEU", each(gleu, split)
    yield "RIBES", each(lambda p, r: sentence_ribes(r, p), split)


def pycocoevalcap(data: dict[str, Any]) -> Answers:
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    texts = data["texts"]
    references = {number: r for number, (_, r) in enumerate(texts)}
    predictions = {number: [p] for number, (p, _) in enumerate(texts)}
    yield "CIDEr-D", [float(value) for value in Cider().compute_score(references, predictions)[1]]

    def rouge(p: str, r: list[str]) -> float:
        # The program expects words with a space between them, as its tokenizer writes them.
        sides = [" ".join(one.split()) for one in (p, *r)]
        if not all(sides):
            raise ValueError(p)
        return Rouge().calc_score(sides[:1], sides[1:])

    yield "ROUGE-L", each(rouge, texts)


def cer(data: dict[str, Any]) -> Answers:
    from cer import calculate_cer

    yield "CharacTER", each(lambda p, r: calculate_cer(p.split(), r[0].split()), data["texts"])


def scipy(data: dict[str, Any]) -> Answers:
    from scipy import stats

    for name, test in {
        "Pearson": stats.pearsonr,
        "Spearman": stats.spearmanr,
        "Kendall, tau-b": stats.kendalltau,
    }.items():
        yield name, each(lambda x, z, test=test: test(x, z).statistic, data["columns"])
    yield "Kendall, tau-c", each(lambda x, z: stats.kendalltau(x, z, variant="c").statistic, data["columns"])
    yield "Somers' D", each(lambda x, z: stats.somersd(x, z).statistic, data["columns"])
    for method in ("bh", "by"):
        yield (
            f"false discovery, {method}",
            [
                float(max(stats.false_discovery_control([_share(v) for v in x], method=method)))
                for x, _ in data["columns"]
            ],
        )


def _share(value: float) -> float:
    """Return a number of a column as a p-value."""
    return abs(value) % 1


def krippendorff(data: dict[str, Any]) -> Answers:
    from krippendorff import alpha

    for level in ("nominal", "ordinal", "interval"):
        yield (
            level,
            each(
                lambda *rows, level=level: alpha(
                    [[float("nan") if v is None else v for v in row] for row in rows],
                    level_of_measurement=level,
                ),
                data["ratings"],
            ),
        )


# The name of the distribution -> its numbers.
PROGRAMS: dict[str, Callable[[dict[str, Any]], Answers]] = {
    "sacrebleu": sacrebleu,
    "rouge-score": rouge_score,
    "jiwer": jiwer,
    "rapidfuzz": rapidfuzz,
    "nltk": nltk,
    "pycocoevalcap": pycocoevalcap,
    "cer": cer,
    "scipy": scipy,
    "krippendorff": krippendorff,
}


def main() -> None:
    """Answer on standard output; what programs print goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    with suppress(PackageNotFoundError):
        sys.exit(f"nlgauge {version('nlgauge')} is in the environment of its peers")
    warnings.simplefilter("ignore")
    name, data = sys.argv[1], json.load(sys.stdin)
    values = dict(PROGRAMS[name](data))
    json.dump({"version": version(name), "values": values}, answers)


if __name__ == "__main__":
    main()
