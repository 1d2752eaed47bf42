"""Figure 2 of the Shannon paper with SmolLM2: original, shuffled and wrong summaries of REALSumm's documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import nlgauge
from nlgauge.analysis.shannon import Separation, spoilt
from nlgauge.metric.registry import parse
from studies import data, study
from studies.shannon import OUTPUTS


def report(work: Path, model: str, documents: int | None) -> str:
    """The scores of the three kinds of summary, and how often the original is best."""
    rows = {segment: next(iter(by_system.values())) for segment, by_system in data.segments("realsumm", documents).items()}
    texts = dict(zip(rows, zip(*spoilt([row.references[0] for row in rows.values()]).values(), strict=True), strict=True))
    metric = parse(f"shannon(model={model!r})")

    def compute(segment: str) -> dict[str, dict[str, float]]:
        kinds = dict(zip(("original", "shuffled", "wrong"), ([text] for text in texts[segment]), strict=True))
        result = nlgauge.score(kinds, sources=[rows[segment].source], metrics=metric)
        return {kind: dict(result[kind][result.labels[0]]) for kind in kinds}

    found = study.resumable(work / f"separation-{model}.jsonl", str(metric), rows, compute)
    lines = []
    for name, output in OUTPUTS.items():
        values = {kind: np.array([outputs[kind][output] for outputs in found.values()]) for kind in ("original", "shuffled", "wrong")}
        separation = Separation(values, higher_is_better=True)
        means = [f"{column.mean():.4f} ± {column.std(ddof=1):.4f}" for column in values.values()]
        shares = [f"{100 * share(kind):.0f} %" for kind in ("shuffled", "wrong") for share in (separation.preferred, separation.separated)]
        lines.append([name, *means, *shares])
    header = ["", "original", "shuffled", "wrong", "beats its shuffle", "any shuffle", "beats a wrong one", "any wrong one"]
    return f"{len(rows)} documents, {model}\n\n" + study.table(header, lines)
