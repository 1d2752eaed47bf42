"""
Human scores from 50 labels
===========================

People rated 48 of 96 outputs. How good is each system, and do the scores of a metric on the other outputs help? This
tutorial estimates mean human scores with intervals, checks them against all ratings, and proposes the next texts to
rate.
"""

# %%
# Data
# ----
# The benchmark ``sample`` ships with nlgauge: four systems, 24 segments, and ratings of relevance from 1 to 5. Texts
# and ratings were made up for this package. All 96 outputs are rated, so the tutorial can hide half of the ratings and
# look at the truth at the end. ROUGE-L has scored every output.
import numpy as np

import nlgauge
from nlgauge import meta, plots
from nlgauge.meta import benchmarks

records = [
    {
        "id": row.segment,
        "system": row.system,
        "prediction": row.prediction,
        "references": list(row.references),
        "relevance": row.human["relevance"],
    }
    for row in benchmarks.load("sample").rows
]
result = nlgauge.score(records, metrics="rouge")
judgments = meta.Judgments.from_result(result, "relevance")
all_ratings = judgments.human("relevance")  # (systems, segments)
rouge = {"rouge": judgments.metrics["rouge"]}
print(all_ratings.shape)

# %%
# Draw the segments to rate
# -------------------------
# Chance must choose the segments. Labels of the first, the easiest or the most interesting texts would bias every
# estimate.
labeled = np.random.default_rng(1).choice(24, 12, replace=False)
human = np.full(all_ratings.shape, np.nan)  # NaN: not rated
human[:, labeled] = all_ratings[:, labeled]
print(int(np.isfinite(human).sum()), "labels on", len(labeled), "segments")

# %%
# Estimate
# --------
# The labels make the estimate right, and the metric makes its interval narrower. A bad metric costs width, not
# correctness.
estimates = meta.estimate(human, rouge, systems=judgments.systems)
for row in estimates:
    print(
        f"{row['system']:8} {row['estimate']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        f"  labels only: {row['classical']:.2f} [{row['classical_low']:.2f}, {row['classical_high']:.2f}]"
        f"  worth {row['effective_labels']:.0f} labels"
    )

# %%
# Every interval is narrower than the interval of the labels without the metric. For ``cut`` the 12 labels are worth
# about 20; for ``improved``, whose ratings are nearly all high, they are worth 13.
#
# Look at the truth
# -----------------
# A study would not have these numbers. The mean of all 24 ratings of each system is inside the interval of the
# estimate. The picture shows how ROUGE-L and the ratings of all outputs agree, which is the reason why the metric
# helps.
for system, mean in zip(judgments.systems, all_ratings.mean(axis=1), strict=True):
    print(f"{system:8} {mean:.2f}")
plots.scatter(judgments, "rouge", level="global")

# %%
# Compare systems
# ---------------
# The differences between systems have their own estimates, because both systems of a pair were rated on the same
# segments.
for row in meta.estimate(human, rouge, systems=judgments.systems, of="differences"):
    print(
        f"{row['system']:8} - {row['other']:8} {row['estimate']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]"
    )

# %%
# The three intervals of differences from ``improved`` do not contain 0; the other three do.
#
# Plan the next labels
# --------------------
# Intervals of width 0.8 or less for the mean of each system need this many labeled segments, with the metric and
# without:
for row in estimates.labels_needed(0.8):
    print(row["system"], row["needed"], row["needed_classical"], row["reason"])

# %%
# The metric saves two segments for ``lead`` and six for ``cut``, and none for ``improved``. The interval of
# ``baseline`` would be wider than 0.8 with all 24 segments labeled.
#
# The next call proposes four more segments, to be rated with all four systems. The column ``probability`` goes into the
# next call of ``estimate`` as ``probabilities``.
proposed = meta.segments_to_label(human, 4, rouge, segments=judgments.segments)
print([row["segment"] for row in proposed if row["proposed"]])

# %%
# What this does not show
# -----------------------
# One random draw with good intervals is not evidence that 95% of such intervals contain the truth: the page
# :doc:`/statistics/few-labels-simulations` shows that. Skewed ratings, such as ratings that are mostly 5, need more
# labels. A metric that was chosen or trained on the same labels breaks the method.
#
# See also: :doc:`/statistics/meta-evaluation`, :doc:`/metrics/rouge`, :doc:`/glossary`.
