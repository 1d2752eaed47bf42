"""Permutation tests of correlations: kinds of swaps, fast sums over the swaps, and all assignments of few points."""
