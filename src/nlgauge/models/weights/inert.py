"""Reads the tensors and plain values of a file that torch.save wrote, without running anything that the file
says.

Such files are pickles, and a pickle may name any function and have it called. torch reads those that hold
tensors and plain values alone by rules of its own (weights_only). Older files also name classes of the
program that made them, which torch refuses; these are read by an unpickler for which every name but those of
tensors is a dummy: it can be made, called and filled, and does nothing.
"""

from __future__ import annotations

import pickle
import tarfile
import warnings
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge.errors import ModelError

# What a file that torch.save wrote has at the most: lists in lists beyond this are made to break things.
_DEEPEST = 60


class Content(NamedTuple):
    """What a file holds: tensors and str, int, float, bool, None, in lists and dicts; and where something
    else was left out, with what it was.
    """

    value: Any
    dropped: list[str]


def read(file: Path) -> Content:
    """The tensors and plain values of a file; nothing in it is run."""
    import torch

    if file.suffix == ".safetensors":
        from safetensors.torch import load_file

        return Content(load_file(file), [])
    _refuse_other_formats(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = torch.load(file, map_location="cpu", weights_only=True)
        except Exception:  # whatever torch does not read by its own rules
            found = _read_inertly(file)
    if isinstance(found, _Dummy) or (isinstance(found, type) and issubclass(found, _Dummy)):
        raise ModelError(
            f"{file} contains an object of {found.called} instead of weights; reading it would run its code,"
            " which nlgauge never does."
        )
    dropped: list[str] = []
    return Content(_plain(found, "", dropped, 0), dropped)


def _refuse_other_formats(file: Path) -> None:
    import torch

    if not file.is_file():
        raise ModelError(f"cannot find the file {str(file)!r}.")
    with file.open("rb") as stream:
        is_zip = stream.read(4) == b"PK\x03\x04"
    # torch would run the first and unpack the second, whatever pickles it is told to read.
    if is_zip and "constants.pkl" in _records(torch, file):
        raise ModelError(f"{file} is a TorchScript program, which is not read; a file of weights is needed.")
    if not is_zip and tarfile.is_tarfile(file):
        raise ModelError(
            f"{file} is a tar archive, which is not read; unpack it and name the file of weights."
        )


def _records(torch: Any, file: Path) -> list[str]:
    """The parts of a zip file, as torch will read them."""
    try:
        return list(torch._C.PyTorchFileReader(str(file)).get_all_records())
    except RuntimeError as error:
        raise ModelError(f"{file} cannot be read: {str(error).splitlines()[0][:200]}") from None


def _read_inertly(file: Path) -> Any:
    import torch

    try:
        return torch.load(file, map_location="cpu", weights_only=False, pickle_module=_InertPickle)
    except Exception as error:  # whatever a broken or hostile file does
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise ModelError(
            f"{file} cannot be read: {reason}. It must be a file of weights that torch.save wrote."
        ) from None


class _Dummy:
    """Stands for anything that a file names beside tensors: it can be made, called and filled, and does
    nothing.
    """

    called = "?"
    # torch would write a file where this is true.
    dump_patches = False

    def __new__(cls, *_: Any, **__: Any) -> _Dummy:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __setstate__(self, state: Any) -> None: ...

    def __call__(self, *_: Any, **__: Any) -> _Dummy:
        return self

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def append(self, value: Any) -> None: ...

    def extend(self, values: Any) -> None: ...

    def add(self, value: Any) -> None: ...


class _Namespace(_Dummy):
    """Stands for argparse.Namespace, whose values are kept."""

    kept: Any = None

    def __setstate__(self, state: Any) -> None:
        self.kept = state


class _Function:
    """A function that a file may have called; the function itself is out of its reach."""

    __slots__ = ("_run",)

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run

    def __call__(self, *given: Any) -> Any:
        return self._run(*given)

    def __setstate__(self, state: Any) -> None: ...


def _tensor(storage: Any, offset: Any, size: Any, stride: Any, *_: Any) -> Any:
    import torch

    return torch._utils._rebuild_tensor(storage, offset, size, stride)


def _parameter(data: Any, *_: Any) -> Any:
    return data


class _Unpickler(pickle.Unpickler):
    """Knows tensors and OrderedDict, a type that nothing can be set on; torch itself adds its storages.

    Every other name is a dummy.
    """

    def find_class(self, module: str, name: str) -> Any:
        known: dict[tuple[str, str], Callable[..., Any]] = {
            ("torch._utils", "_rebuild_tensor_v2"): _tensor,
            ("torch._utils", "_rebuild_parameter"): _parameter,
        }
        if (module, name) in known:
            return _Function(known[module, name])
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        base = _Namespace if (module, name) == ("argparse", "Namespace") else _Dummy
        return type("_Dummy", (base,), {"called": f"{module}.{name}"})


class _InertPickle:
    """What torch takes for the module pickle."""

    __name__ = "inert"
    Unpickler = _Unpickler

    @staticmethod
    def load(stream: Any, **given: Any) -> Any:
        return _Unpickler(stream, **given).load()


def _plain(value: Any, place: str, dropped: list[str], depth: int) -> Any:
    """The value without what is neither a tensor nor plain; `dropped` gets what that was."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, _Namespace):
        value = value.kept if isinstance(value.kept, dict) else {}
    if value is None or type(value) in (str, int, float, bool):
        return value
    if depth > _DEEPEST:
        dropped.append(f"{place}: too deep")
        return None
    if isinstance(value, dict):
        kept = {}
        for key, one in value.items():
            if type(key) not in (str, int) or _is_foreign(one):
                dropped.append(f"{place}{'.' if place else ''}{_named(key)}: {_named(one)}")
            else:
                kept[key] = _plain(one, f"{place}{'.' if place else ''}{key}", dropped, depth + 1)
        return kept
    if isinstance(value, list | tuple):
        dropped += [f"{place}[{i}]: {_named(one)}" for i, one in enumerate(value) if _is_foreign(one)]
        return [
            _plain(one, f"{place}[{i}]", dropped, depth + 1)
            for i, one in enumerate(value)
            if not _is_foreign(one)
        ]
    dropped.append(f"{place}: {_named(value)}")
    return None


def _is_foreign(value: Any) -> bool:
    import torch

    known = (
        value is None
        or type(value) in (str, int, float, bool)
        or isinstance(value, dict | list | tuple | torch.Tensor | _Namespace)
    )
    return not known


def _named(value: Any) -> str:
    if isinstance(value, type) and issubclass(value, _Dummy):
        return str(value.called)
    return (
        str(value.called)
        if isinstance(value, _Dummy)
        else value
        if isinstance(value, str)
        else type(value).__name__
    )
