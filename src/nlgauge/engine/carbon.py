"""Energy and CO2 of a run, by codecarbon's offline tracker: one per run, in the process that asks for it.

The whole machine is tracked while the run lasts, since a counter of the processor knows no processes, and
since tracking by process loses what short-lived workers did. So other programs on the machine are counted
too, and so is its power when idle. codecarbon writes, prints and sends nothing; of its configuration only
what describes the machine (such as CODECARBON_FORCE_CPU_POWER or CODECARBON_PUE) is used.
"""

from __future__ import annotations

import logging
import math
import time
from contextlib import ExitStack
from dataclasses import replace
from difflib import get_close_matches
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from threading import get_ident
from typing import Any, Self

from nlgauge._core.locks import ForkedLock
from nlgauge.engine.costs import Carbon
from nlgauge.errors import MissingExtraError, ParameterError

# codecarbon takes no last reading where the one before is not older than this.
_SHORTEST_SECONDS = 0.05
_TOO_SHORT = f"a run of less than {_SHORTEST_SECONDS} seconds is too short to be tracked"
# What each kind of hardware is called here, and how codecarbon's ways to read the processor (as it prints
# them) come by the energy.
_PARTS = {
    "CPU": "processor",
    "GPU": "graphics card",
    "RAM": "memory",
    "AppleSiliconChip": "chip",
    "Raspberry": "board",
}
_COUNTERS = ("Intel Rapl", "Intel Power Gadget", "Windows Emi")


def checked_country(code: Any) -> str:
    """The code of a country in capitals, or an error that says what is needed."""
    needed = "the three-letter ISO code of a country is needed, such as DEU or USA"
    if not isinstance(code, str):
        raise ParameterError(f"carbon is {code!r:.60}; {needed}.")
    if find_spec("codecarbon") is None:
        raise MissingExtraError("codecarbon", "carbon", "tracking energy and CO2")
    countries, wanted = _countries(), code.strip().upper()
    if wanted in countries:
        return wanted
    near = [country for country, name in countries.items() if name.upper() == wanted] or get_close_matches(
        wanted, countries, n=1
    )
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise ParameterError(
        f"carbon is {code!r:.60}{meant}, a country of which codecarbon knows no mix of energy; {needed}."
    )


def _countries() -> dict[str, str]:
    """The names of the countries whose mix of energy codecarbon knows, by code."""
    with _LOG:
        from codecarbon.input import DataSource

        return {
            code: str(entry.get("country_name", ""))
            for code, entry in DataSource().get_global_energy_mix_data().items()
        }


class _Log(logging.Filter):
    """Keeps codecarbon's log to itself while something is tracked, in any thread; afterwards the handlers and
    the level are as they were.

    codecarbon swallows exceptions and logs them: the last one of each thread is in `problems`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.problems: dict[int, str] = {}
        self._lock, self._users = ForkedLock(), 0
        self._before: tuple[list[logging.Handler], int] = [], logging.NOTSET

    def filter(self, record: logging.LogRecord) -> bool:
        """Nothing is shown."""
        if record.exc_info and record.exc_info[1] is not None and record.thread is not None:
            self.problems[record.thread] = f"{record.exc_info[1]!r:.200}"
        return False

    def __enter__(self) -> None:
        logger = logging.getLogger("codecarbon")
        with self._lock.taken():
            self._users += 1
            if self._users == 1:
                self._before = list(logger.handlers), logger.level
                logger.addFilter(self)

    def __exit__(self, *problem: object) -> None:
        logger = logging.getLogger("codecarbon")
        with self._lock.taken():
            self._users -= 1
            if self._users == 0:
                logger.handlers = list(self._before[0])
                logger.setLevel(self._before[1])
                logger.removeFilter(self)
                self.problems.clear()


_LOG = _Log()


class Tracking:
    """A context in which the energy of the machine is tracked; `found` has it afterwards.

    No failure of the tracker ends what runs in it.
    """

    def __init__(self, country: str | None) -> None:
        self._country = country
        self._open = ExitStack()
        self._tracker: Any = None
        self._started = 0.0
        self.found: Carbon | None = None

    def __enter__(self) -> Self:
        if self._country is None:
            return self
        with ExitStack() as opened:
            opened.enter_context(_LOG)
            self.found = Carbon(self._country, reason="the tracker gave no reading")
            try:
                directory = opened.enter_context(
                    TemporaryDirectory(prefix="nlgauge-carbon-", ignore_cleanup_errors=True)
                )
                self._tracker = _tracker(checked_country(self._country), directory)
                self._tracker.start()
            except Exception as error:  # somebody else's code, without which the run goes on
                self.found = Carbon(self._country, reason=f"{error!s:.200}")
            self._open = opened.pop_all()
        self._started = time.perf_counter()
        return self

    def __exit__(self, *problem: object) -> None:
        if self._country is None or self.found is None:
            return
        seconds = time.perf_counter() - self._started
        with self._open:
            try:
                if self._tracker is not None:
                    self._tracker.stop()
                    self.found = self._reading(self.found, seconds)
            except Exception as error:  # as above
                self.found = Carbon(self._country, reason=f"{error!s:.200}")

    def _reading(self, unknown: Carbon, seconds: float) -> Carbon:
        """What the tracker read, or with what is known of it so far why it did not."""
        read = getattr(self._tracker, "final_emissions_data", None)
        found = replace(unknown, method=_method(getattr(self._tracker, "_hardware", ())))
        if read is None:
            return replace(found, reason=_LOG.problems.get(get_ident(), unknown.reason))
        if seconds < _SHORTEST_SECONDS:
            return replace(found, reason=_TOO_SHORT)
        energy, co2 = float(read.energy_consumed), float(read.emissions)
        known = math.isfinite(energy) and math.isfinite(co2)
        return (
            replace(found, energy=energy, co2=co2, reason="")
            if known
            else replace(found, reason="the tracker's numbers are not finite")
        )


def _tracker(country: str, directory: str) -> Any:
    """codecarbon's offline tracker, with everything set that would write, send, print, or place the
    machine elsewhere.
    """
    from codecarbon import OfflineEmissionsTracker

    return OfflineEmissionsTracker(
        country_iso_code=country,
        region=None,
        cloud_provider=None,
        cloud_region=None,
        country_2letter_iso_code=None,
        force_carbon_intensity_g_co2e_kwh=None,
        # Not None, for which another token is looked for in its configuration.
        electricitymaps_api_token="",
        emissions_endpoint="",
        output_methods=[],
        output_handlers=[],
        output_dir=directory,
        tracking_mode="machine",
        allow_multiple_runs=True,
        measure_power_secs=15,
        api_call_interval=-1,
        # Logged, so that what it swallows is known, and shown to nobody.
        log_level="warning",
        logger_preamble="",
    )


def _method(hardware: Any) -> str:
    """How the energy of each part was found: codecarbon's pieces of hardware say it in how they print."""
    found = []
    for piece in hardware:
        kind = type(piece).__name__
        part, printed, watts = _PARTS.get(kind, kind), piece.description(), getattr(piece, "_tdp", None)
        if kind == "RAM":
            how = "estimated from its size"
        elif kind != "CPU":
            how = "measured"
        elif any(counter in printed for counter in _COUNTERS):
            how = f"measured ({next(counter for counter in _COUNTERS if counter in printed)})"
        else:
            basis = "its load and a constant" if "Load" in printed else "a constant"
            how = f"estimated from {basis}{f' of {watts:g} W' if isinstance(watts, int | float) else ''}"
        found.append(f"{part} {how}")
    return ", ".join(found)
