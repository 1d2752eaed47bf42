"""Figure 2 of the Shannon paper with SmolLM2: original, shuffled and wrong summaries of REALSumm's
documents.
"""

from __future__ import annotations

import numpy as np

from nlgauge.meta.papers.shannon import Separation, spoilt
from studies import data, study
from studies.shannon import OUTPUTS, values


def report(model: str, documents: int | None) -> str:
    """The scores of the three kinds of summary, and how often the original is best."""
    rows = {
        segment: data.first(by_system) for segment, by_system in data.segments("realsumm", documents).items()
    }
    kinds = spoilt([row.references[0] for row in rows.values()])
    texts = {
        segment: study.Texts({kind: summaries[i] for kind, summaries in kinds.items()}, source=row.source)
        for i, (segment, row) in enumerate(rows.items())
    }
    found = values("separation", texts, model)
    lines = []
    for name, output in OUTPUTS.items():
        scores = {kind: np.array([outputs[kind][output] for outputs in found.values()]) for kind in kinds}
        separation = Separation(scores, higher_is_better=True)
        means = [f"{column.mean():.4f} ± {column.std(ddof=1):.4f}" for column in scores.values()]
        shares = [
            f"{100 * share(kind):.0f}%"
            for kind in ("shuffled", "wrong")
            for share in (separation.preferred, separation.separated)
        ]
        lines.append([name, *means, *shares])
    header = [
        "",
        "original",
        "shuffled",
        "wrong",
        "beats its shuffle",
        "any shuffle",
        "beats a wrong one",
        "any wrong one",
    ]
    return f"{len(rows)} documents, {model}\n\n" + study.table(header, lines)
