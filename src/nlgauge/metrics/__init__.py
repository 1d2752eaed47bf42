"""One small file a metric, with its card beside it."""
