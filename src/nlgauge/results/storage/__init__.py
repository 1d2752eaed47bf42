"""Results on disk: save, load, resume, extend."""
