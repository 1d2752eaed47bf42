"""Studies on real human judgments with real weights: `python -m studies --help`.

The results are in docs/results.
"""
