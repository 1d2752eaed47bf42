"""Estimators: frequencies, divergences, transport, codebooks, densities and mutual information, as
functions of arrays.
"""
