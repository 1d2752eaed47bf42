"""Figures of explanations: why a text got its score."""
