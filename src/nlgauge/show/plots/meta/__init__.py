"""Plots of what meta-evaluation finds: one function each, which returns a matplotlib figure that can be
saved, shown or put into a larger one.

Needs matplotlib: pip install "nlgauge[plot]". Figures are sized for print; `figure=` draws on a figure (or a
part of one) of your own.
"""

from nlgauge.show.plots.meta.bins import bins, quality_bins
from nlgauge.show.plots.meta.calibration import calibration
from nlgauge.show.plots.meta.forest import forest
from nlgauge.show.plots.meta.heatmap import heatmap
from nlgauge.show.plots.meta.hierarchy import hierarchy
from nlgauge.show.plots.meta.landscape import landscape
from nlgauge.show.plots.meta.pareto import pareto
from nlgauge.show.plots.meta.power import power
from nlgauge.show.plots.meta.scatter import scatter
from nlgauge.show.plots.meta.stress import stress
from nlgauge.show.plots.meta.sweep import sweep
from nlgauge.show.plots.meta.topk import topk
from nlgauge.show.plots.meta.winmatrix import winmatrix

__all__ = [
    "bins",
    "calibration",
    "forest",
    "heatmap",
    "hierarchy",
    "landscape",
    "pareto",
    "power",
    "quality_bins",
    "scatter",
    "stress",
    "sweep",
    "topk",
    "winmatrix",
]
