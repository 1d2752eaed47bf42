"""Networks that Transformers does not have: regression heads and layouts of released checkpoints."""
