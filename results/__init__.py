"""Studies on real human judgements with real weights: `python -m results --help`. What they gave is in docs/results."""
