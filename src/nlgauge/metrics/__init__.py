"""One small file per metric, with its card beside it."""
