"""Commands that decide: comparisons, gates, ranks, plans and choices among candidates."""
