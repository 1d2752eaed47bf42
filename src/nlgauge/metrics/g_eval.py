"""G-Eval: a judge fills in a form with one number, after a task, a criterion and the steps that a careful
reader takes.

    score = sum_l l p(l) / sum_l p(l)        over the levels l of the scale, p from the judge's probabilities for the first token of its reply

The paper weighs levels by their probabilities; the released code draws 20 replies at temperature 2, with the
prompt as the system's words, and takes the mean of the matches of a pattern, 0 without a match. Here the
weights follow the paper, with the covered probability as a second output, or the score is the mean of `n`
samples at temperature 1; unreadable replies are left out and counted. The prompt is the user's words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from nlgauge.judges.prompts import Prompt, ready
from nlgauge.judges.reading import Expected, Scale
from nlgauge.metric import register
from nlgauge.metrics._shared.judged import Judged

READY = ("coherence", "consistency", "fluency", "relevance")
TASK = "You will be given one text."
_GIVEN = {
    (True, False): "You will be given a source text, and one text that was written from it.",
    (False, True): "You will be given one text, and a reference: a text that does what is asked for well.",
    (
        True,
        True,
    ): (
        "You will be given a source text, one text that was written from it, and a reference: a text that"
        " does what is asked for well."
    ),
}


@register
@dataclass(frozen=True)
class GEval(Judged):
    """The level that a judge gives on one criterion: one of G-Eval's four for summaries, or one that
    `definition` defines.
    """

    criterion: str = "coherence"
    definition: str = ""
    steps: str = ""
    task: str = ""
    scale: tuple[int, ...] = ()
    with_source: bool = True
    with_reference: bool = False

    name: ClassVar[str] = "g_eval"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"geval": {}}
    source: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for text in ("criterion", "definition", "steps", "task"):
            self.require(isinstance(getattr(self, text), str), text, "a string")
        whole = all(
            isinstance(level, int) and not isinstance(level, bool) and 0 <= level <= 9 for level in self.scale
        )
        self.require(
            self.scale == () or (whole and len(self.scale) == 2 and self.scale[0] < self.scale[1]),
            "scale",
            "two digits, the lower digit first",
        )
        if not self.definition:
            self.require(
                self.criterion in READY,
                "criterion",
                f"one of {', '.join(READY)}, or any other with definition='what it means'",
            )
            own = self.steps or self.task or self.scale or self.with_reference or not self.with_source
            self.require(
                not own,
                "definition",
                f"set with steps, task, scale, with_reference or with_source (the form of {self.criterion} is built in)",
            )
        super().__post_init__()

    def template(self) -> Prompt:
        if not self.definition:
            return ready(f"g_eval_{self.criterion}")
        return filled_form("g_eval", self)


def filled_form(name: str, metric: GEval) -> Prompt:
    """Return a form with a custom criterion; its texts are not filled in yet."""
    low, high = metric.scale or (1, 5)
    texts = (
        ["Source Text:\n\n{source}"] * metric.with_source
        + ["Reference:\n\n{reference}"] * metric.with_reference
        + ["Text:\n\n{prediction}"]
    )
    said = {
        "task": metric.task or _GIVEN.get((metric.with_source, metric.with_reference), TASK),
        "criterion": metric.criterion,
        "definition": metric.definition,
        "low": str(low),
        "high": str(high),
        "steps": f"Evaluation Steps:\n\n{metric.steps}\n\n\n" if metric.steps else "",
        "texts": "\n\n".join(texts),
    }
    prompt = replace(ready(name).filled(said), title=metric.criterion)
    return replace(prompt, expects=Expected(Scale.between(low, high)))
