"""Spans of a corpus: spans are stored with the numbers of the segments, and read with ids and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlgauge.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.spans.columns import Spans
from nlgauge.spans.explained import texts_of
from nlgauge.spans.texts import SpanTexts


def spans_of_corpus(corpus: Corpus) -> list[Spans]:
    """Return the spans of a corpus with its systems, ids and texts.

    Parameters
    ----------
    corpus : Corpus
        Corpus.

    Returns
    -------
    list of Spans
        Spans by annotator and metric; empty if the corpus has none.
    """
    if not corpus.spans:
        return []
    texts = texts_of(corpus)
    numbers = range(len(corpus))
    return [
        replace(
            spans if spans.systems == corpus.systems else spans.aligned(corpus.systems, numbers),
            segments=tuple(corpus.ids),
            texts=texts,
        )
        for spans in corpus.spans.values()
    ]


def with_spans(corpus: Corpus, spans: Sequence[Spans]) -> Corpus:
    """Return a corpus with the spans of people or metrics; its texts must be the texts that were marked.

    Parameters
    ----------
    corpus : Corpus
        Corpus. Its systems and ids, as text, select the spans.
    spans : sequence of Spans
        Spans, one per annotator or metric. Spans of the same name are replaced.

    Returns
    -------
    Corpus
        Corpus with spans.

    Raises
    ------
    InputError
        If spans and corpus have no text in common, or a text differs.
    """
    texts = texts_of(corpus)
    ids = [str(segment) for segment in corpus.ids]
    added = dict(corpus.spans)
    for each in spans:
        named = replace(each, segments=tuple(map(str, each.segments)), texts=None)
        placed = named.aligned(corpus.systems, ids)
        if not placed.looked.any():
            raise InputError(
                f"the spans of {each.who!r:.60} and the corpus have no system and segment in common."
            )
        if each.texts is not None:
            _check_texts(each.texts, texts, each.who)
        added[each.who] = replace(placed, segments=tuple(range(len(ids))))
    return replace(corpus, spans=added)


def _check_texts(marked: SpanTexts, texts: SpanTexts, who: str) -> None:
    """Raise an error if a marked text is not the text of the corpus."""
    places = {str(segment): n for n, segment in enumerate(texts.segments)}
    for s, system in enumerate(marked.systems):
        if system not in texts.systems:
            continue
        k = texts.systems.index(system)
        for m, segment in enumerate(marked.segments):
            n = places.get(str(segment))
            text = marked.targets[s, m]
            if n is not None and text is not None and text != texts.targets[k, n]:
                raise InputError(
                    f"{who!r:.60} marked another text of {segment}/{system} than the corpus has",
                    python="read the spans with texts=corpus",
                    cli="read the spans with --texts",
                )
