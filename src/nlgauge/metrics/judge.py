"""Judge: any prompt of the user's own, read from a file.

    score = sum_l l p(l) / sum_l p(l) over the levels that the file names, or the mean of samples

The file says the prompt, with {prediction} and where they are needed {reference} and {source}, the scale, and
what a reply looks like.
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
    """What a judge says to a prompt from a file (docs/howto/judges.md); without a file it is asked how good the
    text is, from 1 to 5.
    """

    prompt: str = ""

    name: ClassVar[str] = "judge"
    aliases: ClassVar[dict[str, dict[str, object]]] = {"llm_judge": {}}

    def __post_init__(self) -> None:
        self.require(isinstance(self.prompt, str), "prompt", "the name of a file")
        # Read once: what was scored and what is signed are the same words, even if the file changes
        # meanwhile.
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
