"""Defaults that several packages share."""

# The seed of everything random: resampling, fits, draws of segments.
SEED = 12345
