"""explanation: the plot of any explanation, by its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nlgauge.errors import InputError
from nlgauge.explanations import Explanation
from nlgauge.show.plots.judged import entailment, guesses, verdict
from nlgauge.show.plots.links import alignment, transport
from nlgauge.show.plots.texts import edits, errors, groups, ngrams, tokens, words

# One renderer for each kind; a test holds this against the kinds that there are.
KINDS: dict[str, Callable[..., Any]] = {
    "Alignment": alignment,
    "Distributions": guesses,
    "Edits": edits,
    "Entailment": entailment,
    "ErrorSpans": errors,
    "NgramMatches": ngrams,
    "TokenScores": tokens,
    "Transport": transport,
    "Verdict": verdict,
    "WordAlignment": words,
    "WordGroups": groups,
}


def explanation(given: Explanation, *, ax: Any = None, **options: Any) -> Any:
    """Why a text got its score, as the plot of this kind of explanation; the options are those of the
    plot.
    """
    kind = KINDS.get(type(given).__name__)
    if kind is None or not isinstance(given, Explanation):
        raise InputError(
            f"there is no plot of {type(given).__name__}; there are plots of {', '.join(KINDS)}."
            " result.explain(...) gives a list of them."
        )
    return kind(given, ax=ax, **options)
