"""Definition 3.1 of InfoLM: every masked place of a text against every place of another."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nlgauge import plots
from nlgauge.errors import InputError
from nlgauge.meta.papers.infolm import equivalent_contexts
from nlgauge.models.loader import load


def test_distances_of_masked_places_by_hand(tiny_models) -> None:
    model = str(tiny_models["masked"])
    first, second = "the cat sat", "a dog sat on the mat"
    found = equivalent_contexts(first, second, model)
    loaded = load(model, "masked", None)
    sides = []
    for text in (first, second):
        ids = loaded.tokenizer(text, return_tensors="pt").input_ids
        inner = range(1, ids.shape[1] - 1)
        rows = []
        for place in inner:
            masked = ids.clone()
            masked[0, place] = loaded.tokenizer.mask_token_id
            with torch.no_grad():
                rows.append(loaded.model(masked).logits[0, place].double().softmax(0).numpy())
        sides.append(np.array(rows))
    cosines = np.minimum(np.sqrt(sides[0]) @ np.sqrt(sides[1]).T, 1)
    np.testing.assert_allclose(found.similarity, 1 - 2 * np.arccos(cosines) / np.pi, atol=1e-5)
    assert found.similarity.shape == (len(found.prediction), len(found.reference))


def test_equal_texts_have_equivalent_places(tiny_models) -> None:
    found = equivalent_contexts("the cat sat", "the cat sat", str(tiny_models["masked"]))
    np.testing.assert_allclose(np.diag(found.similarity), 1, atol=1e-6)
    assert plots.alignment(found).get_title(loc="left")
    with pytest.raises(InputError, match="empty"):
        equivalent_contexts(" ", "a", str(tiny_models["masked"]))
