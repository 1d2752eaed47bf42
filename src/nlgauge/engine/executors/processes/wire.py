"""Messages between processes: MessagePack, with arrays as raw bytes; nothing in a message can run."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

import msgspec
import numpy as np

_ARRAY = 1
# What every message begins with: anything else was printed by something that is not a worker.
_MARK = b"nlg\x01"
_HEAD = struct.calcsize("<4sQ")


class WireError(Exception):
    """Something came that is not a message."""


def encode(message: Any) -> bytes:
    """The bytes of a message of plain values and arrays."""
    return msgspec.msgpack.encode(message, enc_hook=_encode_array)


def decode(data: bytes) -> Any:
    """The message again."""
    return msgspec.msgpack.decode(data, ext_hook=_decode_array)


def _encode_array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return msgspec.msgpack.Ext(
            _ARRAY, msgspec.msgpack.encode((value.dtype.str, value.shape, value.tobytes()))
        )
    raise TypeError(f"a message cannot contain a {type(value).__name__}")


def _decode_array(code: int, data: memoryview) -> Any:
    dtype, shape, raw = msgspec.msgpack.decode(data)
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def send(stream: BinaryIO | Any, message: Any) -> None:
    """Writes one message, its length first."""
    data = encode(message)
    stream.write(struct.pack("<4sQ", _MARK, len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO | Any) -> Any:
    """The next message; None where the other side has closed."""
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        return None
    mark, length = struct.unpack("<4sQ", head)
    if mark != _MARK:
        raise WireError(f"it begins with {head!r}")
    data = stream.read(length)
    return decode(data) if len(data) == length else None
