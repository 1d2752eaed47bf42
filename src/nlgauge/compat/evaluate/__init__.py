"""Interface of Hugging Face evaluate: load, combine, compute, add and add_batch.

If evaluate has a metric of the same name, the outputs have its names, scales and values: `load("wer")` returns a
number, `load("bleu")` is 0 to 1, `load("rouge")` uses the tokens of rouge-score. All other metrics of nlgauge return a
dictionary of their outputs. Nothing is downloaded or cached.
"""

from nlgauge.compat.evaluate.module import Combined, Module, combine, load

__all__ = ["Combined", "Module", "combine", "load"]
