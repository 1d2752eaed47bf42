"""Figures of results and of agreement between metrics."""
