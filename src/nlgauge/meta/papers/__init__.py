"""Analyses of the papers behind the metrics: what is read from a Result or a Corpus beyond scores."""
