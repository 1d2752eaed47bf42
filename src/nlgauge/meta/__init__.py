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
    from nlgauge.meta import benchmarks as benchmarks
    from nlgauge.meta import plots as plots
    from nlgauge.meta.agreement import cohen as cohen
    from nlgauge.meta.agreement import disattenuated as disattenuated
    from nlgauge.meta.agreement import fleiss as fleiss
    from nlgauge.meta.agreement import intraclass as intraclass
    from nlgauge.meta.agreement import krippendorff as krippendorff
    from nlgauge.meta.annotators import agreement as agreement
    from nlgauge.meta.between import between_metrics as between_metrics
    from nlgauge.meta.bias import bias as bias
    from nlgauge.meta.bias import partial as partial
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
    from nlgauge.meta.convert import agreement_curve as agreement_curve
    from nlgauge.meta.convert import convert as convert
    from nlgauge.meta.convert import isotonic_map as isotonic_map
    from nlgauge.meta.convert import quantile_map as quantile_map
    from nlgauge.meta.convert import to_human_scale as to_human_scale
    from nlgauge.meta.correlate import correlate as correlate
    from nlgauge.meta.costs import cost as cost
    from nlgauge.meta.covariates import covariates as covariates
    from nlgauge.meta.decisions import detect as detect
    from nlgauge.meta.decisions import rerank as rerank
    from nlgauge.meta.decisions import three_way as three_way
    from nlgauge.meta.downstream import downstream as downstream
    from nlgauge.meta.downstream import fano_floor as fano_floor
    from nlgauge.meta.downstream import hierarchy as hierarchy
    from nlgauge.meta.downstream import label_agreement as label_agreement
    from nlgauge.meta.estimate import Estimates as Estimates
    from nlgauge.meta.estimate import estimate as estimate
    from nlgauge.meta.found import Found as Found
    from nlgauge.meta.judgements import Judgements as Judgements
    from nlgauge.meta.labelling import segments_to_label as segments_to_label
    from nlgauge.meta.perturbations import PERTURBATIONS as PERTURBATIONS
    from nlgauge.meta.perturbations import perturbation as perturbation
    from nlgauge.meta.power import min_detectable as min_detectable
    from nlgauge.meta.power import power as power
    from nlgauge.meta.power import systems_needed as systems_needed
    from nlgauge.meta.rank import PRESETS as PRESETS
    from nlgauge.meta.rank import Task as Task
    from nlgauge.meta.rank import rank as rank
    from nlgauge.meta.rank import tree_weights as tree_weights
    from nlgauge.meta.rank import without_outliers as without_outliers
    from nlgauge.meta.replicate import replicate as replicate
    from nlgauge.meta.sentinels import sentinels as sentinels
    from nlgauge.meta.soft import pairwise_accuracy as pairwise_accuracy
    from nlgauge.meta.soft import pooled_pairwise_accuracy as pooled_pairwise_accuracy
    from nlgauge.meta.soft import soft_pairwise_accuracy as soft_pairwise_accuracy
    from nlgauge.meta.stress import Contrast as Contrast
    from nlgauge.meta.stress import aces_score as aces_score
    from nlgauge.meta.stress import contrast as contrast
    from nlgauge.meta.stress import stress as stress
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
    **dict.fromkeys(("estimate", "Estimates"), "estimate"),
    "segments_to_label": "labelling",
    "correlate": "correlate",
    "between_metrics": "between",
    "top_systems": "top",
    "Judgements": "judgements",
    **dict.fromkeys(("krippendorff", "cohen", "fleiss", "intraclass", "disattenuated"), "agreement"),
    "agreement": "annotators",
    **dict.fromkeys(("bias", "partial"), "bias"),
    **dict.fromkeys(("convert", "agreement_curve", "quantile_map", "isotonic_map", "to_human_scale"), "convert"),
    "cost": "costs",
    "covariates": "covariates",
    **dict.fromkeys(("detect", "rerank", "three_way"), "decisions"),
    **dict.fromkeys(("downstream", "label_agreement", "fano_floor", "hierarchy"), "downstream"),
    **dict.fromkeys(("perturbation", "PERTURBATIONS"), "perturbations"),
    **dict.fromkeys(("power", "min_detectable", "systems_needed"), "power"),
    "sentinels": "sentinels",
    **dict.fromkeys(("stress", "contrast", "Contrast", "aces_score"), "stress"),
    **dict.fromkeys(
        ("pearson", "spearman", "kendall", "kendall_a", "kendall_c", "gamma", "somers", "pairwise_difference_pearson"),
        "coefficients",
    ),
    **dict.fromkeys(("darr", "darr_of_pairs", "acc_eq", "tau_eq", "calibrate"), "ties"),
    **dict.fromkeys(("pairwise_accuracy", "pooled_pairwise_accuracy", "soft_pairwise_accuracy"), "soft"),
}

# Packages of their own, which can be named without importing them first.
_ROOMS = ("benchmarks", "plots")

# Without the plots, which need matplotlib: `from nlgauge.meta import *` does not.
__all__ = sorted([*_HOMES, "benchmarks"])  # noqa: PLE0605


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
    if name in _ROOMS:
        return import_module(f"nlgauge.meta.{name}")
    raise AttributeError(f"module 'nlgauge.meta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOMES, *_ROOMS])
