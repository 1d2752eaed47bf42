"""Costs of a run: conversion to run.json and back."""

from __future__ import annotations

import math

from nlgauge.engine.costs import Costs
from nlgauge.engine.electricity import Carbon
from nlgauge.results.storage.layout import SavedCarbon, SavedMemory, SavedRun


def saved_memory(costs: Costs) -> SavedMemory:
    """Return the memory of a run, as run.json has it."""
    return SavedMemory(_known(costs.memory), costs.memory_note)


def saved_carbon(costs: Costs) -> SavedCarbon | None:
    """Return the energy and the CO2 of a run, as run.json has them."""
    carbon = costs.carbon
    if carbon is None:
        return None
    return SavedCarbon(
        carbon.country, _known(carbon.energy), _known(carbon.co2), carbon.method, carbon.reason
    )


def read_costs(run: SavedRun) -> Costs:
    """Return the costs of a saved run."""
    saved = run.carbon
    carbon = None
    if saved is not None:
        energy, co2 = _number(saved.energy), _number(saved.co2)
        carbon = Carbon(saved.country, energy, co2, saved.method, saved.reason)
    seconds = run.seconds["metrics"], run.seconds["features"], run.seconds.get("used", {})
    return Costs(*seconds, run.reads, _number(run.memory.peak), run.memory.note, carbon)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None) -> float:
    return math.nan if value is None else value
