"""Formats of files with error spans: one module per format, with a reader and a writer."""
