"""Benchmarks: nlgauge and its peers on the same texts; `python -m benchmarks --help`."""
