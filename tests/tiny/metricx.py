"""A small mT5 with as many tokens as the large ones, so that it has the one that MetricX reads; its head
is not its input vectors.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import transformers
from safetensors.numpy import load_file, save_file

from tiny.closed_form import fill
from tiny.t5 import model, tokenizer

VOCABULARY, WIDTH = 250112, 8


def write(directory: Path, seed: int) -> None:
    """The model and its tokenizer; Transformers would not write a head of its own, so it is added to the
    file.
    """
    made = model(transformers.MT5ForConditionalGeneration, VOCABULARY, WIDTH, feed_forward_proj="gated-gelu")
    fill(made, seed, 0.6).save_pretrained(directory)
    tokenizer().save_pretrained(directory)
    weights = load_file(directory / "model.safetensors")
    head = np.zeros((VOCABULARY, WIDTH), dtype=np.float32)
    # The row that is read: chosen so that predictions are inside the bounds, where they differ.
    head[250089] = [-1, 0.5, 1, -1, 0.5, -6, -3, 1.5]
    save_file({**weights, "lm_head.weight": head}, directory / "model.safetensors", {"format": "pt"})
    config = json.loads((directory / "config.json").read_text())
    (directory / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
