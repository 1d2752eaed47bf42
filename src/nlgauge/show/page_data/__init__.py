"""What the report, the explorer and notebooks share: a result as the plain data that pages show."""
