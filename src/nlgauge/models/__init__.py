"""Models: weights are found, fetched, checked and loaded here only.

A model is named by a string (a name of the catalogue, a local directory, or a hub repository that was fetched
before) or given as `Model(model, tokenizer)`, the user's own objects. Nothing here touches the network unless
`fetch.get` is called.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Model:
    """A custom model and its tokenizer, with a name for labels and signatures.

    Parameters
    ----------
    model : callable
        Language model: any callable that maps `input_ids` of shape (batch, length) to an object with `logits`. Encoder:
        a Transformers model. It is not changed.
    tokenizer : callable
        Tokenizer with the calling convention of Transformers. It is not changed.
    name : str, default "own"
        Name that labels and signatures show as "own:NAME".
    """

    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    name: str = "own"

    def __repr__(self) -> str:
        return repr(f"own:{self.name}")

    def weights_hash(self) -> str:
        """Return the hash of the model's weights, by name and value.

        Returns
        -------
        str
            SHA-256 digest in hexadecimal digits. A model without `state_dict` has the digest of no bytes.
        """
        digest = hashlib.sha256()
        for name, tensor in getattr(self.model, "state_dict", dict)().items():
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def dtype(self) -> str:
        """Return the floating-point types of the model's weights.

        Returns
        -------
        str
            A type such as "bfloat16", several types joined by "+", or "" if the model has no such weights.
        """
        tensors: Any = getattr(self.model, "state_dict", dict)().values()
        return "+".join(
            sorted(
                {str(tensor.dtype).removeprefix("torch.") for tensor in tensors if tensor.is_floating_point()}
            )
        )


ModelSpec = str | Model


def model_name(spec: ModelSpec) -> str:
    """What labels and signatures call a model."""
    return f"own:{spec.name}" if isinstance(spec, Model) else spec


def is_model_spec(value: object) -> bool:
    """Whether a parameter can name a model."""
    return isinstance(value, Model) or (isinstance(value, str) and bool(value))


def model_facts(spec: ModelSpec) -> dict[str, str]:
    """What a signature says of a model: its weights, their type as they are run, the revision that was
    fetched, and the libraries that run it.
    """
    from nlgauge._core.versions import installed_version
    from nlgauge.models.weights import store

    if isinstance(spec, Model):
        facts = {"weights": spec.weights_hash()[:12], "dtype": spec.dtype()}
    else:
        place = store.require(spec)
        facts = {
            "weights": store.weights_hash(place)[:12],
            "revision": store.revision(place)[:12],
            "dtype": "float32",
        }
    facts |= {package: installed_version(package) for package in ("torch", "transformers")}
    return {"model": model_name(spec), **{name: value for name, value in facts.items() if value}}
