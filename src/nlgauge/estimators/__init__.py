"""Estimators as functions of arrays.

They estimate document frequencies, divergences, transport plans, codebooks, densities and mutual information.
"""
