"""Turns checkpoints of other programs into directories that nlgauge loads: weights as safetensors,
configuration, tokeniser, and where they are from.

    convert(file, "comet", directory, base)      a Lightning checkpoint of COMET; base: configuration and tokeniser of its encoder
    convert(file, "bin", directory)              pytorch_model.bin with config.json and tokeniser beside it

Files are read by `inert.read`, which runs nothing that they say. A layout of other weights is a module of its
own, whose `converted(state, config)` gives the weights under the names that Transformers has for them, and
the configuration.
"""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from nlgauge.errors import ModelError, ParameterError
from nlgauge.models.networks.comet import HEAD
from nlgauge.models.networks.prism_layout import FILES as PRISM_FILES
from nlgauge.models.weights import inert, store
from nlgauge.models.weights.comet_files import parts_of, settings_of
from nlgauge.models.weights.contents import combined, hash_of_file
from nlgauge.models.weights.installing import installed
from nlgauge.models.weights.store import Manifest

Layout = Literal["comet", "lens", "align", "bleurt", "prism", "bart", "bin", "vectors"]
LAYOUTS: tuple[str, ...] = get_args(Layout)
# Modules whose `converted` renames the weights of a layout.
_RENAMING = {
    "align": "nlgauge.models.networks.align_layout",
    "bleurt": "nlgauge.models.networks.bleurt_layout",
    "prism": "nlgauge.models.networks.prism_layout",
}
# Where programs keep the weights of a checkpoint, and fairseq its options.
_STATES = ("state_dict", "model_state_dict", "model")
_FAIRSEQ = ("args", "cfg")
TOKENIZER_FILES = (
    "tokenizer*",
    "special_tokens_map.json",
    "vocab.*",
    "merges.txt",
    "*.model",
    "dict.*.txt",
    "added_tokens.json",
)


class Converted(NamedTuple):
    """Where the model is now, and what of the original file was left out."""

    place: Path
    dropped: list[str]


class Origin(NamedTuple):
    """Where a file comes from, for the manifest."""

    name: str
    title: str
    source: str
    license: str = "see its page"
    revision: str = ""


def convert(
    file: Path, layout: str, target: Path, base: str | None = None, origin: Origin | None = None
) -> Converted:
    """Makes the directory `target` of a file, whole or not at all; `base` names the model or directory
    whose configuration and tokeniser it has.
    """
    if layout not in LAYOUTS:
        raise ParameterError(f"a file is converted as one of {', '.join(LAYOUTS)}, got {layout!r}.")
    file = file.expanduser()
    if not file.is_file():
        raise ModelError(f"cannot find the file {str(file)!r}.")
    if target.exists() and any(target.iterdir()):
        raise ModelError(
            f"{target} already exists and is not empty; choose another directory, or remove it first."
        )
    made = origin or Origin(target.name, target.name, file.name)
    dropped: list[str] = []

    def fill(directory: Path) -> Manifest:
        dropped.extend(write([file], layout, directory, base))
        return Manifest(
            made.name,
            made.title,
            made.source,
            file.name,
            hash_of([file]),
            made.license,
            made.revision,
            layout,
        )

    return Converted(installed(target, fill), dropped)


def write(files: Sequence[Path], layout: str, directory: Path, base: str | None) -> list[str]:
    """Writes the model of these files into a directory, all but its manifest, and gives what was left out."""
    if layout == "vectors":
        importlib.import_module("nlgauge.models.weights.vectors").convert(files[0], directory)
        return []
    if layout in ("comet", "lens"):
        return _write_comet(files[0], layout, directory, base)
    place = _base(base, files[0], layout)
    dropped: list[str] = []
    for number, file in enumerate(files, 1):
        content = inert.read(file)
        dropped += content.dropped
        state, said = _state(content.value, file)
        dropped += sorted(name for name in said if layout != "prism" or name not in _FAIRSEQ)
        # fairseq's checkpoints say themselves what model they are.
        config = said if layout == "prism" else _config(place)
        if layout in _RENAMING:
            rename: Callable[..., tuple[dict[str, Any], dict[str, Any]]] = importlib.import_module(
                _RENAMING[layout]
            ).converted
            try:
                state, config = rename(state, config)
            except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
                raise ModelError(
                    f"{file} does not have the weights of a {layout} model ({type(error).__name__}: {error})",
                    python="pass another layout",
                    cli="choose another layout with --as",
                ) from error
        _save(state, directory / _shard(number, len(files)))
        (directory / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(config)))
    if len(files) > 1:
        _write_index(directory)
    _copy_tokenizer(place, directory)
    return dropped


def _write_comet(file: Path, layout: str, directory: Path, base: str | None) -> list[str]:
    content = inert.read(file)
    state, said = _state(content.value, file)
    hyper = said.get("hyper_parameters") or {}
    declared = _declared(file) or (
        {"class_identifier": "regression_metric_multi_ref"} if layout == "lens" else {}
    )
    settings = settings_of(hyper, declared)
    needed = "lens" if settings.form == "lens" else "comet"
    if (needed == "lens") != (layout == "lens"):
        raise ModelError(
            f"{file} is a {settings.form} model",
            python=f"pass layout={needed!r}",
            cli=f"convert it with --as {needed}",
        )
    place = _base(
        base or _known({**hyper, **(declared if layout == "lens" else {})}.get("pretrained_model")),
        file,
        layout,
    )
    encoder, head, rest = parts_of(state)
    _save(encoder, directory / "model.safetensors")
    _save(head, directory / HEAD)
    config = {**_config(place), "comet": msgspec.to_builtins(settings)}
    (directory / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(config)))
    _copy_tokenizer(place, directory)
    return [*content.dropped, *sorted(name for name in said if name != "hyper_parameters"), *rest]


def _declared(file: Path) -> dict[str, Any]:
    """The hparams.yaml beside the file or, as in the hub's repositories, one directory above; {} where
    there is none.
    """
    for directory in (file.parent, file.parent.parent):
        if (directory / "hparams.yaml").is_file():
            found = importlib.import_module("yaml").safe_load((directory / "hparams.yaml").read_text("utf-8"))
            return found if isinstance(found, dict) else {}
    return {}


def _state(content: Any, file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The weights in what was read, and what stands beside them."""
    import torch

    if isinstance(content, Mapping):
        for name in ("", *_STATES):
            found = content.get(name) if name else content
            if isinstance(found, Mapping) and any(
                isinstance(value, torch.Tensor) for value in found.values()
            ):
                weights = {str(key): value for key, value in found.items() if isinstance(value, torch.Tensor)}
                return weights, {str(key): value for key, value in content.items() if name and key != name}
    raise ModelError(
        f"{file} does not contain named weights; it may be an object of another program, which only that"
        " program's code can read."
    )


def _base(base: str | None, file: Path, layout: str) -> Path:
    """The directory that has configuration and tokeniser; PRISM's has no configuration."""
    if layout == "prism":
        return _beside(Path(base) if base is not None else file.parent)
    place = (
        file.parent
        if base is None and (file.parent / "config.json").is_file()
        else None
        if base is None
        else store.location(base)
    )
    if place is None:
        named = "" if base is None else f", and {base!r} does not have them"
        raise ModelError(
            f"{layout} needs the configuration (config.json) and the tokenizer of its model{named}",
            python="pass base=DIRECTORY with these files",
            cli="use --base DIR for a directory with these files",
        )
    return place


def _beside(place: Path) -> Path:
    """The directory of PRISM's tokens; its configuration is in the checkpoint."""
    missing = [name for name in PRISM_FILES if not (place / name).is_file()]
    if missing:
        raise ModelError(
            f"prism needs {' and '.join(missing)} next to the checkpoint",
            python="pass base=DIRECTORY if they are in another directory",
            cli="use --base DIR if they are in another directory",
        )
    return place


def _known(name: Any) -> str | None:
    """The model that a checkpoint names as its encoder, if it is here."""
    for known in (str(name), str(name).rpartition("/")[2]):
        if name and store.location(known) is not None:
            return known
    return None


def _config(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode((place / "config.json").read_bytes())
    return found


def _save(state: Mapping[str, Any], path: Path) -> None:
    """Writes weights as safetensors; weights that share their memory are written apart."""
    from safetensors.torch import save_file

    owned: set[int] = set()
    apart = {}
    for name, tensor in state.items():
        memory = tensor.untyped_storage().data_ptr()
        whole = (
            tensor.is_contiguous()
            and memory not in owned
            and tensor.untyped_storage().nbytes() == tensor.nbytes
        )
        owned.add(memory)
        apart[name] = tensor if whole else tensor.clone().contiguous()
    save_file(apart, path, metadata={"format": "pt"})


def _shard(number: int, count: int) -> str:
    return "model.safetensors" if count == 1 else f"model-{number:05}-of-{count:05}.safetensors"


def _write_index(directory: Path) -> None:
    """The index that says which weight is in which of several files."""
    from safetensors import safe_open

    places = {}
    for path in sorted(directory.glob("model-*.safetensors")):
        with safe_open(path, framework="pt") as opened:
            places.update(dict.fromkeys(opened.keys(), path.name))
    (directory / "model.safetensors.index.json").write_bytes(
        msgspec.json.encode({"metadata": {}, "weight_map": places})
    )


def _copy_tokenizer(place: Path, directory: Path) -> None:
    for path in (path for pattern in TOKENIZER_FILES for path in place.glob(pattern) if path.is_file()):
        shutil.copyfile(path, directory / path.name)


def hash_of(files: Sequence[Path]) -> str:
    """Return one hash of the contents of files."""
    return combined({file.name: hash_of_file(file) for file in files})
