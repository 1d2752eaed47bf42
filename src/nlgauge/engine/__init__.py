"""Running: fits, chunks, reduction, executors, progress and costs."""
