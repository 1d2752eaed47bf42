"""Two runs side by side: their common segments and systems, tests of the new run against the old run."""
