"""explanation: the plot of any explanation, by its kind."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from matplotlib.axes import Axes

from nlgauge.errors import InputError, ParameterError
from nlgauge.explanations import Explanation
from nlgauge.show.plots.explanations.judged import entailment, guesses, verdict
from nlgauge.show.plots.explanations.links import alignment, transport
from nlgauge.show.plots.explanations.texts import edits, errors, groups, ngrams, tokens, words

# One renderer for each kind; a test compares this with the kinds that exist.
KINDS: dict[str, Callable[..., Axes]] = {
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


def explanation(explained: Explanation, *, form: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw an explanation with the plot for its kind.

    Parameters
    ----------
    explained : Explanation
        Explanation of a score; `Result.explain` returns a list of these.
    form : str, optional
        Form of the plot, for kinds with several forms: see `alignment`, `transport` and `edits`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Raises
    ------
    InputError
        If this kind of explanation has no plot.
    ParameterError
        If the plot has no such form.
    """
    kind = KINDS.get(type(explained).__name__)
    if kind is None or not isinstance(explained, Explanation):
        raise InputError(
            f"cannot plot a {type(explained).__name__}; pass one of {', '.join(KINDS)} from the list that"
            " result.explain(...) returns."
        )
    if form is None:
        return kind(explained, ax=ax)
    if "form" not in signature(kind).parameters:
        raise ParameterError(f"the plot {kind.__name__} has only one form, got form={form!r:.60}.")
    return kind(explained, form, ax=ax)
