"""Properties that are computed at first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):  # noqa: N801
    """A property that is computed at first use and stored in the instance, without a lock.

    `functools.cached_property` of Python 3.11 holds one lock per attribute for all instances: a child that is
    forked while another thread computes the property waits forever. Here two threads may both compute the
    value; both get the value that was stored first.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
        if instance is None:
            return self
        value: Value = instance.__dict__.setdefault(self.name, self.compute(instance))
        return value
