"""Statistics: resampling, intervals, corrections, letters, correlation coefficients and their levels."""
