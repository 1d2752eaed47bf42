"""Figures of results, explanations and studies; `nlgauge.plots` has their public names."""

from importlib.util import find_spec

from nlgauge.errors import MissingExtraError

if find_spec("matplotlib") is None:
    raise MissingExtraError("matplotlib", "plot", "drawing")
