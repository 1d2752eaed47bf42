"""Tools for all other packages: arrays, progress, paths, locks, number formats, pages of plain values."""
