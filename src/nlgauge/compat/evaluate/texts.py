"""Outputs of the text metrics of evaluate: one function per metric.

Each function has the keyword arguments that evaluate documents, and returns the same numbers as the script of evaluate.
Further keyword arguments are parameters of the metric of nlgauge that computes it.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.compat.evaluate.request import Request
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
    request: Request, *, tokenizer: Tokenizer = None, max_order: int = 4, smooth: bool = False, **ours: Any
) -> dict[str, Any]:
    """Return the BLEU of TensorFlow's translation tutorial, 0 to 1.

    The reference length is the length of the shortest reference, and `smooth` adds 1 to all counts.
    """
    if callable(tokenizer):
        request, tokenizer = request.split_by(tokenizer), "none"
    table = request.table("bleu", ours, max_order=max_order, tokenizer=tokenizer)
    assert isinstance(table.metric, Bleu)
    length, _, matched, total = _counts(table.statistics["bleu"].sum(axis=0), max_order)
    tokens = table.metric.words(request.options.get("lang"))
    lengths = {text: len(tokens.of(text)) for row in request.references or () for text in row}
    reference_length = sum(min(lengths[text] for text in row) for row in request.references or ())
    added = int(smooth)
    precisions = [
        (m + added) / (t + added) if t + added else 0.0 for m, t in zip(matched, total, strict=True)
    ]
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
    request: Request,
    *,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
    **ours: Any,
) -> dict[str, Any]:
    """Return the corpus BLEU of sacreBLEU, 0 to 100, with its counts; `force` has no effect."""
    smoothing = {
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
        "effective_order": use_effective_order,
    }
    table = request.table("bleu", ours, lowercase=lowercase, tokenizer=tokenize, **smoothing)
    scores = table.scores()
    order = sum(name.startswith("precision") for name in scores)
    length, reference_length, matched, total = _counts(table.statistics["bleu"].sum(axis=0), order)
    # sacreBLEU returns the counts after add-k smoothing, which applies only if some n-gram matched.
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
    """Return lengths of predictions and references, matched and predicted n-grams, from BLEU statistics."""
    length, reference_length, *rest = (round(value) for value in row.tolist())
    return length, reference_length, rest[:order], rest[order:]


def google_bleu(
    request: Request, *, tokenizer: Tokenizer = "13a", min_len: int = 1, max_len: int = 4, **ours: Any
) -> dict[str, float]:
    """Return the corpus GLEU of NLTK, 0 to 1; the default tokenizer is 13a."""
    if callable(tokenizer):
        request, tokenizer = request.split_by(tokenizer), "whitespace"
    parameters = {
        "min_order": min_len,
        "max_order": max_len,
        "tokenizer": tokenizer,
        **spelt(find("gleu"), ours),
    }
    return {"google_bleu": _without_empty_pairs(request, make("gleu", parameters)).score("gleu", parameters)}


def _without_empty_pairs(request: Request, metric: Any) -> Request:
    """Remove references without countable n-grams if the prediction has none either and others remain.

    NLTK does not count such pairs.
    """
    tokens = Tokens(metric.tokenizer)

    def is_empty(text: Any) -> bool:
        return isinstance(text, str) and len(tokens.of(text)) < metric.min_order

    rows = []
    for prediction, row in zip(request.predictions, request.references or (), strict=False):
        several = is_empty(prediction) and isinstance(row, list | tuple)
        rows.append(([text for text in row if not is_empty(text)] or row) if several else row)
    return (
        request
        if request.references is None or len(rows) != len(request.references)
        else replace(request, references=rows)
    )


def rouge(
    request: Request,
    *,
    rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Tokenizer = "google",
    **ours: Any,
) -> dict[str, Any]:
    """Return the mean F of each ROUGE type.

    With use_aggregator=False, return a list of one value per segment instead. The default tokens are the tokens of
    rouge-score.
    """
    parameters = {"stem": use_stemmer, "tokenizer": tokenizer}
    groups = [(request, list(rouge_types))]
    if callable(tokenizer):
        # The tokenizer gets whole texts, or for rougeLsum one line at a time, and is responsible for
        # stemming.
        parameters |= {"stem": False, "tokenizer": "whitespace"}
        whole = [kind for kind in rouge_types if kind != "rougeLsum"]
        groups = [
            (request.split_by(tokenizer), whole),
            (request.split_by(tokenizer, lines=True), [kind for kind in rouge_types if kind not in whole]),
        ]
    outputs: dict[str, Any] = {}
    for texts, types in groups:
        if types:
            table = texts.table("rouge", ours, rouge_types=types, **parameters)
            scores = (
                table.scores()
                if use_aggregator
                else {kind: table.segments()[kind].tolist() for kind in types}
            )
            outputs |= {kind: scores[kind] for kind in types}
    return {kind: outputs[kind] for kind in rouge_types}


def chrf(request: Request, **ours: Any) -> dict[str, Any]:
    """Return the chrF of sacreBLEU, 0 to 100, with its orders and beta."""
    table = request.table("chrf", ours)
    return {
        "score": table.scores()["chrf"],
        **{name: getattr(table.metric, name) for name in ("char_order", "word_order", "beta")},
    }


def ter(
    request: Request, *, ignore_punct: bool = False, support_zh_ja_chars: bool = False, **ours: Any
) -> dict[str, Any]:
    """Return the TER of sacreBLEU in percent, the number of edits and the mean reference length."""
    scores = request.table("ter", ours, no_punct=ignore_punct, asian_support=support_zh_ja_chars).scores()
    return {
        "score": scores["ter"],
        "num_edits": round(scores["edits"]),
        "ref_length": scores["reference_length"],
    }


def exact_match(
    request: Request, *, regexes_to_ignore: Iterable[str] | None = None, **ours: Any
) -> dict[str, float]:
    """Return the share of predictions that equal their reference.

    All matches of the regular expressions are removed from the texts first.
    """
    for pattern in [regexes_to_ignore] if isinstance(regexes_to_ignore, str) else regexes_to_ignore or ():
        try:
            expression = re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ParameterError(
                f"regexes_to_ignore: {pattern!r:.60} is not a regular expression: {error}."
            ) from None
        request = request.changed(lambda text, each=expression: each.sub("", text))  # type: ignore[misc]
    return {"exact_match": request.score("exact_match", ours)}


def wer(request: Request, *, concatenate_texts: bool = False, **ours: Any) -> float:
    """Return the word error rate as a number.

    `concatenate_texts` has no effect, because errors are always summed over all texts.
    """
    return request.score("wer", ours)


def cer(request: Request, *, concatenate_texts: bool = False, **ours: Any) -> float:
    """Return the character error rate as a number; `concatenate_texts` has no effect."""
    return request.score("cer", ours)


def meteor(
    request: Request, *, alpha: float = 0.9, beta: float = 3.0, gamma: float = 0.5, **ours: Any
) -> dict[str, float]:
    """Return the METEOR of NLTK or, with `version` or `compat`, the METEOR that they select."""
    theirs = {
        "version": "2005",
        "compat": "nltk",
        "tokenizer": "punctuated",
        "alpha": alpha,
        "beta": float(beta),
        "gamma": gamma,
    }
    return {
        "meteor": request.score("meteor", ours, **({} if ours.keys() & {"version", "compat"} else theirs))
    }


def nist_mt(
    request: Request, *, n: int = 5, lowercase: bool = False, western_lang: bool = True
) -> dict[str, float]:
    """Return the corpus NIST of NLTK, with NIST tokens of NLTK."""
    from nltk.translate.nist_score import corpus_nist

    def words(text: str) -> list[str]:
        return _nist_words(text, lowercase, western_lang)

    try:
        score = corpus_nist(
            [[words(text) for text in row] for row in request.references or ()],
            [words(text) for text in request.predictions],
            n,
        )
    except ZeroDivisionError:
        raise InputError(
            f"NLTK's NIST is undefined if no prediction has {n} words, or the references have none; pass a smaller n,"
            " longer texts, or use nlgauge.score with nist."
        ) from None
    return {"nist_mt": float(score)}


def _nist_words(text: str, lowercase: bool, western: bool) -> list[str]:
    """Return the tokens of mteval as in NLTK.

    Unlike 13a, it does not join words that are hyphenated at the end of a line.
    """
    from nltk.tokenize.util import xml_unescape
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    text = xml_unescape(text.replace("<skipped>", ""))
    if not western:
        return text.split()
    split: str = TokenizerRegexp()(f" {text.lower() if lowercase else text} ")
    return split.split()


def sari(request: Request, **ours: Any) -> dict[str, float]:
    """Return the variant of SARI of evaluate, 0 to 100."""
    return {"sari": request.score("sari", ours, compat="evaluate")}


def wiki_split(request: Request) -> dict[str, float]:
    """Return SARI, the BLEU of sacreBLEU and the exact match of SQuAD's normalized texts, each 0 to 100."""
    return {
        **sari(request),
        "sacrebleu": request.score("bleu", effective_order=False),
        "exact": request.table("squad", compat="1.1").scores()["exact_match"],
    }


def character(
    request: Request, *, aggregate: str = "mean", return_all_scores: bool = False, **ours: Any
) -> dict[str, Any]:
    """Return CharacTER as in the package cer; the best reference counts."""
    if aggregate not in _AGGREGATES:
        raise ParameterError(f"aggregate must be one of {', '.join(_AGGREGATES)}, got {aggregate!r}.")
    scores = request.table("character", ours, compat="released").segments()["character"].tolist()
    return {
        "cer_score": float(_AGGREGATES[aggregate](scores)),
        **({"cer_scores": scores} if return_all_scores else {}),
    }
