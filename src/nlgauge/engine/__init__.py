"""Engine: fits, chunks, executors, the statistics cache, costs and progress of a run."""
