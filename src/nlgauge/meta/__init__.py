"""Meta-evaluation: how well metrics agree with people, whether one is better than another, and what that claim generalises to.

>>> from nlgauge.meta import pearson
>>> round(float(pearson([1, 2, 3, 4], [1, 3, 2, 4])), 3)
0.8
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.meta.between import between_metrics as between_metrics
    from nlgauge.meta.coefficients import gamma as gamma
    from nlgauge.meta.coefficients import kendall as kendall
    from nlgauge.meta.coefficients import kendall_a as kendall_a
    from nlgauge.meta.coefficients import kendall_c as kendall_c
    from nlgauge.meta.coefficients import pairwise_difference_pearson as pairwise_difference_pearson
    from nlgauge.meta.coefficients import pearson as pearson
    from nlgauge.meta.coefficients import somers as somers
    from nlgauge.meta.coefficients import spearman as spearman
    from nlgauge.meta.compare import MetricComparison as MetricComparison
    from nlgauge.meta.compare import compare as compare
    from nlgauge.meta.correlate import correlate as correlate
    from nlgauge.meta.found import Found as Found
    from nlgauge.meta.judgements import Judgements as Judgements
    from nlgauge.meta.rank import PRESETS as PRESETS
    from nlgauge.meta.rank import Task as Task
    from nlgauge.meta.rank import rank as rank
    from nlgauge.meta.rank import tree_weights as tree_weights
    from nlgauge.meta.rank import without_outliers as without_outliers
    from nlgauge.meta.replicate import replicate as replicate
    from nlgauge.meta.soft import pairwise_accuracy as pairwise_accuracy
    from nlgauge.meta.soft import pooled_pairwise_accuracy as pooled_pairwise_accuracy
    from nlgauge.meta.soft import soft_pairwise_accuracy as soft_pairwise_accuracy
    from nlgauge.meta.ties import acc_eq as acc_eq
    from nlgauge.meta.ties import calibrate as calibrate
    from nlgauge.meta.ties import darr as darr
    from nlgauge.meta.ties import darr_of_pairs as darr_of_pairs
    from nlgauge.meta.ties import tau_eq as tau_eq
    from nlgauge.meta.top import top_systems as top_systems
    from nlgauge.meta.williams import williams as williams

# Where each public name lives; it is imported at first use, as those of nlgauge itself.
_HOMES = {
    "Found": "found",
    **dict.fromkeys(("compare", "MetricComparison"), "compare"),
    "replicate": "replicate",
    **dict.fromkeys(("rank", "Task", "PRESETS", "tree_weights", "without_outliers"), "rank"),
    "williams": "williams",
    "correlate": "correlate",
    "between_metrics": "between",
    "top_systems": "top",
    "Judgements": "judgements",
    **dict.fromkeys(
        ("pearson", "spearman", "kendall", "kendall_a", "kendall_c", "gamma", "somers", "pairwise_difference_pearson"),
        "coefficients",
    ),
    **dict.fromkeys(("darr", "darr_of_pairs", "acc_eq", "tau_eq", "calibrate"), "ties"),
    **dict.fromkeys(("pairwise_accuracy", "pooled_pairwise_accuracy", "soft_pairwise_accuracy"), "soft"),
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


class _Package(ModuleType):
    """The package, whose functions may have the names of the files that hold them."""

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing a submodule would otherwise put it in the place of the function of the same name.
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"nlgauge.meta.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'nlgauge.meta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
