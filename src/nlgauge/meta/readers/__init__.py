"""Readers of human judgments: data frames, saved results, the files of mt-metrics-eval."""

# The suffix of a field with the single ratings behind the scores of a human dimension.
RATINGS = ".ratings"
