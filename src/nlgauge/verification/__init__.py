"""Verification: numbers that other programs printed on real weights, computed again with the weights on this machine."""
