"""Checks of a run: required inputs and languages before it, conspicuous outputs after it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence, Sized

import numpy as np

from nlgauge._core.language import code, name
from nlgauge._core.numbers import counted, listed
from nlgauge.corpus import Corpus
from nlgauge.corpus.scripts import (
    Script,
    is_mostly_ascii,
    is_mostly_korean,
    is_mostly_not_latin,
    language_of,
    unspaced_script,
)
from nlgauge.corpus.text_fields import check_text_field
from nlgauge.errors import InputError, NlgaugeError
from nlgauge.metric import AnyMetric, Output
from nlgauge.metric.table import Table

# Number of texts per column, and of characters per text, from which the language is detected.
_TEXTS, _CHARACTERS = 200, 500


def check(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """Raise InputError if a metric needs predictions, references or sources that the corpus lacks."""
    for label, metric in metrics.items():
        if corpus.repeats and metric.listed:
            _check_predictions(label, corpus)
        if metric.takes != "alone":
            if corpus.references is None:
                raise InputError(
                    f"{label} needs references",
                    python="score with references=[...]",
                    cli="score with -r REFERENCES, or as sacreBLEU does: REFERENCES -i SYSTEM",
                )
            if (
                not corpus.references.is_single
                and (bare := np.flatnonzero(corpus.references.lengths == 0)).size
            ):
                raise InputError(
                    f"{label} needs a reference for every segment; segment {corpus.ids[bare[0]]!r} has none."
                    " Add a reference, or leave this segment out."
                )
        if metric.source and corpus.sources is None:
            raise InputError(
                f"{label} needs sources", python="score with sources=[...]", cli="score with -s SOURCES"
            )
        for record_field in metric.record_fields:
            _check_field(label, record_field, corpus)


def _check_field(label: str, record_field: str, corpus: Corpus) -> None:
    """Raise InputError if a segment has no text in a field that a metric reads."""
    try:
        check_text_field(corpus, record_field)
    except InputError as error:
        raise InputError(f"{label}: {error.message}", python=error.python, cli=error.cli) from None


def _check_predictions(label: str, corpus: Corpus) -> None:
    """Raise InputError if a segment of imported scores has no prediction."""
    for system, column in corpus.predictions.items():
        lacking = np.flatnonzero(column.lengths == 0)
        if len(lacking):
            raise InputError(
                f"{label} needs predictions; {system!r} has none for {len(lacking)} of {counted(len(corpus), 'segment')},"
                f" such as {corpus.ids[lacking[0]]!r}",
                python="import the predictions with the scores, in a field 'prediction'",
            )


def warn_about_outputs(tables: Mapping[tuple[str, str], Table]) -> None:
    """Warn once per metric output that is beyond its warning threshold for a system.

    An example is the share of tokens that a model does not know. The warning names the most extreme value.
    """
    worst: dict[tuple[str, Output], float] = {}
    for (_, label), table in tables.items():
        for output in table.outputs():
            share = table.scores()[output.name] if output.warning else math.nan
            if share > output.warn_above or share < output.warn_below:
                decide = min if share < output.warn_below else max
                worst[label, output] = decide(worst.get((label, output), share), share)
    for (label, output), share in worst.items():
        warnings.warn(f"{label}: {share:.0%} {output.warning}.", stacklevel=4)


def warn_about_languages(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """Warn at most once, with all remarks about languages."""
    columns = [column.values for column in corpus.predictions.values()] + (
        [] if corpus.references is None else [corpus.references.values]
    )
    ids = dict.fromkeys(text for column in columns for text in column[:: _step(column)].tolist())
    strings = corpus.texts.strings
    _warn([strings[text][:_CHARACTERS] for text in ids], corpus.lang, metrics)


def warn_about_languages_of(
    predictions: list[str], references: list[str], metrics: Mapping[str, AnyMetric]
) -> None:
    """Warn as `warn_about_languages` does, for texts without a corpus and without a language."""
    texts = dict.fromkeys([*predictions[:: _step(predictions)], *references[:: _step(references)]])
    _warn([text[:_CHARACTERS] for text in texts], None, metrics)


def _step(column: Sized) -> int:
    """Return the distance between the texts of a column that are looked at."""
    return len(column) // _TEXTS + 1


def _warn(texts: Sequence[str], lang: str | None, metrics: Mapping[str, AnyMetric]) -> None:
    """Warn about the starts of some distinct texts.

    Remarks concern metrics designed for other languages, a language that contradicts the texts, and texts
    that metrics cannot split well.
    """
    text = "".join(texts)
    plain = is_mostly_ascii(text)
    script = None if plain else unspaced_script(text)
    unfit = _unfit(lang, metrics, not plain and is_mostly_not_latin(text))
    remarks = [_unfit_remark(lang, metrics, unfit)] if unfit else []
    if script is not None:
        guess = language_of(text, script)
        if lang is not None and code(lang) not in script.languages:
            remarks.append(
                f"lang is {lang!r} ({name(lang)}), but most letters of these texts are {name(guess)}."
            )
        unsplit = [
            label
            for label, metric in metrics.items()
            if label not in unfit and not _splits(metric, lang, texts, script)
        ]
        if unsplit:
            remarks.append(_unsplit_remark({label: metrics[label] for label in unsplit}, lang, guess))
    elif lang is None and not plain and is_mostly_korean(text) and (helped := _helped(metrics, None, "ko")):
        remarks.append(
            "Most letters of these texts are Korean, whose words carry particles. Set the language (lang) to 'ko'"
            f" to split them off for {listed(helped)}."
        )
    if remarks:
        warnings.warn(" ".join(remarks), stacklevel=5)


def _unfit(lang: str | None, metrics: Mapping[str, AnyMetric], not_latin: bool) -> list[str]:
    """Return the labels of the metrics that are designed for other languages.

    If `lang` is None and the texts are mostly not in Latin letters, these are all metrics with languages,
    because those languages are written in Latin letters.
    """
    made_for = {
        label: languages for label, metric in metrics.items() if (languages := metric.made_for()) is not None
    }
    return [
        label
        for label, languages in made_for.items()
        if (not_latin if lang is None else code(lang) not in languages)
    ]


def _unfit_remark(lang: str | None, metrics: Mapping[str, AnyMetric], unfit: list[str]) -> str:
    languages = sorted({name(language) for label in unfit for language in metrics[label].made_for() or ()})
    be, its = ("is", "its") if len(unfit) == 1 else ("are", "their")
    designed = f"{listed(unfit)} {be} designed for {listed(languages)}"
    if lang is None:
        return f"{designed}; most letters of these texts are not Latin, so {its} scores are not meaningful."
    return f"{designed}; {its} scores for {name(lang)} (lang is {lang!r}) are not meaningful."


def _splits(metric: AnyMetric, lang: str | None, texts: Sequence[str], script: Script) -> bool:
    words = metric.words(lang)
    try:
        return words is None or script.is_split(texts, words.of)
    except NlgaugeError:  # a tokenizer's package or dictionary is missing, which the run reports
        return True


def _helped(metrics: Mapping[str, AnyMetric], lang: str | None, guess: str) -> list[str]:
    """Return the labels of the metrics that would split texts differently in this language."""
    return [
        label
        for label, metric in metrics.items()
        if metric.for_language(guess).words(guess) != metric.words(lang)
    ]


def _unsplit_remark(metrics: Mapping[str, AnyMetric], lang: str | None, guess: str) -> str:
    helped = _helped(metrics, lang, guess)
    rest = [label for label in metrics if label not in helped]
    treat = f"{listed(list(metrics))} {'treats' if len(metrics) == 1 else 'treat'}"
    remark = f"{name(guess)} has no spaces between words, and {treat} whole sentences as words."
    if helped:
        remark += f" Set the language (lang) to {guess!r} for {listed(helped)}."
    if rest:
        remark += f" Instead of {listed(rest)}, use chrf or cer, which compare characters."
    return remark
