"""Plots of matched tokens of two texts for the interfaces of other packages.

A plot is a figure or an interactive page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.errors import ParameterError

if TYPE_CHECKING:
    from nlgauge.metric import AnyMetric

_PAGES = (".html", ".htm")


def matching(
    metric: AnyMetric,
    prediction: str,
    reference: str,
    fname: str | Path,
    lang: str | None = None,
    device: str | None = None,
    further_references: Sequence[str] = (),
    form: str | None = None,
) -> Any:
    """Return a figure that explains the score of a prediction; write it to `fname` unless that is empty.

    If `fname` ends with .html, the file is the interactive page of this segment, which needs no network.
    `further_references` are references of further segments, for metrics whose word weights depend on the number of
    references that contain a word.
    """
    from nlgauge.scoring import score
    from nlgauge.show.plots.files import check_file

    for name, text in (("prediction", prediction), ("reference", reference)):
        if not isinstance(text, str):
            raise ParameterError(f"the {name} must be one text, got {type(text).__name__}.")
    interactive = Path(fname).suffix.lower() in _PAGES
    if fname and not interactive:
        check_file(fname)
    predictions, references = ([text, *further_references] for text in (prediction, reference))
    result = score(predictions, references, metrics=metric, lang=lang, device=device)
    result = result.where(id=result.corpus.ids[0]) if further_references else result
    if interactive:
        result.report(fname, title=result.labels[0], explain="all", resamples=1)
    from nlgauge import plots

    explained = result.explain(result.labels[0], 0)
    if not explained:
        raise ParameterError(
            "nothing can be drawn: neither text has a token that the model knows, or every word of one text has"
            " weight 0."
        )
    axes = plots.explanation(explained[0], form=form)
    if fname and not interactive:
        plots.save(axes, fname)
    return axes.figure
