"""Properties that are computed on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):  # noqa: N801
    """A property that is computed on first use and stored in the instance, without a lock.

    `functools.cached_property` of Python 3.11 uses one lock per attribute for all instances. A process that
    is forked while another thread computes the property waits forever for this lock. With `lazy`, two threads
    may both compute the value; both get the value that was stored first.
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


class Later(Generic[Value]):
    """A value of a `lazy_field` that is computed at first use."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self.compute = compute


class lazy_field(Generic[Value]):  # noqa: N801
    """A field of a dataclass, without a default, whose value may be given as `Later`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Value:
        if instance is None:
            raise AttributeError(self.name)  # the sign for a dataclass that the field has no default
        values = instance.__dict__
        if isinstance(values[self.name], Later):
            values[self.name] = values[self.name].compute()
        value: Value = values[self.name]
        return value

    def __set__(self, instance: object, value: Value | Later[Value]) -> None:
        instance.__dict__[self.name] = value
