"""The advisor: recommends metrics for a task from the leaderboard's evidence, or refuses with a reason."""

from __future__ import annotations

from collections.abc import Iterable

from nlgauge.advisor.advice import Advice
from nlgauge.advisor.evidence import evidence
from nlgauge.advisor.question import question
from nlgauge.advisor.rules import advise

__all__ = ["Advice", "choose"]


def choose(
    task: str,
    lang: str = "en",
    have: str | Iterable[str] = ("references",),
    want: str = "overall",
    level: str = "texts",
    budget: float = 60.0,
    labels: int = 0,
) -> Advice:
    """Recommend metrics for a task, with evidence from human judgments.

    Parameters
    ----------
    task : str
        "translation", "summarization", "data-to-text", "dialogue", "stories", "captioning", "speech",
        "question-answering", "simplification" or "other". British spellings and the names of `list_metrics` ("MT",
        "SUM") are accepted.
    lang : str
        Language code of the predictions.
    have : str or iterable of str
        The inputs at hand besides the predictions: "references", "source", both, or none.
    want : str
        The quality to measure: "overall", "content", "consistency", "fluency", "coherence" or "engagement".
    level : {"texts", "systems"}
        "texts" to find bad texts, "systems" to rank systems.
    budget : float
        CPU seconds per 1,000 texts that a metric may take.
    labels : int
        Number of texts with human scores that you have.

    Returns
    -------
    Advice
        At most three recommendations with the agreement on each benchmark; none if the evidence is insufficient
        (`verdict` is "none", and `unknown` has the reason).

    Raises
    ------
    ParameterError
        If a value is unknown; the message lists the values.

    Notes
    -----
    The evidence consists of the tables of the leaderboard: benchmarks with human judgments, most of them English.
    The order within a recommendation is largely convention if metrics are not separated by the evidence.

    Examples
    --------
    >>> import nlgauge
    >>> nlgauge.choose("captioning").verdict
    'none'
    >>> nlgauge.choose("summarization").recommendations[0].family
    'characters'
    """
    return advise(question(task, lang, have, want, level, budget, labels), evidence())
