"""distributions: how the scores of segments are spread, by system, by human quality or by how texts were
spoilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nlgauge.meta.papers.shannon import Separation
from nlgauge.results.result import Result
from nlgauge.show.plots.columns import columns, need_segments
from nlgauge.show.plots.place import on_figure


def distributions(
    given: Result | Separation | Mapping[str, Any],
    metric: str | None = None,
    *,
    title: str = "",
    ax: Any = None,
) -> Any:
    """The density of a score in each group, the first on top, with the AUC of the first against each other.

    A result has one group per system; `Separation` original, shuffled and wrong summaries (Figure 2 of the
    Shannon paper); a mapping its own groups, as of `nlgauge.show.plots.meta.quality_bins` (Figure 3 of the
    InfoLM paper).
    """
    from nlgauge.show.plots import meta as plots
    from nlgauge.show.plots.canvas import decimals

    if isinstance(given, Result):
        column = columns(given, metric)[0]
        groups: Mapping[str, Any] = dict(
            zip(given.systems, need_segments(given, column, "distributions"), strict=True)
        )
        name = column.name
    elif isinstance(given, Separation):
        # Of a score of which lower is better the AUC says the same with its sign turned.
        groups, name = (
            {kind: values * (1 if given.higher_is_better else -1) for kind, values in given.values.items()},
            metric or "score",
        )
    else:
        groups, name = given, metric or "score"
    medians = []
    for group, values in groups.items():
        known = np.asarray(values, dtype=np.float64).ravel()
        known = known[np.isfinite(known)]
        medians.append(f"{group} {decimals(float(np.median(known)), 3) if len(known) else 'n/a'}")
    return on_figure(
        plots.bins,
        ax,
        groups,
        metric=name,
        title=title,
        said=f"Densities of {name}; medians: {', '.join(medians)}.",
    )
