"""What evaluate's metrics on texts return, key by key: one function per metric, with the keyword arguments
that evaluate documents.

Each gives the numbers of evaluate's own script. Further keyword arguments are parameters of the metric of
nlgauge that computes it.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.compat.evaluate.given import Request
from nlgauge.errors import InputError, ParameterError
from nlgauge.features.tokens.text import Tokens
from nlgauge.metric.registry import find, make, spelt
from nlgauge.metrics.bleu import Bleu

Tokenizer = str | Callable[[str], Iterable[str]] | None
_AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "sum": sum,
    "median": statistics.median,
}


def bleu(
    given: Request, *, tokenizer: Tokenizer = None, max_order: int = 4, smooth: bool = False, **ours: Any
) -> dict[str, Any]:
    """The BLEU of TensorFlow's translation tutorial, 0 to 1: the shortest reference is the length,
    `smooth` adds 1 to all counts.
    """
    if callable(tokenizer):
        given, tokenizer = given.split_by(tokenizer), "none"
    table = given.table("bleu", ours, max_order=max_order, tokenizer=tokenizer)
    assert isinstance(table.metric, Bleu)
    length, _, matched, total = _counts(table.statistics["bleu"].sum(axis=0), max_order)
    tokens = table.metric.words(given.options.get("lang"))
    lengths = {text: len(tokens.of(text)) for row in given.references or () for text in row}
    reference_length = sum(min(lengths[text] for text in row) for row in given.references or ())
    one = int(smooth)
    precisions = [(m + one) / (t + one) if t + one else 0.0 for m, t in zip(matched, total, strict=True)]
    ratio = length / reference_length if reference_length else math.inf if length else 1.0
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio) if ratio else 0.0
    mean = math.exp(sum(map(math.log, precisions)) / max_order) if min(precisions) > 0 else 0.0
    lengths_of_both = {
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": reference_length,
    }
    return {"bleu": mean * penalty, "precisions": precisions, "brevity_penalty": penalty, **lengths_of_both}


def sacrebleu(
    given: Request,
    *,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
    **ours: Any,
) -> dict[str, Any]:
    """sacreBLEU's corpus BLEU, 0 to 100, with its counts; `force` is accepted and changes nothing."""
    smoothing = {
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
        "effective_order": use_effective_order,
    }
    table = given.table("bleu", ours, lowercase=lowercase, tokenizer=tokenize, **smoothing)
    scores = table.scores()
    order = sum(name.startswith("precision") for name in scores)
    length, reference_length, matched, total = _counts(table.statistics["bleu"].sum(axis=0), order)
    # sacreBLEU hands out the counts after add-k has added to them, which it does where anything matched.
    added = 0 if smooth_method != "add-k" or not any(matched) else 1 if smooth_value is None else smooth_value
    return {
        "score": scores["bleu"],
        "counts": [matched[0], *(count + added for count in matched[1:])],
        "totals": [total[0], *(count + added for count in total[1:])],
        "precisions": [scores[f"precision{n}"] for n in range(1, order + 1)],
        "bp": scores["brevity_penalty"],
        "sys_len": length,
        "ref_len": reference_length,
    }


def _counts(row: np.ndarray[Any, Any], order: int) -> tuple[int, int, list[int], list[int]]:
    """Lengths of prediction and reference, matched and predicted n-grams, from the summed statistics of
    BLEU.
    """
    length, reference_length, *rest = (round(value) for value in row.tolist())
    return length, reference_length, rest[:order], rest[order:]


def google_bleu(
    given: Request, *, tokenizer: Tokenizer = "13a", min_len: int = 1, max_len: int = 4, **ours: Any
) -> dict[str, float]:
    """NLTK's corpus GLEU on 13a's tokens, 0 to 1."""
    if callable(tokenizer):
        given, tokenizer = given.split_by(tokenizer), "whitespace"
    parameters = {
        "min_order": min_len,
        "max_order": max_len,
        "tokenizer": tokenizer,
        **spelt(find("gleu"), ours),
    }
    return {"google_bleu": _without_empty_pairs(given, make("gleu", parameters)).score("gleu", parameters)}


def _without_empty_pairs(given: Request, metric: Any) -> Request:
    """Leave out references that have, like their prediction, no n-gram to count, if there are others:
    NLTK does not count such a pair.
    """
    tokens = Tokens(metric.tokenizer)

    def is_empty(text: Any) -> bool:
        return isinstance(text, str) and len(tokens.of(text)) < metric.min_order

    rows = []
    for prediction, row in zip(given.predictions, given.references or (), strict=False):
        several = is_empty(prediction) and isinstance(row, list | tuple)
        rows.append(([text for text in row if not is_empty(text)] or row) if several else row)
    return (
        given
        if given.references is None or len(rows) != len(given.references)
        else replace(given, references=rows)
    )


def rouge(
    given: Request,
    *,
    rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Tokenizer = "google",
    **ours: Any,
) -> dict[str, Any]:
    """The F of each type on rouge-score's tokens: its mean, or with use_aggregator=False a list with one
    value per segment.
    """
    parameters = {"stem": use_stemmer, "tokenizer": tokenizer}
    groups = [(given, list(rouge_types))]
    if callable(
        tokenizer
    ):  # it sees whole texts, but for rougeLsum one line at a time, and decides about stems itself
        parameters |= {"stem": False, "tokenizer": "whitespace"}
        whole = [kind for kind in rouge_types if kind != "rougeLsum"]
        groups = [
            (given.split_by(tokenizer), whole),
            (given.split_by(tokenizer, lines=True), [kind for kind in rouge_types if kind not in whole]),
        ]
    found: dict[str, Any] = {}
    for texts, types in groups:
        if types:
            table = texts.table("rouge", ours, rouge_types=types, **parameters)
            scores = (
                table.scores()
                if use_aggregator
                else {kind: table.segments()[kind].tolist() for kind in types}
            )
            found |= {kind: scores[kind] for kind in types}
    return {kind: found[kind] for kind in rouge_types}


def chrf(given: Request, **ours: Any) -> dict[str, Any]:
    """sacreBLEU's chrF, 0 to 100, and its orders."""
    table = given.table("chrf", ours)
    return {
        "score": table.scores()["chrf"],
        **{name: getattr(table.metric, name) for name in ("char_order", "word_order", "beta")},
    }


def ter(
    given: Request, *, ignore_punct: bool = False, support_zh_ja_chars: bool = False, **ours: Any
) -> dict[str, Any]:
    """sacreBLEU's TER in percent, the edits and the mean reference length."""
    scores = given.table("ter", ours, no_punct=ignore_punct, asian_support=support_zh_ja_chars).scores()
    return {
        "score": scores["ter"],
        "num_edits": round(scores["edits"]),
        "ref_length": scores["reference_length"],
    }


def exact_match(
    given: Request, *, regexes_to_ignore: Iterable[str] | None = None, **ours: Any
) -> dict[str, float]:
    """The share of predictions that equal their reference, after what the regular expressions match was
    removed.
    """
    for pattern in [regexes_to_ignore] if isinstance(regexes_to_ignore, str) else regexes_to_ignore or ():
        try:
            found = re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ParameterError(
                f"regexes_to_ignore: {pattern!r:.60} is not a regular expression: {error}."
            ) from None
        given = given.changed(lambda text, found=found: found.sub("", text))  # type: ignore[misc]
    return {"exact_match": given.score("exact_match", ours)}


def wer(given: Request, *, concatenate_texts: bool = False, **ours: Any) -> float:
    """The word error rate as a number; `concatenate_texts` is accepted and changes nothing, because
    errors are summed over all texts anyway.
    """
    return given.score("wer", ours)


def cer(given: Request, *, concatenate_texts: bool = False, **ours: Any) -> float:
    """The character error rate as a number; `concatenate_texts` is accepted and changes nothing."""
    return given.score("cer", ours)


def meteor(
    given: Request, *, alpha: float = 0.9, beta: float = 3.0, gamma: float = 0.5, **ours: Any
) -> dict[str, float]:
    """NLTK's METEOR; with `version` or `compat` in the call the one that they name."""
    theirs = {
        "version": "2005",
        "compat": "nltk",
        "tokenizer": "punctuated",
        "alpha": alpha,
        "beta": float(beta),
        "gamma": gamma,
    }
    return {"meteor": given.score("meteor", ours, **({} if ours.keys() & {"version", "compat"} else theirs))}


def nist_mt(
    given: Request, *, n: int = 5, lowercase: bool = False, western_lang: bool = True
) -> dict[str, float]:
    """NLTK's corpus NIST on its NIST tokens."""
    from nltk.translate.nist_score import corpus_nist

    def words(text: str) -> list[str]:
        return _nist_words(text, lowercase, western_lang)

    try:
        score = corpus_nist(
            [[words(text) for text in row] for row in given.references or ()],
            [words(text) for text in given.predictions],
            n,
        )
    except ZeroDivisionError:
        raise InputError(
            f"NLTK's NIST is undefined if no prediction has {n} words; pass a smaller n, or use nlgauge.score with"
            " nist."
        ) from None
    return {"nist_mt": float(score)}


def _nist_words(text: str, lowercase: bool, western: bool) -> list[str]:
    """The tokens of mteval as NLTK has them: unlike 13a, words that a hyphen divides at the end of a line
    stay apart.
    """
    from nltk.tokenize.util import xml_unescape
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    text = xml_unescape(text.replace("<skipped>", ""))
    if not western:
        return text.split()
    split: str = TokenizerRegexp()(f" {text.lower() if lowercase else text} ")
    return split.split()


def sari(given: Request, **ours: Any) -> dict[str, float]:
    """evaluate's own variant of SARI, 0 to 100."""
    return {"sari": given.score("sari", ours, compat="evaluate")}


def wiki_split(given: Request) -> dict[str, float]:
    """SARI, sacreBLEU's BLEU and the exact match of SQuAD's normalised texts, each 0 to 100."""
    return {
        **sari(given),
        "sacrebleu": given.score("bleu", effective_order=False),
        "exact": given.table("squad", compat="1.1").scores()["exact_match"],
    }


def character(
    given: Request, *, aggregate: str = "mean", return_all_scores: bool = False, **ours: Any
) -> dict[str, Any]:
    """CharacTER as the package cer computes it; the best reference counts."""
    if aggregate not in _AGGREGATES:
        raise ParameterError(f"aggregate must be one of {', '.join(_AGGREGATES)}, got {aggregate!r}.")
    scores = given.table("character", ours, compat="released").segments()["character"].tolist()
    return {
        "cer_score": float(_AGGREGATES[aggregate](scores)),
        **({"cer_scores": scores} if return_all_scores else {}),
    }
