"""Readers of human judgments: data frames, saved results, the files of mt-metrics-eval."""
