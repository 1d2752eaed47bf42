"""String kernels on columns: rows of ids and pairs of row numbers in, integer counts out.

The plain Python form here reads like the definition and is the oracle; a compiled twin may replace it in the
same functions, and the results of metrics do not depend on the choice.
"""
