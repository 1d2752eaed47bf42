"""Models: the only package that locates, downloads, checks and loads weights.

A model is a string (a name of the catalog, a local directory, or a hub repository that was downloaded before)
or a custom model `Model(model, tokenizer)`. This package uses the network only if `fetch.get` is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Model:
    """A custom model and its tokenizer, with a name for labels and signatures.

    Parameters
    ----------
    model : callable
        Language model: any callable that maps `input_ids` of shape (batch, length) to an object with
        `logits`. Encoder: a Transformers model. It is not changed.
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
        import hashlib

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
    """Return the name of a model for labels and signatures."""
    return f"own:{spec.name}" if isinstance(spec, Model) else spec


def is_model_spec(value: object) -> bool:
    """Return True if a parameter value can specify a model."""
    return isinstance(value, Model) or (isinstance(value, str) and bool(value))


def model_facts(spec: ModelSpec) -> dict[str, str]:
    """Return the facts about a model that signatures show.

    The facts are its name, the hash and the computing type of its weights, the downloaded revision, and the
    versions of torch and transformers; unknown facts are omitted.
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
