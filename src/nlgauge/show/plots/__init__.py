"""Figures of results, explanations and studies; `nlgauge.plots` has their public names."""
