"""The equivalence of masked contexts (the InfoLM paper, Definition 3.1).

InfoLM compares two texts by one mean distribution each. The definition behind it compares every place of one text with
every place of the other: two places are equivalent if the model expects the same tokens there.
"""

from __future__ import annotations

import math

import numpy as np

from nlgauge.errors import InputError
from nlgauge.estimators.divergences import fisher_rao
from nlgauge.explanations import Alignment
from nlgauge.features import RunOptions, Work
from nlgauge.features.language_models.model_halves import token_strings
from nlgauge.features.language_models.token_distributions import kind_of, log_distributions, states_feature
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load


def equivalent_contexts(
    prediction: str,
    reference: str,
    model: ModelSpec = "bert-base-uncased",
    temperature: float = 1.0,
    *,
    device: str | None = None,
) -> Alignment:
    """Compare every masked place of a prediction with every masked place of a reference.

    Parameters
    ----------
    prediction : str
        Text.
    reference : str
        Text.
    model : str or Model, default "bert-base-uncased"
        Masked language model, or causal language model, which reads only the tokens before a place.
    temperature : float, default 1.0
        Temperature of the distributions.
    device : str, optional
        Torch device.

    Returns
    -------
    Alignment
        `similarity` is 1 - d / pi for the Fisher-Rao distance d of the two distributions: 1 for equivalent places, 0
        for distributions without a common token. `nlgauge.plots.alignment` draws it.

    Raises
    ------
    InputError
        If a text has no token.
    """
    if not prediction.strip() or not reference.strip():
        raise InputError("masked places need a text with tokens, got an empty text.")
    kind = kind_of(model, None)
    loaded = load(model, kind, device)
    found = Work(RunOptions(device=device)).get(states_feature(model, kind), [prediction, reference])
    sides, names = [], []
    for place in (0, 1):
        blocks = [
            block.cpu().numpy() for block in log_distributions(loaded, found.states[place], temperature)
        ]
        sides.append(np.concatenate(blocks))
        names.append(token_strings(loaded, [int(token) for token in found.ids[place]]))
    similarity = np.stack([1 - fisher_rao(row, sides[1]) / math.pi for row in sides[0]])
    weights = [np.full(len(side), 1 / len(side)) for side in sides]
    return Alignment("equivalence of masked contexts", {}, names[0], names[1], similarity, *weights)
