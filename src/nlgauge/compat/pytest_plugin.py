"""Plug-in of pytest: the fixture `gate`, which fails a test if a result does not meet its conditions.

pytest imports this module in every run, so it imports nothing else until the fixture is called.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from nlgauge.compat.gate import Gate

INCONCLUSIVE = "--nlgauge-inconclusive"


class InconclusiveWarning(UserWarning):
    """A verdict of a gate is inconclusive."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the plug-in."""
    parser.getgroup("nlgauge").addoption(
        INCONCLUSIVE,
        choices=("pass", "fail", "skip"),
        default="pass",
        help="outcome of a test whose gate is inconclusive: pass with a warning (default), fail or skip",
    )


class _Gates:
    """A function that checks results in one test; its printed form is shown in tracebacks."""

    def __init__(self, inconclusive: str) -> None:
        self._inconclusive = inconclusive

    def __call__(self, *arguments: Any, **options: Any) -> Gate:
        """Fail, skip or warn if a result does not meet its conditions; see `nlgauge.compat.gate.gate`."""
        __tracebackhide__ = True
        from nlgauge.compat.gate import gate

        return self._checked(gate(*arguments, **options))

    def assert_not_worse(self, *arguments: Any, **options: Any) -> Gate:
        """Fail, skip or warn if predictions are worse than a baseline; see `nlgauge.compat.gate.not_worse`."""
        __tracebackhide__ = True
        from nlgauge.compat.gate import not_worse

        return self._checked(not_worse(*arguments, **options))

    def _checked(self, verdicts: Gate) -> Gate:
        """Return the verdicts; fail, skip or warn if they are not all passed."""
        __tracebackhide__ = True
        if verdicts.failed or (verdicts.inconclusive and self._inconclusive == "fail"):
            pytest.fail(str(verdicts), pytrace=False)
        if verdicts.inconclusive:
            reasons = "; ".join(
                f"{each.condition} ({each.system}): {each.why}" for each in verdicts.inconclusive
            )
            if self._inconclusive == "skip":
                pytest.skip(f"inconclusive: {reasons}")
            warnings.warn(f"inconclusive: {reasons}", InconclusiveWarning, stacklevel=3)
        return verdicts


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> _Gates:
    """Return a function that fails the test if a result does not meet its conditions."""
    return _Gates(request.config.getoption(INCONCLUSIVE))
