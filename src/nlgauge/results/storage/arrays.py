"""Arrays of a saved result, read without trust: no pickle, nothing compressed, nothing larger than the
file says it is.
"""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError

Arrays = dict[str, Array]


def read_arrays(path: Path) -> dict[str, Arrays]:
    """The arrays of an .npz file, by the number before the first slash of their names and the rest after
    it.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise InputError(f"{path.name} is not a file.")
    found: dict[str, Arrays] = {}
    with zipfile.ZipFile(path) as archive:
        size = path.stat().st_size
        for member in archive.infolist():
            number, _, name = member.filename.removesuffix(".npy").partition("/")
            found.setdefault(number, {})[name] = _read(archive, member, size)
    return found


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, size: int) -> Array:
    """One array; what it claims to need may not be more than the bytes that are there for it."""
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
                f"{member.filename} claims to hold {dtype} of shape {shape}, which is not what its bytes"
                " can be."
            )
        data = stream.read(count * dtype.itemsize)
    array = np.frombuffer(data, dtype=dtype)
    if len(array) != count:
        raise InputError(f"{member.filename} ends too early.")
    return array.reshape(shape, order="F" if by_column else "C")
