"""Imported scores as results: scores that other programs or people gave, with texts or without.

columns.py     what a score is (direction, bounds, levels), and its values as numbers
answers.py     records of answers, grouped by segment and system
building.py    a corpus and tables from answers and scores: `from_scores` and `with_scores`
human.py       human scores in the fields of a result as imported scores
"""
