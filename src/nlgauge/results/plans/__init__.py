"""Plans of test sets and gates: repeats and standard deviations of a pilot, the table of plans, and A/A studies."""
