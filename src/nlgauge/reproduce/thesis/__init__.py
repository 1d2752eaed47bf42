"""The NLG-Metricverse thesis, chapter 4."""
