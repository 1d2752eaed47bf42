"""Energy and CO2 of a run, measured by codecarbon's offline tracker.

Each run has its own tracker, in the process that requests it. The tracker covers the whole machine while the
run lasts, because a counter of the processor does not distinguish processes, and because tracking by process
loses the work of short-lived workers. Other programs on the machine and its idle power are therefore
included. codecarbon writes, prints and sends nothing. Only those settings of its configuration are used that
describe the machine (such as CODECARBON_FORCE_CPU_POWER or CODECARBON_PUE).
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
from nlgauge.engine.electricity import Carbon
from nlgauge.errors import MissingExtraError, ParameterError

# codecarbon takes no last reading if the previous reading is not older than this.
_SHORTEST_SECONDS = 0.05
_TOO_SHORT = f"a run of less than {_SHORTEST_SECONDS} seconds is too short to be tracked"
# Names of the parts of a machine, by codecarbon's class; and the counters that measure the processor, as
# codecarbon prints them.
_PARTS = {
    "CPU": "processor",
    "GPU": "graphics card",
    "RAM": "memory",
    "AppleSiliconChip": "chip",
    "Raspberry": "board",
}
_COUNTERS = ("Intel Rapl", "Intel Power Gadget", "Windows Emi")


def checked_country(code: Any) -> str:
    """Return a country code in capitals; raise ParameterError if codecarbon does not know it."""
    hint = "use the three-letter ISO code of a country, such as DEU or USA"
    if not isinstance(code, str):
        raise ParameterError(f"carbon is {code!r:.60}; {hint}.")
    if find_spec("codecarbon") is None:
        raise MissingExtraError("codecarbon", "carbon", "tracking energy and CO2")
    countries, capitals = _countries(), code.strip().upper()
    if capitals in countries:
        return capitals
    near = [country for country, name in countries.items() if name.upper() == capitals] or get_close_matches(
        capitals, countries, n=1
    )
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise ParameterError(f"carbon is {code!r:.60}{meant}, for which codecarbon has no energy mix; {hint}.")


def _countries() -> dict[str, str]:
    """Return the names of the countries whose energy mix codecarbon has, by code."""
    with _LOG:
        from codecarbon.input import DataSource

        return {
            code: str(entry.get("country_name", ""))
            for code, entry in DataSource().get_global_energy_mix_data().items()
        }


class _Log(logging.Filter):
    """Filter that hides codecarbon's log while any thread tracks, then restores handlers and level.

    codecarbon catches exceptions and logs them: `problems` has the last exception of each thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self.problems: dict[int, str] = {}
        self._lock, self._users = ForkedLock(), 0
        self._before: tuple[list[logging.Handler], int] = [], logging.NOTSET

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide the record; note its exception, if it has one."""
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
    """Context in which the energy of the machine is tracked; `found` has the result afterwards.

    If the country is None, nothing is tracked. A failure of the tracker does not stop the code in the
    context.
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
            self.found = Carbon(self._country, reason="the tracker returned no reading")
            try:
                directory = opened.enter_context(
                    TemporaryDirectory(prefix="nlgauge-carbon-", ignore_cleanup_errors=True)
                )
                self._tracker = _tracker(checked_country(self._country), directory)
                self._tracker.start()
            except Exception as error:  # code of codecarbon; the run continues without it
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
            except Exception as error:  # code of codecarbon, as above
                self.found = Carbon(self._country, reason=f"{error!s:.200}")

    def _reading(self, unknown: Carbon, seconds: float) -> Carbon:
        """Return the reading of the tracker, or `unknown` with the reason why there is none."""
        read = getattr(self._tracker, "final_emissions_data", None)
        carbon = replace(unknown, method=_method(getattr(self._tracker, "_hardware", ())))
        if read is None:
            return replace(carbon, reason=_LOG.problems.get(get_ident(), unknown.reason))
        if seconds < _SHORTEST_SECONDS:
            return replace(carbon, reason=_TOO_SHORT)
        energy, co2 = float(read.energy_consumed), float(read.emissions)
        is_finite = math.isfinite(energy) and math.isfinite(co2)
        return (
            replace(carbon, energy=energy, co2=co2, reason="")
            if is_finite
            else replace(carbon, reason="the tracker's numbers are not finite")
        )


def _tracker(country: str, directory: str) -> Any:
    """Return codecarbon's offline tracker, set to write, send and print nothing.

    The country is the only location: regions and cloud providers in codecarbon's configuration are ignored.
    """
    from codecarbon import OfflineEmissionsTracker

    return OfflineEmissionsTracker(
        country_iso_code=country,
        region=None,
        cloud_provider=None,
        cloud_region=None,
        country_2letter_iso_code=None,
        force_carbon_intensity_g_co2e_kwh=None,
        # If this were None, codecarbon would look for a token in its configuration.
        electricitymaps_api_token="",
        emissions_endpoint="",
        output_methods=[],
        output_handlers=[],
        output_dir=directory,
        tracking_mode="machine",
        allow_multiple_runs=True,
        measure_power_secs=15,
        api_call_interval=-1,
        # `_Log` needs the warnings to see exceptions that codecarbon catches, and hides them.
        log_level="warning",
        logger_preamble="",
    )


def _method(hardware: Any) -> str:
    """Describe how the energy of each part was obtained, from the way codecarbon prints its hardware."""
    descriptions = []
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
        descriptions.append(f"{part} {how}")
    return ", ".join(descriptions)
