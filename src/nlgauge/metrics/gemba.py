"""GEMBA: a judge scores a translation, in one of four ways.

    DA     a number from 0 (no meaning preserved) to 100 (perfect)                      one question
    SQM    the same, with two more anchors between them                                 one question
    MQM    -min(25, sum of the weights of five errors), 25 critical, 5 major, 1 minor; a non-translation is critical
    ESA    the errors first, then a number from 0 to 100 that takes them into account   two questions

Replies are read as the released program reads them (github.com/MicrosoftTranslator/GEMBA). A number is the
only run of digits in the reply, or the reply is N/100; a sign or a decimal point is not read, so that 87.5
has two numbers and no score. Of listed errors the critical ones count first, then the major, then the minor
ones, five at most. Two things differ. The program takes every line below a heading for an error, and a list
without any heading for a perfect translation; here `none` is no error, headings may be bold or have the error
on the same line, and a reply without a heading has no score unless it is "no-error". And the program asks
again at a higher temperature, up to ten times; here the question is asked once more with the next seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from nlgauge._core.language import checked, name
from nlgauge._core.numbers import counted
from nlgauge.explanations import ErrorSpans, Explanation
from nlgauge.judges.prompts import Prompt, ready
from nlgauge.judges.reading import AnyText, Judgment, ReadReply, Reads, judged
from nlgauge.judges.requests import is_cut, refusal_of, text_of
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.error_spans import Error, located
from nlgauge.metrics._shared.judged import NAN, Judged

VARIANTS = ("DA", "SQM", "MQM", "ESA")
_WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
_COUNTED_ERRORS = 5
_HEADING = re.compile(r"\W*(critical|major|minor)(?:\s+errors?)?[\s*_]*(?::[\s*_]*(.*))?", re.IGNORECASE)
_NO_ERROR = re.compile(r"no[- ]error", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:no[- ]?errors?|none|n/a)?\W*", re.IGNORECASE)
_ENTRY = re.compile(r"""[-*•\s]*(?P<kind>[^"“]+?)(?:\s+[-–—:]\s*["“'`]*(?P<span>.*?)["”'`.]*)?\s*""")
_DIGITS = re.compile(r"\d+")
_OF_100 = re.compile(r"[0-9]+/100")


@dataclass(frozen=True)
class OnlyNumber:
    """Rule for a number from 0 to 100: the only run of digits in the reply, or the reply is N/100."""

    def read(self, text: str) -> ReadReply | None:
        """Read the number; None if there are more numbers, or none."""
        numbers, text = _DIGITS.findall(text), text.strip()
        if len(numbers) != 1 and _OF_100.fullmatch(text) is None:
            return None
        rule = (
            "the whole reply"
            if text == numbers[0]
            else "N/100"
            if len(numbers) > 1
            else "the only number in the reply"
        )
        # An integer of thousands of digits cannot be converted; as a float it is infinite.
        return ReadReply(float(numbers[0]), rule) if float(numbers[0]) <= 100 else None


class Listed(NamedTuple):
    """The errors of a reply in its order, and whether every line has the form that the released program
    reads.
    """

    errors: list[Error]
    in_form: bool


@dataclass(frozen=True)
class ErrorList:
    """Rule for a reply that lists errors under their severities, or is "no-error"."""

    def listed(self, text: str) -> Listed | None:
        """Find the errors of a reply; None if it has no severity as a heading and is not "no-error"."""
        errors: list[Error] = []
        severity, in_form = "", True
        for line in map(str.strip, text.split("\n")):
            heading = _HEADING.fullmatch(line)
            if heading is not None:
                severity, entry = heading[1].lower(), heading[2] or ""
                in_form &= line.lower() == f"{severity}:"
            else:
                entry = line
            if severity and entry and not _NO_ERROR.search(entry):
                if _NOTHING.fullmatch(entry):
                    in_form = False
                else:
                    errors.append(_error(severity, entry))
        return Listed(errors, in_form) if severity or (text.strip() and _NOTHING.fullmatch(text)) else None

    def read(self, text: str) -> ReadReply | None:
        """Score the errors: the worst five count, and no translation is worse than -25."""
        listed = self.listed(text)
        if listed is None:
            return None
        weights = sorted((_WEIGHTS[error.severity] for error in listed.errors), reverse=True)
        rule = "errors under severities" if listed.errors else "no error"
        rule += f", the worst {_COUNTED_ERRORS} of {len(weights)}" if len(weights) > _COUNTED_ERRORS else ""
        rule += "" if listed.in_form else ", in a form that the released program reads differently"
        return ReadReply(-float(min(25, sum(weights[:_COUNTED_ERRORS]))), rule)


def _error(severity: str, line: str) -> Error:
    """Split a line into the kind of the error and the words that are wrong."""
    entry = _ENTRY.fullmatch(line)
    kind, span = (line, "") if entry is None else (entry["kind"].strip(), (entry["span"] or "").strip())
    return Error("critical" if "non-translation" in line.lower() else severity, kind, span)


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
    max_tokens: int = 500

    name: ClassVar[str] = "gemba"
    aliases: ClassVar[dict[str, dict[str, object]]] = {
        f"gemba_{variant.lower()}": {"variant": variant} for variant in VARIANTS
    }
    source: ClassVar[bool] = True
    scorings: ClassVar[tuple[str, ...]] = ("samples", "single")

    def __post_init__(self) -> None:
        require_choice(self, "variant", VARIANTS)
        for lang in (self.source_lang, self.target_lang):
            checked(lang or None)
        self.require(
            not self.with_reference or self.variant in ("DA", "SQM"),
            "with_reference",
            "False for MQM and ESA, which have no form with a reference",
        )
        require_whole(self, "max_tokens", 1, 32768)
        super().__post_init__()

    def for_language(self, lang: str | None) -> Gemba:
        return replace(self, target_lang=lang) if lang and not self.target_lang else self

    def template(self) -> Prompt:
        return self._ready(f"gemba_{self.variant.lower()}{'_reference' if self.with_reference else ''}")

    def _ready(self, prompt: str) -> Prompt:
        source, target = (name(lang) if lang else "" for lang in (self.source_lang, self.target_lang))
        said = {
            "direction": (
                f" from {source} to {target}" if source and target else f" into {target}" if target else ""
            ),
            "source_name": f"{source} " if source else "",
            "target_name": f"{target} " if target else "",
        }
        return replace(ready(prompt).filled(said), max_tokens=self.max_tokens)

    def measures(self) -> tuple[Output, ...]:
        low, high = (-25, 0) if self.variant == "MQM" else (0, 100)
        return Output("gemba", True, low, high, nan=NAN, decimals=2), *self.about_replies()

    def asked(
        self, view: View, prompt: Prompt, texts: Sequence[Mapping[str, str]], expects: Reads | None = None
    ) -> list[Judgment]:
        if self.variant != "ESA":
            return super().asked(view, prompt, texts, ErrorList() if self.variant == "MQM" else OnlyNumber())
        rendered = [prompt.render(row) for row in texts]
        # The errors are listed once, at temperature 0; samples are of the number that follows from them.
        once = replace(self.ask(prompt, AnyText()), n=1, temperature=0.0)
        lists = [
            _first_read(replies) for replies in self.replies(view, once, [(words,) for words in rendered])
        ]
        return self._scored_after(view, rendered, lists)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        """Return the verdict; if errors are listed, with their places in the translation."""
        for row, verdict in enumerate(super().explain(view, fitted)):
            yield verdict
            lists = [
                ErrorList().listed(reply) for replies in getattr(verdict, "replies", []) for reply in replies
            ]
            listed = next((listed for listed in lists if listed is not None), None)
            if self.variant in ("MQM", "ESA") and listed is not None:
                text = view.text(int(view.predictions[row]))
                yield ErrorSpans(
                    counted(len(listed.errors), "error"),
                    verdict.statistics,
                    text,
                    *located(listed.errors, text),
                )

    def _scored_after(
        self, view: View, rendered: list[str], lists: Sequence[str | Judgment]
    ) -> list[Judgment]:
        """Return the number that follows each list of errors, or the reason if there is no list."""
        second = self._ready("gemba_esa_score")
        whole = [i for i, listed in enumerate(lists) if isinstance(listed, str)]
        ask = replace(self.ask(second, OnlyNumber()), before=self.template().before)
        replies = self.replies(view, ask, [(rendered[i], str(lists[i]), second.text) for i in whole])
        found = [listed if isinstance(listed, Judgment) else Judgment() for listed in lists]
        for i, row in zip(whole, replies, strict=True):
            judgment = judged(row, ask.expects, self.scoring, ask.n, f"{rendered[i]}\n\n{second.text}")
            found[i] = replace(judgment, replies=(str(lists[i]), *judgment.replies))
        return found


def _first_read(replies: Sequence[Mapping[str, Any]]) -> str | Judgment:
    """Choose the first complete reply as the list of errors, or return a judgment without a score if no reply
    is complete.
    """
    whole = (
        text_of(reply)
        for reply in replies
        if "failure" not in reply and not is_cut(reply) and not refusal_of(reply)
    )
    return next((text for text in whole if text.strip()), None) or judged(replies, AnyText(), "single", 1)
