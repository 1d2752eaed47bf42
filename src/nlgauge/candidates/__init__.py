"""Candidates: choose among several texts for one input by the utility of each to all others (MBR), or by a metric.

    choice.py      mbr, rerank, utilities and self_similarity: the public functions
    inputs.py      the texts of a call, checked
    utility.py     the utility of every candidate to every reference, by the fastest way that has the bits of a reward
    programs.py    the arithmetic of a metric from counts to one output, traced from the metric itself

Metrics whose rows are compiled kernels never meet a pair of texts: each text becomes tokens once, n-grams become bits,
and the program of the metric makes utilities of shared bits. For all other metrics a reward scores the pairs.
"""
