"""Judge: any custom prompt, read from a file, or the prompt "errors", for which the judge lists errors.

    score = sum_l l p(l) / sum_l p(l) over the levels that the file names, or the mean of samples
    score = -min(25, sum of the weights of the listed errors), 10 critical, 5 major, 1 minor

The file has the prompt, with {prediction} and, if needed, {reference}, {source} and further fields of the
records, the scale or `errors = true`, and the form of a reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from nlgauge._core.numbers import counted
from nlgauge.explanations import ErrorSpans, Explanation
from nlgauge.judges.prompts import Prompt, from_file, ready
from nlgauge.judges.reading import Judgment, Reads
from nlgauge.metric import Arrays, Output, View, register
from nlgauge.metrics._shared.error_spans import LOWEST, JsonErrors, located
from nlgauge.metrics._shared.judged import Judged

ERRORS = "errors"


@register
@dataclass(frozen=True)
class FileJudge(Judged):
    """The reply of a judge to a prompt from a file (docs/howto/judges.md); the default prompt asks how good
    the text is, from 1 to 5, and the prompt "errors" for a list of errors.
    """

    prompt: str = ""

    name: ClassVar[str] = "judge"
    aliases: ClassVar[dict[str, dict[str, object]]] = {
        "llm_judge": {},
        "judge_errors": {"prompt": ERRORS, "scoring": "single"},
    }

    def __post_init__(self) -> None:
        self.require(isinstance(self.prompt, str), "prompt", "the name of a file")
        # Read once: scores and signature use the same text, even if the file changes during the run.
        own = self.prompt in ("", ERRORS)
        self._set("_template", ready(self.prompt or "judge") if own else from_file(self.prompt))
        levels = self.template().expects.scale.levels
        self.require(
            bool(levels) or self.scoring != "probabilities",
            "scoring",
            "'samples' or 'single' for a scale without levels, or for a list of errors",
        )
        super().__post_init__()

    def template(self) -> Prompt:
        found: Prompt = self._template  # type: ignore[attr-defined]
        return found

    def measures(self) -> tuple[Output, ...]:
        score, *others = super().measures()
        return replace(score, low=LOWEST) if self.template().errors else score, *others

    def asked(
        self, view: View, prompt: Prompt, texts: Sequence[Mapping[str, str]], expects: Reads | None = None
    ) -> list[Judgment]:
        return super().asked(view, prompt, texts, JsonErrors() if prompt.errors else expects)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        """Return the verdict; if errors are listed, with their places in the prediction."""
        for row, verdict in enumerate(super().explain(view, fitted)):
            yield verdict
            if not self.template().errors:
                continue
            lists = [
                JsonErrors().listed(reply) for replies in getattr(verdict, "replies", []) for reply in replies
            ]
            listed = next((listed for listed in lists if listed is not None), None)
            if listed is not None:
                text = view.text(int(view.predictions[row]))
                yield ErrorSpans(
                    counted(len(listed), "error"), verdict.statistics, text, *located(listed, text)
                )
