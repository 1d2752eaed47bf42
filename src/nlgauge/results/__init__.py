"""Results: scores, intervals, tests, ranks, gates, and saved results."""
