"""
Why did this segment score low
==============================

A score of a segment is a summary of matches and edits. This tutorial finds the segments with the lowest scores,
explains one of them with BLEU, TER, METEOR and BERTScore, and looks for segments on which two metrics disagree.
"""

# %%
# Data
# ----
# The system ``baseline`` of the sample that ships with nlgauge summarizes 24 short texts. The texts were written for
# this package.
import os

import nlgauge
from nlgauge import plots
from nlgauge.meta import benchmarks

rows = [row for row in benchmarks.load("sample").rows if row.system == "baseline"]
records = [
    {"id": row.segment, "prediction": row.prediction, "references": list(row.references)} for row in rows
]
result = nlgauge.score(records, metrics=["bleu", "ter", "meteor"])

# %%
# Find the segments
# -----------------
# The worst segment is an empty prediction, and no metric is needed to see this fault. The second segment has words, and
# the rest of the tutorial explains it: it heats the pot and closes the oven, but the references bake dough in a pot.
worst = result.worst("bleu", 3)
print(worst)

# %%
# BLEU: which n-grams match
# -------------------------
# The number below each token is the length of the longest n-gram with this token that a reference contains. Four single
# tokens match, one of them the period, and no two neighbors do. The brevity penalty lowers the score further, because
# 12 tokens are fewer than the 18 of the closest reference.
segment = worst[1]["segment"]
print(result.explain("bleu", segment)[0])

# %%
# TER: which edits are needed
# ---------------------------
# TER counts the edits that change the prediction into the closest reference, so a high TER is bad. Only two words, both
# "the", stay unchanged; "pot" does not count, because TER splits at spaces and the reference has "pot,".
print(result.explain("ter", segment)[0])

# %%
# METEOR: which words are aligned
# -------------------------------
# METEOR also aligns words with the same stem and synonyms: here "close" with "closed". All four matches are in chunks
# of one word, so the penalty for the order is at its highest for four matches. The picture shows the alignment.
explanation = result.explain("meteor", segment)[0]
print(explanation)
plots.explanation(explanation)

# %%
# BERTScore: which words are similar
# ----------------------------------
# BERTScore compares vectors of a model. This step needs the model MiniLM and PyTorch (``nlgauge models get minilm``);
# without them the tutorial continues. Each token has its nearest token in the other text: also words that do not match
# exactly get a part of the score.
texts = [record for record in records if record["id"] == segment]
os.environ["NLGAUGE_OFFLINE"] = "1"  # do not download the model
try:
    similar = nlgauge.score(texts, metrics='bertscore(model="minilm")')
    print(similar.explain(similar.labels[0], segment)[0])
except (nlgauge.NlgaugeError, ImportError) as error:
    print(f"BERTScore is not computed here: {error}")

# %%
# Segments on which metrics disagree
# ----------------------------------
# The ranks are shares: 0 is the worst segment and 1 the best. In the first of these segments METEOR ranks the
# prediction higher than BLEU does: most of its words are in the reference, but few of them in the same order.
print(result.disagreements("bleu", "meteor", 2))

# %%
# What this does not show
# -----------------------
# An explanation shows how a metric computed its score. It does not show whether the score is right: a good paraphrase
# has few matches too. The worst segments are a selection, so they say nothing about the mean of a system.
#
# See also: :doc:`/metrics/bleu`, :doc:`/metrics/ter`, :doc:`/metrics/meteor`, :doc:`/metrics/bertscore`,
# :doc:`/howto/report`.
