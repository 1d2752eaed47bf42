"""Bases and parts that several metrics share; no module in this folder is a metric."""
