"""
Write a metric
==============

How does your own measure get intervals, tests, segment scores and a name on the command line? This tutorial writes
a metric as a function, writes another as a class whose corpus score is not a mean, tries its contract, and shows how to
publish it.
"""

# %%
# Data
# ----
# The metric asks whether a text contains the numbers of the reference: a price, a date or a count that is wrong is
# worse than an unusual word. The texts are 24 sentences from a template. The system ``exact`` changes two words of each
# and no number; the system ``careless`` changes only the last number of every third sentence.
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import nlgauge
from nlgauge import plots
from nlgauge.testing import check_metric


def sentence(n, minutes):
    """Return the sentence with this number."""
    return f"Tram {n} leaves at {n % 12 + 1} and needs {minutes} minutes."


references = [sentence(n, 3 * n + 5) for n in range(24)]
exact = [text.replace("leaves", "departs").replace("needs", "takes") for text in references]
careless = [sentence(n, 3 * n + (5 if n % 3 else 6)) for n in range(24)]

# %%
# A function
# ----------
# A function of a prediction and a reference returns a number, or ``None`` if the pair has no score. Bounds are
# optional; they are checked, and plots use them.


def numbers(text):
    """Return the different numbers of a text."""
    return set(re.findall(r"\d+", text))


@nlgauge.metric_from(low=0, high=1)
def number_recall(prediction, reference):
    """Return the share of the numbers of the reference that the prediction contains."""
    expected = numbers(reference)
    return len(expected & numbers(prediction)) / len(expected) if expected else None


result = nlgauge.score({"exact": exact, "careless": careless}, references, metrics=[number_recall, "chrf"])
print(result.to_text())

# %%
# The metric has segment scores, intervals and tests like any other. It prefers ``exact``, and chrF prefers
# ``careless``: two metrics with two ideas of quality.
#
# A class
# -------
# The corpus score of a function is the mean of the segments. A ratio over the whole corpus needs a class:
# ``statistics`` returns one row per segment that may be added up, and ``score`` divides the sums. The fields of the
# data class are the parameters. This metric is a recall of words in which a number counts as much as ``weight`` other
# words.


@nlgauge.register
@dataclass(frozen=True)
class WeightedRecall(nlgauge.Metric):
    """The weighted share of the words of the references that the predictions contain."""

    weight: float = 10.0

    name: ClassVar[str] = "weighted_recall"

    def outputs(self):
        return {"recall": (nlgauge.Output("recall", True, 0, 1),)}

    def statistics(self, view, fitted):
        rows = []
        for prediction, reference in zip(view.predictions, view.reference, strict=True):
            expected = set(re.findall(r"\w+", view.text(reference)))
            common = expected & set(re.findall(r"\w+", view.text(prediction)))
            rows.append(
                [sum(self.weight if word.isdigit() else 1 for word in words) for words in (common, expected)]
            )
        return {"recall": np.array(rows, dtype=float).reshape(-1, 2)}

    def score(self, part, statistics):
        with np.errstate(invalid="ignore"):
            return {"recall": statistics[..., 0] / statistics[..., 1]}


# %%
# A registered metric has a name, with parameters in parentheses, in every call.
weighted = nlgauge.score(
    {"exact": exact, "careless": careless},
    references,
    metrics=["weighted_recall", "weighted_recall(weight=1)"],
)
for label in weighted.labels:
    print(label, {system: round(weighted[system][label]["score"], 3) for system in weighted.systems})

# %%
# With a weight of 10, ``exact`` has the higher score, but the difference is not significant: both systems have the
# letter a. With a weight of 1, ``careless`` is significantly better. The weight is an opinion about quality, so it is
# part of the name.
plots.intervals(weighted)

# %%
# Try the contract
# ----------------
# ``check_metric`` scores odd texts and raises an error if the metric breaks a promise of all metrics. Call it in the
# tests of your package.
try:
    check_metric(WeightedRecall())
except AssertionError as error:
    print(error)

# %%
# Two equal texts should have the best score, and texts without words have no score here. That is intended, so the call
# names these texts. All other checks pass.
check_metric(
    WeightedRecall(),
    not_best_when_equal=["emoji", "empty", "newline", "not a character", "only punctuation", "only spaces"],
)

# %%
# Publish it
# ----------
# A metric in a package of your own needs an entry point in ``pyproject.toml``, and then ``nlgauge list`` and ``nlgauge
# score -m`` know it. A card with the definition, an example and the failings is a Markdown file next to the module.
#
# .. code-block:: toml
#
#    [project.entry-points."nlgauge.metrics"]
#    weighted_recall = "my_package.weighted_recall"

# %%
# What this does not show
# -----------------------
# A metric that passes its contract can still be useless: whether it agrees with people is measured with human ratings.
# For both metrics of this tutorial "seven" is not a number, and they do not see which number belongs to which fact.
#
# See also: :doc:`/howto/own-metric`, :doc:`/about/add-a-metric`, :doc:`/statistics/meta-evaluation`,
# :doc:`plot_which_metric_for_my_data`.
