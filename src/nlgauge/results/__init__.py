"""Results: tables of statistics, what follows from them, and how they are kept."""
