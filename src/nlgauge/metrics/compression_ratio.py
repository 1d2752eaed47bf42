"""Compression ratio: how far a system's whole output shrinks under gzip; lower means more varied.

    CR = bytes of the output / bytes after gzip (level 9)

The output is all texts in UTF-8, sorted and joined by line feeds. Sorting makes the number independent of the
order of segments, on which gzip, with its window of 32 KB, otherwise depends.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.corpus import Corpus
from nlgauge.features import Features
from nlgauge.metric import CorpusMetric, Output, register
from nlgauge.metric.domains import require_choice


@register
@dataclass(frozen=True)
class CompressionRatio(CorpusMetric):
    """Size before over size after compression, above 0; about 2 to 4 for prose."""

    compat: str | None = None

    name: ClassVar[str] = "compression_ratio"

    def __post_init__(self) -> None:
        require_choice(self, "compat", (None, "diversity"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "compression_ratio": (Output("compression_ratio", False, 0, nan="the text has only white space"),)
        }

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "zlib": zlib.ZLIB_RUNTIME_VERSION}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        texts = [features.texts[text] for text in corpus.predictions[system].values.tolist()]
        if not any(text.strip() for text in texts):
            return {"compression_ratio": math.nan}
        if self.compat is None:
            output = "\n".join(sorted(texts)).encode()
            return {"compression_ratio": len(output) / len(_gzip(output))}
        output = " ".join(texts).encode()
        # The package compresses the compressed text again, into a file whose header contains its name.
        return {"compression_ratio": len(output) / (len(_gzip(_gzip(output))) + len(b"compressed\0"))}


def _gzip(content: bytes) -> bytes:
    """Return the content in gzip's format, without a time stamp: the same bytes whenever it runs."""
    compressor = zlib.compressobj(level=9, wbits=31)
    return compressor.compress(content) + compressor.flush()
