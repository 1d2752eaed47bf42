"""fits.npz: the values that were fitted on the whole corpus. It is read without trust: no pickle, nothing
compressed, nothing larger than declared.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus.store.lazy_values import file_size
from nlgauge.engine.chunk import Fits
from nlgauge.errors import InputError
from nlgauge.metric import Arrays
from nlgauge.results.storage.layout import SavedFit


def write_fits(fits: Fits, path: Path) -> list[SavedFit]:
    """Write the arrays of all fits, and return their entries; labels that share a fit share its arrays."""
    entries: dict[tuple[int, str], SavedFit] = {}
    arrays: dict[str, Array] = {}
    for (label, system), fitted in fits.items():
        entry = entries.setdefault((id(fitted), system), SavedFit(system, [], str(len(entries))))
        entry.labels.append(label)
        arrays |= {f"{entry.key}/{name}": array for name, array in fitted.items()}
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    return list(entries.values())


def read_fits(entries: Iterable[SavedFit], path: Path) -> Fits:
    """Return the fits of all labels."""
    arrays: dict[str, Arrays] = {}
    for member, array in read_arrays(path).items():
        number, _, name = member.partition("/")
        arrays.setdefault(number, {})[name] = array
    return {(label, entry.system): arrays.get(entry.key, {}) for entry in entries for label in entry.labels}


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of a file by their names, each checked before it is read."""
    size = file_size(path)
    with zipfile.ZipFile(path) as archive:
        return {
            member.filename.removesuffix(".npy"): _read(archive, member, size)
            for member in archive.infolist()
        }


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, size: int) -> Array:
    """Return an array, checked not to need more bytes than its file has."""
    if member.compress_type != zipfile.ZIP_STORED or member.file_size > size:
        raise InputError(
            f"{member.filename} is compressed or larger than its file; a result is saved without compression."
        )
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise InputError(f"{member.filename} is an array of an unknown version, {version}.")
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, by_column, dtype = read(stream)
        count = 1
        for length in shape:
            count *= length
        if dtype.hasobject or dtype.kind not in "biuf" or count * dtype.itemsize > member.file_size:
            raise InputError(
                f"{member.filename} declares {dtype} of shape {shape}; its data must be numbers and fit its size."
            )
        data = stream.read(count * dtype.itemsize)
    array = np.frombuffer(data, dtype=dtype)
    if len(array) != count:
        raise InputError(f"{member.filename} ends too early.")
    return array.reshape(shape, order="F" if by_column else "C")
