"""Studies on real human judgements with real weights: `python -m studies --help`. What they gave is in docs/results."""
