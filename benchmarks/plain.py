"""Plain loops over the definition, for metrics that no package computes as published."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.peers import mean
from benchmarks.sides import Numbers
from benchmarks.workloads import Workload


def readability(workload: Workload) -> Callable[[], Numbers]:
    """Flesch's reading ease, text by text and word by word, without remembering a word."""
    from nlgauge.features import readability as ours

    def call(texts: Workload) -> Numbers:
        words = sentences = syllables = 0
        for text in texts.predictions:
            for sentence in ours.sentences(text, "en"):
                found = [word for word in ours._WORD.findall(sentence) if ours._LETTER.search(word)]
                sentences += bool(found)
                words += len(found)
                syllables += sum(map(ours.syllables.__wrapped__, found))
        return {"score": 206.835 - 1.015 * words / sentences - 84.6 * syllables / words}

    call(workload.first(2))
    return lambda: call(workload)


def fragments(summary: list[str], source: list[str]) -> list[int]:
    """The lengths of the fragments, as Newsroom's paper has the procedure."""
    found = []
    i = 0
    while i < len(summary):
        longest, j = 0, 0
        while j < len(source):
            if summary[i] != source[j]:
                j += 1
                continue
            length = 0
            while i + length < len(summary) and j + length < len(source) and summary[i + length] == source[j + length]:
                length += 1
            longest = max(longest, length)
            j += length
        i += max(longest, 1)
        if longest:
            found.append(longest)
    return found


def coverage(workload: Workload) -> Callable[[], Numbers]:
    """Coverage, or what a loop over every place of the summary and the source takes for it; tokens are made by our plain tokeniser."""
    from nlgauge.features.text import Tokens
    from nlgauge.kernels.backend import using

    def call(texts: Workload) -> Numbers:
        assert texts.sources is not None
        scores = []
        with using("python"):
            split = Tokens("punctuated").of
            for prediction, source in zip(texts.predictions, texts.sources, strict=True):
                summary = split(prediction)
                scores.append(sum(fragments(summary, split(source))) / len(summary))
        return {"score": mean(scores)}

    call(workload.first(2))
    return lambda: call(workload)
