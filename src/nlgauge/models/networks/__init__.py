"""Networks that no library has: regression heads and the layouts of released checkpoints."""
