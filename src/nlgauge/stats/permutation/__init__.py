"""Permutation tests of correlations: kinds of swaps, and fast sums over the swaps."""
