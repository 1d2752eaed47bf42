"""blanc 0.3.4 beside transformers 5 and without downloads: stand-ins for names it imports and never calls
here, and our weights.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

# Removed from transformers: the optimizer is for blanc's training, the Transformer-XL classes for another
# language model.
_REMOVED = ("AdamW", "TransfoXLLMHeadModel", "TransfoXLTokenizer")


def shannon(weights: Path) -> Any:
    """blanc's Shannon object with the causal language model in a directory, splitting sentences as
    nlgauge does.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(weights, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(weights, local_files_only=True, dtype=torch.float32).eval()
    module = _imported("blanc.shannon")
    start_of_text, window = 0, model.config.max_position_embeddings

    def logits_and_cache(**inputs: Any) -> tuple[Any, Any]:
        found = model(**inputs)
        # blanc reads the first token of a sentence at the first position of its prompt; the last one is
        # meant.
        return found.logits[:, -1:], found.past_key_values

    module.get_model = lambda *_: (logits_and_cache, tokenizer, start_of_text, window)  # type: ignore[attr-defined]
    module.sent_tokenize = _sentences  # type: ignore[attr-defined]
    return module.Shannon(device="cpu")


def help_scorer(weights: Path) -> Any:
    """blanc's BlancHelp object with the BERT in a directory, splitting sentences as nlgauge does, all
    inputs of a pair in one batch.
    """
    from transformers import BertForMaskedLM, BertTokenizer  # noqa: F401

    module = _imported("blanc.blanc")
    module.sent_tokenize = _sentences  # type: ignore[attr-defined]
    return module.BlancHelp(
        str(weights), measure="relative-counts", inference_batch_size=64, show_progress_bar=False
    )


def _imported(name: str) -> ModuleType:
    # Importing a class has put another module object in the place of the first one.
    transformers = sys.modules["transformers"]
    for removed in _REMOVED:
        if not hasattr(transformers, removed):
            setattr(transformers, removed, ModuleType(removed))
    return import_module(name)


def _sentences(text: str) -> list[str]:
    from nlgauge.features.tokens.sentences import Sentences

    return Sentences("en").of(text)
