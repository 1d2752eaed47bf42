"""What is looked at before anything is computed: whether metrics get what they need, and whether the texts are in a language they are made for."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import islice

import numpy as np
import regex

from nlgauge.corpus import Corpus
from nlgauge.corpus.language import code
from nlgauge.errors import InputError
from nlgauge.metric import AnyMetric

_LATIN = regex.compile(r"\p{Latin}")
_LOOKED_AT = 500


def check(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """Raises where a metric needs references or sources that the corpus lacks."""
    for label, metric in metrics.items():
        if metric.takes != "alone":
            if corpus.references is None:
                raise InputError(f"{label} needs references, none were given.")
            bare = np.flatnonzero(corpus.references.lengths == 0)
            if bare.size:
                raise InputError(f"{label} needs a reference for every segment; segment {corpus.ids[bare[0]]!r} has none.")
        if metric.source and corpus.sources is None:
            raise InputError(f"{label} needs sources, none were given; pass sources=[...] (on the command line -s FILE).")


def warn_about_languages(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
    """One warning that names the metrics which are made for other languages than these texts are in.

    Where no language was given, texts whose letters are mostly not Latin are no text of a language written in Latin letters.
    """
    made_for = {label: known for label, metric in metrics.items() if (known := metric.made_for()) is not None}
    if not made_for:
        return
    given = code(corpus.lang)
    foreign = not given and _is_not_latin(corpus)
    unfit = [label for label, languages in made_for.items() if foreign or (given and given not in languages)]
    if unfit:
        what = f"in {corpus.lang!r}" if given else "not in Latin letters"
        languages = ", ".join(sorted({language for label in unfit for language in made_for[label]}))
        warnings.warn(f"{', '.join(unfit)}: made for {languages}; for these texts, {what}, the numbers mean little.", stacklevel=4)


def _is_not_latin(corpus: Corpus) -> bool:
    ids = dict.fromkeys(text for column in corpus.predictions.values() for text in column.values[:_LOOKED_AT].tolist())
    text = "".join(corpus.texts[text] for text in islice(ids, _LOOKED_AT))
    return 2 * len(_LATIN.findall(text)) < sum(sign.isalpha() for sign in text)
