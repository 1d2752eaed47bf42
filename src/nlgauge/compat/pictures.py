"""Pictures of how the tokens of two texts were matched, as other packages' calls ask for them: a figure,
or an interactive page.
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
    beside: Sequence[str] = (),
    form: str | None = None,
) -> Any:
    """Return the figure of why a prediction got its score; it is also written to `fname` if that is given.

    A file that ends with .html is the interactive page of this one segment: it opens from disk, without a
    network. `beside` are references of further segments, for metrics that weigh words by how many references
    have them.
    """
    from nlgauge.scoring import score
    from nlgauge.show.plots.files import check_file

    for name, text in (("prediction", prediction), ("reference", reference)):
        if not isinstance(text, str):
            raise ParameterError(f"the {name} must be one text, got {type(text).__name__}.")
    interactive = Path(fname).suffix.lower() in _PAGES
    if fname and not interactive:
        check_file(fname)
    result = score([prediction, *beside], [reference, *beside], metrics=metric, lang=lang, device=device)
    result = result.where(id=result.corpus.ids[0]) if beside else result
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
