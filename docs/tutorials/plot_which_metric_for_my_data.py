"""
Which metric for my data
========================

Which metric agrees best with people on my texts, and is its lead more than chance? This tutorial starts from about 100
human ratings, correlates six metrics with them, compares the metrics pair by pair, and asks whether the answer holds
for new systems.
"""

# %%
# Data
# ----
# The benchmark ``sample`` ships with nlgauge: four systems, 24 segments, and the mean rating of relevance from three
# annotators for each of the 96 outputs. Texts and ratings were made up for this package, so the numbers are no
# evidence about these metrics in general. Your own ratings are one more field of the records.
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
result = nlgauge.score(records, metrics=["bleu", "chrf", "rouge", "ter", "meteor", "f1"])
judgments = meta.Judgments.from_result(result, "relevance")
print(judgments)

# %%
# Correlate
# ---------
# The level states the question. ``global`` compares all outputs: is this output good? Kendall's tau compares pairs of
# outputs, so the scale of a metric does not matter, and metrics for which lower is better are negated.
agreement = judgments.correlate(level="global", coefficient="kendall")
for row in agreement:
    print(f"{row['metric']:7} {row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]")

# %%
# F1 has the highest value. The intervals are wide and overlap, so chance may have made the order.
plots.forest(agreement)

# %%
# Compare pairs of metrics
# ------------------------
# All metrics scored the same outputs, so pairs are tested on the same segments, with a correction for the 15 pairs.
# This test is about new inputs of the same four systems.
inputs = judgments.compare(level="global", coefficient="kendall", generalize_to="inputs")
print(inputs.clusters())

# %%
# Metrics that share a letter do not differ significantly. Token F1 is significantly better than chrF and TER; all other
# pairs share a letter, also F1 and BLEU, although BLEU has a lower value than chrF. Differences are tested, not ranks.
#
# Ask about new systems
# ---------------------
# A metric that is chosen today will score new systems. The default test swaps whole systems and answers that question.
systems = judgments.compare(level="global", coefficient="kendall")
print(systems.clusters())
for note in systems.notes:
    print(note)

# %%
# Four systems cannot support any claim about new systems: no p can be below 0.125. More rated systems help here; more
# rated segments do not.
#
# Look for shortcuts
# ------------------
# A metric may agree with people only because both prefer long texts. A useful metric has a higher value than the length
# of the prediction, and than random numbers.
for row in judgments.sentinels(benchmarks.load("sample").corpus(), level="global", coefficient="kendall"):
    if row["sentinel"] in ("random", "candidate_length"):
        print(f"{row['sentinel']:16} {row['value']:.2f}")

# %%
# Every metric of this tutorial has a higher value than the length of the prediction.

# %%
# What this does not show
# -----------------------
# The ratings are about relevance; another dimension may have another winner. Choosing the best of six metrics on 96
# ratings makes its value look better than it is on new data. The evidence of published benchmarks is on the page
# :doc:`/choose`, and ``nlgauge choose`` weighs it for a task and a language.
#
# See also: :doc:`/statistics/meta-evaluation`, :doc:`/statistics/power`, :doc:`/howto/own-benchmark`.
