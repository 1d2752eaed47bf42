"""Plots of what meta-evaluation finds: one function each, which returns a matplotlib figure that can be saved, shown or put into a larger one.

Needs matplotlib: pip install "nlgauge[plot]". Figures are sized for print; `figure=` draws on a figure (or a part of one) of your own.
"""

from nlgauge.meta.plots.bins import bins, quality_bins
from nlgauge.meta.plots.calibration import calibration
from nlgauge.meta.plots.forest import forest
from nlgauge.meta.plots.heatmap import heatmap
from nlgauge.meta.plots.hierarchy import hierarchy
from nlgauge.meta.plots.landscape import landscape
from nlgauge.meta.plots.pareto import pareto
from nlgauge.meta.plots.power import power
from nlgauge.meta.plots.scatter import scatter
from nlgauge.meta.plots.stress import stress
from nlgauge.meta.plots.sweep import sweep
from nlgauge.meta.plots.topk import topk
from nlgauge.meta.plots.winmatrix import winmatrix

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
