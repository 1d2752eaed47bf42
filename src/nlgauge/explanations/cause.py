"""The cause of a score in one sentence, from the values of its explanation: one function per kind.

The sentence names the smallest factor of the score first, has at most `LONGEST` characters, and gives no
advice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import singledispatch

import numpy as np

from nlgauge._core.numbers import counted, part_of
from nlgauge._core.ragged import Array
from nlgauge.explanations import (
    Alignment,
    Distributions,
    Edits,
    Entailment,
    ErrorSpans,
    Explanation,
    NgramMatches,
    TokenScores,
    Transport,
    Verdict,
    WordAlignment,
    WordGroups,
)
from nlgauge.explanations.matched import matched_cause
from nlgauge.explanations.spans import bare

LONGEST = 140
# Words that a sentence quotes, and characters of each.
_QUOTED, _CHARACTERS = 2, 24
_CONTINUES = "##"
_BEGINS = ("Ġ", "▁")


def cause(explanation: Explanation) -> str:
    """Return the cause of a score in one sentence; "" for a kind without one."""
    sentence = _sentence(explanation)
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1].rstrip() + "…"


@singledispatch
def _sentence(explanation: Explanation) -> str:
    return ""


_sentence.register(NgramMatches, matched_cause)


@_sentence.register
def _(explanation: Edits) -> str:
    names = {"replace": "replaced", "delete": "missing", "insert": "added", "shift": "moved"}
    counts = dict.fromkeys([*names, "jump"], 0)
    for edit in explanation.edits:
        if edit.kind in ("shift", "jump"):
            counts[edit.kind] += 1
        elif edit.kind != "equal":
            counts[edit.kind] += max(len(edit.reference), len(edit.prediction))
    in_order = [edit for edit in explanation.edits if edit.kind not in ("shift", "jump")]
    length = sum(len(edit.reference) for edit in in_order)
    tokens = [token for edit in in_order for token in (*edit.reference, *edit.prediction)]
    # A single one-letter word is a word; more of them are characters.
    unit = "character" if len(tokens) > 1 and all(len(token) <= 1 for token in tokens) else "word"
    total = sum(counts.values())
    if not total:
        return "The prediction equals the reference: nothing must change."
    kinds = ", ".join(
        f"{count} {names[kind]}" if kind in names else counted(count, kind)
        for kind, count in counts.items()
        if count
    )
    return f"{counted(total, 'edit')} for {counted(length, unit)} of the reference: {kinds}."


@_sentence.register
def _(explanation: Alignment) -> str:
    if not explanation.prediction or not explanation.reference:
        return "One of the two texts has no tokens, so nothing is aligned."
    sides = {
        "precision": ("prediction", explanation.prediction, explanation.similarity.max(axis=1)),
        "recall": ("reference", explanation.reference, explanation.similarity.max(axis=0)),
    }
    weights = {"precision": explanation.prediction_weights, "recall": explanation.reference_weights}
    values = {
        name: float(best @ weights[name] / weights[name].sum()) if weights[name].sum() else 0.0
        for name, (_, _, best) in sides.items()
    }
    # An explanation of only one part is about its side, and F1 is lowered by the lower side.
    asked = [name for name in sides if name in explanation.statistics]
    lower = (
        asked[0]
        if len(asked) == 1 and "f1" not in explanation.statistics
        else min(values, key=lambda name: values[name])
    )
    text, tokens, best = sides[lower]
    words = _words(tokens, best, weights[lower])
    if not words:
        return ""
    other = "recall" if lower == "precision" else "precision"
    head = f"{lower.capitalize()} ({values[lower]:.2f}) is " + (
        f"below {other} ({values[other]:.2f})"
        if values[lower] < values[other]
        else "the mean of the best matches"
    )
    return f"{head}: in the {text}, {_least(words)} {'is' if len(words) == 1 else 'are'} matched least."


def _least(words: list[tuple[str, float]]) -> str:
    return _joined(
        f"{_quoted(word)} ({value:.2f})" for word, value in sorted(words, key=lambda one: one[1])[:_QUOTED]
    )


def _words(tokens: Sequence[str], values: Array, weights: Array) -> list[tuple[str, float]]:
    """Return the words of pieces with a weight, each with the mean of its pieces; punctuation is left out."""
    pieces: list[tuple[str, list[float]]] = []
    marked = any(token.startswith(_BEGINS) for token in tokens)
    for token, value, weight in zip(tokens, values.tolist(), weights.tolist(), strict=True):
        if not weight:
            continue
        continues = token.startswith(_CONTINUES) or (marked and not token.startswith(_BEGINS))
        if continues and pieces:
            word, scores = pieces[-1]
            pieces[-1] = word + bare(token), [*scores, value]
        else:
            pieces.append((bare(token), [value]))
    return [
        (word, float(np.mean(scores)))
        for word, scores in pieces
        if any(character.isalnum() for character in word)
    ]


@_sentence.register
def _(explanation: Transport) -> str:
    moved = explanation.plan * explanation.cost
    total = float(moved.sum())
    if not total > 0:
        return "Nothing is moved: each token of the prediction has an equal token in the reference."
    i, j = np.unravel_index(int(moved.argmax()), moved.shape)
    words = f"{_quoted(bare(explanation.prediction[i]))} to {_quoted(bare(explanation.reference[j]))}"
    return f"The most expensive move is {words}, {100 * moved[i, j] / total:.0f}% of the distance."


@_sentence.register
def _(explanation: Distributions) -> str:
    # A token with and without the mark of a space is one word.
    words: dict[str, tuple[float, float]] = {}
    for token, ours, theirs in explanation.differences:
        before = words.get(bare(token).strip(), (0.0, 0.0))
        words[bare(token).strip()] = before[0] + ours, before[1] + theirs
    ranked = sorted(words, key=lambda word: -abs(words[word][0] - words[word][1]))
    shown = [word for word in ranked if any(map(str.isalnum, word))][:_QUOTED]
    if not shown:
        return "The model expects the same tokens in both texts." if not words else ""
    listed = _joined(f"{_quoted(word)} ({words[word][0]:.2f} against {words[word][1]:.2f})" for word in shown)
    return f"The probabilities in prediction and reference differ most for {listed}."


@_sentence.register
def _(explanation: TokenScores) -> str:
    names = list(explanation.values)
    if not names or not explanation.tokens:
        return "There is no token to score."
    first = np.array(explanation.values[names[0]], dtype=np.float64)
    if explanation.text == "source" and len(names) > 1:
        saved = first - np.array(explanation.values[names[1]], dtype=np.float64)
        best = _largest(explanation.tokens, saved)
        share = f"{100 * saved.sum() / first.sum():.0f}% of" if first.sum() > 0 else "none of"
        head = f"The summary saves {share} the information of the source ({saved.sum():.1f} of {first.sum():.1f})"
        return f"{head}, most on {best}." if best and saved.sum() > 0 else f"{head}."
    best = _largest(explanation.tokens, first, with_values=True)
    return f"{_quoted(names[0], 48)} is largest for {best}." if best else ""


def _largest(tokens: Sequence[str], values: Array, with_values: bool = False) -> str:
    """Return the words with the largest positive values, each once; punctuation is left out."""
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")
    words: dict[str, float] = {}
    for place in order.tolist():
        if values[place] > 0 and any(map(str.isalnum, tokens[place])):
            words.setdefault(bare(tokens[place]).strip(), float(values[place]))
    shown = list(words.items())[:_QUOTED]
    return _joined(
        f"{_quoted(word)} ({value:.4g})" if with_values else _quoted(word) for word, value in shown
    )


@_sentence.register
def _(explanation: WordGroups) -> str:
    total = sum(map(len, explanation.groups.values()))
    against = {name: len(explanation.groups.get(name, ())) for name in explanation.against}
    wrong = {name: count for name, count in against.items() if count}
    if wrong:
        largest = max(wrong, key=lambda name: wrong[name])
        number = sum(wrong.values())
        head = part_of(number, total, "entry", "lower the score", "entries")
        of_them = ":" if number == 1 else f", {wrong[largest]} of them"
        return f"{head}{of_them} {_quoted(largest, 48)}."
    if against:
        return f"{part_of(0, total, 'entry', 'lower the score', 'entries')}."
    return ", ".join(f"{name}: {len(words)}" for name, words in explanation.groups.items()) + "."


@_sentence.register
def _(explanation: WordAlignment) -> str:
    ours = len({place for place, _, _ in explanation.matches})
    theirs = len({place for _, place, _ in explanation.matches})
    chunks = counted(max(explanation.chunks, default=0), "chunk")
    recall = _matching(theirs, explanation.reference, "reference")
    if not explanation.matches:
        return "No word of the prediction matches a word of the reference."
    factors = {name: value for name, value in explanation.factors.items() if not np.isnan(value)}
    lowest = min(factors, key=lambda name: factors[name]) if factors else ""
    if not lowest or factors[lowest] > 0.995:
        return f"{recall}, in {chunks}."
    if lowest == "precision":
        precision = _matching(ours, explanation.prediction, "prediction")
        return f"Precision is lowest ({factors[lowest]:.2f}): {precision}, in {chunks}."
    if lowest == "recall":
        return f"Recall is lowest ({factors[lowest]:.2f}): {recall}, in {chunks}."
    if lowest == "order":
        return f"The order is the smallest factor ({factors[lowest]:.2f}): {chunks} of matches; {recall}."
    return f"The {lowest} is the smallest factor ({factors[lowest]:.2f}); {recall}."


def _matching(number: int, words: Sequence[str], text: str) -> str:
    return part_of(number, len(words), f"word of the {text}", "match", f"words of the {text}")


@_sentence.register
def _(explanation: Verdict) -> str:
    if np.isnan(explanation.score):
        return f"No score: {explanation.reason}." if explanation.reason else "The judge gave no score."
    levels = sorted(explanation.levels.items(), key=lambda level: -level[1])[:_QUOTED]
    shares = _joined(f"{_quoted(name)} ({100 * share:.0f}%)" for name, share in levels)
    return f"The judge gives {explanation.score:.4g}{f', from {shares}' if levels else ''}."


@_sentence.register
def _(explanation: ErrorSpans) -> str:
    counts = Counter(error.severity for error in explanation.errors)
    if not counts:
        return "No error was found."
    listed = _joined(counted(count, f"{severity} error") for severity, count in counts.most_common())
    return f"{listed[0].upper()}{listed[1:]} in the text."


@_sentence.register
def _(explanation: Entailment) -> str:
    if not explanation.hypotheses or not explanation.premises:
        return "There is no sentence to judge, or nothing to judge it by."
    label, matrix = next(iter(explanation.probabilities.items()))
    decided = np.array([matrix[premise, j] for j, premise in enumerate(explanation.best)])
    bad = label in ("contradict", "incorrect")
    j = int(decided.argmax() if bad else decided.argmin())
    value, premise = decided[j], explanation.best[j] + 1
    sentence = f"Sentence {j + 1}" if len(explanation.hypotheses) > 1 else "The sentence"
    source = f"sentence {premise} of the other text" if len(explanation.premises) > 1 else "the other text"
    if bad:
        verb = "is contradicted most" if label == "contradict" else f"has the largest {_quoted(label)}"
        return f"{sentence} {verb}, by {source} ({value:.2f})."
    verb = "is supported" if label == "entail" else f"has the lowest {_quoted(label)}"
    least = " least" if label == "entail" and len(explanation.hypotheses) > 1 else ""
    return f"{sentence} {verb}{least}, by {source} ({value:.2f})."


def _quoted(word: str, most: int = _CHARACTERS) -> str:
    return f'"{word if len(word) <= most else word[: most - 1] + "…"}"'


def _joined(parts: Iterable[str]) -> str:
    return " and ".join(parts)
