"""The calls of other libraries, computed by nlgauge: one module per library, named after it."""
