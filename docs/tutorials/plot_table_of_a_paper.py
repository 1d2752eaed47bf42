"""
The table of a paper
====================

Which numbers belong in the results table of a paper with several systems, and which marks may be next to them? This
tutorial scores four systems, writes the table as LaTeX, ranks the systems with letters, and collects the facts that a
reader needs to repeat the evaluation.
"""

# %%
# Data
# ----
# The benchmark ``sample`` ships with nlgauge: four systems summarize 24 short texts of 12 documents. The texts were
# written for this package, so the numbers are no evidence about real systems. The name of a segment starts with the
# name of its document.
import nlgauge
from nlgauge import plots
from nlgauge.meta import benchmarks

records = [
    {
        "id": row.segment,
        "document": row.segment.rpartition("-")[0],
        "system": row.system,
        "prediction": row.prediction,
        "references": list(row.references),
    }
    for row in benchmarks.load("sample").rows
]
result = nlgauge.score(records, metrics=["bleu", "chrf", "ter"])
print(", ".join(result.systems))

# %%
# Choose the baseline before you look
# -----------------------------------
# A table with stars compares every system with one baseline. Here the baseline is ``lead``, which copies the first
# sentence of the source: a summarizer should at least beat it.
comparison = result.compare(baseline="lead")
print(comparison)

# %%
# Three systems and three metrics make nine tests. ``p (Holm)`` is corrected for all nine. The system ``baseline`` does
# not differ significantly from ``lead`` on any metric, ``improved`` is significantly better on all three, and ``cut``
# is significantly worse on BLEU and chrF.
#
# Write the table
# ---------------
# The LaTeX table has intervals, bold print for the best score of each column and stars for p (Holm) against the
# baseline. A star next to a low score marks a system that is significantly worse. Signatures follow as comments, so
# that they stay with the table.
print(result.to_latex(baseline="lead", caption="Four summarizers on 24 segments.", label="tab:scores"))

# %%
# Rank all systems
# ----------------
# Stars answer one question per system. Letters answer all pairs at once: systems that share a letter do not differ
# significantly, with a correction for the six pairs (max-T). The brackets contain the best and the worst rank that each
# system may have.
ranks = result.ranks()
print(ranks)

# %%
for label in result.labels:
    print(label, dict(zip(result.systems, ranks[label].letters, strict=True)))

# %%
# Show the intervals
# ------------------
# The picture shows the numbers of the table. Use it for a first impression, and the comparison for claims: intervals of
# two systems may overlap although the paired test finds a difference.
plots.intervals(result)

# %%
# Report the settings
# -------------------
# The signature of each metric contains the tokenizer, the references and the version. The sentence about the statistics
# is the same for all columns.
for label, signature in result.signatures.items():
    print(f"{label}: {signature}")
print("Intervals: bootstrap over documents, 95%, 1,000 resamples. Tests: approximate randomization, Holm.")

# %%
# What this does not show
# -----------------------
# Twelve documents are few: the tables end with a caution, and such intervals are too narrow. Three metrics that agree
# are not three pieces of evidence, because all three compare words or characters with the same references. A difference
# that is not significant is not a proof of equality.
#
# See also: :doc:`/howto/tables-for-papers`, :doc:`/statistics/many-tests`, :doc:`/statistics/intervals`,
# :doc:`/reference/signatures`.
