"""Audits of judges against people, from verdicts and labels that exist; nothing is asked.

cells.py        columns of a result or of records as cells: one answer of one system to one segment
verdicts.py     verdicts and labels of the cells as numbers of one scale
draws.py        resamples of clusters, and the rows of findings
agreement.py    agreement, errors, leniency, and agreement by group
scores.py       the mean human score, corrected by labels, and the labels that are missing
biases.py       position, length, style, and preference for a family of systems
repeats.py      judge runs and panels of judges
drift.py        the judge now and before
audit.py        `audit`: all parts, and a verdict in one of four phrases
"""
