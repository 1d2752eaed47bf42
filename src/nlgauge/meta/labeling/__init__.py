"""Estimation from few human labels, and the choice of segments to label."""
