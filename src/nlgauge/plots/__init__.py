"""Plots of results, explanations and studies: each takes `ax`, an axes of yours, and returns the axes it drew on (an array where there are several).

Needs matplotlib: pip install "nlgauge[plot]"; it is imported when the first plot is asked for. `save(axes, "figure.pdf")` writes what was drawn:
reproducibly, with text as text, and with a sentence for those who do not see it (`alt(axes)`).
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "intervals": "scored",
    **dict.fromkeys(("forest", "waterfall"), "compared"),
    "distributions": "distributed",
    **dict.fromkeys(("agreement", "human_map", "profiles"), "maps"),
    **dict.fromkeys(("scatter", "winmatrix", "pareto", "calibration", "landscape", "topk", "stress", "power", "sweep"), "studied"),
    **dict.fromkeys(("by_model", "information_graph", "error_bound", "embedding_map"), "information"),
    "taxonomy": "tree",
    **dict.fromkeys(("tokens", "ngrams", "words", "groups", "edits", "errors"), "texts"),
    **dict.fromkeys(("alignment", "transport"), "links"),
    **dict.fromkeys(("guesses", "entailment", "verdict"), "judged"),
    "explanation": "explained",
    **dict.fromkeys(("save", "alt"), "files"),
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
