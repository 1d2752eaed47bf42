"""The engine: fits, chunks, executors, the cache of statistics, costs and progress of a run."""
