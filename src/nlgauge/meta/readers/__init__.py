"""Readers of human judgments: data frames, saved results, the files of mt-metrics-eval."""

# A field called so after a human dimension holds the single ratings that its scores were made of.
RATINGS = ".ratings"
