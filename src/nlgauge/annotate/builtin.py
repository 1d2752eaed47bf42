"""The built-in protocols."""

from __future__ import annotations

from nlgauge.annotate.marks import MarkRules
from nlgauge.annotate.protocols import Protocol, Question

_QUALITY = {
    "0": "no meaning preserved",
    "33": "some meaning preserved",
    "66": "most meaning preserved",
    "100": "perfect",
}
# Error categories of MQM for translation, two levels.
_MQM = """
    accuracy/addition accuracy/mistranslation accuracy/omission accuracy/untranslated fluency/character-encoding
    fluency/grammar fluency/inconsistency fluency/punctuation fluency/register fluency/spelling
    locale/address locale/currency locale/date locale/name locale/number locale/time style/awkward
    terminology/inappropriate terminology/inconsistent non-translation other
""".split()


def scale(name: str, low: str, high: str) -> Question:
    """Return a question with five answers, from 1 to 5."""
    return Question(name, f"How good is the {name} of the text?", labels={"1": low, "5": high})


PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "likert",
            [
                scale("informativeness", "says nothing of importance", "says everything of importance"),
                scale("factualness", "mostly wrong", "all correct"),
                scale("fluency", "hard to read", "reads well"),
                scale("succinctness", "long-winded", "to the point"),
            ],
        ),
        Protocol(
            "da", [Question("da", "How good is the text as a whole?", low=0, high=100, labels=_QUALITY)]
        ),
        Protocol(
            "esa",
            [Question("esa", "How good is the text as a whole?", low=0, high=100, labels=_QUALITY)],
            spans=MarkRules(),
            warn_below=66,
            instructions="Mark every error in the text as minor or major, then rate the whole text.",
        ),
        Protocol(
            "mqm",
            spans=MarkRules(
                severities=("neutral", "minor", "major", "critical"),
                sides=("target", "source"),
                categories=tuple(_MQM),
                overlap=True,
                limit=5,
                weights="mqm,critical=10",
            ),
            instructions="Mark every error with its severity and its category, at most five in a text.",
        ),
        Protocol("yes_no", [Question("acceptable", "Is the text acceptable?", "yes_no")]),
        Protocol("pairwise", [Question("preferred", "Which text is better?", "output", ties=True)], 2),
        Protocol(
            "bws",
            [
                Question("best", "Which text is the best?", "output"),
                Question("worst", "Which text is the worst?", "output"),
            ],
            4,
        ),
        Protocol(
            "claims",
            [
                Question(
                    "claims",
                    "Does the source support the claim?",
                    "claims",
                    labels={"yes": "yes", "no": "no", "unknown": "cannot tell"},
                )
            ],
            spans=MarkRules(severities=("evidence",), sides=("source",), missing=False, overlap=True),
            instructions="Judge each claim only by the source. You can mark the words that decide it.",
        ),
    )
}
