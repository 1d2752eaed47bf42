"""Pages: the display of a result, a comparison or an explanation, described once in plain values."""
