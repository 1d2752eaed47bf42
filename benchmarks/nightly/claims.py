"""The tests and intervals of the product, and the parts that simulate them."""

from __future__ import annotations

# What the product offers, as its options name it -> the parts that simulate it. A test compares this with the code.
CLAIMS: dict[str, tuple[str, ...]] = {
    "compare test=randomization": ("scores", "false-alarms"),
    "compare test=bootstrap": ("scores",),
    "compare, as sacreBLEU": ("golden",),
    "compare: interval of a difference": ("false-alarms", "different"),
    "compare: p (Holm), p (max-T)": ("families",),
    "compare: letters and ranks": ("claims",),
    "compare: missing scores": ("missing", "claims"),
    "compare two runs, slices": ("claims",),
    "Result.intervals": ("scores",),
    "check": ("false-alarms", "families", "different"),
    "until-sure": ("false-alarms", "different", "sequential"),
    "plan": ("plans",),
    "plan: shares of an A/A study": ("claims",),
    "rank": ("preferences", "rankings"),
    "estimate": ("few-labels",),
    "judge audit: intervals": ("claims",),
    "judge audit: position, drift, length, verdict": ("judges",),
    "judge check": ("claims",),
    "annotate: means": ("campaigns", "proposals"),
    "annotate: until, until-sure": ("stopping",),
    "annotate: checks of annotators": ("claims",),
    "meta spans": ("spans",),
    "meta spans: annotators": ("meta-claims",),
    "meta stress": ("correlations",),
    "meta agreement": ("correlations",),
    "meta sweep": ("sweeps",),
    "meta rank": ("meta-claims",),
    "meta bias": ("meta-claims",),
    "meta decide: detect, rerank": ("meta-claims",),
    "meta convert": ("meta-claims",),
    "meta downstream": ("meta-claims",),
    "correlation p": ("correlations",),
    "correlation of accuracies, DARR": ("meta-claims",),
    "meta test=randomization": ("meta-tests",),
    "meta test=bootstrap": ("meta-tests",),
    "meta test=williams": ("meta-tests",),
    "meta swap=systems": ("meta-tests",),
    "meta swap=inputs": ("meta-tests",),
    "meta swap=cells": ("meta-tests",),
    "meta swap=rows-xor-cols": ("meta-tests",),
    "meta interval=systems": ("meta-intervals",),
    "meta interval=inputs": ("meta-intervals",),
    "meta interval=both": ("meta-intervals",),
    "meta interval=fisher": ("meta-intervals",),
    "meta method=bca": ("meta-intervals",),
    **{
        f"meta adjust={name}": ("meta-corrections",)
        for name in ("none", "bonferroni", "holm", "bh", "by", "maxT", "maxT-raw")
    },
}

# Intervals that no part simulates, and the reason.
NOT_SIMULATED = {
    "cosmic: interval over seeds": "it describes the estimator's own randomness on these texts, not new texts",
    "reports and the explorer": "they show the intervals of the rows above; a selection repeats the bootstrap of Result.intervals",
    "pictures: bands of a scatter": "the percentile bootstrap of `meta interval=systems`",
    "A/A studies: sample": "Wilson's interval counts divisions of one sample, as the page of gates says",
}
