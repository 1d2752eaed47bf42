"""Benchmarks: nlgauge and its peers on the same texts; `python -m benchmarks --help`."""

import os

# What was computed before is not what is measured.
os.environ["NLGAUGE_STATISTICS_CACHE"] = "off"
