"""Interfaces of other libraries, computed by nlgauge: one module per library, with its name."""
