"""Conversion of checkpoints of other programs to directories that nlgauge loads.

A directory contains weights as safetensors, configuration, tokenizer, and a manifest with the source.

    convert(file, "comet", directory, base)      a Lightning checkpoint of COMET; base: configuration and tokenizer of its encoder
    convert(file, "bin", directory)              pytorch_model.bin, next to config.json and the tokenizer

Files are read by `inert.read`, which runs no code of the files. A layout with other names of weights has a
separate module, whose `converted(state, config)` returns the weights under Transformers' names, and the
configuration.
"""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from nlgauge.errors import ModelError, ParameterError, no_such
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
# Keys under which programs store the weights of a checkpoint, and keys of fairseq's options.
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
    """The directory of the converted model, and the parts of the original file that were omitted."""

    place: Path
    dropped: list[str]


class Origin(NamedTuple):
    """The source of a file, for the manifest."""

    name: str
    title: str
    source: str
    license: str = "see its page"
    revision: str = ""


def convert(
    file: Path, layout: str, target: Path, base: str | None = None, origin: Origin | None = None
) -> Converted:
    """Convert a file to the directory `target`, completely or not at all.

    `base` is the model or directory with the configuration and the tokenizer.
    """
    if layout not in LAYOUTS:
        raise ParameterError(no_such("layout", layout, LAYOUTS))
    file = file.expanduser()
    if not file.is_file():
        raise ModelError(f"cannot find the file {str(file)!r}.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ModelError(
            f"{target} already exists and is not an empty directory; choose another directory, or remove it first."
        )
    source = origin or Origin(target.name, target.name, file.name)
    dropped: list[str] = []

    def fill(directory: Path) -> Manifest:
        dropped.extend(write([file], layout, directory, base))
        return Manifest(
            source.name,
            source.title,
            source.source,
            file.name,
            hash_of([file]),
            source.license,
            source.revision,
            layout,
        )

    return Converted(installed(target, fill), dropped)


def write(files: Sequence[Path], layout: str, directory: Path, base: str | None) -> list[str]:
    """Write the model of these files, without a manifest; return the names of the omitted parts."""
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
        state, others = _state(content.value, file)
        dropped += sorted(name for name in others if layout != "prism" or name not in _FAIRSEQ)
        # fairseq's checkpoints contain their configuration.
        config = others if layout == "prism" else _config(place)
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
    state, others = _state(content.value, file)
    hyper = others.get("hyper_parameters") or {}
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
    return [*content.dropped, *sorted(name for name in others if name != "hyper_parameters"), *rest]


def _declared(file: Path) -> dict[str, Any]:
    """Read the hparams.yaml next to the file or one directory above (as on the hub); {} if it is missing."""
    for directory in (file.parent, file.parent.parent):
        if (directory / "hparams.yaml").is_file():
            text = (directory / "hparams.yaml").read_text("utf-8")
            declared = importlib.import_module("yaml").safe_load(text)
            return declared if isinstance(declared, dict) else {}
    return {}


def _state(content: Any, file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights in the content of a checkpoint, and its other entries."""
    import torch

    if isinstance(content, Mapping):
        for name in ("", *_STATES):
            state = content.get(name) if name else content
            if isinstance(state, Mapping) and any(
                isinstance(value, torch.Tensor) for value in state.values()
            ):
                weights = {str(key): value for key, value in state.items() if isinstance(value, torch.Tensor)}
                return weights, {str(key): value for key, value in content.items() if name and key != name}
    raise ModelError(
        f"{file} does not contain named weights; load it in the program that wrote it, and save its state_dict() with"
        " torch.save."
    )


def _base(base: str | None, file: Path, layout: str) -> Path:
    """Return the directory with the configuration and the tokenizer; for PRISM, only the tokenizer."""
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
            f"the layout {layout!r} needs the configuration (config.json) and the tokenizer of its model{named}",
            python="pass base=DIRECTORY with these files",
            cli="use --base DIR for a directory with these files",
        )
    return place


def _beside(place: Path) -> Path:
    """Return the directory with PRISM's tokenizer; the configuration is in the checkpoint."""
    missing = [name for name in PRISM_FILES if not (place / name).is_file()]
    if missing:
        raise ModelError(
            f"the layout 'prism' needs {' and '.join(missing)} next to the checkpoint",
            python="pass base=DIRECTORY if they are in another directory",
            cli="use --base DIR if they are in another directory",
        )
    return place


def _known(name: Any) -> str | None:
    """Return the encoder that a checkpoint names, if that model is installed; None otherwise."""
    for candidate in (str(name), str(name).rpartition("/")[2]):
        if name and store.location(candidate) is not None:
            return candidate
    return None


def _config(place: Path) -> dict[str, Any]:
    config: dict[str, Any] = msgspec.json.decode((place / "config.json").read_bytes())
    return config


def _save(state: Mapping[str, Any], path: Path) -> None:
    """Write weights as safetensors; weights that share memory are copied first."""
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
    """Write the index of several files of weights: the file of each weight."""
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
    """Return one hash of the content of all files."""
    return combined({file.name: hash_of_file(file) for file in files})
