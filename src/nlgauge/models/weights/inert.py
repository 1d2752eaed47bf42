"""Reader of the tensors and plain values in a file of torch.save, which runs no code of the file.

Such files are pickles, and a pickle can call any function. torch safely reads files that contain only tensors
and plain values (weights_only). Older files also name classes of the program that wrote them, which torch
refuses. These files are read by an unpickler that replaces every name except the names of tensors by a
placeholder, which can be created, called and filled, and does nothing.
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

# The maximum depth of nested lists and dicts; only a malicious file is deeper.
_DEEPEST = 60


class Content(NamedTuple):
    """The content of a file: tensors and plain values in lists and dicts, and the omitted parts.

    Plain values are str, int, float, bool and None. `dropped` has the place and the type of each omitted
    part.
    """

    value: Any
    dropped: list[str]


def read(file: Path) -> Content:
    """Read the tensors and plain values of a file; run no code of the file."""
    import torch

    if file.suffix == ".safetensors":
        from safetensors.torch import load_file

        return Content(load_file(file), [])
    _refuse_other_formats(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            content = torch.load(file, map_location="cpu", weights_only=True)
        except Exception:  # torch refuses the file
            content = _read_inertly(file)
    if isinstance(content, _Dummy) or (isinstance(content, type) and issubclass(content, _Dummy)):
        raise ModelError(
            f"{file} contains an object of {content.called} instead of weights, and reading it would run its code; load"
            " it in the program that wrote it, and save its state_dict() with torch.save."
        )
    dropped: list[str] = []
    return Content(_plain(content, "", dropped, 0), dropped)


def _refuse_other_formats(file: Path) -> None:
    import torch

    if not file.is_file():
        raise ModelError(f"cannot find the file {str(file)!r}.")
    with file.open("rb") as stream:
        is_zip = stream.read(4) == b"PK\x03\x04"
    # torch would run a TorchScript program and unpack a tar archive, even with a safe unpickler.
    if is_zip and "constants.pkl" in _records(torch, file):
        raise ModelError(f"{file} is a TorchScript program, which is not read; use a file of weights.")
    if not is_zip and tarfile.is_tarfile(file):
        raise ModelError(
            f"{file} is a tar archive, which is not read; unpack it and name the file of weights."
        )


def _records(torch: Any, file: Path) -> list[str]:
    """Return the names of the parts of a zip file, as torch reads them."""
    try:
        return list(torch._C.PyTorchFileReader(str(file)).get_all_records())
    except RuntimeError as error:
        raise ModelError(f"{file} cannot be read: {str(error).splitlines()[0][:200]}") from None


def _read_inertly(file: Path) -> Any:
    import torch

    try:
        return torch.load(file, map_location="cpu", weights_only=False, pickle_module=_InertPickle)
    except Exception as error:  # a damaged or malicious file can raise any error
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise ModelError(
            f"{file} cannot be read: {reason}. It must be a file of weights that torch.save wrote."
        ) from None


class _Dummy:
    """Placeholder for an object that is not a tensor; can be created, called and filled; does nothing."""

    called = "?"
    # torch would write a file if this were True.
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
    """Placeholder for argparse.Namespace, which stores the values."""

    kept: Any = None

    def __setstate__(self, state: Any) -> None:
        self.kept = state


class _Function:
    """Wrapper of a function that a file may call; the file cannot access or change the function itself."""

    __slots__ = ("_run",)

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run

    def __call__(self, *arguments: Any) -> Any:
        return self._run(*arguments)

    def __setstate__(self, state: Any) -> None: ...


def _tensor(storage: Any, offset: Any, size: Any, stride: Any, *_: Any) -> Any:
    import torch

    return torch._utils._rebuild_tensor(storage, offset, size, stride)


def _parameter(data: Any, *_: Any) -> Any:
    return data


class _Unpickler(pickle.Unpickler):
    """Unpickler that builds tensors and OrderedDicts, and replaces every other name by a placeholder.

    Attributes of the type OrderedDict cannot be set. torch adds its storages in a subclass.
    """

    def find_class(self, module: str, name: str) -> Any:
        functions: dict[tuple[str, str], Callable[..., Any]] = {
            ("torch._utils", "_rebuild_tensor_v2"): _tensor,
            ("torch._utils", "_rebuild_parameter"): _parameter,
        }
        if (module, name) in functions:
            return _Function(functions[module, name])
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        base = _Namespace if (module, name) == ("argparse", "Namespace") else _Dummy
        return type("_Dummy", (base,), {"called": f"{module}.{name}"})


class _InertPickle:
    """Replacement of the module pickle, which torch.load takes as `pickle_module`."""

    __name__ = "inert"
    Unpickler = _Unpickler

    @staticmethod
    def load(stream: Any, **options: Any) -> Any:
        return _Unpickler(stream, **options).load()


def _plain(value: Any, place: str, dropped: list[str], depth: int) -> Any:
    """Return the value without parts that are neither tensors nor plain; append these to `dropped`."""
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
        plain = {}
        for key, part in value.items():
            if type(key) not in (str, int) or _is_foreign(part):
                dropped.append(f"{place}{'.' if place else ''}{_named(key)}: {_named(part)}")
            else:
                plain[key] = _plain(part, f"{place}{'.' if place else ''}{key}", dropped, depth + 1)
        return plain
    if isinstance(value, list | tuple):
        dropped += [f"{place}[{i}]: {_named(part)}" for i, part in enumerate(value) if _is_foreign(part)]
        return [
            _plain(part, f"{place}[{i}]", dropped, depth + 1)
            for i, part in enumerate(value)
            if not _is_foreign(part)
        ]
    dropped.append(f"{place}: {_named(value)}")
    return None


def _is_foreign(value: Any) -> bool:
    import torch

    is_supported = (
        value is None
        or type(value) in (str, int, float, bool)
        or isinstance(value, dict | list | tuple | torch.Tensor | _Namespace)
    )
    return not is_supported


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
