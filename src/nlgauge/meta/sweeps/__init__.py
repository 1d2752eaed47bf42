"""Sweeps: the agreement of a metric with people over a grid of its parameters, chosen and tested on different texts."""
