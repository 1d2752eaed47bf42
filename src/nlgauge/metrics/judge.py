"""Judge: any custom prompt, read from a file.

    score = sum_l l p(l) / sum_l p(l) over the levels that the file names, or the mean of samples

The file has the prompt, with {prediction} and, if needed, {reference}, {source} and further fields of the
records, the scale, and the form of a reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.judges.prompts import Prompt, from_file, ready
from nlgauge.metric import register
from nlgauge.metrics._shared.judged import Judged


@register
@dataclass(frozen=True)
class FileJudge(Judged):
    """The reply of a judge to a prompt from a file (docs/howto/judges.md); the default prompt asks how good
    the text is, from 1 to 5.
    """

    prompt: str = ""

    name: ClassVar[str] = "judge"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"llm_judge": {}}

    def __post_init__(self) -> None:
        self.require(isinstance(self.prompt, str), "prompt", "the name of a file")
        # Read once: scores and signature use the same text, even if the file changes during the run.
        self._set("_template", from_file(self.prompt) if self.prompt else ready("judge"))
        levels = self.template().expects.scale.levels
        self.require(
            bool(levels) or self.scoring != "probabilities",
            "scoring",
            "'samples' or 'single' for a scale without levels",
        )
        super().__post_init__()

    def template(self) -> Prompt:
        found: Prompt = self._template  # type: ignore[attr-defined]
        return found
