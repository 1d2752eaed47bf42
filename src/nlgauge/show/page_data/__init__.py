"""A result as the plain data that the report, the explorer and notebooks show."""
