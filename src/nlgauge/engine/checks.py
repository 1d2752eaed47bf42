"""What is looked at before anything is computed: whether metrics get what they need, and whether they
suit the language of the texts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from nlgauge._core.language import code, name
from nlgauge._core.numbers import listed
from nlgauge.corpus import Corpus
from nlgauge.corpus.scripts import (
    Script,
    is_mostly_ascii,
    is_mostly_korean,
    is_mostly_not_latin,
    language_of,
    unspaced_script,
)
from nlgauge.errors import InputError, NlgaugeError
from nlgauge.metric import AnyMetric, Output
from nlgauge.metric.table import Table

# So many texts of a column, and so many characters of each, tell the language.
_TEXTS, _CHARACTERS = 200, 500


def check(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """Raises where a metric needs references or sources that the corpus lacks."""
    for label, metric in metrics.items():
        if metric.takes != "alone":
            if corpus.references is None:
                raise InputError(
                    f"{label} needs references",
                    python="pass references=[...]",
                    cli="name their file with -r, or as sacreBLEU does: REFERENCES -i SYSTEM",
                )
            if (
                not corpus.references.is_single
                and (bare := np.flatnonzero(corpus.references.lengths == 0)).size
            ):
                raise InputError(
                    f"{label} needs a reference for every segment; segment {corpus.ids[bare[0]]!r} has none."
                )
        if metric.source and corpus.sources is None:
            raise InputError(
                f"{label} needs sources", python="pass sources=[...]", cli="name their file with -s"
            )


def warn_about_outputs(tables: Mapping[tuple[str, str], Table]) -> None:
    """One warning for each metric output that is worth one for some system, such as the share of tokens
    that a model does not know.
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
    """One warning at most: of metrics designed for other languages, a language that cannot be right,
    texts that metrics cannot split well.
    """
    texts = _sample(corpus)
    text = "".join(texts)
    plain = is_mostly_ascii(text)
    script = None if plain else unspaced_script(text)
    unfit = _unfit(corpus.lang, metrics, not plain and is_mostly_not_latin(text))
    remarks = [_unfit_remark(corpus.lang, metrics, unfit)] if unfit else []
    if script is not None:
        guess = language_of(text, script)
        if corpus.lang is not None and code(corpus.lang) not in script.languages:
            remarks.append(
                f"lang is {corpus.lang!r} ({name(corpus.lang)}), but most letters of these texts are"
                f" {name(guess)}."
            )
        unsplit = [
            label
            for label, metric in metrics.items()
            if label not in unfit and not _splits(metric, corpus.lang, texts, script)
        ]
        if unsplit:
            remarks.append(_unsplit_remark({label: metrics[label] for label in unsplit}, corpus.lang, guess))
    elif (
        corpus.lang is None
        and not plain
        and is_mostly_korean(text)
        and (helped := _helped(metrics, None, "ko"))
    ):
        remarks.append(
            "Most letters of these texts are Korean, whose words carry particles; lang='ko' splits them off"
            f" for {listed(helped)}."
        )
    if remarks:
        warnings.warn(" ".join(remarks), stacklevel=4)


def _sample(corpus: Corpus) -> list[str]:
    """The beginnings of some different predictions and references, from all over the corpus."""
    columns = [column.values for column in corpus.predictions.values()] + (
        [] if corpus.references is None else [corpus.references.values]
    )
    ids = dict.fromkeys(text for column in columns for text in column[:: len(column) // _TEXTS + 1].tolist())
    strings = corpus.texts.strings
    return [strings[text][:_CHARACTERS] for text in ids]


def _unfit(lang: str | None, metrics: Mapping[str, AnyMetric], not_latin: bool) -> list[str]:
    """The metrics that are designed for other languages.

    Texts that are mostly not in Latin letters are in no language written in them.
    """
    made_for = {label: known for label, metric in metrics.items() if (known := metric.made_for()) is not None}
    return [
        label
        for label, languages in made_for.items()
        if (not_latin if lang is None else code(lang) not in languages)
    ]


def _unfit_remark(lang: str | None, metrics: Mapping[str, AnyMetric], unfit: list[str]) -> str:
    languages = sorted({name(language) for label in unfit for language in metrics[label].made_for() or ()})
    one = len(unfit) == 1
    designed = f"{listed(unfit)} {'is' if one else 'are'} designed for {listed(languages)}"
    if lang is None:
        return (
            f"{designed}; most letters of these texts are not Latin, so {'its' if one else 'their'} scores"
            " are not meaningful."
        )
    return (
        f"{designed}; {'its' if one else 'their'} scores for {name(lang)} (lang={lang!r}) are not meaningful."
    )


def _splits(metric: AnyMetric, lang: str | None, texts: Sequence[str], script: Script) -> bool:
    words = metric.words(lang)
    try:
        return words is None or script.is_split(texts, words.of)
    except (
        NlgaugeError
    ):  # another package's tokeniser, or one whose dictionary is missing, which the run will say
        return True


def _helped(metrics: Mapping[str, AnyMetric], lang: str | None, guess: str) -> list[str]:
    """The metrics that would split texts into other words if they knew this language."""
    return [
        label
        for label, metric in metrics.items()
        if metric.for_language(guess).words(guess) != metric.words(lang)
    ]


def _unsplit_remark(metrics: Mapping[str, AnyMetric], lang: str | None, guess: str) -> str:
    helped = _helped(metrics, lang, guess)
    rest = [label for label in metrics if label not in helped]
    take = f"{listed(list(metrics))} {'takes' if len(metrics) == 1 else 'take'}"
    remark = f"{name(guess)} has no spaces between words, and {take} whole sentences for words."
    if helped:
        remark += f" Give lang={guess!r} for {listed(helped)}."
    if rest:
        remark += f" In place of {listed(rest)} use chrf or cer, which compare characters."
    return remark
