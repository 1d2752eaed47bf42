"""Languages: the code of one, and the warning that a metric is made for another than it was given."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from itertools import islice

import regex

from nlgauge.corpus import Corpus
from nlgauge.metric import AnyMetric

_LATIN = regex.compile(r"\p{Latin}")
_LOOKED_AT = 500


def code(lang: str | None) -> str:
    """The language of a tag without region or script; "" for none.

    >>> code("en-GB"), code("zh_Hans"), code(None)
    ('en', 'zh', '')
    """
    return re.split("[-_]", lang or "")[0].lower()


def warn_of_others(corpus: Corpus, metrics: Mapping[str, AnyMetric]) -> None:
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
