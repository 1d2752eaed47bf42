"""Corpora on disk: the layout, the writer, and values that are read on access."""
