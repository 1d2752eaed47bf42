"""
Documents are clusters
======================

Segments of one document share its topic, its style and its difficulty, so 240 segments of 24 documents are less
evidence than 240 independent segments. This tutorial shows how intervals widen when documents are known, and how often
intervals that ignore documents miss the truth.
"""

# %%
# Data
# ----
# The texts are simulated, so that the true error rate is known. Each of 24 documents has its own difficulty: the share
# of wrong words is drawn between 0 and 0.5, so the true word error rate over all documents is 0.25. Each document has
# ten segments of fifteen words.
import matplotlib.pyplot as plt
import numpy as np

import nlgauge

words = "the old ferry crosses the bay every morning before the market opens on the square".split()


def simulate(rng):
    """Return the records of 24 documents with ten segments each."""
    records = []
    for document in range(24):
        difficulty = rng.uniform(0, 0.5)
        for segment in range(10):
            reference = list(rng.permutation(words))
            prediction = ["wrong" if rng.random() < difficulty else word for word in reference]
            records.append(
                {
                    "id": f"{document}-{segment}",
                    "document": f"document {document}",
                    "prediction": " ".join(prediction),
                    "references": [" ".join(reference)],
                }
            )
    return records


def without_documents(records):
    """Return the records without the names of their documents."""
    return [{name: value for name, value in record.items() if name != "document"} for record in records]


rng = np.random.default_rng(3)
records = simulate(rng)

# %%
# Two intervals for one score
# ---------------------------
# If the records name their documents, nlgauge resamples whole documents. Without the field it resamples segments, as if
# they were independent. The score is the same.
clustered = nlgauge.score(records, metrics="wer")
independent = nlgauge.score(without_documents(records), metrics="wer")
for name, result in (("documents", clustered), ("segments", independent)):
    interval = result.intervals()["wer"]["score"]
    print(f"resampled {name:9}: {interval.score:.3f} [{interval.low:.3f}, {interval.high:.3f}]")

# %%
# The interval over documents is about three times as wide. In this draw both intervals contain the truth, 0.25.
#
# Look at the documents
# ---------------------
# The scores of the documents explain the difference: they vary far more than ten segments of fifteen words would by
# chance.
groups = clustered.by("document")
scores = sorted(group["wer"]["score"] for group in groups.values())
print("lowest and highest word error rate of a document:", round(scores[0], 3), round(scores[-1], 3))
print("standard deviation of the documents:", round(float(np.std(scores, ddof=1)), 3))
print("expected with equal documents:", round((0.25 * 0.75 / 150) ** 0.5, 3))

# %%
# Repeat the experiment
# ---------------------
# An interval is good if it contains the truth as often as it promises. One hundred simulated test sets, with both
# intervals:
intervals = {"documents": [], "segments": []}
for _ in range(100):
    records = simulate(rng)
    for name, data in (("documents", records), ("segments", without_documents(records))):
        intervals[name].append(nlgauge.score(data, metrics="wer").intervals()["wer"]["score"])
for name, rows in intervals.items():
    hits = sum(row.low <= 0.25 <= row.high for row in rows)
    print(f"resampled {name:9}: {hits} of 100 intervals contain the true value")

# %%
# The picture shows the first 40 pairs. Dark lines miss the truth.
figure, panels = plt.subplots(2, 1, figsize=(6, 5), sharex=True, sharey=True, layout="constrained")
for axes, (name, rows) in zip(panels, intervals.items(), strict=True):
    for number, row in enumerate(rows[:40]):
        color = "lightsteelblue" if row.low <= 0.25 <= row.high else "black"
        axes.plot([number, number], [row.low, row.high], color=color, linewidth=3)
    axes.axhline(0.25, color="gray", linewidth=1)
    axes.set(title=f"{name} resampled", ylabel="word error rate")
panels[1].set_xlabel("test set")

# %%
# What this does not show
# -----------------------
# The simulated documents differ much. In real test sets the effect may be smaller, or larger for long documents. The
# same holds for other clusters: speakers, annotators, or several questions about one passage. With fewer than about 20
# documents also the interval over documents is too narrow; nlgauge prints a caution then.
#
# See also: :doc:`/statistics/intervals`, :doc:`/statistics/simulations`, :doc:`/howto/files`, :doc:`/metrics/wer`.
