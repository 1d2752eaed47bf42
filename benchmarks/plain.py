"""Plain loops over the definition, for metrics that no package computes as published."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.peers import mean
from benchmarks.sides import Numbers
from benchmarks.workloads import Workload
from nlgauge._core.backend import using


def readability(workload: Workload) -> Callable[[], Numbers]:
    """Flesch's reading ease, text by text and word by word, without remembering a word."""
    import regex

    from nlgauge.features.lexical.readability import sentences, syllables

    signs = r"[\p{L}\p{M}\p{N}]"
    word = regex.compile(rf"{signs}+(?:(?:['’.\-‐‑]|(?<=\p{{N}}),(?=\p{{N}})){signs}+)*")
    letter = regex.compile(r"[\p{L}\p{N}]")

    def call(texts: Workload) -> Numbers:
        counts = [0, 0, 0]
        with using("python"):
            for text in texts.predictions:
                for sentence in sentences(text, "en"):
                    found = [one for one in word.findall(sentence) if letter.search(one)]
                    counts[0] += len(found)
                    counts[1] += bool(found)
                    counts[2] += sum(map(syllables.__wrapped__, found))
        return {"score": 206.835 - 1.015 * counts[0] / counts[1] - 84.6 * counts[2] / counts[0]}

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
            while (
                i + length < len(summary)
                and j + length < len(source)
                and summary[i + length] == source[j + length]
            ):
                length += 1
            longest = max(longest, length)
            j += length
        i += max(longest, 1)
        if longest:
            found.append(longest)
    return found


def coverage(workload: Workload) -> Callable[[], Numbers]:
    """Coverage, or what a loop over every place of the summary and the source takes for it; tokens are
    made by our plain tokenizer.
    """
    from nlgauge.features.tokens.text import Tokens

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
