"""The calls of Hugging Face evaluate: load, combine, compute, add and add_batch.

Where evaluate has a metric of the same name, the outputs have its names, scales and values: `load("wer")`
gives a number, `load("bleu")` is 0 to 1, `load("rouge")` has rouge-score's tokens. Any other metric of
nlgauge gives a dictionary of its own outputs. Nothing is downloaded or cached.
"""

from nlgauge.compat.evaluate.module import Combined, Module, combine, load

__all__ = ["Combined", "Module", "combine", "load"]
