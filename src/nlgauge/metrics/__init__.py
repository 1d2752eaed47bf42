"""One small file per metric, next to its card."""
