"""Cases that only `make test-thorough` runs."""

from __future__ import annotations

from typing import Any

import pytest


def thorough(*cases: Any) -> list[Any]:
    """Mark some cases of a parametrized test as thorough: other cases see nearly all that they see."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
        for case in cases
    ]
