"""Messages between processes: MessagePack, with arrays as raw bytes; a message cannot run code."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

import msgspec
import numpy as np

_ARRAY = 1
# Start of every message; other bytes were printed by a program that is not a worker.
_MARK = b"nlg\x01"
_HEAD = struct.calcsize("<4sQ")


class WireError(Exception):
    """Received bytes that are not a message."""


def encode(message: Any) -> bytes:
    """Return the bytes of a message of plain values and arrays."""
    return msgspec.msgpack.encode(message, enc_hook=_encode_array)


def decode(data: bytes) -> Any:
    """Return the message of these bytes."""
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
    """Write a message after its mark and its length."""
    data = encode(message)
    stream.write(struct.pack("<4sQ", _MARK, len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO | Any) -> Any:
    """Read the next message; return None if the other side has closed the stream."""
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        return None
    mark, length = struct.unpack("<4sQ", head)
    if mark != _MARK:
        raise WireError(f"it begins with {head!r}")
    data = stream.read(length)
    return decode(data) if len(data) == length else None
