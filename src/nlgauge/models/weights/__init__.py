"""Weights on disk: the catalog, downloads, conversion, and checks of their content."""
