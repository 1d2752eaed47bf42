"""
Compare two systems
===================

Is the new system better, or can chance explain the difference? This tutorial scores two systems on the same texts,
reads the interval and the p-value, looks at the segments that decide, and ends with the sentence for a paper.
"""

# %%
# Data
# ----
# The sample that ships with nlgauge is a file of records: each has a prediction, its references and the name of a
# system. Two systems summarize 24 short texts of 12 documents. The texts were written for this package, so the numbers
# are no evidence about real systems.
import json
from importlib.resources import files

import nlgauge
from nlgauge import plots

lines = (files("nlgauge") / "data" / "sample.jsonl").read_text("utf-8").splitlines()
records = [json.loads(line) for line in lines]
print(len(records), "records with the fields", ", ".join(records[0]))

# %%
# Score
# -----
# Both systems are scored in one call, so that every comparison is paired: the two systems are compared on the same
# segments. Segments of one document depend on each other, and the records name their documents; intervals and tests
# therefore resample documents.
result = nlgauge.score(records, metrics=["bleu", "chrf", "ter"])
print(result.to_text())

# %%
# Each score has a 95% interval: the range of scores that other documents of the same kind could have. The table ends
# with a caution: 12 documents are few, and these intervals are too narrow. Here the intervals of the two systems do not
# overlap. In general they may overlap although the systems differ significantly, because both were scored on the same
# segments.
#
# Test
# ----
# The comparison is the test. The gain is positive if the second system is better, also for TER, for which a lower score
# is better.
comparison = result.compare("baseline", "improved")
print(comparison)

# %%
# ``p`` is the probability of a difference at least this large if the two systems were equally good. ``p (Holm)``
# corrects it for the three tests that are shown together. With 12 documents no p can be below 1 / 2048.
row = comparison["chrf"]
print(
    f"chrF: gain {row.gain:.2f} [{row.gain_low:.2f}, {row.gain_high:.2f}], p = {row.p:.3f}, p (Holm) = {row.p_holm:.3f}"
)

# %%
# Look at the segments
# --------------------
# A waterfall shows the differences of all segments in order. If a few segments made the gain, most bars would be near
# 0; here 20 of the 24 segments gain 39 points or more.
plots.waterfall(result, "chrf", "baseline", "improved")

# %%
# The segments with the lowest scores of the new system, and the reason for the score of the first of them:
worst = result.worst("chrf", 3, system="improved")
print(worst)

# %%
print(result.explain("chrf", worst[0]["segment"], "improved")[0])

# %%
# Report
# ------
# A sentence for a paper names the metric with its signature, the difference with its interval, and the test.
print(
    f"The new system gains {row.gain:.1f} chrF (95% interval {row.gain_low:.1f} to {row.gain_high:.1f}; approximate"
    f" randomization over documents, p = {row.p:.3f})."
)
print(result.signatures["chrf"])

# %%
# What this does not show
# -----------------------
# A significant gain in chrF is a gain in chrF. Whether readers prefer the new system depends on how well chrF agrees
# with people on such texts: :doc:`/statistics/meta-evaluation` measures that. The interval covers other documents of
# the same kind, not documents of another kind.
#
# See also: :doc:`/statistics/intervals`, :doc:`/statistics/tests`, :doc:`/howto/tables-for-papers`,
# :doc:`/metrics/chrf`.
