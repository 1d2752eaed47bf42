"""nlgauge choose: which metrics fit a task."""

from __future__ import annotations

import sys
from typing import Annotated

import click

from nlgauge.cli.command import Command
from nlgauge.cli.options import AsJson
from nlgauge.cli.output import emit, say, show
from nlgauge.cli.parameters import option
from nlgauge.errors import ParameterError


@Command
def choose(
    *,
    task: Annotated[
        str | None,
        option(
            "--task", help="Task of the texts; without it, the command prompts on a terminal.", metavar="TASK"
        ),
    ] = None,
    lang: Annotated[str, option("--lang", help="Language of the predictions.", metavar="CODE")] = "en",
    have: Annotated[
        str,
        option("--have", help="Inputs besides the predictions, separated by commas.", metavar="INPUTS"),
    ] = "references",
    want: Annotated[str, option("--want", help="Quality to measure.", metavar="QUALITY")] = "overall",
    level: Annotated[
        str,
        option("--level", help="Purpose: texts (find bad texts) or systems (rank systems).", metavar="LEVEL"),
    ] = "texts",
    budget: Annotated[
        float,
        option(
            "--budget", at_least=0, help="Highest cost, in CPU seconds per 1,000 texts.", metavar="SECONDS"
        ),
    ] = 60.0,
    labels: Annotated[
        int, option("--labels", at_least=0, help="Number of human-scored texts that you have.", metavar="N")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Recommend metrics for a task, with evidence from human judgments.

    Recommend up to three metrics for your task, language and budget, from the leaderboard that ships with nlgauge.
    Print the agreement with people on each benchmark, the cost, metrics not to use as the only metric, and
    the limits of the evidence. If the evidence is insufficient, nothing is recommended, and the exit code is still 0.

        nlgauge choose --task translation --lang de --have references --budget 1

    Tasks: translation, summarization, data-to-text, dialogue, stories, captioning, speech, question-answering,
    simplification, other.

    Inputs: references, source, or none. Qualities: overall, content, consistency, fluency, coherence, engagement.
    """
    from nlgauge import advisor

    advice = advisor.choose(task or _asked(), lang, have, want, level, budget, labels)
    if as_json:
        emit(advice.to_json())
    else:
        show(advice)


def _asked() -> str:
    """Ask for the task; without a terminal it is required."""
    from nlgauge.advisor.settings import TASKS

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(f"--task is missing; choose from: {', '.join(TASKS)}.")
    say(f"Tasks: {', '.join(TASKS)}")
    task: str = click.prompt("Task", value_proc=_task, err=True)
    return task


def _task(text: str) -> str:
    """Return the task that an answer stands for; an unknown answer prompts again."""
    from nlgauge.advisor.question import named
    from nlgauge.advisor.settings import TASKS

    try:
        return named("task", text, TASKS)
    except ParameterError as error:
        raise click.UsageError(error.for_cli()) from None
