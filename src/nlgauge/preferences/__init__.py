"""Preferences: rank systems from verdicts on pairs of predictions, with intervals, letters and ranks.

verdicts.py    Verdicts: two systems, a segment and the winner of each comparison
reading.py     verdicts from records: nlgauge's fields, pairs of benchmarks, Arena files, annotations of AlpacaEval
grades.py      grades: verdicts with the size of the preference
scored.py      verdicts from a metric of a Result
design.py      cells of equal comparisons, and covariates: length and position
likelihood.py  Bradley-Terry and Davidson by Newton's method, for many resamples at once
bounds.py      systems without a finite strength, and the reason
resamples.py   the bootstrap over segments or documents
elo.py         Elo ratings over random orders
alpaca.py      the length-controlled win rate of AlpacaEval
ranking.py     rank: the public function
table.py       Preferences: the table
"""

from __future__ import annotations

from nlgauge.preferences.alpaca import length_controlled_rate
from nlgauge.preferences.ranking import rank
from nlgauge.preferences.table import Preferences

__all__ = ["Preferences", "length_controlled_rate", "rank"]
