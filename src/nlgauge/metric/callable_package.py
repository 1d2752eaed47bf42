"""Why `nlgauge.metric(f)` can be called although `nlgauge.metric` is a package.

Python binds the name of a package in its parent when it is imported, so a function under the same name would
be there or not, depending on what was imported before. The package itself is therefore of a class of modules
that can be called; all its imports work as ever.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that may be called: what it does is in its module `function`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """See `nlgauge.metric.function.metric`."""
        from nlgauge.metric.function import metric

        return metric(*arguments, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        from nlgauge.metric.function import metric

        return inspect.signature(metric)


def callable_package(name: str) -> ModuleType:
    """The package of this name, which can be called from now on."""
    package = sys.modules[name]
    package.__class__ = CallablePackage
    return package
