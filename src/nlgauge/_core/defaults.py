"""Defaults that several packages share."""

# The default seed of all random numbers: resampling, fits, samples of segments.
SEED = 12345
