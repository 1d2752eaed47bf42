"""Kernels of edit distances and their operations."""
