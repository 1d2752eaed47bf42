"""GEMBA: a judge scores a translation, in one of four ways.

    DA     a number from 0 (no meaning preserved) to 100 (perfect)                      one question
    SQM    the same, with two more anchors between them                                 one question
    MQM    -min(25, sum of weights of the first five errors), 25 critical, 5 major, 1 minor; a non-translation is critical
    ESA    the errors first, then a number from 0 to 100 that takes them into account   two questions

The published programs ask again at a higher temperature, without end, where a reply cannot be read, and take the first number of any reply. Here the
whole reply must be the number, or the list of errors; it is asked for once more with the next seed, and then the row has no score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from nlgauge.corpus.language import checked, name
from nlgauge.explain import ErrorSpan, ErrorSpans, Explanation
from nlgauge.judges.judged import NAN, Judged
from nlgauge.judges.prompts import Prompt, ready
from nlgauge.judges.reading import Judgement, judged
from nlgauge.judges.requests import is_cut, text_of
from nlgauge.metric import Arrays, Output, View, register

VARIANTS = ("DA", "SQM", "MQM", "ESA")
_WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
_COUNTED_ERRORS = 5
_HEADING = re.compile(r"\W*(critical|major|minor)\b(?:\s+errors?)?\W*?:?[\s*]*(.*)", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:no[- ]?errors?|none|n/a)\W*", re.IGNORECASE)
_ENTRY = re.compile(r"""[-*•\s]*(?P<kind>[^"“]+?)(?:\s+[-–—:]\s*["“'`]*(?P<span>.*?)["”'`.]*)?\s*""")


class Error(NamedTuple):
    """One error of a translation: how bad, of which kind, and the words that it is in."""

    severity: str
    kind: str
    span: str


@dataclass(frozen=True)
class ErrorList:
    """A reply that lists errors under their severities."""

    def errors(self, text: str) -> list[Error] | None:
        """The errors of a reply in its order; None where it has no severity as a heading."""
        found: list[Error] = []
        severity = ""
        for line in text.splitlines():
            heading = _HEADING.fullmatch(line.strip())
            if heading is not None:
                severity, line = heading.group(1).lower(), heading.group(2)  # noqa: PLW2901
            entry = _ENTRY.fullmatch(line.strip()) if severity and line.strip() and not _NOTHING.fullmatch(line) else None
            if entry is not None:
                worst = "critical" if "non-translation" in entry["kind"].lower() else severity
                found.append(Error(worst, entry["kind"].strip(), (entry["span"] or "").strip()))
        return found if severity else None

    def reads(self, text: str) -> bool:
        """Whether a reply is a list of errors."""
        return self.errors(text) is not None

    def value(self, text: str) -> float | None:
        """The score of the errors: no more than five of them count, and no translation is worse than -25."""
        errors = self.errors(text)
        return None if errors is None else -float(min(25, sum(_WEIGHTS[error.severity] for error in errors[:_COUNTED_ERRORS])))


@register
@dataclass(frozen=True)
class Gemba(Judged):
    """The score that a judge gives a translation: from 0 to 100, or with variant "MQM" from -25 to 0."""

    scoring: str = "single"
    n: int = 5
    variant: str = "DA"
    source_lang: str = ""
    target_lang: str = ""
    with_reference: bool = False

    name: ClassVar[str] = "gemba"
    aliases: ClassVar[dict[str, dict[str, object]]] = {f"gemba_{variant.lower()}": {"variant": variant} for variant in VARIANTS}
    source: ClassVar[bool] = True
    scorings: ClassVar[tuple[str, ...]] = ("samples", "single")

    def __post_init__(self) -> None:
        self.require(self.variant in VARIANTS, "variant", f"one of {', '.join(VARIANTS)}")
        for lang in (self.source_lang, self.target_lang):
            checked(lang or None)
        self.require(not self.with_reference or self.variant in ("DA", "SQM"), "with_reference", "False for MQM and ESA, which have no form with one")
        super().__post_init__()

    def for_language(self, lang: str | None) -> Gemba:
        return replace(self, target_lang=lang) if lang and not self.target_lang else self

    def template(self) -> Prompt:
        return self._ready(f"gemba_{self.variant.lower()}{'_reference' if self.with_reference else ''}")

    def _ready(self, prompt: str) -> Prompt:
        source, target = (name(lang) if lang else "" for lang in (self.source_lang, self.target_lang))
        said = {
            "direction": f" from {source} to {target}" if source and target else f" into {target}" if target else "",
            "source_name": f"{source} " if source else "",
            "target_name": f"{target} " if target else "",
        }
        return ready(prompt).filled(said)

    def measures(self) -> tuple[Output, ...]:
        low, high = (-25, 0) if self.variant == "MQM" else (0, 100)
        return Output("gemba", True, low, high, nan=NAN, decimals=2), *self.about_replies()

    def asked(self, view: View, prompt: Prompt, texts: Sequence[Mapping[str, str]]) -> list[Judgement]:
        if self.variant in ("DA", "SQM"):
            return super().asked(view, prompt, texts)
        rendered = [prompt.render(row) for row in texts]
        listed = ErrorList()
        if self.variant == "MQM":
            replies = self.replies(view, self.ask(prompt, listed), [(words,) for words in rendered])
            return [judged(found, listed, self.scoring, self.n, words) for words, found in zip(rendered, replies, strict=True)]
        # The errors are listed once, at temperature 0; samples are of the number that follows from them.
        once = replace(self.ask(prompt, listed), n=1, temperature=0.0)
        lists = [_first_read(found, listed) for found in self.replies(view, once, [(words,) for words in rendered])]
        return self._scored_after(view, rendered, lists)

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        """The verdict; where errors are listed, also where they are in the translation."""
        found: list[Explanation] = []
        for row, verdict in enumerate(super().explain(view, fitted)):
            found.append(verdict)
            lists = [ErrorList().errors(reply) for replies in getattr(verdict, "replies", []) for reply in replies]
            errors = next((listed for listed in lists if listed is not None), None)
            if self.variant in ("MQM", "ESA") and errors is not None:
                text = view.text(int(view.predictions[row]))
                found.append(ErrorSpans(f"{len(errors)} errors", verdict.statistics, text, located(errors, text)))
        return found

    def _scored_after(self, view: View, rendered: list[str], lists: Sequence[str | Judgement]) -> list[Judgement]:
        """The number that follows each list of errors; where there is no list, why."""
        second = self._ready("gemba_esa_score")
        whole = [i for i, listed in enumerate(lists) if isinstance(listed, str)]
        ask = replace(self.ask(second), before=self.template().before)
        replies = self.replies(view, ask, [(rendered[i], str(lists[i]), second.text) for i in whole])
        found = [listed if isinstance(listed, Judgement) else Judgement() for listed in lists]
        for i, row in zip(whole, replies, strict=True):
            judgement = judged(row, second.expects, self.scoring, self.n, f"{rendered[i]}\n\n{second.text}")
            found[i] = replace(judgement, replies=(str(lists[i]), *judgement.replies))
        return found


def located(errors: Sequence[Error], text: str) -> list[ErrorSpan]:
    """Where the words of the errors stand in the translation, from left to right; those that it does not have, such as omissions, are left out.

    >>> located([Error("major", "x", "cat"), Error("minor", "y", "cat"), Error("minor", "z", "dog")], "a cat, a cat")
    [ErrorSpan(start=2, end=5, severity='major', confidence=None), ErrorSpan(start=9, end=12, severity='minor', confidence=None)]
    """
    found: list[ErrorSpan] = []
    for error in errors:
        start = text.find(error.span) if error.span else -1
        while start >= 0 and any(start < other.end and other.start < start + len(error.span) for other in found):
            start = text.find(error.span, start + 1)
        if start >= 0:
            found.append(ErrorSpan(start, start + len(error.span), error.severity))
    return sorted(found, key=lambda span: span.start)


def _first_read(replies: Sequence[Mapping[str, Any]], listed: ErrorList) -> str | Judgement:
    """The first reply that is a list of errors, or the judgement that there is none."""
    whole = (text_of(reply) for reply in replies if "failure" not in reply and not is_cut(reply))
    return next((text for text in whole if listed.reads(text)), None) or judged(replies, listed, "single", 1)
