"""Figure 10 of the COSMIC paper: what systems say about each other."""

from __future__ import annotations

import numpy as np

from nlgauge import plots
from nlgauge.reproduce.cosmic.benchmarks import BENCHMARKS
from nlgauge.reproduce.cosmic.scores import Measured
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Picture, Verdict
from nlgauge.reproduce.tables import interval
from nlgauge.reproduce.verdicts import difference_verdict
from nlgauge.stats.coefficients import spearman


def graph(settings: Settings) -> Answer:
    """Return Figure 10 of SummEval, and the verdict on the hierarchy. REALSumm would take twice as long."""
    name = BENCHMARKS[0]
    found = Measured(name, settings).graph
    outgoing, incoming = (np.array(list(of.values())) for of in (found.outgoing, found.incoming))
    drawn = np.random.default_rng(settings.seed).integers(
        len(outgoing), size=(settings.resamples, len(outgoing))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        values = [spearman(outgoing[at], incoming[at]) for at in drawn]
    low, high = (float(bound) for bound in np.nanpercentile(values, [2.5, 97.5]))
    arrows = sum(edge.directed for edge in found.edges())
    pairs = len(outgoing) * (len(outgoing) - 1) // 2
    rows = [
        {"system": system, "about others": about, "from others": found.incoming[system]}
        for system, about in found.outgoing.items()
    ]
    picture = Picture(
        f"cosmic-figure-10-{name}",
        "Figure 10",
        f"Information of the systems of {name} about each other",
        rows,
        lambda: plots.information_graph(found, quantile=_STRONGEST),
    )
    verdict = Verdict(
        difference_verdict(-high, -low),
        f"{interval((float(spearman(outgoing, incoming)), low, high))}; {arrows} of {pairs} pairs have a direction",
        f"Spearman over the systems of {name}: mean information about others with mean information from others;"
        " supported if the interval is below 0",
    )
    return Answer(pictures=[picture], verdicts={"hierarchy": verdict})


# Share of the pairs of systems that Figure 10 leaves out.
_STRONGEST = 0.75
