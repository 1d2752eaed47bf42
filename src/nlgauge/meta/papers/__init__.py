"""Analyses of the papers about the metrics, from a Result or a Corpus."""
