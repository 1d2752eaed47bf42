"""Figures of meta-evaluation and of the papers."""
