"""Features of encoders: embeddings of tokens and texts, logits of pairs."""
