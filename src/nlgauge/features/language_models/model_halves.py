"""A language model in two halves: the part that reads the tokens, and the head that turns the state at a
place into logits over the vocabulary.

The head is a fifth of a small model's work, and is needed at few places: one in a masked text, none in a
prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from nlgauge._core.ragged import Ragged
from nlgauge.models.loader import Loaded, inference, tidy_environment, torch_modules


class Halves(NamedTuple):
    """`body` maps the model's inputs to states (batch, length, width); `head` maps (places, width) states
    to logits.
    """

    body: Callable[..., Any]
    head: Callable[[Any], Any]


class TokenStates(NamedTuple):
    """For each token of a text the state from which a language model's head guesses it, the tokens, and
    whether the text was cut.
    """

    states: Ragged
    ids: Ragged
    truncated: Ragged


def halves(loaded: Loaded) -> Halves:
    """Return the two halves, if together they compute the logits of the model; else the whole model and a
    head that does nothing.
    """
    return loaded.made("halves", lambda: _halves(loaded))


def _halves(loaded: Loaded) -> Halves:
    model = loaded.model
    whole = Halves(lambda **inputs: model(**inputs).logits, lambda states: states)
    if not is_transformer(loaded):
        return whole
    # Some models scale or cap what their head gives, or read more than the base model's states; those must be
    # read whole.
    token = next(iter(loaded.tokenizer("a").input_ids), 0)
    with inference() as torch:
        probe = torch.tensor([[token, token]], device=loaded.device)
        wanted = whole.body(input_ids=probe)[0]
        states = model.base_model(input_ids=probe)[0][0]
        for head in _heads(model):
            found = head(states)
            if found.shape == wanted.shape and torch.allclose(found, wanted, atol=1e-4):
                return Halves(lambda **inputs: model.base_model(**inputs)[0], head)
    return whole


def token_strings(loaded: Loaded, ids: list[int]) -> list[str]:
    """Return the tokens as people read them."""
    return [loaded.tokenizer.decode([token]) for token in ids]


def is_transformer(loaded: Loaded) -> bool:
    """Return True if the model is from the Transformers library, not a callable of the user."""
    with tidy_environment():
        return isinstance(loaded.model, torch_modules("a language model")[0].PreTrainedModel)


def _heads(model: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield candidates for the head: BERT's, RoBERTa's and ALBERT's by name, DistilBERT's in four steps, a
    causal model's output layer.
    """
    for name in ("cls", "lm_head", "predictions"):
        if callable(getattr(model, name, None)):
            yield getattr(model, name)
    if hasattr(model, "vocab_transform"):
        yield lambda states: model.vocab_projector(
            model.vocab_layer_norm(model.activation(model.vocab_transform(states)))
        )
    if model.get_output_embeddings() is not None:
        yield model.get_output_embeddings()
