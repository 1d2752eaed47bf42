"""The passages of a text that entailment is asked of: sentences, pairs of sentences, paragraphs, or about
as many words as a model reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from nlgauge.features.tokens.sentences import DerivedTextFeature, Sentences

GRANULARITIES = ("sentence", "2sents", "paragraph", "document")
_WORDS = 350


@dataclass(frozen=True)
class Passages(DerivedTextFeature):
    """The passages of a text that have more than `longer_than` characters; "2sents" are any two sentences
    that follow each other, and the last.
    """

    granularity: str
    sentences: Sentences
    longer_than: int = 0

    def of(self, text: str) -> list[str]:
        if self.granularity == "document":
            return [text] if len(text.strip()) > self.longer_than else []
        if self.granularity == "paragraph":
            parts = [part.strip() for part in text.split("\n\n" if "\n\n" in text else "\n")]
        else:
            parts = self.sentences.of(text)
        parts = [part for part in parts if len(part) > self.longer_than]
        return (
            [" ".join(parts[i : i + 2]) for i in range(len(parts))] if self.granularity == "2sents" else parts
        )


@dataclass(frozen=True)
class WordChunks(DerivedTextFeature):
    """Return AlignScore's chunks of a document: joined sentences, the same number in each but the last, of
    about 350 words.

    >>> [len(chunk.split()) for chunk in WordChunks(Sentences()).of(("And so they went. " * 200).strip())]
    [264, 264, 264, 8]
    """

    sentences: Sentences

    def of(self, text: str) -> list[str]:
        parts = self.sentences.of(text) or [""]
        chunks = len(text.split()) // _WORDS + 1
        size = max(1, len(parts) // chunks)
        return [" ".join(parts[i : i + size]) for i in range(0, len(parts), size)]
