"""Studies on real human judgements with real weights: `python -m studies --help`.

The results are in docs/results.
"""
