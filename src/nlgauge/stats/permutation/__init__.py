"""Permutation tests of correlations: what is swapped, and fast sums over the swaps."""
