"""Features of language models: log-probabilities, states and tuned models."""
