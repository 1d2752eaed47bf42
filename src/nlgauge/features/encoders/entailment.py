"""The meaning of the labels of a classifier of pairs, and their probabilities.

The order of labels differs between checkpoints. It is read from `id2label` of the configuration; if the names
are LABEL_0, LABEL_1, ... it is known for the checkpoints below, or must be passed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ModelError, ParameterError
from nlgauge.models import ModelSpec, model_name
from nlgauge.models.loader import load
from nlgauge.models.weights import store

# Beginnings of labels' names: entailment, contradiction, neutral.
NLI = {
    "entail": "e",
    "support": "e",
    "contradict": "c",
    "refute": "c",
    "neutral": "n",
    "not enough": "n",
    "not_enough": "n",
}
CORRECTNESS = {"correct": "correct", "incorrect": "incorrect"}
_KNOWN = {
    "FacebookAI/roberta-large-mnli": ("c", "n", "e"),
    "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli": ("e", "n", "c"),
    "tals/albert-xlarge-vitaminc-mnli": ("e", "c", "n"),
    "potsawee/deberta-v3-large-mnli": ("e", "c"),
    "manueldeprada/FactCC": ("correct", "incorrect"),
}


def label_order(
    spec: ModelSpec, given: tuple[str, ...] | None, names: Mapping[str, str], device: str | None
) -> tuple[str, ...]:
    """Return the meaning of each label of the model: from the argument, its configuration, or the table of
    known models.
    """
    config = load(spec, "pair", device).model.config
    written = [str(config.id2label[i]) for i in range(config.num_labels)]
    if given is not None:
        if len(given) != len(written):
            raise ParameterError(
                f"labels has {len(given)} items, but {model_name(spec)} has {len(written)} labels"
                f" ({', '.join(written)}); pass one meaning per label."
            )
        return given
    read = tuple(
        next((meaning for start, meaning in names.items() if label.lower().startswith(start)), "")
        for label in written
    )
    if all(read) and len(set(read)) == len(read):
        return read
    entry = store.entry_of(spec) if isinstance(spec, str) else None
    known = _KNOWN.get(entry.repository if entry else model_name(spec).partition("@")[0])
    if known is None or len(known) != len(written) or not set(known) <= set(names.values()):
        meanings = tuple(dict.fromkeys(names.values()))
        raise ModelError(
            f"the meaning of the labels {', '.join(written)} of {model_name(spec)} is unknown; pass their meanings in"
            f" this order as labels, each of them one of {', '.join(map(repr, meanings))}."
        )
    return known


def probabilities(logits: Array) -> Array:
    """Return softmax over the last axis.

    >>> probabilities(np.log([[1.0, 3.0]])).tolist()
    [[0.25, 0.75]]
    """
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True, initial=-np.inf))
    found: Array = shifted / shifted.sum(axis=-1, keepdims=True)
    return found
