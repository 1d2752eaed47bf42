"""Diagnostics of metrics: biases, stress tests, costs, decisions, power."""
