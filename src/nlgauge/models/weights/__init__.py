"""Weights on disk: the catalogue, downloads, conversion, checks of their contents."""
