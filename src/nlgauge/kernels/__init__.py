"""String kernels on columns: rows of ids and pairs of row numbers in, integer counts out.

The plain Python form here reads like the definition and is the oracle; a compiled twin may take its place
behind the same functions, and metrics never know which one runs.
"""
