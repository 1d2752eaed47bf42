"""Messages between processes: MessagePack, with arrays as raw bytes; nothing in a message can run."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

import msgspec
import numpy as np

_ARRAY = 1


def encode(message: Any) -> bytes:
    """The bytes of a message of plain values and arrays."""
    return msgspec.msgpack.encode(message, enc_hook=_encode_array)


def decode(data: bytes) -> Any:
    """The message again."""
    return msgspec.msgpack.decode(data, ext_hook=_decode_array)


def _encode_array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return msgspec.msgpack.Ext(_ARRAY, msgspec.msgpack.encode((value.dtype.str, value.shape, value.tobytes())))
    raise TypeError(f"a message cannot hold a {type(value).__name__}")


def _decode_array(code: int, data: memoryview) -> Any:
    dtype, shape, raw = msgspec.msgpack.decode(data)
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def send(stream: BinaryIO | Any, message: Any) -> None:
    """Writes one message, its length first."""
    data = encode(message)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO | Any) -> Any:
    """The next message; None where the other side has closed."""
    head = stream.read(8)
    return decode(stream.read(struct.unpack("<Q", head)[0])) if len(head) == 8 else None
